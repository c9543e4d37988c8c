import { Modal, Stack, TextInput } from '@mantine/core';
import type { Token } from '#service/tokens/schema.ts';
import { api } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import { useAccount } from '../session/session.ts';
import { FormEnd, useServerForm } from '../ui/form.tsx';

interface RenameTokenProps {
  token: Token;
  opened: boolean;
  onClose: () => void;
}

export function RenameToken({ token, opened, onClose }: RenameTokenProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Rename the token">
      <RenameForm token={token} onClose={onClose} />
    </Modal>
  );
}

function RenameForm({ token, onClose }: Omit<RenameTokenProps, 'opened'>) {
  const { path } = useAccount();
  const form = useServerForm({
    initialValues: { name: token.name },
    send: (values) => api.patch<Token>(`${path}/tokens/${token.id}`, values),
    onDone: async () => {
      await refresh(`${path}/tokens`);
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
