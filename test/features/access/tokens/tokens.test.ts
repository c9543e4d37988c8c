import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { routes } from '../../../../src/app/http-app.ts';
import { openPool } from '../../../../src/platform/db/database.ts';
import { adminToken, appOver, testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';

const { admin, call, account, database, db } = await testApp();
const sql = await superuser(database);
const units = '/v1/account/units';
// The planner's statistics of tokens do not change during the test.
await sql`alter table tokens set (autovacuum_enabled = off)`;

describe('personal access tokens', () => {
  it('are 256 random bits with a prefix, shown once and stored hashed', async () => {
    const { id } = await account();
    const { status, body } = await admin('POST', `/accounts/${id}/tokens`, { name: 'Till' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'Till',
      token: expect.stringMatching(new RegExp(`^regulars_pat_${id}_[\\w-]{43}$`)),
    });
    const [row] = await sql`select * from tokens where id = ${body.id}`;
    expect(row?.hash).toHaveLength(32);
    const secret = body.token.slice(-43);
    expect(JSON.stringify(row)).not.toContain(secret);
    for (const path of [`/accounts/${id}/tokens`, `/accounts/${id}/tokens/${body.id}`]) {
      expect(JSON.stringify((await admin('GET', path)).body)).not.toContain(secret);
    }
  });

  it('are listed with name, creator, creation, expiry, last use and revocation', async () => {
    const { id, token, token_id } = await account();
    const path = `/accounts/${id}/tokens/${token_id}`;
    expect((await admin('GET', path)).body).toEqual({
      id: token_id,
      name: 'test',
      user_id: null,
      created_by: 'admin token',
      created_at: expect.any(String),
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    });
    await call('GET', units, { token });
    await vi.waitFor(async () => expect((await admin('GET', path)).body.last_used_at).not.toBeNull(), {
      timeout: 120_000,
    });
    const used = new Date((await admin('GET', path)).body.last_used_at).getTime();
    expect(Math.abs(Date.now() - used)).toBeLessThan(10_000);
    expect((await admin('PATCH', path, { name: 'Renamed' })).body.name).toBe('Renamed');
    expect((await admin('DELETE', path)).status).toBe(204);
    const revoked = (await admin('GET', path)).body.revoked_at;
    expect(revoked).not.toBeNull();
    expect((await admin('DELETE', path)).status).toBe(204);
    expect((await admin('GET', path)).body.revoked_at).toBe(revoked);
    expect((await admin('GET', `/accounts/${id}/tokens`)).body.total).toBe(1);
  });

  it('are rejected from the next request on once revoked', async () => {
    for (let round = 0; round < 20; round++) {
      const { id, token, token_id } = await account();
      expect((await call('GET', units, { token })).status).toBe(200);
      await admin('DELETE', `/accounts/${id}/tokens/${token_id}`);
      expect((await call('GET', units, { token })).status).toBe(401);
    }
  });

  it('are rejected within 100 ms by every other process, under load', async () => {
    const other = await appOver(openPool({ url: database.url, connections: 3 }), database);
    const { id, token, token_id } = await account();
    let revokedAt = Infinity;
    let lateAccepts = 0;
    let accepted = 0;
    const until = Date.now() + 1500;
    const clients = Array.from({ length: 8 }, async () => {
      while (Date.now() < until) {
        const sent = performance.now();
        const { status } = await other.call('GET', units, { token });
        if (status === 200) accepted++;
        if (status === 200 && sent > revokedAt + 100) lateAccepts++;
      }
    });
    await pause(500);
    await admin('DELETE', `/accounts/${id}/tokens/${token_id}`);
    revokedAt = performance.now();
    await Promise.all(clients);
    expect(accepted).toBeGreaterThan(10);
    expect(lateAccepts).toBe(0);
  });

  it('of many accounts used concurrently each access only their own account', async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, () => account()));
    const roots = await sql`
      select root_unit_id as id from accounts where id = any(${accounts.map(({ id }) => id)}) order by accounts.id`;
    accounts.sort((one, other) => one.id - other.id);
    const answers = accounts.map(async ({ id, token }, place) => {
      const next = accounts[(place + 1) % accounts.length]?.id;
      const [own, others] = await Promise.all([
        call('GET', units, { token }),
        call('GET', units, { token: token.replace(`_${id}_`, `_${next}_`) }),
      ]);
      return [own.body.data[0].id, others.status];
    });
    expect(await Promise.all(answers)).toEqual(roots.map(({ id }) => [id, 401]));
  });

  it('are rejected once expired; the expiry is in the account’s time zone, or an instant', async () => {
    const { body: group } = await admin('POST', '/accounts', { name: 'Tokyo', time_zone: 'Asia/Tokyo' });
    const path = `/accounts/${group.id}/tokens`;
    const wall = await admin('POST', path, { name: 'wall', expires_at: '2099-01-01 09:00:00' });
    expect((await admin('GET', `${path}/${wall.body.id}`)).body.expires_at).toBe('2099-01-01T00:00:00.000Z');
    const instant = await admin('POST', path, { name: 'instant', expires_at: '2099-01-01T09:00:00+02:00' });
    expect((await admin('GET', `${path}/${instant.body.id}`)).body.expires_at).toBe('2099-01-01T07:00:00.000Z');
    expect((await call('GET', units, { token: instant.body.token })).status).toBe(200);
    await sql`update tokens set expires_at = now() - interval '1 second' where id = ${instant.body.id}`;
    await pause(100);
    expect((await call('GET', units, { token: instant.body.token })).status).toBe(401);
  });

  it.each([
    [{ name: '' }, ['name']],
    [{ name: 'x', expires_at: '2001-01-01 00:00:00' }, ['expires_at']],
    [{ name: 'x', expires_at: '2099-02-30 00:00:00' }, ['expires_at']],
    [{ name: 'x', user_id: 999_999 }, ['user_id']],
  ])('are not created from %j', async (body, fields) => {
    const { id } = await account();
    const before = (await admin('GET', `/accounts/${id}/tokens`)).body.total;
    const answer = await admin('POST', `/accounts/${id}/tokens`, body);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, fields]);
    expect((await admin('GET', `/accounts/${id}/tokens`)).body.total).toBe(before);
  });

  it('are not created for a user without access to the account', async () => {
    const [ours, theirs] = [await account(), await account()];
    const { body: user } = await admin('POST', '/users', {
      email: 'kim@harbour.example',
      password: 'correct horse',
      account_ids: [theirs.id],
    });
    const { body } = await admin('POST', `/accounts/${ours.id}/tokens`, { name: 'x', user_id: user.id });
    expect(Object.keys(body.errors)).toEqual(['user_id']);
  });

  it('of a viewer can read but not write, by the user’s current role, in other processes within 100 ms', async () => {
    const other = await appOver(openPool({ url: database.url, connections: 3 }), database);
    const { id } = await account();
    const person = { email: 'vera@harbour.example', password: 'correct horse', account_ids: [id], role: 'staff' };
    const { body: user } = await admin('POST', '/users', person);
    const { body } = await admin('POST', `/accounts/${id}/tokens`, { name: 'x', user_id: user.id });
    const { token } = body;
    const write = (on = call) => on('POST', '/v1/contact', { token, body: { email: 'ann@gmail.com' } });
    for (const on of [call, other.call]) expect((await write(on)).status).toBe(200);
    await admin('PATCH', `/users/${user.id}`, { role: 'viewer' });
    const { status, body: refusal } = await write();
    expect([status, refusal.errors[0].message]).toEqual([403, expect.stringContaining('viewer')]);
    await pause(100);
    expect((await write(other.call)).status).toBe(403);
    for (const { method, path } of routes.filter(({ access }) => access === 'partner')) {
      const answer = await call(method, path.replace(/:\w+/g, '1'), { token });
      expect(answer.status === 403, `${method} ${path}`).toBe(method !== 'GET');
    }
    await admin('PATCH', `/users/${user.id}`, { role: 'staff' });
    expect((await write()).status).toBe(200);
  });

  it('are rate-limited after sixty different wrong ones per minute and network; valid ones are not', async () => {
    const { id, token } = await account();
    const [from, elsewhere] = ['10.5.0.1', '10.5.0.2'];
    const wrong = (n: number) => `regulars_pat_${id}_${String(n).padStart(43, 'x')}`;
    for (const path of [units, '/admin/v1/accounts']) {
      const statuses: number[] = [];
      // More than twice the limit: a minute may end in between.
      for (let n = 0; n < 130; n++) {
        const { status, headers } = await call('GET', path, { token: `${wrong(n)}`, remoteAddress: from });
        statuses.push(status);
        if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      }
      expect(new Set(statuses)).toEqual(new Set([401, 429]));
      expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(120);
    }
    expect((await call('GET', units, { token, remoteAddress: from })).status).toBe(200);
    expect((await call('GET', '/admin/v1/accounts', { token: adminToken, remoteAddress: from })).status).toBe(200);
    expect((await call('GET', units, { token: wrong(0), remoteAddress: elsewhere })).status).toBe(401);
  });

  it('are looked up once if they are wrong', async () => {
    const { id } = await account();
    const token = `regulars_pat_${id}_${'y'.repeat(43)}`;
    expect((await call('GET', units, { token })).status).toBe(401);
    await pause(100);
    // Written directly to the database: the service does not look up a token that was wrong once again.
    const hash = createHash('sha256').update(token).digest();
    await sql`insert into tokens (account_id, name, hash, created_by) values (${id}, 'late', ${hash}, 'test')`;
    expect((await call('GET', units, { token })).status).toBe(401);
  });

  it('are found by their hash through an index, in their account', async () => {
    const { id } = await account();
    const plan = await db.tenant(id, async (tx) => {
      await tx`set local enable_seqscan = off`;
      return tx<{ 'QUERY PLAN': string }>`
        explain select id from tokens where account_id = ${id} and hash = ${Buffer.alloc(32)}`;
    });
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('Index Scan using tokens_hash');
  });
});
