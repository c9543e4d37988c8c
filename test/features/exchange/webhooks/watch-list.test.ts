import { beforeEach, describe, expect, it } from 'vitest';
import { WatchList } from '../../../../src/features/exchange/webhooks/sender/watch-list.ts';

const second = 1000;
const work = { hasWork: true, isFree: true };
const nothing = { hasWork: false, isFree: true };
let list: WatchList;
beforeEach(() => {
  list = new WatchList();
});

describe('the accounts that a sender looks at', () => {
  it('are due at once, then in each pass while they have work and for 10 seconds after, then every 2 seconds', () => {
    list.replace(0, [7], true);
    expect(list.due(0)).toEqual([7]);
    const start = 100 * second;
    expect(list.note(7, work, start)).toBe(false);
    expect(list.due(start)).toEqual([7]);
    expect(list.note(7, nothing, start + 9 * second)).toBe(false);
    expect(list.due(start + 9 * second)).toEqual([7]);
    expect(list.note(7, nothing, start + 11 * second)).toBe(true);
    expect(list.due(start + 12 * second)).toEqual([]);
    expect(list.due(start + 13 * second)).toEqual([7]);
    expect(list.note(7, work, start + 13 * second)).toBe(false);
    expect(list.due(start + 13 * second)).toEqual([7]);
  });

  it('are looked at less often if there are many, the longest overdue first', () => {
    const ids = Array.from({ length: 5000 }, (_, place) => place + 1);
    list.replace(0, ids, true);
    const start = 100 * second;
    expect(list.due(start)).toEqual(ids.slice(0, 1000));
    for (const [place, id] of ids.entries()) list.note(id, nothing, start + place);
    expect(list.due(start + 5 * second)).toEqual([]);
    expect(list.due(start + 10 * second + 1)).toEqual([1, 2]);
    expect(list.due(start + 30 * second)).toEqual(ids.slice(0, 1000));
  });

  it('come and go page by page', () => {
    list.replace(0, [1, 2, 3], false);
    list.replace(3, [4, 9], true);
    expect(list.due(0)).toEqual([1, 2, 3, 4, 9]);
    expect(list.replace(0, [1, 3, 5], false)).toEqual([2, 4]);
    expect(list.replace(5, [], true)).toEqual([9]);
    expect(list.due(0)).toEqual([1, 3, 5]);
    expect(list.replace(0, [], true)).toEqual([1, 3, 5]);
  });

  it('may be taken if the last look says so, and when they were given back', () => {
    list.replace(0, [1], true);
    expect(list.isFree(1)).toBe(false);
    list.note(1, nothing, 100 * second);
    expect(list.isFree(1)).toBe(true);
    list.setTaken(1);
    expect(list.isFree(1)).toBe(false);
    list.setFree(1);
    expect([list.isFree(1), list.due(100 * second)]).toEqual([true, [1]]);
    list.note(1, { hasWork: true, isFree: false }, 100 * second);
    expect(list.isFree(1)).toBe(false);
  });
});
