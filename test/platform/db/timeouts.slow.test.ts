import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { withAllRows } from '../../../src/platform/db/distributed/copying.ts';
import { findPlace, selectNodes } from '../../../src/platform/db/distributed/nodes.ts';
import { knownMigrations, lockClass, migrate } from '../../../src/platform/db/migrate.ts';
import { checkServer } from '../../../src/platform/db/open/external.ts';
import { type Run, raw } from '../../../src/platform/db/sql.ts';
import {
  connectTo,
  countLockWaits,
  createDatabase,
  everyNode,
  isDistributed,
  superuser,
  type TestDatabase,
} from '../../support/database.ts';
import { type PgBouncer, pgbouncerPath, startPgbouncer } from '../../support/pgbouncer.ts';
import { regulars } from '../../support/process.ts';
import { newFile } from './backup/commands.ts';

/** Longer than the timeouts of the role. */
const longMs = 2500;

/** Sets timeouts of one second for the role of the service, in this database on every node. */
async function limit(database: TestDatabase, names: string[]): Promise<void> {
  for (const sql of await everyNode(database))
    for (const name of names) await sql`${raw(`alter role regulars in database ${database.name} set ${name} = '1s'`)}`;
}
const ofStatements = ['statement_timeout', 'lock_timeout'];
const ofSessions = ['idle_in_transaction_session_timeout', 'idle_session_timeout'];

/** Lets work wait for a lock, for a long time. */
async function behindLock<T>(
  database: TestDatabase,
  { url, lock }: { url: string; lock: string },
  work: () => Promise<T>,
) {
  const nodes = await everyNode(database);
  const holder = await connectTo(url);
  await holder`set citus.enable_manual_changes_to_shards = on`;
  await holder`begin`;
  await holder`${raw(lock)}`;
  const working = work();
  await expect.poll(() => countLockWaits(nodes)).toBeGreaterThan(0);
  await pause(longMs);
  await holder`rollback`;
  return working;
}

/** Waits for the migration lock, too. */
const migrationLock = `select pg_advisory_xact_lock(${lockClass}, 3)`;

describe.skipIf(isDistributed())('with timeouts of the role', () => {
  let pooler: PgBouncer | undefined;
  beforeAll(async () => {
    if (pgbouncerPath) pooler = await startPgbouncer(inject('serverUrl'));
  });

  describe.each(pgbouncerPath ? ['directly', 'behind a pooler'] : ['directly'])('%s', (way) => {
    const through = (url: string) => (way === 'directly' ? url : (pooler?.through(url) ?? ''));

    it('a migration may wait and take long', async () => {
      const database = await createDatabase('empty');
      const sql = await superuser(database);
      const newer = await sql`select where current_setting('transaction_timeout', true) is not null`;
      await limit(database, [...ofStatements, ...ofSessions, ...(newer.length > 0 ? ['transaction_timeout'] : [])]);
      const url = through(database.url);
      const slow = { version: 9999, name: '9999_slow.sql', sql: `select pg_sleep(${longMs / 1000})` };
      const options = { url, ...(await checkServer(url)) };
      expect(options.isPooled).toBe(way !== 'directly');
      const lock = { url: database.superuserUrl, lock: migrationLock };
      const { applied } = await behindLock(database, lock, () => migrate(options, false, [...knownMigrations(), slow]));
      expect(applied).toContain('9999_slow.sql');
    });

    it('a migration of the jobs may take long', async () => {
      const database = await createDatabase('empty');
      await limit(database, ofStatements);
      const own = await connectTo(database.url);
      await own`create schema graphile_worker`;
      await own`create table graphile_worker.migrations (
        id int primary key, ts timestamptz default now() not null, breaking boolean not null default false)`;
      const lock = { url: database.url, lock: 'lock table graphile_worker.migrations in exclusive mode' };
      const url = through(database.url);
      const options = { url, ...(await checkServer(url)) };
      await behindLock(database, lock, () => migrate(options));
      expect(await own`select from graphile_worker.jobs`).toHaveLength(0);
    });

    it('a backup and a restore may wait', async () => {
      const [from, to] = [await createDatabase(), await createDatabase('empty')];
      for (const database of [from, to]) await limit(database, ofStatements);
      const file = newFile();
      const lock = { url: from.superuserUrl, lock: 'lock table contacts in access exclusive mode' };
      const taken = await behindLock(from, lock, () => regulars(['backup', file], { DATABASE_URL: through(from.url) }));
      expect([taken.code, taken.stderr]).toEqual([0, expect.anything()]);
      const restored = await behindLock(to, { url: to.superuserUrl, lock: migrationLock }, () =>
        regulars(['restore', file], { DATABASE_URL: through(to.url) }),
      );
      expect([restored.code, restored.stderr]).toEqual([0, expect.anything()]);
    });
  });
});

describe.skipIf(!isDistributed())('with timeouts of the role on every node', () => {
  /** A database with an account, the name of its shard of contacts, and the node of that shard. */
  async function distributed() {
    const database = await createDatabase();
    await limit(database, ofStatements);
    const sql: Run = await superuser(database);
    await sql`insert into accounts (id, name, root_unit_id) values (1, 'One', 1)`;
    await sql`insert into units (account_id, id, name, is_root) values (1, 1, 'One', true)`;
    const place = await findPlace(sql, 1);
    const url = inject('workerUrls').find((one) => new URL(one).port === String(place.port));
    return { database, sql, place, url: `${url}/${database.name}`, shard: `contacts_${place.shard}` };
  }

  it('a backup may wait on a worker', async () => {
    const { database, url, shard } = await distributed();
    const lock = { url, lock: `lock table ${shard} in access exclusive mode` };
    const taken = await behindLock(database, lock, () =>
      regulars(['backup', newFile()], { DATABASE_URL: database.url }),
    );
    expect([taken.code, taken.stderr]).toEqual([0, expect.anything()]);
  });

  it('row-level security is forced again, after a command that was killed', async () => {
    const { database, sql, url, shard } = await distributed();
    await sql`alter table contacts no force row level security`;
    const lock = { url, lock: `lock table ${shard} in access exclusive mode` };
    await behindLock(database, lock, () => checkServer(database.url));
    expect(
      await sql`select from pg_policy join pg_class c on c.oid = polrelid where not relforcerowsecurity`,
    ).toHaveLength(0);
  });

  it('a move of shards is refused before it starts, because Citus would cut it', async () => {
    const { database, sql } = await distributed();
    const options = { url: database.url, ...(await checkServer(database.url)) };
    const work = () =>
      withAllRows(
        options,
        () => {},
        ({ run }) => run`select`,
      );
    const { message } = (await work().catch((error) => error)) as Error;
    const nodes = (await selectNodes(sql)).map(({ node }) => node);
    for (const node of nodes)
      expect(message).toContain(
        `On ${node}, run \`alter role "regulars" in database "${database.name}" set lock_timeout = 0; ` +
          `alter role "regulars" in database "${database.name}" set statement_timeout = 0\`.`,
      );
    // What the message says is enough.
    const statements = message.match(/alter role [^;`]+/g) ?? [];
    for (const node of await everyNode(database)) for (const one of statements) await node`${raw(one)}`;
    expect(await work()).toHaveLength(1);
  });
});
