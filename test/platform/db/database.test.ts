import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openConnection } from '../../../src/platform/db/connection.ts';
import { isDatabaseUnavailable, openPool } from '../../../src/platform/db/database.ts';
import { Unavailable } from '../../../src/shared/problem.ts';
import { cuttingProxy } from '../../support/cutting-proxy.ts';
import { openTestDatabase, superuser } from '../../support/database.ts';

const { db, ...database } = await openTestDatabase();
const sql = await superuser(database);
await sql`create table kept (id int primary key)`;
await sql`grant all on kept to regulars`;
await sql`
  create function refuse(code text, message text) returns void language plpgsql as $$ begin
    raise exception '%', message using errcode = code;
  end $$`;
const kept = async () => (await sql<{ id: number }>`select id from kept order by id`).map((row) => row.id);

describe('a transaction', () => {
  it('commits completely or not at all', async () => {
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

  it('does not commit if an error in it was ignored', async () => {
    const ignoring = db.transaction(async (tx) => {
      await tx`insert into kept values (4)`;
      await tx`insert into kept values (1)`.catch(() => {});
    });
    await expect(ignoring).rejects.toThrow(/The transaction was rolled back/);
    expect(await kept()).toEqual([1, 2]);
  });

  it('is rejected if too many wait for a connection', async () => {
    const small = openPool({ url: database.url, connections: 1 });
    let release: (() => void) | undefined;
    const held = small.transaction(async (tx) => {
      await tx`select 1`;
      await new Promise<void>((done) => {
        release = done;
      });
    });
    await expect.poll(() => release).toBeDefined();
    const one = () => small.transaction((tx) => tx`select 1`);
    const waiting = Array.from({ length: 250 }, one);
    await expect.poll(() => small.pool().waiting).toBe(250);
    await expect(one()).rejects.toThrow(Unavailable);
    release?.();
    await Promise.all([held, ...waiting]);
    await expect(one()).resolves.toHaveLength(1);
    await small.close();
  });

  it('is cancelled, in PostgreSQL too, if a statement takes too long', async () => {
    const shortTimeout = openPool({ url: database.url, connections: 1, longestStatementMs: 1000 });
    const slow = shortTimeout.transaction(async (tx) => {
      await tx`insert into kept values (5)`;
      await tx`select pg_sleep(60)`;
    });
    const failure = await slow.catch((error) => error);
    expect([failure.code, isDatabaseUnavailable(failure)]).toEqual(['57014', true]);
    expect(await kept()).not.toContain(5);
    expect((await shortTimeout.transaction((tx) => tx`select 1 as fine`))[0]).toEqual({ fine: 1 });
    await shortTimeout.close();
  });

  it('has the time of each statement, so that it is not dated before the one it waited for', async () => {
    const [row] = await db.transaction(async (tx) => {
      await tx`select pg_sleep(0.05)`;
      return tx<{ waited: boolean; passed: boolean }>`
        select ${tx.now} >= now() + interval '0.05 seconds' as waited, ${tx.now} <= clock_timestamp() as passed`;
    });
    expect(row).toEqual({ waited: true, passed: true });
  });

  it('uses another clock if one is given', async () => {
    const at = new Date('2020-02-29T12:30:00.123Z');
    const past = openPool({ url: database.url, connections: 1, now: () => at });
    const [row] = await past.transaction((tx) => tx<{ at: Date }>`select ${tx.now} as at`);
    await past.close();
    expect(row?.at).toEqual(at);
  });

  it('takes no connection before its first statement, and always returns it', async () => {
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

  it.each([
    ['53100', 'could not extend file "base/5/2619": No space left on device'],
    ['53200', 'out of memory'],
    ['53000', 'could not open file "base/5/2619": Too many open files in system'],
    ['58030', 'could not write block 1 of file "base/5/2619": Input/output error'],
    ['XX000', 'could not extend file "base/5/2619": Disk quota exceeded'],
    ['42501', 'could not open file "base/5/2619": Read-only file system'],
  ])('that the server rejects (%s, %s) can be retried later', async (code, message) => {
    const refused = db.transaction((tx) => tx`select refuse(${code}, ${message})`).catch((error) => error);
    expect(isDatabaseUnavailable(await refused)).toBe(true);
    expect(await refused).toMatchObject({ code, message });
  });

  it('that PostgreSQL rejects for its content is not retried', async () => {
    for (const [code, message] of [
      ['42501', 'permission denied for table contacts'],
      ['XX000', 'cache lookup failed for type 0'],
    ])
      expect(
        isDatabaseUnavailable(await db.transaction((tx) => tx`select refuse(${code}, ${message})`).catch((e) => e)),
      ).toBe(false);
  });

  it('treats a server that accepts connections but does not respond as unavailable', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const { port } = silent.address() as AddressInfo;
    const url = `postgres://regulars@127.0.0.1:${port}/regulars`;
    expect(isDatabaseUnavailable(await openConnection({ url }).catch((error) => error))).toBe(true);
    silent.close();
  });

  it('on a connection that closes during the hand-over is rejected, and the process continues', async () => {
    const proxy = await cuttingProxy(database.url, 2);
    const through = openPool({ url: proxy.url, connections: 1 });
    const one = () => through.transaction((tx) => tx`select 1 as one`);
    for (let turn = 0; turn < 2; turn++) expect(isDatabaseUnavailable(await one().catch((error) => error))).toBe(true);
    expect((await one())[0]).toEqual({ one: 1 });
    expect([proxy.cut(), through.pool().busy]).toEqual([2, 0]);
    await through.close();
  });
});
