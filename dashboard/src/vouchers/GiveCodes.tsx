import { Modal, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CodeGroup, StaffCode } from '#service/features/vouchers/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { get } from '../api/queries.ts';
import { useAccount } from '../session/session.ts';
import { counted } from '../ui/format.ts';
import { GiveGroup } from './GiveGroup.tsx';
import { GiveGuest } from './GiveGuest.tsx';
import { groupPath } from './paths.ts';

interface GiveCodesProps {
  group: CodeGroup;
  opened: boolean;
  onClose: () => void;
}

/** Assigns free codes to a guest or to all guests of a group. */
export function GiveCodes({ group, opened, onClose }: GiveCodesProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Assign codes">
      <Give group={group} onClose={onClose} />
    </Modal>
  );
}

function Give({ group, onClose }: Omit<GiveCodesProps, 'opened'>) {
  const path = groupPath(useAccount(), group.id);
  const free = useQuery(get<Paged<StaffCode>>(`${path}/codes`, { status: 'Active', assigned: false }));
  const [to, setTo] = useState('guest');
  return (
    <Stack>
      <Text>
        Guests who already have a code of {group.name} keep it.{' '}
        {free.data && `${counted(free.data.total, 'code is', 'codes are')} still free.`}
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
      {to === 'guest' ? <GiveGuest path={path} onClose={onClose} /> : <GiveGroup path={path} onClose={onClose} />}
    </Stack>
  );
}
