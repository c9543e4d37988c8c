import { Alert, List, Radio, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { StaffContact } from '#service/features/guests/contacts/schema.ts';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { notify } from '../../ui/notify.ts';
import { Comparison } from './Comparison.tsx';
import { compareProfiles } from './comparison.ts';
import { GuestPicker } from './GuestPicker.tsx';
import { guestName } from './guest.ts';
import { guestQuery } from './queries.ts';

export type Side = 'left' | 'right';

interface MergeConfirmProps {
  opened: boolean;
  onClose: () => void;
  leftId: number;
  /** If undefined, the user chooses the guest in this window. */
  rightId?: number | undefined;
  onRight?: (id: number) => void;
  stays: Side;
  onStays: (side: Side) => void;
  onMerged: (id: number) => unknown;
}

/** Compares two guests, lets the user choose which one stays, and merges them. */
export function MergeConfirm(props: MergeConfirmProps) {
  const { opened, onClose, leftId, rightId, onRight, stays, onStays, onMerged } = props;
  const { path, time_zone } = useAccount();
  // Always load the current data. The list that led here can be stale.
  const left = useQuery({ ...guestQuery(path, leftId), enabled: opened, staleTime: 0 });
  const right = useQuery({ ...guestQuery(path, rightId ?? 0), enabled: opened && rightId !== undefined, staleTime: 0 });
  const both = left.data && right.data && rightId !== undefined ? { left: left.data, right: right.data } : undefined;
  const survivor = both?.[stays];
  const other = both?.[stays === 'left' ? 'right' : 'left'];
  /** The guest merged in this window. For this one, "already merged" is no news. */
  const [mergedId, setMergedId] = useState<number>();
  const isOne = both !== undefined && both.left.id === both.right.id && mergedId !== rightId;
  const error = left.error ?? (rightId === undefined ? null : right.error);

  const merge = async () => {
    if (!survivor || !other) return;
    await api.post(`${path}/contacts/${survivor.id}/merge`, { contact_id: other.id });
    setMergedId(rightId);
    await onMerged(survivor.id);
    notify.success(`${guestName(other)} and ${guestName(survivor)} are one guest now.`);
    await refresh(path);
  };

  return (
    <Confirm
      opened={opened}
      onClose={() => {
        onClose();
        if (isOne) void refresh(`${path}/possible_duplicates`, `${path}/contacts`);
      }}
      size={isOne ? undefined : 'xl'}
      title={isOne ? 'Nothing to merge' : both ? 'Merge these two?' : 'Merge with another guest'}
      action={isOne ? undefined : survivor ? `Merge into ${guestName(survivor)}` : 'Merge'}
      disabled={!survivor}
      onConfirm={merge}
    >
      {error && <Alert color="red">{error.message}</Alert>}
      {rightId === undefined && onRight && <GuestPicker except={leftId} onPick={onRight} />}
      {rightId !== undefined && !both && !error && <Skeleton height="16rem" />}
      {isOne && <Text>These two are already one guest.</Text>}
      {!isOne && both && survivor && other && (
        <Radio.Group aria-label="Who stays" value={stays} onChange={(side) => onStays(side as Side)}>
          <Stack>
            <Comparison
              label="The two guests"
              left={<Radio value="left" label={<Label guest={both.left} stays={stays === 'left'} />} />}
              right={<Radio value="right" label={<Label guest={both.right} stays={stays === 'right'} />} />}
              rows={compareProfiles(both.left, both.right, time_zone)}
            />
            <List spacing={4} size="sm">
              <List.Item>
                {guestName(survivor)} (contact {survivor.id}) keeps the values above and takes over missing ones.
              </List.Item>
              <List.Item>
                Visits, notes and vouchers of both are shown together. The e-mail, number and id of contact {other.id}{' '}
                then lead to this guest.
              </List.Item>
              <List.Item>
                Consent moves with the mobile, e-mail or postal address that it was given for, if contact {survivor.id}{' '}
                has none of its own. A channel that either contact withdrew is no longer allowed.
              </List.Item>
              <List.Item>You can undo the merge on the guest’s page.</List.Item>
            </List>
          </Stack>
        </Radio.Group>
      )}
    </Confirm>
  );
}

function Label({ guest, stays }: { guest: StaffContact; stays: boolean }) {
  return (
    <>
      <Text component="span" fw={500}>
        {guestName(guest)}
      </Text>
      <Text component="span" size="sm" c="dimmed" display="block">
        Contact {guest.id}, {stays ? 'stays' : 'is merged'}
      </Text>
    </>
  );
}
