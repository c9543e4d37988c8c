import { describe, expect, it, vi } from 'vitest';
import { Sweeper } from '../../../../src/app/jobs/sweeper.ts';
import { RequestRecorder } from '../../../../src/features/access/requests/recorder.ts';
import { deleteOldRequests } from '../../../../src/features/access/requests/store.ts';
import { appOver, testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';

const { admin, call, account, database, db } = await testApp();
const sql = await superuser(database);
const units = '/v1/account/units';
const entry = {
  ...{ address: '203.0.113.7', method: 'GET', route: '/', status: 200, duration_ms: 1 },
  ...{ error_fields: [], discarded_fields: [] },
};

describe('the request log', () => {
  it('has the requests of a token, newest first: route, status, duration and failing fields, without values', async () => {
    const group = await account();
    const other = await account();
    await call('GET', units, { token: group.token, headers: { 'x-request-id': 'first' } });
    await call('GET', `${units}?groups=secret-value&account_id=0`, {
      token: group.token,
      headers: { 'x-request-id': 'second' },
    });
    await call('GET', units, { token: other.token });
    const path = `/accounts/${group.id}/tokens/${group.token_id}/requests`;
    const { data, next_before } = await vi.waitFor(
      async () => {
        const { body } = await admin('GET', path);
        expect(body.data).toHaveLength(2);
        return body;
      },
      { timeout: 5000 },
    );
    const shared = {
      id: expect.any(Number),
      at: expect.any(String),
      address: '127.0.0.1',
      method: 'GET',
      route: units,
      duration_ms: expect.any(Number),
      discarded_fields: [],
    };
    expect(data).toEqual([
      { ...shared, request_id: 'second', status: 422, error_fields: ['groups', 'account_id'] },
      { ...shared, request_id: 'first', status: 200, error_fields: [] },
    ]);
    expect(next_before).toBeNull();
    expect(JSON.stringify(await sql`select * from request_log`)).not.toContain('secret-value');
    expect((await admin('GET', `/accounts/${other.id}/tokens/${group.token_id}/requests`)).status).toBe(404);
  });

  it('has the client’s address, as given by a trusted proxy, in one notation', async () => {
    const behindProxy = await appOver(db, database, { TRUSTED_PROXIES: '10.7.2.0/24' });
    const { id, token, token_id } = await account();
    for (const sent of ['203.0.113.7', '::ffff:203.0.113.7', '2001:DB8:0:0::1', 'no address'])
      await behindProxy.call('GET', units, {
        ...{ token, headers: { 'x-forwarded-for': sent }, remoteAddress: '10.7.2.1' },
      });
    const addresses = async () =>
      (await admin('GET', `/accounts/${id}/tokens/${token_id}/requests`)).body.data.map(
        (entry: { address: string | null }) => entry.address,
      );
    await expect.poll(addresses, { timeout: 5000 }).toEqual([null, '2001:db8::1', '203.0.113.7', '203.0.113.7']);
  });

  it('has requests to unknown paths, without the path', async () => {
    const { id, token, token_id } = await account();
    expect((await call('GET', '/v1/contacts/ana.silva@gmail.com', { token })).status).toBe(404);
    await expect
      .poll(async () => (await admin('GET', `/accounts/${id}/tokens/${token_id}/requests`)).body.data)
      .toMatchObject([{ route: 'unmatched', status: 404 }]);
    expect((await call('PUT', '/v1/contact', { token, body: {} })).status).toBe(405);
    await expect
      .poll(async () => (await admin('GET', `/accounts/${id}/tokens/${token_id}/requests`)).body.data)
      .toMatchObject([
        { route: 'unmatched', method: 'PUT', status: 405 },
        { route: 'unmatched', status: 404 },
      ]);
  });

  it('has requests rejected by the rate limit', async () => {
    const limited = await appOver(db, database, { RATE_LIMIT_PER_MINUTE: '1' });
    const group = await account();
    for (let n = 0; n < 4; n++) await limited.call('GET', units, { token: group.token });
    await vi.waitFor(
      async () => {
        const { body } = await admin('GET', `/accounts/${group.id}/tokens/${group.token_id}/requests`);
        expect(body.data.map((entry: { status: number }) => entry.status)).toContain(429);
        expect(body.data).toHaveLength(4);
      },
      { timeout: 5000 },
    );
  });

  it('is returned in pages of 100', async () => {
    const { id, token_id } = await account();
    await sql`
      insert into request_log (account_id, token_id, at, request_id, method, route, status, duration_ms)
      select ${id}, ${token_id}, now(), 'r' || n, 'GET', '/', 200, 1 from generate_series(1, 250) n order by n`;
    const path = `/accounts/${id}/tokens/${token_id}/requests`;
    const seen: string[] = [];
    let before: number | null | undefined;
    do {
      const { body } = await admin('GET', before === undefined ? path : `${path}?before=${before}`);
      expect(body.data.length).toBeLessThanOrEqual(100);
      seen.push(...body.data.map((entry: { request_id: string }) => entry.request_id));
      before = body.next_before;
    } while (before !== null);
    expect(seen).toEqual(Array.from({ length: 250 }, (_, n) => `r${250 - n}`));
  });

  it('deletes entries older than a week in every account, and keeps the others', async () => {
    const [one, two] = [await account(), await account()];
    for (const { id, token_id } of [one, two]) {
      await sql`
        insert into request_log (account_id, token_id, at, request_id, method, route, status, duration_ms)
        select ${id}, ${token_id}, now() - make_interval(hours => n), 'aged', 'GET', '/', 200, 1 from generate_series(160, 175) n`;
    }
    const sweeper = new Sweeper(db, { ofAccounts: [deleteOldRequests] }, (error) => expect.fail(String(error)));
    expect(await sweeper.sweep()).toBe(2 * 8);
    sweeper.close();
    const left = await sql`select from request_log where request_id = 'aged' and at < now() - interval '168 hours'`;
    expect(left).toHaveLength(0);
    expect(await sql`select from request_log where request_id = 'aged'`).toHaveLength(2 * 8);
  });

  it('is written for many accounts at once; an invalid entry of one account does not affect the others', async () => {
    const accounts = [await account(), await account(), await account(), await account()];
    const batches: number[] = [];
    const failures: unknown[] = [];
    let dropped = 0;
    const recorder = new RequestRecorder(db, {
      batch: (size) => batches.push(size),
      dropped: (count) => (dropped += count),
      failed: (error) => failures.push(error),
    });
    const used = new Date();
    const record = ({ id, token_id }: (typeof accounts)[number], request_id: string) =>
      recorder.record(id, { ...entry, token_id, at: used, request_id });
    for (const of of accounts) record(of, 'whole');
    for (const of of [...accounts].reverse()) record(of, 'whole');
    await recorder.flush();
    expect([batches.splice(0), failures, dropped]).toEqual([[2, 2, 2, 2], [], 0]);
    for (const of of accounts) record(of, of === accounts[1] ? 'no\0text' : 'rest');
    await recorder.close();
    expect([batches, failures.length, dropped]).toEqual([[1, 1, 1], 1, 1]);

    const kept = async (request_id: string) => [
      ...(await sql`select account_id as id, token_id from request_log where request_id = ${request_id} order by 1`),
    ];
    const whole = accounts.map(({ id, token_id }) => ({ id, token_id }));
    expect(await kept('whole')).toEqual(whole.flatMap((one) => [one, one]));
    expect(await kept('rest')).toEqual(whole.filter((_, place) => place !== 1));
    const ids = whole.map((one) => one.token_id);
    expect(await sql`select from tokens where id = any(${ids}) and last_used_at = ${used}`).toHaveLength(4);
  });

  it('drops entries and reports how many, and does not grow without bound', async () => {
    const { id, token_id } = await account();
    let dropped = 0;
    const batches: number[] = [];
    const recorder = new RequestRecorder(db, {
      batch: (size) => batches.push(size),
      dropped: (count) => (dropped += count),
      failed: () => {},
    });
    const bulk = { ...entry, token_id, at: new Date(), request_id: 'bulk' };
    for (let n = 0; n < 20_010; n++) recorder.record(id, bulk);
    await recorder.close();
    expect(dropped).toBe(10);
    expect(batches).toEqual([5000, 5000, 5000, 5000]);
    expect(await sql`select from request_log where request_id = 'bulk'`).toHaveLength(20_000);
  });
});
