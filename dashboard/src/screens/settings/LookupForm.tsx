import { Radio, Stack, TextInput } from '@mantine/core';
import type { Lookup } from '#service/features/venues/lookups/schema.ts';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { FormEnd, useServerForm } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';

interface LookupFormProps {
  path: string;
  noun: string;
  typed: boolean;
  /** The entry to rename. Undefined: add a new one. */
  of: Lookup | undefined;
  onClose: () => void;
}

export function LookupForm({ path, noun, typed, of, onClose }: LookupFormProps) {
  const form = useServerForm({
    initialValues: { name: of?.name ?? '', type: 'text' },
    send: ({ name, type }) =>
      of ? api.patch(`${path}/${of.id}`, { name }) : api.post(path, typed ? { name, type } : { name }),
    onDone: async (_result, { name }) => {
      await refresh(path);
      notify.success(of ? `The ${noun} is called ${name} now.` : `${name} is added.`);
      onClose();
    },
  });
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput
          label="Name"
          required
          maxLength={255}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        {typed && !of && (
          <Radio.Group label="Type" description="You can’t change the type later." {...form.getInputProps('type')}>
            <Stack gap="xs" mt="xs">
              <Radio value="text" label="Text" />
              <Radio value="date" label="Date" />
            </Stack>
          </Radio.Group>
        )}
        <FormEnd form={form} onCancel={onClose}>
          {of ? 'Rename' : `Add ${noun}`}
        </FormEnd>
      </Stack>
    </form>
  );
}
