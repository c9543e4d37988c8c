import { Modal, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { CodeGroup } from '#service/features/vouchers/group-schema.ts';
import { api } from '../../api/client.ts';
import { useAccount } from '../../session/session.ts';
import { FormEnd, useServerForm } from '../../ui/form.tsx';
import { unitsQuery } from '../venues/units.ts';
import { groupsPath, refreshVouchers } from './paths.ts';

interface NewGroupProps {
  opened: boolean;
  onClose: () => void;
}

export function NewGroup({ opened, onClose }: NewGroupProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="New voucher group">
      <NewGroupForm onClose={onClose} />
    </Modal>
  );
}

function NewGroupForm({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const navigate = useNavigate();
  const units = useQuery(unitsQuery(account));
  const form = useServerForm({
    initialValues: { name: '', unit_id: String(account.root_unit_id) },
    send: ({ name, unit_id }) => api.post<CodeGroup>(groupsPath(account), { name, unit_id: Number(unit_id) }),
    onDone: async ({ id }) => {
      await refreshVouchers(account);
      onClose();
      await navigate({
        to: '/accounts/$accountId/vouchers/$groupId',
        params: { accountId: account.id, groupId: id },
      });
    },
  });
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput
          label="Name"
          placeholder="Summer vouchers"
          required
          maxLength={255}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select
          label="Venue"
          description="The venue of the group. Its codes can be redeemed at every venue."
          data={(units.data ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
          searchable
          allowDeselect={false}
          {...form.getInputProps('unit_id')}
        />
        <FormEnd form={form} onCancel={onClose}>
          Create group
        </FormEnd>
      </Stack>
    </form>
  );
}
