import { Modal, Stack, TextInput } from '@mantine/core';
import { FormEnd, useServerForm } from './form.tsx';

interface RenameProps {
  /** What is renamed: "token". */
  what: string;
  name: string;
  opened: boolean;
  onClose: () => void;
  /** Stores the new name, and has what shows it read again. */
  onRename: (name: string) => Promise<unknown>;
}

/** A new name for something. */
export function Rename({ what, opened, ...form }: RenameProps) {
  return (
    <Modal opened={opened} onClose={form.onClose} title={`Rename the ${what}`}>
      <RenameForm {...form} />
    </Modal>
  );
}

function RenameForm({ name, onClose, onRename }: Omit<RenameProps, 'what' | 'opened'>) {
  const form = useServerForm({
    initialValues: { name },
    send: (values) => onRename(values.name),
    onDone: onClose,
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
