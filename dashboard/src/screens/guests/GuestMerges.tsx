import { Button, Group, List, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { StaffContact } from '#service/features/guests/contacts/schema.ts';
import type { Merge } from '#service/features/guests/write/schema.ts';
import { mergeReasonWords } from '#service/shared/codes.ts';
import { api } from '../../api/client.ts';
import { getPages, refresh } from '../../api/queries.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { MoreList } from '../../ui/MoreList.tsx';
import { notify } from '../../ui/notify.ts';
import { Panel } from '../../ui/Panel.tsx';
import { DateTime } from '../../ui/Values.tsx';
import { guestName } from './guest.ts';

/** The merges of a guest, each with an undo button. Renders nothing if there are none. */
export function GuestMerges({ guest }: { guest: StaffContact }) {
  const { path } = useAccount();
  const merges = useInfiniteQuery(getPages<Merge>(`${path}/merges`, { contact_id: guest.id }));
  if (merges.data?.pages[0]?.total === 0) return null;
  return (
    <Panel title="Merges" flush>
      <MoreList
        label="Merges"
        of={merges}
        first={3}
        rowKey={(merge) => merge.id}
        render={(merge) => <MergeLine merge={merge} guest={guest} />}
        empty={null}
      />
    </Panel>
  );
}

function MergeLine({ merge, guest }: { merge: Merge; guest: StaffContact }) {
  const mayWrite = useHasRole('staff');
  const isOpen = merge.undone_at === null && merge.into_contact_id === guest.id;
  return (
    <>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="start">
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          {guestName(merge.contact)}
        </Text>
        {mayWrite && isOpen && <Undo merge={merge} guest={guest} />}
      </Group>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {merge.contact.email && `${merge.contact.email}, `}contact {merge.contact_id}; merged{' '}
        {merge.into_contact_id !== guest.id && `into contact ${merge.into_contact_id} `}by {actorName(merge.actor)}
        {merge.reason !== 'staff' && ` for having the ${mergeReasonWords[merge.reason]}`}, <DateTime at={merge.at} />
        {merge.undone_at && (
          <>
            . Undone by {actorName(merge.undone_by ?? 'unknown')}, <DateTime at={merge.undone_at} />
          </>
        )}
      </Text>
    </>
  );
}

/** The actor `token 3` is a partner's request. Other actors are e-mails of users. */
const actorName = (actor: string) =>
  actor.replace(/^token (\d+)$/, 'a request with token $1').replace(/^admin token$/, 'the admin token');

function Undo({ merge, guest }: { merge: Merge; guest: StaffContact }) {
  const { path } = useAccount();
  const [asked, ask] = useDisclosure();
  const [gone, stays] = [guestName(merge.contact), guestName(guest)];
  return (
    <>
      <Button variant="default" size="compact-xs" onClick={ask.open} aria-label={`Undo the merge of ${gone}`}>
        Undo
      </Button>
      <Confirm
        opened={asked}
        onClose={ask.close}
        title="Undo this merge?"
        action="Undo the merge"
        onConfirm={async () => {
          await api.post(`${path}/merges/${merge.id}/undo`);
          await refresh(path);
          notify.success(`${gone} is a separate guest again.`);
        }}
      >
        <List spacing={4}>
          <List.Item>
            {gone} (contact {merge.contact_id}) becomes a separate guest again, with their own data.
          </List.Item>
          <List.Item>{stays} loses the values that came with the merge, unless they were changed since.</List.Item>
          <List.Item>
            Consent that came with the merge is withdrawn. Consent that the merge ended stays off, because only the
            guest can give it again.
          </List.Item>
          <List.Item>A shared phone number does not merge them again automatically.</List.Item>
        </List>
      </Confirm>
    </>
  );
}
