import { Button, List, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { StaffContact } from '#service/features/guests/contacts/schema.ts';
import type { TimelineSummary } from '#service/features/insight/timeline/schema.ts';
import { api } from '../api/client.ts';
import { forget, forgetUnseen, refresh } from '../api/queries.ts';
import { drafts } from '../session/drafts.ts';
import { useAccount, useSession } from '../session/session.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { counted } from '../ui/format.ts';
import { say } from '../ui/say.ts';
import { guestName } from './guest.ts';
import { notesPath, summaryQuery } from './queries.ts';

/** For a guest who asks to be forgotten. */
export function EraseGuest({ guest }: { guest: StaffContact }) {
  const { id: accountId, path } = useAccount();
  const { user } = useSession();
  const navigate = useNavigate();
  const [asked, ask] = useDisclosure();
  const [typed, setTyped] = useState('');
  const { data: summary } = useQuery(summaryQuery(path, guest.id));
  const name = guestName(guest);
  const isMeant = ['erase', name.toLowerCase()].includes(typed.trim().toLowerCase());

  const erase = async () => {
    await api.delete(`${path}/contacts/${guest.id}`);
    // Nothing of them stays in this browser either: first the lists that they may be in, so that none shows them again,
    forgetUnseen(path);
    drafts.keep(notesPath(path, guest.id), user.id, '');
    await navigate({ to: '/accounts/$accountId/guests', params: { accountId }, search: {} });
    say.done(`${name} is forgotten.`);
    // and then what this page showed.
    forget(`${path}/contacts/${guest.id}`);
    await refresh(path);
  };

  return (
    <>
      <Button
        variant="default"
        c="red"
        onClick={() => {
          setTyped('');
          ask.open();
        }}
      >
        Erase
      </Button>
      <Confirm
        opened={asked}
        onClose={ask.close}
        title={`Erase ${name}?`}
        action="Erase for good"
        danger
        disabled={!isMeant}
        onConfirm={erase}
      >
        <Stack>
          <Text>For a guest who asks to be forgotten. It can’t be undone, and leaves no trace of them:</Text>
          <List spacing={4}>
            <List.Item>The profile, the notes and the history of consent are deleted.</List.Item>
            {summary && <List.Item>So is what they did: {deeds(summary)}.</List.Item>}
            {guest.merged_contact_ids.length > 0 && (
              <List.Item>
                So {guest.merged_contact_ids.length === 1 ? 'is' : 'are'}{' '}
                {counted(guest.merged_contact_ids.length, 'contact')} that turned out to be them.
              </List.Item>
            )}
            <List.Item>Voucher codes stay in their groups, but are nobody’s.</List.Item>
          </List>
          <TextInput
            label={`Type “${name}” or “erase” to go on`}
            autoComplete="off"
            data-autofocus
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </Stack>
      </Confirm>
    </>
  );
}

function deeds({ counts }: TimelineSummary): string {
  const told = [
    counts.purchase && counted(counts.purchase, 'purchase'),
    counts.booking && counted(counts.booking, 'booking'),
    counts.stay && counted(counts.stay, 'stay'),
    counts.wifi && counted(counts.wifi, 'wifi visit'),
    counts.feedback && `${counted(counts.feedback, 'piece')} of feedback`,
  ].filter((one) => one !== 0);
  return new Intl.ListFormat('en').format(told) || 'nothing that is known';
}
