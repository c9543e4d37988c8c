import { Button, List, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { StaffContact } from '#service/features/guests/contacts/schema.ts';
import type { TimelineSummary } from '#service/features/insight/timeline/schema.ts';
import { api } from '../../api/client.ts';
import { refresh, removeFromCache, removeHiddenFromCache } from '../../api/queries.ts';
import { drafts } from '../../session/drafts.ts';
import { useAccount, useSession } from '../../session/session.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { withCount } from '../../ui/format.ts';
import { notify } from '../../ui/notify.ts';
import { guestName } from './guest.ts';
import { notesPath, summaryQuery } from './queries.ts';

/** Erases a guest, after a confirmation. */
export function EraseGuest({ guest }: { guest: StaffContact }) {
  const { id: accountId, path } = useAccount();
  const { user } = useSession();
  const navigate = useNavigate();
  const [asked, ask] = useDisclosure();
  const [typed, setTyped] = useState('');
  const { data: summary } = useQuery(summaryQuery(path, guest.id));
  const name = guestName(guest);
  const isConfirmed = ['erase', name.toLowerCase()].includes(typed.trim().toLowerCase());

  const erase = async () => {
    await api.delete(`${path}/contacts/${guest.id}`);
    // Remove the guest from the browser's cache too. First the hidden lists, so that none shows the guest again,
    removeHiddenFromCache(path);
    drafts.store(notesPath(path, guest.id), user.id, '');
    await navigate({ to: '/accounts/$accountId/guests', params: { accountId }, search: {} });
    notify.success(`${name} is erased.`);
    // and then the entries of this page.
    removeFromCache(`${path}/contacts/${guest.id}`);
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
        disabled={!isConfirmed}
        onConfirm={erase}
      >
        <Stack>
          <Text>Use this when a guest asks to be forgotten. It can’t be undone.</Text>
          <List spacing={4}>
            <List.Item>Deletes the profile, the notes and the consent history.</List.Item>
            {summary && <List.Item>Deletes their activity: {activityCounts(summary)}.</List.Item>}
            {guest.merged_contact_ids.length > 0 && (
              <List.Item>
                Deletes {withCount(guest.merged_contact_ids.length, 'contact')} merged into this guest.
              </List.Item>
            )}
            <List.Item>Their voucher codes stay in the groups, without a guest.</List.Item>
          </List>
          <TextInput
            label={`Type “${name}” or “erase” to confirm`}
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

function activityCounts({ counts }: TimelineSummary): string {
  const parts = [
    counts.purchase && withCount(counts.purchase, 'purchase'),
    counts.booking && withCount(counts.booking, 'booking'),
    counts.stay && withCount(counts.stay, 'stay'),
    counts.wifi && withCount(counts.wifi, 'wifi visit'),
    counts.feedback && `${withCount(counts.feedback, 'piece')} of feedback`,
  ].filter((one) => one !== 0);
  return new Intl.ListFormat('en').format(parts) || 'none';
}
