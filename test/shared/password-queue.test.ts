import { expect, it } from 'vitest';
import { PasswordQueue } from '../../src/shared/password-queue.ts';
import { TooMany } from '../../src/shared/problem.ts';

/** A queue whose jobs end when the test ends them. */
function controlledQueue(limits: Partial<ConstructorParameters<typeof PasswordQueue>[1]> = {}) {
  const usual = { atOnce: 1, mostOfLane: 3, mostWaiting: 50, longestWaitMs: 60_000 };
  const queue = new PasswordQueue('Busy.', { ...usual, ...limits });
  const started: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const add = (lane: string | undefined, name = lane ?? 'trusted') =>
    queue
      .run(lane, () => {
        started.push(name);
        return new Promise<void>((done) => ends.push(done));
      })
      .catch((error) => {
        expect(error).toBeInstanceOf(TooMany);
        refused.push(name);
      });
  const settle = () => new Promise((done) => setImmediate(done));
  const endOne = async () => {
    await settle();
    ends.shift()?.();
    await settle();
  };
  return { queue, started, refused, add, endOne, settle };
}

it('runs at most the given number of jobs at once', async () => {
  const { started, add, endOne, settle } = controlledQueue({ atOnce: 2 });
  for (const lane of ['a', 'b', 'c']) void add(lane);
  await settle();
  expect(started).toEqual(['a', 'b']);
  await endOne();
  expect(started).toEqual(['a', 'b', 'c']);
});

it('takes lanes in turn, for any number of jobs per lane', async () => {
  const { started, add, endOne, settle } = controlledQueue();
  void add('first');
  await settle();
  for (const n of [1, 2, 3]) void add('loud', `loud ${n}`);
  for (const lane of ['b', 'c']) void add(lane);
  for (let n = 0; n < 5; n++) await endOne();
  expect(started).toEqual(['first', 'b', 'c', 'loud 1', 'loud 2', 'loud 3']);
});

it('puts a lane with many attempts behind one with few, even after its jobs are done', async () => {
  const { started, add, endOne, settle } = controlledQueue();
  for (let n = 0; n < 3; n++) {
    void add('loud');
    await endOne();
  }
  started.length = 0;
  void add('running');
  await settle();
  void add('loud');
  void add('quiet');
  for (let n = 0; n < 2; n++) await endOne();
  expect(started).toEqual(['running', 'quiet', 'loud']);
});

it('puts a lane that succeeded before unknown ones, and trusted callers before all', async () => {
  const { queue, started, add, endOne, settle } = controlledQueue();
  void add('running');
  await settle();
  queue.succeeded('known');
  for (const lane of ['stranger', 'known', undefined]) void add(lane);
  for (let n = 0; n < 3; n++) await endOne();
  expect(started).toEqual(['running', 'trusted', 'known', 'stranger']);
});

it('puts lanes that succeeded before one that was rejected', async () => {
  const { queue, started, refused, add, endOne, settle } = controlledQueue({ mostWaiting: 2 });
  void add('running');
  await settle();
  for (const lane of ['a', 'patient', 'b', 'c']) void add(lane);
  await settle();
  expect(refused).toContain('patient');
  for (let n = 0; n < 3; n++) await endOne();
  started.length = 0;
  void add('running');
  await settle();
  for (const lane of ['known', 'other']) queue.succeeded(lane);
  void add('known');
  void add('patient', 'patient again');
  await endOne();
  void add('other');
  for (let n = 0; n < 2; n++) await endOne();
  expect(started).toEqual(['running', 'known', 'other', 'patient again']);
});

it('serves the newest of many unknown lanes first, so that a rush does not delay all of them', async () => {
  const { started, add, endOne, settle } = controlledQueue();
  void add('running');
  await settle();
  for (let n = 0; n < 30; n++) void add(`stranger ${n}`);
  void add('quiet');
  await endOne();
  expect(started).toEqual(['running', 'quiet']);
});

it('limits each lane and the total: if it is full, the lane with the most attempts is rejected', async () => {
  const { started, refused, add, endOne, settle } = controlledQueue({ mostWaiting: 5 });
  void add('running');
  await settle();
  for (const n of [1, 2, 3, 4]) void add('loud', `loud ${n}`);
  await settle();
  expect(refused).toEqual(['loud 4']);
  for (const lane of ['a', 'b', 'c']) void add(lane);
  await settle();
  expect(refused).toEqual(['loud 4', 'loud 3']);
  for (let n = 0; n < 5; n++) await endOne();
  expect(started).toEqual(['running', 'a', 'b', 'c', 'loud 1', 'loud 2']);
});

it('serves a lane that retries after a rejection, during a flood of new lanes', async () => {
  const { started, refused, add, endOne, settle } = controlledQueue({ mostWaiting: 30 });
  void add('running');
  await settle();
  let stranger = 0;
  const flood = (count: number) => {
    for (let n = 0; n < count; n++) void add(`stranger ${stranger++}`);
  };
  flood(30);
  void add('owner', 'owner 1');
  flood(60);
  await settle();
  expect(refused).toContain('owner 1');
  void add('owner', 'owner 2');
  flood(60);
  for (let n = 0; n < 2; n++) await endOne();
  expect(started).toContain('owner 2');
  expect(refused).not.toContain('owner 2');
});

it('serves a retry before others only once per lane', async () => {
  const { started, add, endOne, settle } = controlledQueue({ mostWaiting: 2 });
  void add('running');
  await settle();
  for (const lane of ['guesser', 'a', 'b', 'c']) void add(lane);
  for (let n = 0; n < 4; n++) await endOne();
  started.length = 0;
  void add('guesser', 'first run');
  await endOne();
  void add('running');
  await settle();
  for (const lane of ['guesser', 'd']) void add(lane);
  for (let n = 0; n < 3; n++) await endOne();
  expect(started.slice(-2)).toEqual(['d', 'guesser']);
});

it('rejects a job that waited too long', async () => {
  const { started, refused, add, endOne } = controlledQueue({ longestWaitMs: -1 });
  void add('a');
  void add('b');
  await endOne();
  expect([started, refused]).toEqual([[], ['a', 'b']]);
});
