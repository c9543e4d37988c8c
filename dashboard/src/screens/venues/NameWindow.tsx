import { Modal, NativeSelect, Stack, TextInput } from '@mantine/core';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { FormEnd, useServerForm } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';
import { type NameTask, paths } from './venues.ts';

interface NameWindowProps {
  task: NameTask | undefined;
  opened: boolean;
  onClose: () => void;
}

/** Adds or renames a venue, folder or group. */
export function NameWindow({ task, opened, onClose }: NameWindowProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={task && titleOf(task)}>
      {task && <NameForm task={task} onClose={onClose} />}
    </Modal>
  );
}

function titleOf(task: NameTask): string {
  if (task.do === 'rename') return `Rename ${task.name}`;
  return task.kind === 'venue' ? 'New venue' : `New ${task.kind} at ${task.venue.name}`;
}

function NameForm({ task, onClose }: { task: NameTask; onClose: () => void }) {
  const account = useAccount();
  const path = `${account.path}/${paths[task.kind]}`;
  const folders = foldersFor(task);
  const form = useServerForm({
    initialValues: {
      name: task.do === 'rename' ? task.name : '',
      folder: ('folder' in task && task.folder) || folders[0] || '',
      folder_name: '',
    },
    send: ({ name, folder, folder_name }) => {
      if (task.do === 'rename') return api.patch(`${path}/${task.id}`, { name });
      return api.post(path, {
        name,
        ...(task.kind === 'venue' ? {} : { unit_id: task.venue.id }),
        ...(task.kind === 'group' ? { folder_name: folder || folder_name } : {}),
      });
    },
    onDone: async (_result, { name }) => {
      await refresh(account.path);
      notify.success(task.do === 'rename' ? `${task.name} is now called ${name}.` : `${name} is added.`);
      onClose();
    },
  });
  const named = { required: true, maxLength: 255 };
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput label="Name" {...named} data-autofocus {...form.getInputProps('name')} />
        {folders.length > 0 && (
          <NativeSelect
            label="Folder"
            data={[...folders.map((name) => ({ value: name, label: name })), { value: '', label: 'A new folder' }]}
            {...form.getInputProps('folder')}
          />
        )}
        {folders.length > 0 && form.getValues().folder === '' && (
          <TextInput label="Name of the new folder" {...named} {...form.getInputProps('folder_name')} />
        )}
        <FormEnd form={form} onCancel={onClose}>
          {task.do === 'rename' ? 'Rename' : `Add ${task.kind}`}
        </FormEnd>
      </Stack>
    </form>
  );
}

/** The folders for a new group. A venue without folders offers the default folder. */
function foldersFor(task: NameTask): string[] {
  if (task.do !== 'create' || task.kind !== 'group') return [];
  return task.venue.folders.length === 0 ? ['default'] : task.venue.folders.map(({ name }) => name);
}
