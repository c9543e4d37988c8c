import { Modal, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CodeGroup } from '#service/features/vouchers/group-schema.ts';
import type { StaffCode } from '#service/features/vouchers/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { get } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { withCount } from '../../ui/format.ts';
import { AssignToGroup } from './AssignToGroup.tsx';
import { AssignToGuest } from './AssignToGuest.tsx';
import { groupPath } from './paths.ts';

interface AssignCodesProps {
  group: CodeGroup;
  opened: boolean;
  onClose: () => void;
}

/** Assigns free codes to a guest or to all guests of a group. */
export function AssignCodes({ group, opened, onClose }: AssignCodesProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Assign codes">
      <AssignForm group={group} onClose={onClose} />
    </Modal>
  );
}

function AssignForm({ group, onClose }: Omit<AssignCodesProps, 'opened'>) {
  const path = groupPath(useAccount(), group.id);
  const free = useQuery(get<Paged<StaffCode>>(`${path}/codes`, { status: 'Active', assigned: false }));
  const [to, setTo] = useState('guest');
  return (
    <Stack>
      <Text>
        Guests who already have a code of {group.name} keep it.{' '}
        {free.data && `${withCount(free.data.total, 'code is', 'codes are')} still free.`}
      </Text>
      <SegmentedControl
        aria-label="To whom"
        value={to}
        onChange={setTo}
        data={[
          { value: 'guest', label: 'One guest' },
          { value: 'group', label: 'A group of guests' },
        ]}
      />
      {to === 'guest' ? (
        <AssignToGuest path={path} onClose={onClose} />
      ) : (
        <AssignToGroup path={path} onClose={onClose} />
      )}
    </Stack>
  );
}
