import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { Kind, Task, Venue } from './venues.ts';

interface ActionsProps {
  kind: Kind;
  thing: { id: number; name: string };
  /** The venue that it is, or is on. */
  venue: Venue;
  onTask: (task: Task) => void;
}

/** What can be done to a venue, folder or group. */
export function Actions({ kind, thing: { id, name }, venue, onTask }: ActionsProps) {
  const folder = kind === 'folder' ? { folder: name } : {};
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Change ${name}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
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
            <Menu.Item color="red" onClick={() => onTask({ do: 'delete', kind, id, name })}>
              Delete
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
