import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { openConnection } from '../../../src/platform/db/connection.ts';
import { openPool, type Tx } from '../../../src/platform/db/database.ts';
import { checkServer } from '../../../src/platform/db/open/external.ts';
import { raw } from '../../../src/platform/db/sql.ts';
import { connectTo, createDatabase, superuser } from '../../support/database.ts';
import { temporaryFolder } from '../../support/leftovers.ts';
import { type PgBouncer, pgbouncerPath, startPgbouncer } from '../../support/pgbouncer.ts';
import { clientOf, healthy, isHealthy, regulars, start } from '../../support/process.ts';
import { signedIn } from '../../support/staff.ts';
import { shop } from '../../support/vouchers.ts';

const times = <T>(count: number, one: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => one(n)));

if (!pgbouncerPath)
  console.error(
    '\n*** LEFT OUT: the tests behind PgBouncer. Install it (on Debian, "apt-get install pgbouncer"). ***\n',
  );

describe.skipIf(!pgbouncerPath)('behind PgBouncer in transaction mode, with 5 connections to PostgreSQL', () => {
  let pooler: PgBouncer;
  beforeAll(async () => {
    pooler = await startPgbouncer(inject('serverUrl'));
  });

  /** A database, with its address through the pooler. */
  const pooled = async (kind: 'migrated' | 'empty' = 'migrated') => {
    const database = await createDatabase(kind);
    return { database, url: pooler.through(database.url) };
  };

  it('the pooler is noticed, and a direct connection is not taken for one', async () => {
    const { database, url } = await pooled();
    expect(await checkServer(url)).toEqual({ role: undefined, isPooled: true, isDistributed: false });
    expect(await checkServer(database.url)).toEqual({ role: undefined, isPooled: false, isDistributed: false });
    const ignoring = await startPgbouncer(database.url, ['ignore_startup_parameters = options']);
    expect(await checkServer(ignoring.through(database.url))).toMatchObject({ isPooled: true });
    const forSuperuser = await startPgbouncer(database.superuserUrl);
    await expect(checkServer(forSuperuser.through(database.superuserUrl))).rejects.toThrow(
      'a superuser cannot use it through a connection pooler; use an ordinary role',
    );
  });

  it('search_path in the URL is refused, and one of the role works', async () => {
    const { database, url } = await pooled('empty');
    const own = `?options=${encodeURIComponent('-c TimeZone=UTC -c search_path=own')}`;
    const path = `alter role … in database … set search_path = own`;
    await expect(checkServer(url + own)).rejects.toThrow(path);
    expect(await checkServer(database.url + own)).toMatchObject({ isPooled: false });
    const refused = await regulars(['migrate'], { DATABASE_URL: url + own });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(path)]);
    const sql = await superuser(database);
    await sql`create schema own authorization regulars`;
    await sql`${raw(path.replace('role …', 'role regulars').replace('…', database.name))}`;
    expect(await regulars(['migrate'], { DATABASE_URL: url })).toMatchObject({ code: 0 });
    expect(await sql`select from pg_tables where schemaname = 'own' and tablename = 'contacts'`).toHaveLength(1);
  });

  it('a transaction has its settings, and statements have names on a direct connection only', async () => {
    const { database, url } = await pooled();
    const settings = async (options: { url: string; isPooled: boolean }) => {
      const db = openPool({ ...options, connections: 1 });
      const [row] = await db.transaction(async (tx) => {
        await tx`select ${1}::int`;
        return tx`
          select current_setting('plan_cache_mode') as plans, current_setting('TimeZone') as zone,
            current_setting('statement_timeout') as timeout, current_setting('work_mem') as memory,
            (select count(*) > 0 from pg_prepared_statements where name like 'regulars%') as named`;
      });
      await db.close();
      return row;
    };
    const usual = { plans: 'force_generic_plan', zone: 'UTC', timeout: '29s' };
    const [{ memory } = {}] = await (await connectTo(database.url))`select current_setting('work_mem') as memory`;
    expect(await settings({ url, isPooled: true })).toEqual({ ...usual, memory, named: false });
    expect(await settings({ url: database.url, isPooled: false })).toEqual({ ...usual, memory, named: true });
    const own = `?options=${encodeURIComponent("-c statement_timeout=1min -c TimeZone=Europe/Athens --work-mem=7MB -c app.text=public,\\ x'")}`;
    const theirs = { ...usual, zone: 'Europe/Athens', timeout: '1min', memory: '7MB' };
    expect(await settings({ url: url + own, isPooled: true })).toEqual({ ...theirs, named: false });
    expect(await settings({ url: database.url + own, isPooled: false })).toEqual({ ...theirs, named: true });
    // Nothing is left for the next client of the same connection to PostgreSQL.
    const next = await openConnection({ url, isPooled: true });
    const [{ left } = {}] = await next.run`select current_setting('plan_cache_mode') as left`;
    expect(left).toBe('auto');
    await next.close();
  });

  it('40 clients of two accounts never see a row of the other account', async () => {
    const { database, url } = await pooled();
    const sql = await superuser(database);
    await sql`insert into accounts (id, name, root_unit_id) values (1, 'One', 1), (2, 'Two', 1)`;
    await sql`insert into units (account_id, id, name, is_root) values (1, 1, 'One', true), (2, 1, 'Two', true)`;
    const seenBy = async (tx: Tx) => {
      const rows = await tx<{ account: number }>`select account_id as account from units where ${true}`;
      return rows.map(({ account }) => account);
    };
    const [turns, clients] = [40, 40];
    const perClient = await times(clients, async (client) => {
      const db = openPool({ url, isPooled: true, connections: 1 });
      const wrong: unknown[] = [];
      const own = new Set<number>();
      for (let turn = 0; turn < turns; turn++) {
        const account = ((client + turn) % 2) + 1;
        const inAccount = await db.tenant(account, async (tx) => {
          const [{ pid = 0 } = {}] = await tx<{ pid: number }>`select pg_backend_pid() as pid`;
          own.add(pid);
          return seenBy(tx);
        });
        if (String(inAccount) !== String(account)) wrong.push({ account, inAccount });
        // A transaction that fails, or whose client disappears, must not leave its account behind either.
        if (turn % 5 === 1) await db.tenant(account, (tx) => tx`select 1 / ${0}::int`).catch(() => {});
        if (turn % 10 === 3) await disappear(url, account);
        const outside = await db.transaction(seenBy);
        if (outside.length > 0) wrong.push({ outside });
      }
      await db.close();
      return { wrong, backends: own.size };
    });
    expect(perClient.flatMap(({ wrong }) => wrong)).toEqual([]);
    // Otherwise nothing was shared, and this test would prove nothing.
    expect(Math.max(...perClient.map((one) => one.backends))).toBeGreaterThan(1);
    const [{ count } = {}] = await sql<{ count: number }>`
      select count(*) from pg_stat_activity where datname = current_database() and usename = 'regulars'`;
    expect(count).toBeLessThanOrEqual(5);
  });

  /** Sets the account and closes the connection in the middle of the transaction. */
  async function disappear(url: string, account: number): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    await client.query(`begin; set local app.account_id = ${account}`);
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }

  it('migrations run once if several processes start at once, and leave no lock', async () => {
    const { database, url } = await pooled('empty');
    const runs = await times(4, () => regulars(['migrate', '--json'], { DATABASE_URL: url }));
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(Array(4).fill([0, '']));
    const applied = runs.map(({ stdout }) => JSON.parse(stdout).applied.length as number);
    expect(applied.filter((count) => count > 0)).toHaveLength(1);
    const sql = await superuser(database);
    const left = () => sql`
      select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;
    await expect.poll(left).toHaveLength(0);
  });

  it('two services serve guests, vouchers, sessions, jobs and commands, and recover from a killed pooler', async () => {
    const { database, url } = await pooled('empty');
    const env = { DATABASE_URL: url, EMAIL_DOMAIN_CHECK: 'list', RATE_LIMIT_PER_MINUTE: '0' };
    const services = [await start({ env }), await start({ env: { ...env, WORKERS: '2' } })] as const;
    const [one, two] = [clientOf(services[0]), clientOf(services[1])];
    const [left, right] = [await shop(one), await shop(two)];

    // Each voucher is tried by 20 clients at both services.
    for (const place of [left, right]) {
      const { unique_code } = await place.newCode();
      const answers = await times(20, (n) => place.redeem({ unique_code }, (n % 2 === 0 ? one : two) as never));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 422)).toHaveLength(19);
    }
    // Guests of two accounts at the same time.
    const mails = await times(40, async (n) => {
      const place = n % 2 === 0 ? left : right;
      const email = `guest${n}@gmail.com`;
      const body = { account_id: place.id, email };
      const answer = await (n % 4 < 2 ? one : two).call('POST', '/v1/contact', { token: place.token, body });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return { place, email };
    });
    for (const place of [left, right]) {
      const { body } = await one.admin('GET', `${place.base}/contacts`);
      const own = mails.filter((mail) => mail.place === place);
      expect(body.total).toBe(own.length);
    }

    // A session that one service starts is valid at the other.
    const { cookie } = await signedIn(one as never, 'owner');
    expect((await two.call('GET', '/admin/v1/session', { headers: { cookie } })).status).toBe(200);

    // A job: the rows of a deleted account are removed in the background.
    const sql = await superuser(database);
    const rows = () => sql`select from contacts where account_id = ${right.id}`;
    expect(await rows()).not.toHaveLength(0);
    expect((await one.admin('DELETE', right.base)).status).toBe(204);
    await expect.poll(rows).toHaveLength(0);

    // Commands.
    const file = join(temporaryFolder(), 'regulars.backup.gz');
    expect(await regulars(['backup', file], { DATABASE_URL: url })).toMatchObject({ code: 0 });
    const { url: empty } = await pooled('empty');
    expect(await regulars(['restore', file], { DATABASE_URL: empty })).toMatchObject({ code: 0 });
    const listed = await regulars(['unit', 'list', '--account', String(left.id)], { DATABASE_URL: empty });
    expect(listed.stdout).toContain('The Anchor');

    await pooler.kill();
    await expect.poll(() => isHealthy(services[0])).toBe(false);
    const during = await one.call('GET', '/v1/account/units', { token: left.token });
    expect(during.status).toBe(503);
    await pooler.start();
    for (const service of services) await healthy(service);
    await expect.poll(async () => (await left.redeem((await left.newCode()) as never)).status).toBe(200);
    // The jobs go on too.
    expect((await one.admin('DELETE', left.base)).status).toBe(204);
    await expect.poll(() => sql`select from contacts where account_id = ${left.id}`).toHaveLength(0);
    expect(await Promise.all(services.map((service) => service.stop()))).toEqual([0, 0]);
  });
});
