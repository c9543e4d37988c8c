import { Button, Group, List, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { StaffContact } from '#service/features/guests/contacts/schema.ts';
import type { Merge } from '#service/features/guests/write/schema.ts';
import { mergeReasonWords } from '#service/shared/codes.ts';
import { api } from '../api/client.ts';
import { getPages, refresh } from '../api/queries.ts';
import { useAccount, useMay } from '../session/session.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { MoreList } from '../ui/MoreList.tsx';
import { Panel } from '../ui/Panel.tsx';
import { say } from '../ui/say.ts';
import { DateTime } from '../ui/Values.tsx';
import { guestName } from './guest.ts';

/** Who turned out to be this guest; each can be undone. Not there where nobody did. */
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
  const mayWrite = useMay('staff');
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
            . Undone by {actorName(merge.undone_by ?? 'somebody')}, <DateTime at={merge.undone_at} />
          </>
        )}
      </Text>
    </>
  );
}

/** "token 3" is a partner's request; staff are known by their e-mail. */
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
          say.done(`${gone} is a guest of their own again.`);
        }}
      >
        <List spacing={4}>
          <List.Item>
            {gone} (contact {merge.contact_id}) is a guest again, with all that was their own.
          </List.Item>
          <List.Item>What {stays} took over from them is taken back, as far as it was not changed since.</List.Item>
          <List.Item>
            A consent that came with the merge is taken back. One that the merge ended stays ended: only the guest can
            give it again.
          </List.Item>
          <List.Item>A phone that they share does not join them again by itself.</List.Item>
        </List>
      </Confirm>
    </>
  );
}
