/** The middle of several turns, and how far they lie apart. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spreadOf(values: number[]): Spread {
  if (values.length === 0) throw new Error('There is no middle of nothing.');
  const sorted = [...values].sort((a, b) => a - b);
  return {
    median: (at(sorted, (sorted.length - 1) >> 1) + at(sorted, sorted.length >> 1)) / 2,
    min: at(sorted, 0),
    max: at(sorted, sorted.length - 1),
  };
}

/** Turn by turn, so that what else the machine does falls on both. */
export function ratioOf(ours: number[], theirs: number[]): Spread {
  if (ours.length !== theirs.length)
    throw new Error(`${ours.length} turns can't be held against ${theirs.length} others.`);
  return spreadOf(ours.map((value, turn) => value / at(theirs, turn)));
}

/** The time that this share of all answers took at most. The times are in order. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return at(sorted, Math.max(0, Math.ceil(sorted.length * share) - 1));
}

/** Turns that differ so much say more of the machine than of what was measured. */
export const isBusy = ({ min, max }: Spread) => max / min > 1.5;

function at(values: ArrayLike<number>, place: number): number {
  return values[place] ?? Number.NaN;
}
