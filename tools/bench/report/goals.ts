import type { Spread } from '../load/statistics.ts';

/** What ours is compared with. */
export type Versus = 'sql' | 'empty' | 'unbatched' | 'p50' | (string & {});

/** A goal: the ratio of ours to the other has a minimum or a maximum. */
export interface Goal {
  row: string;
  connections: number;
  versus: Versus;
  atLeast?: number;
  below?: number;
}

const every = 'every row';

/** In the order of the table. */
export const goals: Goal[] = [
  { row: 'contact-new', connections: 64, versus: 'sql', atLeast: 2 },
  { row: 'contact-new', connections: 64, versus: 'empty', atLeast: 0.35 },
  { row: 'redeem', connections: 64, versus: 'sql', atLeast: 1 },
  { row: 'booking-search', connections: 64, versus: 'empty', atLeast: 0.5 },
  { row: 'pop-search', connections: 64, versus: 'empty', atLeast: 0.3 },
  { row: 'contact-new', connections: 64, versus: 'PostGraphile', atLeast: 10 },
  { row: 'contact-new', connections: 64, versus: 'Directus', atLeast: 40 },
  // The time of a single client, compared with batching off.
  { row: 'contact-new', connections: 1, versus: 'unbatched', below: 1.2 },
  { row: 'redeem', connections: 1, versus: 'unbatched', below: 1.2 },
  // p99 compared with p50.
  { row: every, connections: 64, versus: 'p50', below: 5 },
];

export function goalOf(row: string, connections: number, versus: Versus): Goal | undefined {
  return goals.find(
    (goal) =>
      (goal.row === row || goal.row === every) &&
      goal.connections === connections &&
      versus.toLowerCase().startsWith(goal.versus.toLowerCase()),
  );
}

/** Uses the median of the turns. */
export function isReached({ atLeast, below }: Goal, { median }: Spread): boolean {
  return (atLeast === undefined || median >= atLeast) && (below === undefined || median < below);
}

export const goalText = ({ atLeast, below }: Goal) => (atLeast === undefined ? `< ${below}` : `≥ ${atLeast}`);
