import { chmodSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Run, raw } from '../../../../src/platform/db/sql.ts';
import { CitusCluster } from '../../../../tools/servers/citus.ts';
import { connectTo, createDatabase } from '../../../support/database.ts';
import { type DatabaseSnapshot, snapshotDatabase } from '../../../support/database-snapshot.ts';
import { createFullAccount, type FullAccount } from '../../../support/full-account.ts';
import { violations } from '../../../support/invariants.ts';
import { temporaryFolder } from '../../../support/leftovers.ts';
import { clientOf, launch, type Running, regulars, start } from '../../../support/process.ts';
import { newFile, newFolder, succeed } from '../backup/commands.ts';

describe('a server without Citus', () => {
  it('is not changed, and the command says what to do', async () => {
    const { url } = await createDatabase('empty');
    const { code, stdout, stderr } = await regulars(['db', 'distribute'], { DATABASE_URL: url });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^This database has no Citus, so it can't be distributed\. Nothing was changed\. /m);
    const status = await regulars(['db', 'status'], { DATABASE_URL: url });
    expect([status.code, status.stdout]).toEqual([0, expect.stringMatching(/^The database is on one server\./)]);
  });

  it.each([['0', '33000', '--shards is a number from 1 to 1024.']])(
    'refuses %s and %s shards',
    async (few, many, message) => {
      const { url } = await createDatabase('empty');
      for (const shards of [few, many, 'x', '1.5']) {
        const { code, stderr } = await regulars(['db', 'distribute', '--shards', shards], { DATABASE_URL: url });
        expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
      }
    },
  );
});

/** The folder of PostgreSQL programs with Citus. */
const binFolder = process.env.TEST_CITUS;

