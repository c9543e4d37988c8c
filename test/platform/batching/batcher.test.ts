import { afterEach, describe, expect, it, vi } from 'vitest';
import { ActiveAccounts } from '../../../src/platform/batching/active-accounts.ts';
import { Batcher } from '../../../src/platform/batching/batcher.ts';
import { Conflict } from '../../../src/platform/db/database.ts';
import { Invalid, Unavailable } from '../../../src/shared/problem.ts';

/** A batcher that records its batches. */
function recording(
  work: (commands: number[]) => Promise<(string | Error)[]>,
  weigh = () => 1,
  batching: 'on' | 'off' = 'on',
) {
  const batches: number[][] = [];
  const batcher = new Batcher<number, string>({
    write: (_, commands) => {
      batches.push(commands);
      return work(commands);
    },
    weigh,
    batching,
  });
  return { batches, submit: (n: number, accountId = 1) => batcher.submit(accountId, n) };
}
const results = (commands: number[]) => commands.map((n) => `done ${n}`);
const range = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('the batcher', () => {
  it('writes what arrives in one turn as one batch, and returns each result in order', async () => {
    const { batches, submit } = recording(async (commands) =>
      commands.map((n) => (n === 3 ? new Invalid({ email: ['No.'] }) : `done ${n}`)),
    );
    const answers = await Promise.allSettled(range(20).map((n) => submit(n)));
    expect(batches).toEqual([range(20)]);
    expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'refused'))).toEqual(
      range(20).map((n) => (n === 3 ? 'refused' : `done ${n}`)),
    );
  });
  it('writes each request on its own, all at once, if batching is off', async () => {
    const { batches, submit } = recording(async (commands) => results(commands), undefined, 'off');
    const answers = range(5).map((n) => submit(n));
    expect(batches).toEqual([[0], [1], [2], [3], [4]]);
    expect(await Promise.all(answers)).toEqual(results(range(5)));
  });
  it('collects what arrives while two batches are running, and starts no third', async () => {
    const release: (() => void)[] = [];
    const { batches, submit } = recording(
      (commands) => new Promise((done) => release.push(() => done(results(commands)))),
    );
    const turn = () => new Promise((done) => setImmediate(done));
    const answers = [submit(0)];
    await turn();
    answers.push(submit(1));
    await turn();
    for (const n of [2, 3, 4]) {
      answers.push(submit(n));
      await turn();
    }
    expect(batches).toEqual([[0], [1]]);
    release.shift()?.();
    await expect(answers[0]).resolves.toBe('done 0');
    await turn();
    expect(batches).toEqual([[0], [1], [2, 3, 4]]);
    while (release.length > 0) release.shift()?.();
    await expect(Promise.all(answers)).resolves.toEqual(results(range(5)));
  });
  it('separates accounts', async () => {
    const { batches, submit } = recording(async (commands) => results(commands));
    await Promise.all([submit(1, 1), submit(2, 2), submit(3, 1)]);
    expect(batches).toEqual([[1, 3], [2]]);
  });
  it('limits the size and weight of a batch, and runs a very heavy request alone', async () => {
    const light = recording(async (commands) => results(commands));
    await Promise.all(range(450).map((n) => light.submit(n)));
    expect(light.batches.map((batch) => batch.length)).toEqual([200, 200, 50]);
    const heavy = recording(
      async (commands) => results(commands),
      () => 4000,
    );
    await Promise.all(range(3).map((n) => heavy.submit(n)));
    expect(heavy.batches).toEqual([[0], [1], [2]]);
  });
  it('retries the whole batch after a conflict', async () => {
    let losses = 2;
    const { batches, submit } = recording(async (commands) => {
      if (losses-- > 0) throw new Conflict();
      return results(commands);
    });
    await expect(Promise.all(range(3).map((n) => submit(n)))).resolves.toEqual(results(range(3)));
    expect(batches).toEqual([range(3), range(3), range(3)]);
  });
  it('finds the request that fails, and writes the others in order', async () => {
    const written: number[] = [];
    const { submit } = recording(async (commands) => {
      if (commands.includes(5)) throw new Error('no');
      written.push(...commands);
      return results(commands);
    });
    const answers = await Promise.allSettled(range(13).map((n) => submit(n)));
    expect(answers.flatMap((answer, n) => (answer.status === 'rejected' ? [n] : []))).toEqual([5]);
    expect(written).toEqual(range(13).filter((n) => n !== 5));
  });
  it('does not retry if the database is unavailable, because the result is unknown', async () => {
    const { batches, submit } = recording(async () => {
      throw Object.assign(new Error('gone'), { code: '57P01' });
    });
    const answers = await Promise.allSettled(range(3).map((n) => submit(n)));
    expect(answers.map((answer) => answer.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(batches).toHaveLength(1);
  });
  it('gives up after five conflicts', async () => {
    const { batches, submit } = recording(() => Promise.reject(new Conflict()));
    await expect(submit(1)).rejects.toThrow('Each of 5 attempts conflicted with others.');
    expect(batches).toHaveLength(5);
  });
  it('starts no third batch when one of two ends', async () => {
    const ends: (() => void)[] = [];
    const { batches, submit } = recording(async (commands) => {
      await new Promise<void>((end) => ends.push(end));
      return commands.map(String);
    });
    const all = [submit(1)];
    await expect.poll(() => batches).toHaveLength(1);
    all.push(submit(2));
    await expect.poll(() => batches).toHaveLength(2);
    ends.shift()?.();
    await all[0];
    for (const n of [3, 4, 5]) {
      all.push(submit(n));
      await new Promise((turn) => setImmediate(turn));
      await new Promise((turn) => setImmediate(turn));
    }
    expect(batches).toHaveLength(3);
    while (ends.length > 0) {
      ends.shift()?.();
      await new Promise((turn) => setTimeout(turn, 5));
    }
    await Promise.all(all);
    expect(batches).toEqual([[1], [2], [3], [4, 5]]);
  });
  it('rejects requests if the queue is full', async () => {
    const { submit } = recording(() => new Promise(() => {}));
    for (const n of range(10_000)) void submit(n);
    expect(() => submit(10_000)).toThrow(Unavailable);
  });
});

