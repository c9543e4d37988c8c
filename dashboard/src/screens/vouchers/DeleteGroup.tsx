import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { CodeGroup, Statistics } from '#service/features/vouchers/group-schema.ts';
import { api } from '../../api/client.ts';
import { removeFromCache } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { withCount } from '../../ui/format.ts';
import { notify } from '../../ui/notify.ts';
import { groupPath, refreshVouchers } from './paths.ts';

interface DeleteGroupProps {
  group: CodeGroup;
  statistics: Statistics;
  opened: boolean;
  onClose: () => void;
}

/** Deletes a group. Only possible while none of its codes is assigned or redeemed, because that history stays. */
export function DeleteGroup({ group, statistics, opened, onClose }: DeleteGroupProps) {
  const account = useAccount();
  const navigate = useNavigate();
  const { made, assigned, redeemed } = statistics;
  if (assigned > 0 || redeemed > 0)
    return (
      <Modal opened={opened} onClose={onClose} title={`${group.name} can’t be deleted`}>
        <Stack>
          <Text>
            {withCount(assigned, 'code is', 'codes are')} assigned and {withCount(redeemed, 'code is', 'codes are')}{' '}
            redeemed. This history stays, so the group can’t be deleted.
          </Text>
          <Group justify="flex-end">
            <Button onClick={onClose}>Close</Button>
          </Group>
        </Stack>
      </Modal>
    );
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Delete ${group.name}?`}
      action="Delete group"
      danger
      onConfirm={async () => {
        await api.delete(groupPath(account, group.id));
        await navigate({ to: '/accounts/$accountId/vouchers', params: { accountId: account.id } });
        removeFromCache(groupPath(account, group.id));
        await refreshVouchers(account);
        notify.success(`${group.name} is deleted.`);
      }}
    >
      <Text>
        {made === 0
          ? 'It has no codes.'
          : `This also deletes its ${withCount(made, 'code')}. None is assigned or redeemed, and none can be redeemed afterwards.`}{' '}
        This can’t be undone.
      </Text>
    </Confirm>
  );
}
