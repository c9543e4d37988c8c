import { Skeleton } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { VenueBranch } from './VenueBranch.tsx';
import classes from './Venues.module.css';
import type { Task, Venue } from './venues.ts';

interface VenueTreeProps {
  /** Undefined while loading. */
  venues: readonly Venue[] | undefined;
  search: string | undefined;
  /** Whether the venues belong to the previous query. */
  stale: boolean;
  /** Undefined for viewers. */
  onTask: ((task: Task) => void) | undefined;
}

const skeletons = [0, 1, 2, 3, 4, 5];
/** Up to this number of venues, all are open at first. */
const maxOpen = 3;

/** Nested lists that can be collapsed. Arrow keys move as in a tree. */
export function VenueTree({ venues, search, stale, onTask }: VenueTreeProps) {
  const [byHand, setByHand] = useState<ReadonlyMap<number, boolean>>(new Map());
  const toggle = (id: number, open: boolean) => setByHand((before) => new Map(before).set(id, open));
  return (
    <div className={classes.tree} aria-busy={!venues || stale}>
      <div className={classes.head} aria-hidden>
        <span>Name</span>
        <span>Guests</span>
        {onTask && <span className={classes.place} />}
      </div>
      {venues ? (
        <ul className={classes.list} aria-label="Venues" onKeyDown={moveFocus}>
          {venues.map((venue) => {
            const open = byHand.get(venue.id) ?? (venues.length <= maxOpen || isInside(venue, search));
            return (
              <VenueBranch
                key={venue.id}
                venue={venue}
                open={open}
                onToggle={() => toggle(venue.id, !open)}
                onTask={
                  onTask &&
                  ((task) => {
                    if (task.do === 'create') toggle(venue.id, true);
                    onTask(task);
                  })
                }
              />
            );
          })}
        </ul>
      ) : (
        skeletons.map((key) => (
          <div key={key} className={classes.row} data-venue>
            <Skeleton height="0.75rem" width="12rem" mx="xs" />
          </div>
        ))
      )}
    </div>
  );
}

/** Whether a folder or group of the venue matches the search, not only its name. */
function isInside({ folders }: Venue, search: string | undefined): boolean {
  if (!search) return false;
  const term = search.toLowerCase();
  const fits = ({ name }: { name: string }) => name.toLowerCase().includes(term);
  return folders.some((folder) => fits(folder) || folder.groups.some(fits));
}

const rowOf = (element: Element | null | undefined) => element?.closest<HTMLElement>('[data-row]') ?? null;
const focusableIn = (row: Element | null | undefined) => row?.querySelector<HTMLElement>('a, button');

/** Up and down move between rows, right opens a row, left closes it or moves to its parent. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>) {
  const row = rowOf(event.target as Element);
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = [...event.currentTarget.querySelectorAll('[data-row]')].filter(focusableIn);
  const toggle = row.querySelector<HTMLElement>('[aria-expanded]:not([aria-haspopup])');
  const isOpen = toggle?.getAttribute('aria-expanded') === 'true';
  const act = {
    ArrowDown: () => focusableIn(rows[rows.indexOf(row) + 1])?.focus(),
    ArrowUp: () => focusableIn(rows[rows.indexOf(row) - 1])?.focus(),
    Home: () => focusableIn(rows[0])?.focus(),
    End: () => focusableIn(rows.at(-1))?.focus(),
    ArrowRight: () => !isOpen && toggle?.click(),
    ArrowLeft: () => {
      if (isOpen) toggle?.click();
      else focusableIn(row.closest('ul')?.closest('li')?.querySelector('[data-row]'))?.focus();
    },
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}