describe.skipIf(binFolder === undefined)('a database with guests', () => {
  let cluster: CitusCluster;
  let service: Running;
  let sql: Run;
  let [one, other] = [{} as FullAccount, {} as FullAccount];
  let before: DatabaseSnapshot;
  const env = () => ({ DATABASE_URL: cluster.coordinator.address('regulars') });
  const write = (body: object, account = one) =>
    clientOf(service).call('POST', '/v1/contact', {
      token: account.token,
      body: { account_id: account.ids.account_id, ...body },
    });

  beforeAll(async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    cluster = await CitusCluster.start(folder, { binFolder: binFolder ?? '', settings: { fsync: 'off' } });
    service = await start({ env: { ...env(), EMAIL_DOMAIN_CHECK: 'list', LOG_LEVEL: 'warn' } });
    sql = await connectTo(cluster.coordinator.address('postgres'));
    one = await createFullAccount(clientOf(service), sql, 'One');
    other = await createFullAccount(clientOf(service), sql, 'Other');
    await vi.waitFor(async () => expect(await sql`select from request_log`).toHaveLength(12), { timeout: 60_000 });
    before = await snapshotDatabase(sql);
  });
  afterAll(() => cluster?.stop());

  it('is distributed while the service runs, and has the same rows, constraints, policies and triggers', async () => {
    // The timeouts of the role are not for this command. It waits below for longer than that.
    await cluster.onEachNode(`alter role regulars set statement_timeout = '1s'`);
    // The transaction waits for a lock that is held here, as do the requests behind it.
    const holder = await connectTo(cluster.coordinator.address('postgres'));
    await holder`begin`;
    await holder`lock table notes in row exclusive mode`;
    const distributing = regulars(['db', 'distribute', '--shards', '8', '--json'], env());
    await expect
      .poll(async () => (await sql`select from pg_locks where relation = 'notes'::regclass and not granted`).length)
      .toBe(1);
    const waiting = write({ email: 'waiting@gmail.com' });
    await pause(1500);
    await holder`rollback`;
    const { code, stdout, stderr } = await distributing;
    expect([code, stderr]).toEqual([0, expect.stringContaining('checking')]);
    expect(JSON.parse(stdout)).toMatchObject({ tables: 29, shards: 8, workers: 2 });
    await cluster.onEachNode('alter role regulars reset statement_timeout');
    expect((await waiting).status).toBe(200);
    // The contact that waited, and the entries in the audit trail and the request log.
    expect((await write({ email: 'after@gmail.com' })).status).toBe(200);
    const after = await snapshotDatabase(sql);
    expect(after.schema).toBe(before.schema);
    expect(after.triggers).toEqual(before.triggers);
    const unchanged = Object.keys(before.tables).filter((name) => after.tables[name] === before.tables[name]);
    expect(unchanged).toEqual(
      expect.arrayContaining([
        'accounts',
        'users',
        'bookings',
        'purchases',
        'consent_ledger',
        'merges',
        'unique_codes',
      ]),
    );
    expect(await violations(sql)).toEqual({});
    const trail = await sql`select from audit_trail where action = 'database.distribute'`;
    expect(trail).toHaveLength(1);
  });

  it('a second time is left as it is', async () => {
    const { code, stdout } = await regulars(['db', 'distribute'], env());
    expect([code, stdout]).toEqual([
      0,
      'Nothing to do: the database is distributed already, in 8 shards on 2 workers.\n',
    ]);
  });

  it('keeps its foreign keys, policies and append-only tables on the shards', async () => {
    for (const worker of cluster.workers) {
      const node = await connectTo(worker.address('postgres'));
      await node`set citus.override_table_visibility = off`;
      const [counts] = await node<{ policies: number; forced: number; keys: number; triggers: number }>`
        select (select count(*) from pg_policy) as policies,
          (select count(*) from pg_class where relforcerowsecurity and relname ~ '_[0-9]{6}$') as forced,
          (select count(*) from pg_constraint where contype = 'f' and conrelid::regclass::text ~ '^contacts_[0-9]{6}$') as keys,
          (select count(*) from pg_trigger where tgname like 'append_only%' and tgenabled = 'O') as triggers`;
      // 29 tables with four shards here, and the reference table accounts.
      expect(counts).toMatchObject({ forced: 29 * 4 + 1, keys: 3 * 4 });
      expect(counts?.policies).toBeGreaterThanOrEqual(29 * 4 + 1);
      expect(counts?.triggers).toBeGreaterThanOrEqual(2 * 2 * 4);
    }
    const attack = sql`delete from consent_ledger where account_id = ${one.ids.account_id}`;
    await expect(attack).rejects.toThrow(/append-only/);
  });

  it('shows its nodes, shards and largest accounts', async () => {
    const status = await succeed(['db', 'status'], env());
    expect(status).toMatchObject({ distributed: true, nodes: [{ role: 'coordinator' }, { shards: 4 }, { shards: 4 }] });
    expect(status.accounts.slice(0, 2)).toMatchObject([{ id: one.ids.account_id }, { id: other.ids.account_id }]);
    expect((await regulars(['db', 'status'], env())).stdout).toMatch(/8 shards on 2 nodes\.\nnode +role/);
  });

  it('moves one account to another node while it is written to', async () => {
    const status = await succeed(['db', 'status'], env());
    const [account] = status.accounts as { id: number; node: string }[];
    const target = (status.nodes as { node: string; role: string }[]).find(
      ({ node, role }) => role === 'worker' && node !== account?.node,
    );
    const rowsOfAll = async () => {
      const rows = await sql<{ count: number }>`
        select count(*) as count from units union all select count(*) from bookings union all select count(*) from consent_ledger
        union all select count(*) from purchases union all select count(*) from tokens`;
      return rows.map(({ count }) => count);
    };
    const rows = await rowsOfAll();
    let [moving, written] = [true, 0];
    const writing = (async () => {
      while (moving) {
        const { status, body } = await write({ email: `moving${written}@gmail.com` });
        expect(status, JSON.stringify(body)).toBe(200);
        written++;
      }
    })();
    const moved = await regulars(['db', 'move-account', String(account?.id), '--to', target?.node ?? ''], env());
    moving = false;
    await writing;
    expect([moved.code, moved.stdout], moved.stderr).toEqual([
      0,
      `The account ${account?.id} moved from ${account?.node} to ${target?.node}, in shards of its own.\n`,
    ]);
    const after = await succeed(['db', 'status'], env());
    expect(after.accounts[0]).toMatchObject({ id: account?.id, node: target?.node });
    const stored = await sql`select from contacts where email like 'moving%'`;
    expect([written > 0, stored.length]).toEqual([true, written]);
    expect(await rowsOfAll()).toEqual(rows);
    // Row-level security is forced again, on the shards too. Citus deletes the old shards later.
    for (const worker of cluster.workers) {
      const node = await connectTo(worker.address('postgres'));
      await node`set citus.override_table_visibility = off`;
      const present = await sql<{ name: string }>`
        select shard_name as name from citus_shards where nodeport = ${worker.port()}`;
      const unforced = await node<{ name: string }>`
        select relname::text as name from pg_policy join pg_class c on c.oid = polrelid
        where polname like 'own_account%' and not relforcerowsecurity`;
      expect(unforced.filter(({ name }) => present.some((one) => one.name === name))).toEqual([]);
    }
    expect(
      await sql`select from pg_policy join pg_class c on c.oid = polrelid where not relforcerowsecurity`,
    ).toHaveLength(0);
    expect(await violations(sql)).toEqual({});
    const unknown = await regulars(['db', 'move-account', String(account?.id), '--to', 'nowhere:1'], env());
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringMatching(/There is no node nowhere:1\. The nodes/),
    ]);
  });

  it('forces row-level security again when a service starts after a killed move', async () => {
    const unforced = () => sql`
      select from pg_policy join pg_class c on c.oid = polrelid where polname = 'own_account' and not relforcerowsecurity`;
    const holder = await connectTo(cluster.coordinator.address('postgres'));
    await holder`begin`;
    await holder`lock table contacts in row exclusive mode`;
    const [node] = (await succeed(['db', 'status'], env())).nodes.slice(-1) as [{ node: string }];
    const command = [
      'node',
      'dist/cli/regulars.js',
      'db',
      'move-account',
      String(other.ids.account_id),
      '--to',
      node.node,
    ];
    const moving = await launch({ command, env: env() });
    // The tables before contacts are not forced any more.
    await expect.poll(async () => (await unforced()).length).toBeGreaterThan(0);
    await moving.stop('SIGKILL');
    await holder`rollback`;
    expect((await unforced()).length).toBeGreaterThan(0);
    const second = await start({ env: { ...env(), LOG_LEVEL: 'fatal' } });
    await expect.poll(async () => (await unforced()).length).toBe(0);
    await second.stop();
  });

  it('is rebalanced', async () => {
    // The last node gives all but one of its shards away.
    const from = cluster.workers.at(-1)?.port() ?? 0;
    const to = cluster.workers[0]?.port() ?? 0;
    const shards = await sql<{ id: number }>`
      select shardid as id from pg_dist_shard_placement join pg_dist_shard using (shardid)
      where logicalrelid = 'contacts'::regclass and nodeport = ${from} offset 1`;
    expect(shards.length).toBeGreaterThan(1);
    for (const { id } of shards)
      await sql`select ${raw(`citus_move_shard_placement(${id}, '127.0.0.1', ${from}, '127.0.0.1', ${to}, 'block_writes')`)}`;
    const rows = () => sql<{ count: number }>`
      select count(*) as count from contacts union all select count(*) from consent_ledger union all select count(*) from units`;
    const before = await rows();
    const { code, stdout, stderr } = await regulars(['db', 'rebalance'], env());
    expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^[1-9]\d* shards? moved\.\n$/)]);
    expect(await rows()).toEqual(before);
    expect(await violations(sql)).toEqual({});
    // Sizes are estimates, so a second call can find one more to move. It ends there.
    for (let n = 0; ; n++) {
      const again = await regulars(['db', 'rebalance'], env());
      expect(again.code, again.stderr).toBe(0);
      if (again.stdout === 'Nothing to do: the nodes have equal shares.\n') break;
      expect(n, again.stdout).toBeLessThan(3);
    }
  });

  it('is backed up, and restored on a single server', async () => {
    const file = newFile();
    await succeed(['backup', file], env());
    const single = { DATA_DIR: newFolder() };
    await succeed(['restore', file], single);
    const restored = await start({ dataDir: single.DATA_DIR, env: { EMAIL_DOMAIN_CHECK: 'list' } });
    const contacts = await clientOf(restored).call('GET', `/v1/contact/${one.ids.contact_id}`, {
      token: one.token,
      query: `account_id=${one.ids.account_id}`,
    });
    expect(contacts.status).toBe(200);
    await restored.stop();
  });

  it('of a single server is restored on a distributed one', async () => {
    const source = await createDatabase();
    const first = await start({ env: { DATABASE_URL: source.url, EMAIL_DOMAIN_CHECK: 'list' } });
    const rows = await connectTo(source.superuserUrl);
    const account = await createFullAccount(clientOf(first), rows, 'Moved');
    await first.stop();
    const file = newFile();
    await succeed(['backup', file], { DATABASE_URL: source.url });

    await service.stop();
    for (const node of cluster.nodes) {
      const admin = await connectTo(node.address('postgres', 'postgres'));
      await admin`create database target owner regulars`;
    }
    await cluster.connectNodes('target');
    const target = { DATABASE_URL: cluster.coordinator.address('regulars', 'target') };
    await succeed(['db', 'distribute', '--shards', '4'], target);
    await succeed(['restore', file], target);
    const copied = await connectTo(cluster.coordinator.address('postgres', 'target'));
    const [from, to] = [await snapshotDatabase(rows), await snapshotDatabase(copied, true)];
    const { audit_trail: _, ...tables } = to.tables;
    expect(tables).toEqual(Object.fromEntries(Object.keys(tables).map((name) => [name, from.tables[name]])));
    const second = await start({ env: { ...target, EMAIL_DOMAIN_CHECK: 'list' } });
    const written = await clientOf(second).call('POST', '/v1/contact', {
      token: account.token,
      body: { account_id: account.ids.account_id, email: 'again@gmail.com' },
    });
    expect(written.status).toBe(200);
  });
});
