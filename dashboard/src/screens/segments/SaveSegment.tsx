import { Modal, Stack, TextInput } from '@mantine/core';
import type { Segment } from '#service/features/insight/segments/schema.ts';
import { FormEnd, useServerForm } from '../../ui/form.tsx';

interface SaveSegmentProps {
  opened: boolean;
  onClose: () => void;
  name: string;
  send: (name: string) => Promise<Segment>;
  onSaved: (segment: Segment) => Promise<unknown>;
}

/** Asks for the name of a segment and saves it. */
export function SaveSegment({ opened, ...form }: SaveSegmentProps) {
  return (
    <Modal opened={opened} onClose={form.onClose} title="Save segment">
      <SaveForm {...form} />
    </Modal>
  );
}

function SaveForm({ onClose, name, send, onSaved }: Omit<SaveSegmentProps, 'opened'>) {
  const form = useServerForm({
    initialValues: { name },
    send: (values) => send(values.name),
    onDone: onSaved,
  });
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput
          label="Name"
          placeholder="Regulars of The Anchor"
          required
          maxLength={255}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <FormEnd form={form} onCancel={onClose}>
          Save
        </FormEnd>
      </Stack>
    </form>
  );
}
