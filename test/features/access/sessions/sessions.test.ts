import { describe, expect, it } from 'vitest';
import { Sweeper } from '../../../../src/app/jobs/sweeper.ts';
import { deleteEndedSessions } from '../../../../src/features/access/sessions/store.ts';
import { adminToken, appOver, testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { fromOurPage, signedIn, signIn, staffPassword } from '../../../support/staff.ts';

const app = await testApp();
const day = 86_400_000;
const { admin, call, account, database } = app;
const sql = await superuser(database);
const ours = await account();
const theirs = await account('Another group');

let address = 0;
const attempt = (email: string, password: string, headers: Record<string, string> = fromOurPage) =>
  call('POST', '/admin/v1/session', {
    body: { email, password },
    headers,
    remoteAddress: `10.2.${Math.floor(++address / 200)}.${address % 200}`,
  });

describe('signing in', () => {
  it('returns the user, their accounts, and a cookie that no script and no other site can use', async () => {
    const { email, id } = await signedIn(app, 'staff', [ours.id]);
    const { status, body, headers } = await attempt(` ${email.toUpperCase()} `, staffPassword);
    expect(status).toBe(201);
    expect(body).toEqual({
      user: { id, email, role: 'staff' },
      accounts: [expect.objectContaining({ id: ours.id, name: 'The Harbour Group' })],
      expires_at: expect.any(String),
    });
    const days = (Date.parse(body.expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6);
    expect(days).toBeLessThan(8);
    expect(headers['set-cookie']).toMatch(
      /^regulars_session=[\w-]{43}; Max-Age=\d+; Path=\/admin; HttpOnly; SameSite=Strict$/,
    );
    expect(JSON.stringify(body)).not.toContain(String(headers['set-cookie']).slice(17, 60));
  });

  it('sets a cookie for HTTPS only if the browser uses HTTPS', async () => {
    const { email } = await signedIn(app, 'viewer');
    const { headers } = await attempt(email, staffPassword, {
      origin: 'https://localhost',
      'sec-fetch-site': 'same-origin',
    });
    expect(headers['set-cookie']).toMatch(/; Secure(;|$)/);
  });

  it('stores only a hash of the secret', async () => {
    const { cookie, id } = await signedIn(app, 'viewer');
    const rows = await sql`select * from sessions where user_id = ${id}`;
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(cookie.slice('regulars_session='.length));
  });

  it.each([
    ['a wrong password', (email: string) => [email, 'wrong']],
    ['an unknown e-mail', () => ['nobody@harbour.example', staffPassword]],
  ])('rejects %s with the same 401 and no cookie', async (_, of) => {
    const { email } = await signedIn(app, 'viewer');
    const [name = '', password = ''] = of(email);
    const { status, body, headers } = await attempt(name, password);
    expect([status, body]).toEqual([401, { errors: [{ message: 'Unauthorized' }] }]);
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('names missing fields', async () => {
    const { status, body } = await call('POST', '/admin/v1/session', { body: {} });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['email', 'password']]);
  });

  it('delays repeated guesses for one e-mail, and no other users', async () => {
    const { email } = await signedIn(app, 'viewer');
    const from = (remoteAddress: string, password: string) =>
      call('POST', '/admin/v1/session', { body: { email, password }, headers: fromOurPage, remoteAddress });
    const statuses: number[] = [];
    // On a slow machine the first waits may be over before the next guess is made.
    while (statuses.length < 10 && !statuses.includes(429))
      statuses.push((await from('10.7.0.1', `guess ${statuses.length}`)).status);
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(statuses.at(-1)).toBe(429);
    const { headers, body } = await from('10.7.0.1', staffPassword);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(body.errors[0].message).toMatch(/^Too many wrong passwords for this e-mail\. Try again in \d+ s\.$/);
    expect((await from('10.7.0.2', staffPassword)).status).toBe(201);
  });

  it.each([
    ['2001:db8:1:2', (n: number) => `2001:db8:1:2:${n}::1`],
    ['2001:db8:0:0', (n: number) => `2001:db8::${n + 1}`],
  ])('treats all addresses of the IPv6 network %s as one', async (_, address) => {
    const { email } = await signedIn(app, 'viewer');
    const statuses: number[] = [];
    for (let n = 0; n < 10 && !statuses.includes(429); n++) {
      const body = { email, password: `guess ${n}` };
      const remoteAddress = address(n);
      statuses.push((await call('POST', '/admin/v1/session', { body, headers: fromOurPage, remoteAddress })).status);
    }
    expect(statuses.at(-1)).toBe(429);
  });

  it('uses the address from a trusted proxy only', async () => {
    const { email } = await signedIn(app, 'viewer');
    const behindProxy = await appOver(app.db, database, { TRUSTED_PROXIES: '10.7.2.0/24' });
    const guesses = async (through: string, client: (n: number) => string) => {
      const statuses: number[] = [];
      for (let n = 0; n < 8; n++) {
        const headers = { ...fromOurPage, 'x-forwarded-for': client(n) };
        const body = { email, password: `guess ${n}` };
        statuses.push(
          (await behindProxy.call('POST', '/admin/v1/session', { body, headers, remoteAddress: through })).status,
        );
      }
      return statuses;
    };
    expect(await guesses('10.7.2.1', (n) => `203.0.113.${n}`)).not.toContain(429);
    expect(await guesses('10.7.3.1', (n) => `203.0.113.${n}`)).toContain(429);
  });

  it('checks the same password once for concurrent requests', async () => {
    const { email } = await signedIn(app, 'viewer');
    const authorization = `Basic ${Buffer.from(`${email}:${staffPassword}`).toString('base64')}`;
    const calls = Array.from({ length: 30 }, () =>
      call('GET', '/admin/v1/session', { headers: { authorization }, remoteAddress: '10.7.1.1' }),
    );
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('rejects a password that is changed while it is checked', async () => {
    const { id, email } = await signedIn(app, 'viewer');
    const changing = admin('PATCH', `/users/${id}`, { password: 'something new entirely' });
    const entering = attempt(email, staffPassword);
    expect((await changing).status).toBe(200);
    const { status, headers } = await entering;
    const cookie = String(headers['set-cookie']).split(';')[0] as string;
    expect([401, 201]).toContain(status);
    expect((await call('GET', '/admin/v1/session', { headers: { cookie } })).status).toBe(401);
  });

  it('replaces the previous session', async () => {
    const { cookie } = await signedIn(app, 'viewer');
    const { email } = await signedIn(app, 'viewer');
    expect((await attempt(email, staffPassword, { ...fromOurPage, cookie })).status).toBe(201);
    expect((await call('GET', '/admin/v1/session', { headers: { cookie } })).status).toBe(401);
  });

  it('accepts no password in the URL, because proxies would log it', async () => {
    const { email } = await signedIn(app, 'viewer');
    const query = { email, password: staffPassword };
    const { status, body } = await call('POST', '/admin/v1/session', { query, headers: fromOurPage });
    expect([status, body.errors]).toEqual([
      422,
      { password: ['The password must be in the body, not in the address.'] },
    ]);
  });

  it('is rejected for a page of another site', async () => {
    const { email } = await signedIn(app, 'viewer');
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, { origin: 'null' }])
      expect((await attempt(email, staffPassword, headers)).status).toBe(403);
    expect((await attempt(email, staffPassword, {})).status).toBe(201);
  });
});

describe('a session', () => {
  it('is valid for the admin API until sign-out', async () => {
    const staff = await signedIn(app, 'staff', [ours.id]);
    expect((await staff.call('GET', '/session')).body.user).toEqual({
      id: staff.id,
      email: staff.email,
      role: 'staff',
    });
    const left = await staff.call('DELETE', '/session');
    expect(left.status).toBe(204);
    expect(left.headers['set-cookie']).toMatch(/^regulars_session=; Max-Age=0; Path=\/admin/);
    expect((await staff.call('GET', '/session')).status).toBe(401);
  });

  it('is not valid for the partner API, and an invented one is valid nowhere', async () => {
    const { cookie } = await signedIn(app, 'owner');
    expect((await call('GET', '/v1/account/units', { headers: { ...fromOurPage, cookie } })).status).toBe(401);
    for (const made of ['regulars_session=', 'regulars_session=x', `regulars_session=${'x'.repeat(43)}`, 'other=1'])
      expect((await call('GET', '/admin/v1/session', { headers: { cookie: made } })).status).toBe(401);
  });

  it('ends in all processes at once', async () => {
    const staff = await signedIn(app, 'staff', [ours.id]);
    const elsewhere = await signIn(app, staff.email);
    const open = (await staff.call('GET', '/sessions')).body.data;
    expect(open.map((one: { is_current: boolean }) => one.is_current)).toEqual([false, true]);
    expect((await staff.call('DELETE', '/sessions')).status).toBe(204);
    for (const cookie of [staff.cookie, elsewhere])
      expect((await call('GET', '/admin/v1/session', { headers: { cookie } })).status).toBe(401);
  });

  it('ends after a week without use, and is extended by use', async () => {
    const staff = await signedIn(app, 'viewer');
    await sql`update sessions set last_seen_at = now() - interval '6 days', expires_at = now() + interval '1 day' where user_id = ${staff.id}`;
    expect((await staff.call('GET', '/session')).status).toBe(200);
    const { body } = await staff.call('GET', '/session');
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now() + 6 * day);
    await sql`update sessions set expires_at = now() - interval '1 second' where user_id = ${staff.id}`;
    expect((await staff.call('GET', '/session')).status).toBe(401);
  });

  it('ends thirty days after it began, even if it is used', async () => {
    const staff = await signedIn(app, 'viewer');
    const began = (days: number) =>
      sql`update sessions set created_at = now() - make_interval(days => ${days}), last_seen_at = now() - interval '1 day' where user_id = ${staff.id}`;
    await began(29);
    expect((await staff.call('GET', '/session')).status).toBe(200);
    const { body } = await staff.call('GET', '/session');
    expect(Date.parse(body.expires_at)).toBeLessThan(Date.now() + 1.1 * day);
    await began(31);
    // As an earlier version left it.
    await sql`update sessions set expires_at = now() + interval '29 days' where user_id = ${staff.id}`;
    expect((await staff.call('GET', '/session')).status).toBe(401);
  });

  it('is deleted within an hour after it ended, and not before', async () => {
    const [open, idle, old] = [
      await signedIn(app, 'viewer'),
      await signedIn(app, 'viewer'),
      await signedIn(app, 'viewer'),
    ];
    await sql`update sessions set expires_at = now() - interval '1 second' where user_id = ${idle.id}`;
    await sql`update sessions set created_at = now() - interval '31 days' where user_id = ${old.id}`;
    const sweeper = new Sweeper(app.db, { shared: [deleteEndedSessions] }, (error) => expect.fail(String(error)));
    expect(await sweeper.sweep()).toBeGreaterThanOrEqual(2);
    sweeper.close();
    const ids = [open.id, idle.id, old.id];
    const left = await sql`select user_id from sessions where user_id = any(${ids})`;
    expect([...left]).toEqual([{ user_id: open.id }]);
  });

  it('reflects changed rights from the next request on', async () => {
    const staff = await signedIn(app, 'viewer', [ours.id]);
    const rename = () => staff.call('PATCH', `/accounts/${ours.id}`, { name: 'The Harbour Group' });
    expect((await rename()).status).toBe(403);
    await admin('PATCH', `/users/${staff.id}`, { role: 'staff' });
    expect((await rename()).status).toBe(200);
    await admin('PATCH', `/users/${staff.id}`, { account_ids: [theirs.id] });
    expect((await rename()).status).toBe(404);
    await admin('DELETE', `/users/${staff.id}`);
    expect((await rename()).status).toBe(401);
  });

  it('ends when an owner changes the user’s password', async () => {
    const staff = await signedIn(app, 'staff');
    await admin('PATCH', `/users/${staff.id}`, { password: 'another one entirely' });
    expect((await staff.call('GET', '/session')).status).toBe(401);
  });

  it('changes nothing for a page of another site, or for a request without an origin', async () => {
    const staff = await signedIn(app, 'staff', [ours.id]);
    const { cookie } = staff;
    for (const headers of [
      { cookie },
      { cookie, origin: 'https://evil.example' },
      { cookie, origin: 'null' },
      { cookie, 'sec-fetch-site': 'cross-site' },
      { cookie, 'sec-fetch-site': 'same-site', origin: 'http://localhost' },
    ] as Record<string, string>[]) {
      const path = `/admin/v1/accounts/${ours.id}/units`;
      const { status, body } = await call('POST', path, { headers, body: { name: 'Theirs' } });
      expect([status, body.errors[0].message]).toEqual([403, expect.stringContaining('another site')]);
    }
    const { body } = await staff.call('GET', `/accounts/${ours.id}/units`);
    expect(body.data.map((unit: { name: string }) => unit.name)).not.toContain('Theirs');
    const plain = { cookie, origin: 'http://localhost:80' };
    expect((await call('DELETE', '/admin/v1/session', { headers: plain })).status).toBe(204);
  });

  it('is not used if the Authorization header is invalid', async () => {
    const { cookie } = await signedIn(app, 'owner');
    for (const authorization of ['Bearer wrong', `Basic ${Buffer.from('a@b.example:x').toString('base64')}`]) {
      const headers = { ...fromOurPage, cookie, authorization };
      expect((await call('GET', '/admin/v1/session', { headers })).status).toBe(401);
    }
  });

  it('does not exist for the admin token', async () => {
    const { status, body } = await call('GET', '/admin/v1/session', { token: adminToken });
    expect([status, body.errors[0].message]).toEqual([403, expect.stringContaining('Sign in')]);
  });
});

describe('changing one’s own password', () => {
  it('requires the current one, ends the other sessions, and keeps this one', async () => {
    const staff = await signedIn(app, 'viewer');
    const elsewhere = await signIn(app, staff.email);
    const body = { current_password: staffPassword, new_password: 'something new entirely' };
    expect((await staff.call('POST', '/session/password', body)).status).toBe(204);
    expect((await staff.call('GET', '/session')).status).toBe(200);
    expect((await call('GET', '/admin/v1/session', { headers: { cookie: elsewhere } })).status).toBe(401);
    expect((await attempt(staff.email, staffPassword)).status).toBe(401);
    expect((await attempt(staff.email, body.new_password)).status).toBe(201);
  });

  it('does not overwrite a password that an owner set meanwhile', async () => {
    const intruder = await signedIn(app, 'viewer');
    const given = admin('PATCH', `/users/${intruder.id}`, { password: 'what the owner chose' });
    const taking = intruder.call('POST', '/session/password', {
      current_password: staffPassword,
      new_password: 'what the intruder chose',
    });
    expect((await given).status).toBe(200);
    await taking;
    expect((await attempt(intruder.email, 'what the owner chose')).status).toBe(201);
    expect((await attempt(intruder.email, 'what the intruder chose')).status).toBe(401);
  });

  it('is rejected with a wrong or short one, and delayed like repeated guesses', async () => {
    const staff = await signedIn(app, 'viewer');
    const change = (current_password: string, new_password: string) =>
      staff.call('POST', '/session/password', { current_password, new_password }, { remoteAddress: '10.3.0.1' });
    expect((await change('wrong', 'something new entirely')).body.errors).toEqual({
      current_password: ['The current password is wrong.'],
    });
    expect(Object.keys((await change(staffPassword, 'short')).body.errors)).toEqual(['new_password']);
    expect((await change(staffPassword, 'Password123')).body.errors).toEqual({
      new_password: ['The password is one of the most common ones. Choose another.'],
    });
    const statuses = new Set<number>();
    for (let n = 0; n < 10 && !statuses.has(429); n++)
      statuses.add((await change('guess', 'something new entirely')).status);
    expect([...statuses]).toEqual([422, 429]);
    await signedIn(app, 'viewer');
    expect((await sql`select from sessions where user_id = ${staff.id}`).length).toBe(1);
  });
});
