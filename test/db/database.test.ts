import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isDatabaseAway, openPool } from '../../src/db/database.ts';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { openTestDatabase, superuser } from '../support/database.ts';

const { db, ...database } = await openTestDatabase();
const behind = await superuser(database);
await behind`create table kept (id int primary key)`;
await behind`grant all on kept to regulars`;
const kept = async () => (await behind<{ id: number }>`select id from kept order by id`).map((row) => row.id);

describe('a transaction', () => {
  it('keeps all of it or nothing', async () => {
    await db.transaction(async (tx) => {
      await tx`insert into kept values (1)`;
      await tx`insert into kept values (2)`;
    });
    const half = db.transaction(async (tx) => {
      await tx`insert into kept values (3)`;
      throw new Error('changed my mind');
    });
    await expect(half).rejects.toThrow('changed my mind');
    expect(await kept()).toEqual([1, 2]);
  });

  it('does not pass for kept when a failure in it was overlooked', async () => {
    const careless = db.transaction(async (tx) => {
      await tx`insert into kept values (4)`;
      await tx`insert into kept values (1)`.catch(() => {});
    });
    await expect(careless).rejects.toThrow(/nothing of the transaction was kept/);
    expect(await kept()).toEqual([1, 2]);
  });

  it('tells the time of each statement, so that what waited is not dated before what it waited for', async () => {
    const [row] = await db.transaction(async (tx) => {
      await tx`select pg_sleep(0.05)`;
      return tx<{ waited: boolean; passed: boolean }>`
        select ${tx.now} >= now() + interval '0.05 seconds' as waited, ${tx.now} <= clock_timestamp() as passed`;
    });
    expect(row).toEqual({ waited: true, passed: true });
  });

  it('tells another time where it is given another clock', async () => {
    const at = new Date('2020-02-29T12:30:00.123Z');
    const past = openPool({ url: database.url, connections: 1, now: () => at });
    const [row] = await past.transaction((tx) => tx<{ at: Date }>`select ${tx.now} as at`);
    await past.close();
    expect(row?.at).toEqual(at);
  });

  it('takes no connection before its first statement, and gives it back whatever happens', async () => {
    expect(db.pool().busy).toBe(0);
    const idle = db.transaction(() => pause(100));
    expect(db.pool().busy).toBe(0);
    await idle;
    for (let n = 0; n < 30; n++) await db.transaction((tx) => tx`select 1 / 0`).catch(() => {});
    await Promise.all(
      Array.from({ length: 30 }, () =>
        db.transaction((tx) => tx`select pg_terminate_backend(pg_backend_pid())`).catch(() => {}),
      ),
    );
    expect(db.pool()).toMatchObject({ busy: 0, waiting: 0 });
    expect((await db.transaction((tx) => tx<{ one: number }>`select 1 as one`))[0]).toEqual({ one: 1 });
  });

  it('on a connection that is ended in the moment it is handed over is refused, and the process goes on', async () => {
    const proxy = await cuttingProxy(database.url, 2);
    const through = openPool({ url: proxy.url, connections: 1 });
    const one = () => through.transaction((tx) => tx`select 1 as one`);
    for (let turn = 0; turn < 2; turn++) expect(isDatabaseAway(await one().catch((error) => error))).toBe(true);
    expect((await one())[0]).toEqual({ one: 1 });
    expect([proxy.cut(), through.pool().busy]).toEqual([2, 0]);
    await through.close();
  });
});
