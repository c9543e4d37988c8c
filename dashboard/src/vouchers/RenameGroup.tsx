import { Modal, Stack, TextInput } from '@mantine/core';
import type { CodeGroup } from '#service/vouchers/schema.ts';
import { api } from '../api/client.ts';
import { useAccount } from '../session/session.ts';
import { FormEnd, useServerForm } from '../ui/form.tsx';
import { groupPath, refreshVouchers } from './paths.ts';

interface RenameGroupProps {
  group: CodeGroup;
  opened: boolean;
  onClose: () => void;
}

export function RenameGroup({ group, opened, onClose }: RenameGroupProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Rename the group">
      <RenameForm group={group} onClose={onClose} />
    </Modal>
  );
}

function RenameForm({ group, onClose }: Omit<RenameGroupProps, 'opened'>) {
  const account = useAccount();
  const form = useServerForm({
    initialValues: { name: group.name },
    send: (values) => api.patch<CodeGroup>(groupPath(account, group.id), values),
    onDone: async () => {
      await refreshVouchers(account);
      onClose();
    },
  });
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput label="Name" required maxLength={255} data-autofocus {...form.getInputProps('name')} />
        <FormEnd form={form} onCancel={onClose}>
          Rename
        </FormEnd>
      </Stack>
    </form>
  );
}
