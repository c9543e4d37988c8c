import { Autocomplete, Modal, Stack, TextInput } from '@mantine/core';
import { api } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import { useAccount } from '../session/session.ts';
import { FormEnd, useServerForm } from '../ui/form.tsx';
import { say } from '../ui/say.ts';
import { kinds, type NameTask } from './venues.ts';

interface NameWindowProps {
  task: NameTask;
  opened: boolean;
  onClose: () => void;
}

/** A name for something new, or a new one. */
export function NameWindow({ task, opened, onClose }: NameWindowProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={titleOf(task)}>
      <NameForm task={task} onClose={onClose} />
    </Modal>
  );
}

function titleOf(task: NameTask): string {
  if (task.do === 'rename') return `Rename ${task.name}`;
  return task.kind === 'venue' ? 'New venue' : `New ${task.kind} at ${task.venue.name}`;
}

function NameForm({ task, onClose }: { task: NameTask; onClose: () => void }) {
  const account = useAccount();
  const path = `${account.path}/${kinds[task.kind].path}`;
  const folders =
    task.do === 'create' && task.kind === 'group' ? task.venue.folders.map(({ name }) => name) : undefined;
  const form = useServerForm({
    initialValues: {
      name: task.do === 'rename' ? task.name : '',
      folder_name: task.do === 'create' && task.kind === 'group' ? (task.folder ?? folders?.[0] ?? 'default') : '',
    },
    send: ({ name, folder_name }) => {
      if (task.do === 'rename') return api.patch(`${path}/${task.id}`, { name });
      return api.post(path, {
        name,
        ...(task.kind === 'venue' ? {} : { unit_id: task.venue.id }),
        ...(task.kind === 'group' ? { folder_name } : {}),
      });
    },
    onDone: async (_result, { name }) => {
      await refresh(account.path);
      say.done(task.do === 'rename' ? `${task.name} is now called ${name}.` : `${name} is there.`);
      onClose();
    },
  });
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput label="Name" required maxLength={255} data-autofocus {...form.getInputProps('name')} />
        {folders && (
          <Autocomplete
            label="Folder"
            description="One that is not there yet is made."
            data={folders}
            comboboxProps={{ withinPortal: false }}
            required
            maxLength={255}
            {...form.getInputProps('folder_name')}
          />
        )}
        <FormEnd form={form} onCancel={onClose}>
          {task.do === 'rename' ? 'Rename' : `Add ${task.kind}`}
        </FormEnd>
      </Stack>
    </form>
  );
}
