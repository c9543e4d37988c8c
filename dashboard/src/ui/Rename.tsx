import { Modal, Stack, TextInput } from '@mantine/core';
import { FormEnd, useServerForm } from './form.tsx';

interface RenameProps {
  /** The kind of thing: "token". */
  what: string;
  name: string;
  opened: boolean;
  onClose: () => void;
  /** Stores the new name and refreshes the queries that show it. */
  onRename: (name: string) => Promise<unknown>;
}

/** A window with a field for a new name. */
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
