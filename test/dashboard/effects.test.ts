import { describe, expect, it } from 'vitest';
import { effectsOn } from '../../dashboard/src/venues/effects.ts';

describe('what deleting a venue comes to', () => {
  const said = (folders: number, groups: number) =>
    effectsOn('venue', {
      ...{ guests: 0, folders, groups, bookings: 0, purchases: 0, stays: 0, wifi: 0, feedback: 0 },
      ...{ unique_code_groups: 0, unique_codes_redeemed: 0, refused: null },
    })[0];

  it('agrees with how many folders and groups are on it', () => {
    expect(said(1, 0)).toBe('1 folder on it is no longer shown.');
    expect(said(0, 1)).toBe('1 group on it is no longer shown, nor on the guests who are in it.');
    expect(said(1, 2)).toBe('1 folder and 2 groups on it are no longer shown, nor on the guests who are in them.');
  });
});
