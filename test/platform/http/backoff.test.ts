import { expect, it } from 'vitest';
import { Backoff } from '../../../src/platform/http/backoff.ts';
import { TooMany } from '../../../src/shared/problem.ts';

function waits(tries: number): number[] {
  let now = 0;
  const brake = new Backoff('Too many.', { now: () => now });
  const waited: number[] = [];
  for (let n = 0; n < tries; n++) {
    const start = now;
    for (;;) {
      try {
        brake.take('ann');
        break;
      } catch (error) {
        now += (error as TooMany).retryAfter * 1000;
      }
    }
    waited.push((now - start) / 1000);
  }
  return waited;
}

it('allows five attempts, then doubles the delay after each, up to a minute', () => {
  expect(waits(11)).toEqual([0, 0, 0, 0, 0, 4, 8, 16, 32, 60, 60]);
});

it('resets after 15 minutes, or after a correct attempt', () => {
  let now = 0;
  const brake = new Backoff('Too many.', { now: () => now });
  const five = () => {
    for (let n = 0; n < 5; n++) brake.take('ann');
  };
  five();
  expect(() => brake.take('ann')).toThrow(TooMany);
  brake.take('bob');
  brake.forgive('ann');
  five();
  now += 15 * 60_000;
  five();
});

it('has a maximum number of entries, and removes the oldest first', () => {
  const brake = new Backoff('Too many.', { now: () => 0 });
  for (let n = 0; n < 5; n++) brake.take('first');
  for (let n = 0; n < 10_000; n++) brake.take(`made up ${n}`);
  brake.take('first');
});
