import { chmodSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool } from '../../../../src/platform/db/database.ts';
import { enqueue } from '../../../../src/platform/db/jobs.ts';
import type { Run } from '../../../../src/platform/db/sql.ts';
import { CitusCluster } from '../../../../tools/servers/citus.ts';
import type { Postgres } from '../../../../tools/servers/postgres.ts';
import { connectTo } from '../../../support/database.ts';
import { violations } from '../../../support/invariants.ts';
import { temporaryFolder } from '../../../support/leftovers.ts';
import { clientOf, healthy, type Running, start } from '../../../support/process.ts';
import { accepted, type Shop, shop } from '../../../support/vouchers.ts';
import { succeed } from '../backup/commands.ts';

/** The folder of PostgreSQL programs with Citus. */
const binFolder = process.env.TEST_CITUS;
const [before, after] = ['before the server has it', 'after the server has answered it'] as const;
/** The message that ends a transaction on one node only. */
const onePhase = 'COMMIT\0';

describe.skipIf(binFolder === undefined)('a node that dies at the commit', () => {
  let cluster: CitusCluster;
  let service: Running;
  let at: Shop;
  let place: number;
  let sql: Run;
  const worker = () => cluster.workers[place] as Postgres;
  const line = () => cluster.lines[place] as (typeof cluster.lines)[number];

  beforeAll(async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const options = { binFolder: binFolder ?? '', settings: { fsync: 'off' }, isProxied: true };
    cluster = await CitusCluster.start(folder, options);
    const env = { DATABASE_URL: cluster.coordinator.address('regulars') };
    await succeed(['db', 'distribute', '--shards', '4'], env);
    service = await start({ env: { ...env, EMAIL_DOMAIN_CHECK: 'list', LOG_LEVEL: 'fatal' } });
    at = await shop(clientOf(service));
    place = await cluster.workerOf(at.id);
  });
  afterAll(async () => {
    await service?.stop();
    await cluster?.stop();
  });

  /** Kills a node when the coordinator sends this message to the worker, and starts it again. Returns the response. */
  async function whileDying<T>(
    node: Postgres,
    { text, when, write }: { text: string; when: typeof before | typeof after; write: string },
    work: Promise<T>,
  ) {
    await line().nextMessage({ text, earlier: write, isDelivered: when === after });
    await node.kill(true);
    await node.start();
    await node.waitUntilBack();
    const result = await work;
    await healthy(service);
    return result;
  }
  /** Citus finishes the transactions that the lost node had prepared. */
  async function untilRecovered(): Promise<void> {
    const node = await connectTo(worker().address('postgres'));
    await expect.poll(async () => (await node`select from pg_prepared_xacts`).length, { timeout: 20_000 }).toBe(0);
    // The coordinator may have been killed.
    sql = await connectTo(cluster.coordinator.address('postgres'));
  }

  /** The transactions of partners' requests end in one phase. */
  const moments = [
    { key: undefined, when: before, isStored: false },
    { key: undefined, when: after, isStored: true },
    { key: 'key-1', when: before, isStored: false },
    { key: 'key-2', when: after, isStored: true },
  ];

  it.each(moments)('$when, key $key: a voucher is redeemed once', async ({ key, when, isStored }) => {
    const { group, unique_code } = await at.newCode();
    const redeem = (headers = key === undefined ? {} : { 'idempotency-key': `redeem-${key}` }) =>
      clientOf(service).call('POST', '/v1/unique_code/redeem', {
        ...{ token: at.token, headers },
        body: { account_id: at.id, unit_id: at.unit, unique_code_group_id: group, unique_code },
      });
    const first = await whileDying(worker(), { text: onePhase, when, write: 'UPDATE public.unique_codes_' }, redeem());
    expect([first.status, first.headers['retry-after'] !== undefined]).toEqual([503, true]);
    await untilRecovered();
    const stored = await sql<{ at: string | null }>`
      select redeemed_at::text as at from unique_codes where group_id = ${group} and account_id = ${at.id}`;
    expect(stored.map(({ at }) => at !== null)).toEqual([isStored]);
    const second = await redeem();
    expect(second.status).toBe(isStored && key === undefined ? 422 : 200);
    if (key !== undefined) expect(second.headers['idempotent-replayed']).toBe(isStored ? 'true' : undefined);
    expect((await redeem({})).status).toBe(422);
  });

  const withKey = moments.filter(({ key }) => key !== undefined);
  it.each(withKey)('$when, key $key: consent and a match are stored once', async ({ key, when }) => {
    const purchase = { transaction_reference: key, unit_id: at.unit, created_at: '2026-03-01 20:00:00', items: [] };
    const waiting = { account_id: at.id, booking_reference: key, purchases: [purchase] };
    accepted(await clientOf(service).call('POST', '/v1/purchases', { token: at.token, body: waiting }));
    const body = {
      ...{ account_id: at.id, email: `${key}@gmail.com`, allow_email: true },
      bookings: [{ booking_reference: key, unit_id: at.unit, party_datetime: '2026-03-01 19:30:00' }],
    };
    const headers = { 'idempotency-key': `contact-${key}` };
    const write = () => clientOf(service).call('POST', '/v1/contact', { token: at.token, headers, body });
    const first = await whileDying(worker(), { text: onePhase, when, write: 'public.consent_ledger_' }, write());
    expect(first.status).toBe(503);
    await untilRecovered();
    const { id } = accepted(await write());
    const rows = await sql<{ consents: number; matched: number; contacts: number }>`
      select (select count(*) from consent_ledger where account_id = ${at.id} and contact_id = ${id}) as consents,
        (select count(*) from purchases where account_id = ${at.id} and contact_id = ${id}) as matched,
        (select count(*) from contacts where account_id = ${at.id} and email = ${body.email}) as contacts`;
    expect(rows[0]).toEqual({ consents: 1, matched: 1, contacts: 1 });
    expect(await violations(sql)).toEqual({});
  });

  it('has a new account when it is back, if the coordinator committed', async () => {
    const creating = service.admin('POST', '/accounts', { name: 'Made while a node died' });
    const { status, body } = await whileDying(
      worker(),
      { text: 'COMMIT PREPARED', when: before, write: 'INTO public.accounts_' },
      creating,
    );
    expect(status, JSON.stringify(body)).toBe(201);
    await untilRecovered();
    const node = await connectTo(worker().address('postgres'));
    expect(await node`select from accounts where name = 'Made while a node died'`).toHaveLength(1);
    expect((await service.admin('POST', `/accounts/${body.id}/units`, { name: 'The Anchor' })).status).toBe(201);
  });

  it.each([
    ['worker', 'PREPARE TRANSACTION', before, 0],
    ['worker', 'PREPARE TRANSACTION', after, 0],
    ['worker', 'COMMIT PREPARED', before, 1],
    ['worker', 'COMMIT PREPARED', after, 1],
    ['coordinator', 'PREPARE TRANSACTION', after, 0],
    ['coordinator', 'COMMIT PREPARED', before, 1],
  ] as const)('that is the %s, at %s, %s: the audit trail agrees with the change', async (node, text, when, count) => {
    // The message is found by its text, so no other message has it.
    const name = `Unit of ${node} at ${text.toLowerCase()}, ${when}`;
    const entries = async () =>
      (await sql`select from audit_trail where account_id = ${at.id} and action = 'unit.create'`).length;
    await untilRecovered();
    const before = await entries();
    const making = service.admin('POST', `/accounts/${at.id}/units`, { name });
    const dying = node === 'worker' ? worker() : cluster.coordinator;
    await whileDying(dying, { text, when, write: 'INTO public.units_' }, making);
    await untilRecovered();
    const units = await sql`select from units where account_id = ${at.id} and name = ${name}`;
    expect([units.length, await entries()]).toEqual([count, before + count]);
  });

  it.each([
    ['PREPARE TRANSACTION', after, 0],
    ['COMMIT PREPARED', before, 1],
  ] as const)('that is the coordinator, at %s: a job agrees with the change', async (text, when, count) => {
    const db = openPool({ url: cluster.coordinator.address('regulars'), connections: 1 });
    afterAll(() => db.close());
    const key = `${at.id} ${text.toLowerCase()}`;
    const working = db
      .tenant(at.id, async (tx) => {
        await tx`update units set name = ${key} where account_id = ${at.id} and id = ${at.unit}`;
        await enqueue(tx, 'unknown', [{ payload: {}, key }], 3600);
      })
      .catch(() => {});
    await whileDying(cluster.coordinator, { text, when, write: 'UPDATE public.units_' }, working);
    await untilRecovered();
    const rows = async () => [
      (await sql`select from units where account_id = ${at.id} and name = ${key}`).length,
      (await sql`select from graphile_worker.jobs where key = ${`unknown ${key}`}`).length,
    ];
    expect(await rows()).toEqual([count, count]);
  });

  it('stops the requests of its own accounts only', async () => {
    let other = await shop(clientOf(service));
    while ((await cluster.workerOf(other.id)) === place) other = await shop(clientOf(service));
    const ask = ({ token }: Shop) => clientOf(service).call('GET', '/v1/account/units', { token });
    await worker().kill(true);
    const statuses: number[][] = [];
    // The tokens of both are looked up together, again and again.
    for (let n = 0; n < 10; n++) {
      statuses.push((await Promise.all([ask(at), ask(other)])).map(({ status }) => status));
      await pause(60);
    }
    await worker().start();
    await worker().waitUntilBack();
    // A session of the coordinator can notice with a statement of the other account that the node is lost.
    expect(statuses.slice(3)).toEqual(Array.from({ length: 7 }, () => [503, 200]));
    await expect.poll(async () => (await ask(at)).status).toBe(200);
  });
});
