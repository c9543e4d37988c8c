import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Tx } from '../../../src/platform/db/database.ts';
import { lockKeys, mostLocks } from '../../../src/platform/db/locks.ts';
import { testApp } from '../../support/app.ts';
import { superuser } from '../../support/database.ts';

const { db, account, database } = await testApp();
const sql = await superuser(database);
const deadlocks = async () =>
  Number((await sql`select deadlocks from pg_stat_database where datname = current_database()`)[0]?.deadlocks);
const { id } = await account();
const { id: other } = await account('Other');
const many = Array.from({ length: mostLocks + 1 }, (_, n) => `key ${n}`);

/** Holds the keys until released. */
async function hold(accountId: number, keys: string[]) {
  let letGo = () => {};
  const until = new Promise<void>((done) => {
    letGo = done;
  });
  let held = (_: number) => {};
  const locks = new Promise<number>((done) => {
    held = done;
  });
  const done = db.tenant(accountId, async (tx: Tx) => {
    await lockKeys(tx, accountId, keys);
    const [counted] = await tx<{ n: number }>`
      select count(*) as n from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`;
    held(counted?.n ?? 0);
    await until;
  });
  const soon = async () => Promise.race([locks.then(() => true), pause(300).then(() => false)]);
  const release = async () => {
    letGo();
    await done;
  };
  return { soon, locks, release };
}

describe('a transaction that holds key locks', () => {
  it.each([
    ['the same key', ['a', 'b'], ['b', 'c'], id],
    ['one of the few keys of the other', many, ['key 7'], id],
    ['many keys, including one that is held', ['key 7'], many, id],
    ['many keys, as the other has', many, many, id],
  ])('blocks a transaction that needs %s, until it ends', async (_, first, second, accountId) => {
    const one = await hold(id, first);
    await one.locks;
    const two = await hold(accountId, second);
    expect(await two.soon()).toBe(false);
    await one.release();
    await two.locks;
    await two.release();
  });
  it('and then needs many of another kind does not deadlock with another that does the same', async () => {
    const before = await deadlocks();
    const one = (key: string) =>
      db.tenant(id, async (tx) => {
        await lockKeys(tx, id, [key], 'another kind');
        await pause(300);
        await lockKeys(tx, id, many);
      });
    await Promise.all([one('a'), one('b'), one('c')]);
    await pause(1500);
    expect(await deadlocks()).toBe(before);
  });
  it.each([
    ['other keys', ['a', 'b'], ['c', 'd'], id],
    ['the same keys of another account', many, many, other],
    ['the same key of another account', ['a'], ['a'], other],
  ])('does not block a transaction that needs %s', async (_, first, second, accountId) => {
    const one = await hold(id, first);
    const two = await hold(accountId, second);
    await Promise.all([one.locks, two.locks]);
    await Promise.all([one.release(), two.release()]);
  });
  it('never holds more locks than the limit', async () => {
    for (const keys of [many, many.slice(0, mostLocks), ['a', 'a']]) {
      const one = await hold(id, keys);
      expect(await one.locks).toBeLessThanOrEqual(Math.min(mostLocks, new Set(keys).size) + 1);
      await one.release();
    }
  });
});
