import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { FoundContact } from '#service/features/guests/contacts/schema.ts';
import type { PossibleDuplicate } from '#service/features/guests/write/schema.ts';
import { mergeReasonWords } from '#service/shared/codes.ts';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { notify } from '../../ui/notify.ts';
import { TextLink } from '../../ui/Page.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { DateTime } from '../../ui/Values.tsx';
import { Comparison } from './Comparison.tsx';
import { compareFound } from './comparison.ts';
import classes from './DuplicatePair.module.css';
import { guestName } from './guest.ts';
import { MergeConfirm, type Side } from './MergeConfirm.tsx';

/** Two possible duplicates. Staff merge them or mark them as different people. */
export function DuplicatePair({ pair }: { pair: PossibleDuplicate }) {
  const { time_zone } = useAccount();
  const mayWrite = useHasRole('staff');
  const [left, right] = pair.contacts as [FoundContact, FoundContact];
  return (
    <Panel flush>
      <Comparison
        label={`${guestName(left)} and ${guestName(right)}`}
        left={<GuestLink guest={left} />}
        right={<GuestLink guest={right} />}
        rows={compareFound(left, right, time_zone)}
      />
      <div className={classes.end}>
        <Text size="sm" c="dimmed">
          Noticed <DateTime at={pair.created_at} />: {mergeReasonWords[pair.reason]}
        </Text>
        {mayWrite && <DecisionButtons pair={pair} left={left} right={right} />}
      </div>
    </Panel>
  );
}

function GuestLink({ guest }: { guest: FoundContact }) {
  const { id: accountId } = useAccount();
  return (
    <>
      <TextLink to="/accounts/$accountId/guests/$contactId" params={{ accountId, contactId: guest.id }} fw={500}>
        {guestName(guest)}
      </TextLink>
      <Text component="span" size="sm" c="dimmed" display="block">
        Contact {guest.id}
      </Text>
    </>
  );
}

function DecisionButtons({ pair, left, right }: { pair: PossibleDuplicate; left: FoundContact; right: FoundContact }) {
  const { path } = useAccount();
  const [stays, setStays] = useState<Side>('left');
  const [opened, setOpened] = useState(false);
  const keepApart = useMutation({
    mutationFn: () => api.post(`${path}/possible_duplicates/${pair.id}/keep_apart`),
    onSuccess: async () => {
      await refresh(`${path}/possible_duplicates`);
      notify.success(`${guestName(left)} and ${guestName(right)} are marked as different people.`);
    },
  });
  const merge = (into: Side) => {
    setStays(into);
    setOpened(true);
  };
  const names = `${guestName(left)} and ${guestName(right)}`;
  return (
    <div className={classes.buttons}>
      <Button
        variant="default"
        size="xs"
        loading={keepApart.isPending}
        onClick={() => keepApart.mutate()}
        aria-label={`Different people: ${names}`}
      >
        Different people
      </Button>
      <Button variant="light" size="xs" onClick={() => merge('left')} aria-label={`Merge into left: ${names}`}>
        Merge into left
      </Button>
      <Button variant="light" size="xs" onClick={() => merge('right')} aria-label={`Merge into right: ${names}`}>
        Merge into right
      </Button>
      <MergeConfirm
        opened={opened}
        onClose={() => setOpened(false)}
        leftId={left.id}
        rightId={right.id}
        stays={stays}
        onStays={setStays}
        onMerged={() => {}}
      />
    </div>
  );
}
