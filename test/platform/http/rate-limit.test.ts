import { expect, it } from 'vitest';
import { RateLimit } from '../../../src/platform/http/rate-limit.ts';
import { TooMany } from '../../../src/shared/problem.ts';

/** The maximum number of keys. */
const most = 100_000;

it('counts in windows of one minute', () => {
  let now = 0;
  const limit = new RateLimit(2, undefined, () => now);
  expect(limit.take('ann')).toEqual({ limit: 2, remaining: 1, reset: 60 });
  now = 59_000;
  expect(limit.take('ann')).toEqual({ limit: 2, remaining: 0, reset: 1 });
  expect(() => limit.take('ann')).toThrow(TooMany);
  limit.giveBack('ann');
  limit.take('ann');
  now = 60_000;
  expect(limit.take('ann')).toEqual({ limit: 2, remaining: 1, reset: 60 });
});

it('keeps the count of a key in use during a flood of other keys', () => {
  const limit = new RateLimit(2, undefined, () => 0);
  limit.take('ann');
  for (let n = 0; n < most - 1; n++) limit.take(`before ${n}`);
  limit.take('ann');
  for (let n = 0; n < most - 1; n++) limit.take(`after ${n}`);
  expect(() => limit.take('ann')).toThrow(TooMany);
  // A rejected request does not count as use.
  limit.take('one more');
  limit.take('ann');
});

it('takes over a higher count of the same window, for keys that are busy here', () => {
  let now = 61_000;
  const limit = new RateLimit(10, undefined, () => now);
  limit.take('ann');
  for (let n = 0; n < 4; n++) limit.take('bob');
  const windowStart = new Date(60_000);
  expect(limit.busy(0.3)).toEqual({ windowStart, keys: ['bob'] });
  limit.raise('bob', windowStart, 8);
  limit.raise('bob', windowStart, 5);
  limit.raise('never counted here', windowStart, 10);
  expect(limit.take('bob')?.remaining).toBe(1);
  expect(limit.take('never counted here')?.remaining).toBe(9);
  now = 120_000;
  expect(limit.busy(0.3).keys).toEqual([]);
  limit.take('bob');
  limit.raise('bob', windowStart, 10);
  expect(limit.take('bob')?.remaining).toBe(8);
});
