import { Badge, Button, Text } from '@mantine/core';
import { IconFolder, IconPlus } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useAccount } from '../../session/session.ts';
import { formatNumber, withCount } from '../../ui/format.ts';
import { TextLink } from '../../ui/Page.tsx';
import { Actions } from './Actions.tsx';
import { Toggle } from './Toggle.tsx';
import classes from './Venues.module.css';
import type { Folder, Group, Task, Venue } from './venues.ts';

type OnTask = ((task: Task) => void) | undefined;

interface VenueBranchProps {
  venue: Venue;
  open: boolean;
  onToggle: () => void;
  onTask: OnTask;
}

/** A venue with its folders and groups, which can be collapsed. */
export function VenueBranch({ venue, open, onToggle, onTask }: VenueBranchProps) {
  const content = useId();
  const groups = venue.folders.reduce((sum, folder) => sum + folder.groups.length, 0);
  return (
    <li>
      <div className={classes.row} data-row data-venue>
        <Toggle name={venue.name} open={open} controls={content} onToggle={onToggle} />
        {venue.is_root && (
          <Badge color="gray" flex="none" title="Used if no venue is given">
            Root
          </Badge>
        )}
        <Text component="span" c="dimmed" size="sm" className={classes.summary}>
          {groups > 0 && withCount(groups, 'group')}
        </Text>
        <Guests count={venue.guests} of={venue.name} search={{ unit_id: venue.id }} />
        {onTask && <Actions kind="venue" thing={venue} venue={venue} onTask={onTask} />}
      </div>
      <ul className={classes.list} id={content} hidden={!open}>
        {open && (
          <>
            {venue.folders.map((folder) => (
              <FolderBranch key={folder.id} folder={folder} venue={venue} onTask={onTask} />
            ))}
            {venue.folders.length === 0 && (
              <li className={classes.end}>
                <Text component="span" c="dimmed" size="sm">
                  No groups yet. Add one here, or partners create groups when they send guests.
                </Text>
              </li>
            )}
            {onTask && (
              <li className={classes.end}>
                <AddButton onClick={() => onTask({ do: 'create', kind: 'group', venue })}>New group</AddButton>
                <AddButton onClick={() => onTask({ do: 'create', kind: 'folder', venue })}>New folder</AddButton>
              </li>
            )}
          </>
        )}
      </ul>
    </li>
  );
}

function AddButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Button variant="subtle" size="compact-sm" leftSection={<IconPlus size={14} aria-hidden />} onClick={onClick}>
      {children}
    </Button>
  );
}

function FolderBranch({ folder, venue, onTask }: { folder: Folder; venue: Venue; onTask: OnTask }) {
  const content = useId();
  const [open, setOpen] = useState(true);
  return (
    <li>
      <div className={classes.row} data-row>
        <Toggle
          name={folder.name}
          icon={<IconFolder size={16} stroke={1.75} aria-hidden />}
          open={open}
          controls={content}
          onToggle={() => setOpen(!open)}
        />
        <Text component="span" c="dimmed" size="sm" className={classes.summary}>
          {folder.groups.length === 0 && 'empty'}
        </Text>
        {onTask && <Actions kind="folder" thing={folder} venue={venue} onTask={onTask} />}
      </div>
      <ul className={classes.list} id={content} hidden={!open}>
        {open && folder.groups.map((group) => <GroupRow key={group.id} group={group} venue={venue} onTask={onTask} />)}
      </ul>
    </li>
  );
}

function GroupRow({ group, venue, onTask }: { group: Group; venue: Venue; onTask: OnTask }) {
  return (
    <li>
      <div className={classes.row} data-row>
        <span className={classes.name}>{group.name}</span>
        <Guests count={group.guests} of={group.name} search={{ group_id: group.id }} />
        {onTask && <Actions kind="group" thing={group} venue={venue} onTask={onTask} />}
      </div>
    </li>
  );
}

interface GuestsProps {
  count: number;
  of: string;
  search: { unit_id: number } | { group_id: number };
}

/** The number of guests, with a link to them. */
function Guests({ count, of, search }: GuestsProps) {
  const { id } = useAccount();
  const number = formatNumber(count);
  return (
    <span className={classes.guests}>
      {count === 0 ? (
        <Text component="span" inherit c="dimmed">
          {number}
        </Text>
      ) : (
        <TextLink
          to="/accounts/$accountId/guests"
          params={{ accountId: id }}
          search={search}
          aria-label={`${withCount(count, 'guest')} of ${of}`}
        >
          {number}
        </TextLink>
      )}
    </span>
  );
}