describe('while several accounts are active', () => {
  it('an account has one batch of 50 at a time; alone it has two of 200', async () => {
    const accounts = new ActiveAccounts();
    const batches: number[] = [];
    const ends: (() => void)[] = [];
    const batcher = new Batcher<number, string>({
      write: async (_, commands) => {
        batches.push(commands.length);
        await new Promise<void>((end) => ends.push(end));
        return commands.map(String);
      },
      weigh: () => 1,
      batching: 'on',
      accounts,
    });
    accounts.add(1);
    const alone = range(600).map((n) => batcher.submit(1, n));
    await expect.poll(() => batches).toEqual([200, 200]);
    accounts.add(2);
    accounts.add(1);
    for (const end of ends.splice(0)) end();
    await expect.poll(() => batches).toEqual([200, 200, 50]);
    while (batches.length < 6) {
      expect(ends.length).toBeLessThanOrEqual(1);
      for (const end of ends.splice(0)) end();
      await new Promise((turn) => setImmediate(turn));
    }
    for (const end of ends.splice(0)) end();
    await Promise.all(alone);
    expect(batches).toEqual([200, 200, 50, 50, 50, 50]);
  });
  it('an account counts as active for a second after a request', () => {
    let now = 0;
    const accounts = new ActiveAccounts(() => now);
    accounts.add(1);
    accounts.add(1);
    expect(accounts.areSeveral).toBe(false);
    accounts.add(2);
    expect(accounts.areSeveral).toBe(true);
    now = 999;
    expect(accounts.areSeveral).toBe(true);
    now = 1000;
    accounts.add(2);
    expect(accounts.areSeveral).toBe(false);
    accounts.add(1);
    expect(accounts.areSeveral).toBe(true);
  });
});

describe('the fast path of a batch', () => {
  const plain = (n: number) => (n % 2 === 0 ? `quick ${n}` : undefined);
  const staged = (quick: (commands: number[]) => Promise<(string | undefined)[]>) => {
    const written: number[][] = [];
    const sizes: number[] = [];
    const batcher = new Batcher<number, string>({
      onBatch: (size) => sizes.push(size),
      quick: (_, commands) => quick(commands),
      write: async (_, commands) => {
        written.push(commands);
        return commands.map((n) => (n === 5 ? new Invalid({ email: ['No.'] }) : `careful ${n}`));
      },
      weigh: () => 1,
      batching: 'on',
    });
    return { written, sizes, submit: (n: number) => batcher.submit(1, n) };
  };

  it('returns its own results, and leaves the others to the full path, each with its own result', async () => {
    const { written, sizes, submit } = staged(async (commands) => commands.map(plain));
    const answers = await Promise.allSettled(range(6).map(submit));
    expect(written).toEqual([[1, 3, 5]]);
    expect(sizes).toEqual([3, 3]);
    expect(answers.map((one) => (one.status === 'fulfilled' ? one.value : 'refused'))).toEqual([
      ...['quick 0', 'careful 1', 'quick 2', 'careful 3', 'quick 4', 'refused'],
    ]);
  });
  it('leaves nothing to write if it completes all', async () => {
    const { written, submit } = staged(async (commands) => commands.map((n) => `quick ${n}`));
    expect(await Promise.all([submit(1), submit(2)])).toEqual(['quick 1', 'quick 2']);
    expect(written).toEqual([]);
  });
  it('that fails stores nothing, so the full path writes all', async () => {
    const { written, sizes, submit } = staged(() => Promise.reject(new Conflict()));
    expect(await Promise.all([submit(1), submit(2)])).toEqual(['careful 1', 'careful 2']);
    expect(written).toEqual([[1, 2]]);
    expect(sizes).toEqual([2]);
  });
  it('that loses the database fails all requests, because their result is unknown and a retry could mislead', async () => {
    const { written, submit } = staged(() => Promise.reject(new Error('Connection terminated unexpectedly')));
    const answers = await Promise.allSettled([submit(1), submit(2)]);
    expect(answers.map((one) => one.status)).toEqual(['rejected', 'rejected']);
    expect(written).toEqual([]);
  });

  describe('when the database is slow', () => {
    afterEach(() => vi.useRealTimers());

    it('requests that waited or would wait too long are rejected, until it is fast again', async () => {
      vi.useFakeTimers({ toFake: ['Date'] });
      const release: (() => void)[] = [];
      const { batches, submit } = recording(
        (commands) => new Promise((done) => release.push(() => done(results(commands)))),
      );
      const turn = () => new Promise((done) => setImmediate(done));
      const writing = [submit(0)];
      await turn();
      writing.push(submit(1));
      await turn();
      const late = expect(submit(2)).rejects.toThrow(Unavailable);
      vi.setSystemTime(Date.now() + 8000);
      const waiting = submit(3);
      vi.setSystemTime(Date.now() + 4000);
      expect(() => submit(4)).toThrow(Unavailable);
      while (release.length > 0) release.shift()?.();
      await late;
      await Promise.all(writing);
      await turn();
      release.shift()?.();
      await expect(waiting).resolves.toBe('done 3');
      expect(batches).toEqual([[0], [1], [3]]);
      const next = submit(5);
      await turn();
      release.shift()?.();
      await expect(next).resolves.toBe('done 5');
    });
  });
});
