import { describe, expect, it, vi } from 'vitest';
import { FairQueue } from '../../src/shared/fair-queue.ts';
import { Unavailable } from '../../src/shared/problem.ts';

/** A queue whose work ends when the test ends it. */
function queueOf(bounds: { atOnce: number; perKey?: number; mostWaiting?: number; mostWaitingPerKey?: number }) {
  const { atOnce, perKey = atOnce, mostWaiting = 100, mostWaitingPerKey = 100 } = bounds;
  const queue = new FairQueue<string>({
    ...{ atOnce, perKey: () => perKey, mostWaiting, mostWaitingPerKey },
    full: 'Full.',
  });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string) =>
    queue.run(name.charAt(0), () => {
      started.push(name);
      return new Promise<string>((done) => ends.set(name, () => done(name)));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((turn) => setImmediate(turn));
  };
  return { queue, started, run, end };
}

describe('a fair queue', () => {
  it('takes waiting work from each key in turn, for any amount of work', async () => {
    const { started, run, end } = queueOf({ atOnce: 1 });
    const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'];
    const results = names.map((name) => run(name));
    expect(started).toEqual(['a1']);
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) await end(name);
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
    expect(await Promise.all(results)).toEqual(names);
  });
  it('limits the concurrent work per key, while the work of another key starts at once', async () => {
    const { queue, started, run, end } = queueOf({ atOnce: 4, perKey: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) void run(name);
    expect(started).toEqual(['a1', 'a2', 'b1']);
    expect([queue.running, queue.waiting]).toEqual([3, 2]);
    await end('b1');
    expect(started).toEqual(['a1', 'a2', 'b1']);
    await end('a2');
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
    for (const name of ['a1', 'a3', 'a4']) await end(name);
    expect([queue.running, queue.waiting]).toEqual([0, 0]);
  });
  it('rejects work if too much is waiting, for this key or in total', async () => {
    const { run, end } = queueOf({ atOnce: 1, mostWaiting: 3, mostWaitingPerKey: 2 });
    const ofOneKey = ['a1', 'a2', 'a3'].map((name) => run(name));
    await expect(run('a4')).rejects.toThrow(Unavailable);
    const ofAnother = run('b1');
    await expect(run('c1')).rejects.toThrow('Full.');
    // Work that still waits when the test ends would be refused later, while other tests run.
    for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
    expect(await Promise.all([...ofOneKey, ofAnother])).toEqual(['a1', 'a2', 'a3', 'b1']);
  });
  it('rejects work that waited too long, regardless of the running work, and continues', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    try {
      const { queue, started, run, end } = queueOf({ atOnce: 1 });
      void run('a1');
      const late = expect(run('a2')).rejects.toThrow(Unavailable);
      await vi.advanceTimersByTimeAsync(15_000);
      const fresh = run('b1');
      await vi.advanceTimersByTimeAsync(10_000);
      await late;
      expect([queue.running, queue.waiting]).toEqual([1, 1]);
      await end('a1');
      expect(started).toEqual(['a1', 'b1']);
      await end('b1');
      expect(await fresh).toBe('b1');
    } finally {
      vi.useRealTimers();
    }
  });
  it('continues after work that fails', async () => {
    const { queue } = queueOf({ atOnce: 1 });
    await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await queue.run('a', async () => 'yes')).toBe('yes');
  });
});
