import { Modal, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Paged } from '#service/shared/fields.ts';
import type { Unit } from '#service/units/schema.ts';
import type { CodeGroup } from '#service/vouchers/schema.ts';
import { api } from '../api/client.ts';
import { get } from '../api/queries.ts';
import { useAccount } from '../session/session.ts';
import { FormEnd, useServerForm } from '../ui/form.tsx';
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
  const units = useQuery(get<Paged<Unit>>(`${account.path}/units`));
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
          description="Where it belongs. Its codes can be redeemed at every venue."
          data={(units.data?.data ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
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
