import { Menu } from '@mantine/core';
import { RowMenu } from '../../ui/RowMenu.tsx';
import type { Kind, Task, Venue } from './venues.ts';

interface ActionsProps {
  kind: Kind;
  thing: { id: number; name: string };
  /** The venue itself, or the venue that it belongs to. */
  venue: Venue;
  onTask: (task: Task) => void;
}

/** The menu of a venue, folder or group. */
export function Actions({ kind, thing: { id, name }, venue, onTask }: ActionsProps) {
  const folder = kind === 'folder' ? { folder: name } : {};
  return (
    <RowMenu of={name} withinPortal={false}>
      {kind !== 'group' && (
        <Menu.Item onClick={() => onTask({ do: 'create', kind: 'group', venue, ...folder })}>New group</Menu.Item>
      )}
      {kind === 'venue' && (
        <Menu.Item onClick={() => onTask({ do: 'create', kind: 'folder', venue })}>New folder</Menu.Item>
      )}
      <Menu.Item onClick={() => onTask({ do: 'rename', kind, id, name })}>Rename</Menu.Item>
      {!(kind === 'venue' && venue.is_root) && (
        <>
          <Menu.Divider />
          <Menu.Item c="var(--mantine-color-error)" onClick={() => onTask({ do: 'delete', kind, id, name })}>
            Delete
          </Menu.Item>
        </>
      )}
    </RowMenu>
  );
}
