/** The median of several turns, with minimum and maximum. */
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

/** Ratios per turn, so that other load on the machine affects both. */
export function ratioOf(ours: number[], theirs: number[]): Spread {
  if (ours.length !== theirs.length)
    throw new Error(`${ours.length} turns can't be compared with ${theirs.length} others.`);
  return spreadOf(ours.map((value, turn) => value / at(theirs, turn)));
}

/** The percentile of sorted times. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return at(sorted, Math.max(0, Math.ceil(sorted.length * share) - 1));
}

/** Whether the turns differ too much, which means that the machine was busy. */
export const isBusy = ({ min, max }: Spread) => max / min > 1.5;

function at(values: ArrayLike<number>, place: number): number {
  return values[place] ?? Number.NaN;
}
