import { expect, it } from 'vitest';
import { Few } from '../../src/shared/few.ts';
import { Unavailable } from '../../src/shared/problem.ts';

it('runs a few at a time, lets some wait in line, and sends the others away', async () => {
  const few = new Few(2, 3);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const work = (n: number) => () => {
    started.push(n);
    return new Promise<number>((done) => {
      ends[n] = () => done(n);
    });
  };
  const results = [0, 1, 2, 3, 4, 5].map((n) => few.run(work(n)).catch((error) => error));
  expect(started).toEqual([0, 1]);
  expect(await results[5]).toBeInstanceOf(Unavailable);
  for (const n of [1, 0, 2, 3, 4]) {
    await expect.poll(() => started).toContain(n);
    ends[n]?.();
    expect(await results[n]).toBe(n);
  }
  expect(started).toEqual([0, 1, 2, 3, 4]);
  // Also where work fails, its place is free again.
  await expect(few.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await few.run(async () => 'yes')).toBe('yes');
});
