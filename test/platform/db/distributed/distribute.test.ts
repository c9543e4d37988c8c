import { chmodSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { withAllRows } from '../../../../src/platform/db/distributed/copying.ts';
import { findPlace, moveShard } from '../../../../src/platform/db/distributed/nodes.ts';
import { only, type Run, raw } from '../../../../src/platform/db/sql.ts';
import { CitusCluster, nodeSettings } from '../../../../tools/servers/citus.ts';
import { Postgres } from '../../../../tools/servers/postgres.ts';
import { connectTo, createDatabase } from '../../../support/database.ts';
import { type DatabaseSnapshot, snapshotDatabase } from '../../../support/database-snapshot.ts';
import { gate } from '../../../support/domains.ts';
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
    expect(await (await connectTo(url))`select from pg_tables where schemaname = 'public'`).toHaveLength(0);
    const status = await regulars(['db', 'status'], { DATABASE_URL: url });
    expect([status.code, status.stdout]).toEqual([
      0,
      'The database is on one server.\nIt is empty. `regulars migrate` creates its tables.\n',
    ]);
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
  let added: Postgres | undefined;
  /** The number of tables with rows of accounts. */
  let tables: number;
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
    one = await createFullAccount(clientOf(service), sql, 'One', { isServed: true });
    other = await createFullAccount(clientOf(service), sql, 'Other', { isServed: true });
    await vi.waitFor(async () => expect(await sql`select from request_log`).toHaveLength(12), { timeout: 60_000 });
    before = await snapshotDatabase(sql);
    const [counted] = await sql<{ tables: number }>`
      select count(*) as tables from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'account_id'
      where relkind = 'r' and relforcerowsecurity`;
    tables = counted?.tables ?? 0;
  });
  afterAll(async () => {
    await cluster?.stop();
    await added?.stop();
  });

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
    expect(JSON.parse(stdout)).toMatchObject({ tables: tables, shards: 8, workers: 2 });
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
      // Each table with four shards here, and the reference table accounts.
      expect(counts).toMatchObject({ forced: tables * 4 + 1, keys: 3 * 4 });
      expect(counts?.policies).toBeGreaterThanOrEqual(tables * 4 + 1);
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
      expect.stringMatching(/There is no node nowhere:1 that takes shards\. The nodes/),
    ]);
    // The coordinator has no shards. The account is not split from its shard for nothing.
    const { nodes } = await succeed(['db', 'status'], env());
    const refused = await regulars(
      ['db', 'move-account', String(other.ids.account_id), '--to', nodes[0]?.node ?? ''],
      env(),
    );
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('that takes shards')]);
    // PostgreSQL may have changed the sizes by itself.
    const shards = (all: { node: string; shards: number }[]) => all.map((one) => [one.node, one.shards]);
    expect(shards((await succeed(['db', 'status'], env())).nodes)).toEqual(shards(nodes));
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

  it('is not forced again by a command that lost its connection while another one copies', async () => {
    const options = { url: env().DATABASE_URL, isDistributed: true };
    const copy = (work: () => Promise<void>) =>
      withAllRows(
        options,
        () => {},
        async ({ run }) => {
          pids.push(only(await run<{ pid: number }>`select pg_backend_pid() as pid`).pid);
          await work();
        },
      );
    const pids: number[] = [];
    const [loses, copies] = [gate(), gate()];
    const first = copy(() => loses.after);
    await expect.poll(() => pids.length).toBe(1);
    await sql`select pg_terminate_backend(${pids[0]}::int)`;
    await expect.poll(async () => sql`select from pg_stat_activity where pid = ${pids[0]}`).toHaveLength(0);
    const second = copy(() => copies.after);
    await expect.poll(() => pids.length).toBe(2);
    loses.release();
    await first;
    const forced = () => sql`
      select from pg_policy join pg_class c on c.oid = polrelid where polname = 'own_account' and relforcerowsecurity`;
    expect(await forced()).toHaveLength(0);
    copies.release();
    await second;
    expect((await forced()).length).toBeGreaterThan(10);
  });

  it('copies no shard whose rows row-level security hides', async () => {
    const connection = await connectTo(env().DATABASE_URL);
    const place = await findPlace(connection, one.ids.account_id);
    const [to] = cluster.workers.map((worker) => `127.0.0.1:${worker.port()}`);
    await expect(moveShard(connection, place, to ?? '')).rejects.toThrow('Another command forced row-level security');
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
    const ofOne = await findPlace(sql, one.ids.account_id);
    const { code, stdout, stderr } = await regulars(['db', 'rebalance'], env());
    expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^[1-9]\d* shards? moved\.\n$/)]);
    expect(await rows()).toEqual(before);
    expect(await violations(sql)).toEqual({});
    // This account was moved on purpose.
    expect(await findPlace(sql, one.ids.account_id)).toEqual(ofOne);
    // Sizes are estimates, so a second call can find one more to move. It ends there.
    for (let n = 0; ; n++) {
      const again = await regulars(['db', 'rebalance'], env());
      expect(again.code, again.stderr).toBe(0);
      if (again.stdout === 'Nothing to do: the nodes have about equal shares.\n') break;
      expect(n, again.stdout).toBeLessThan(3);
    }
  });

  it('spreads onto a new node', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    added = await Postgres.create(folder, { binFolder: binFolder ?? '', trust: true, settings: nodeSettings });
    await added.start();
    await (await connectTo(added.address('postgres')))`create extension citus`;
    const port = added.port();
    await sql`select citus_add_node('127.0.0.1', ${port})`;
    const early = await regulars(['db', 'rebalance'], env());
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('has no copy of accounts and users yet')]);
    await sql`select replicate_reference_tables('block_writes')`;
    const before = await sql`select account_id, id from contacts order by 1, 2`;
    await succeed(['db', 'rebalance'], env());
    expect(await sql`select account_id, id from contacts order by 1, 2`).toEqual(before);
    const { nodes } = await succeed(['db', 'status'], env());
    expect(nodes.find(({ node }: { node: string }) => node.endsWith(`:${port}`)).shards).toBeGreaterThan(0);
    const wrong = await regulars(['db', 'rebalance'], { DATABASE_URL: added.address('regulars') });
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('is not the coordinator')]);
  });

  it('stays in use if a node is lost after a killed move', async () => {
    await sql`alter table bookings no force row level security`;
    const worker = cluster.workers[1] as Postgres;
    await worker.kill(true);
    const status = await regulars(['db', 'status'], env());
    expect([status.code, status.stdout], status.stderr).toEqual([
      0,
      expect.stringMatching(/worker +true +false +true[\s\S]*The accounts are not counted/),
    ]);
    const moved = await regulars(['db', 'rebalance'], env());
    expect([moved.code, moved.stderr]).toEqual([1, expect.stringMatching(/The node .* is not available\. Nothing/)]);
    const second = await start({ env: { ...env(), LOG_LEVEL: 'warn' } });
    expect(second.output()).toContain('row-level security is not forced yet');
    await second.stop();
    await worker.start();
    await succeed(['account', 'list'], env());
    expect(await sql`select from pg_class where relname = 'bookings' and not relforcerowsecurity`).toHaveLength(0);
  });

  it('is not distributed without workers', async () => {
    await (await connectTo(cluster.coordinator.address('postgres', 'postgres')))`create database alone owner regulars`;
    const alone = await connectTo(cluster.coordinator.address('postgres', 'alone'));
    await alone`create extension citus`;
    const { code, stderr } = await regulars(['db', 'distribute'], {
      DATABASE_URL: cluster.coordinator.address('regulars', 'alone'),
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('The cluster has no workers. Nothing was changed.')]);
    expect(await alone`select from pg_tables where schemaname = 'public'`).toHaveLength(0);
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
