import { describe, expect, it } from 'vitest';
import { adminToken, testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';

const { admin, call, account, database } = await testApp();
const sql = await superuser(database);
const units = '/v1/account/units';
let count = 0;
const person = (more: object = {}) => ({
  email: `person${++count}@harbour.example`,
  password: 'correct horse battery',
  account_ids: [] as number[],
  ...more,
});
const basic = (email: string, password: string) => ({
  headers: { authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}` },
});

describe('users', () => {
  it('are created with their accounts; the password is stored only as a memory-hard hash', async () => {
    const { id } = await account();
    const { status, body } = await admin(
      'POST',
      '/users',
      person({ email: 'Sam@Harbour.Example', account_ids: [id, String(id)] }),
    );
    expect(status).toBe(201);
    expect(body).toEqual({ id: expect.any(Number), email: 'sam@harbour.example', account_ids: [id] });
    expect((await admin('GET', `/users/${body.id}`)).body).toEqual({ ...body, role: 'staff' });
    const [row] = await sql`select * from users where id = ${body.id}`;
    expect(row?.password_hash).toMatch(/^scrypt\$\d+\$8\$\d\$/);
    expect(JSON.stringify(row)).not.toContain('correct horse');
  });

  it('are rejected with every invalid field named, and nothing is stored', async () => {
    const before = (await admin('GET', '/users')).body.total;
    const { status, body } = await admin('POST', '/users', {
      email: 'nobody',
      password: 'short',
      account_ids: ['x', 999_999],
      role: 'king',
    });
    expect(status).toBe(422);
    expect(Object.keys(body.errors).sort()).toEqual(['account_ids.0', 'email', 'password', 'role']);
    const unknown = await admin('POST', '/users', person({ account_ids: [999_999] }));
    expect(unknown.body.errors).toEqual({ 'account_ids.0': ['There is no account 999999.'] });
    const { body: sam } = await admin('POST', '/users', person());
    const both = await admin('POST', '/users', person({ email: sam.email, account_ids: [999_999] }));
    expect(Object.keys(both.body.errors).sort()).toEqual(['account_ids.0', 'email']);
    await admin('DELETE', `/users/${sam.id}`);
    expect((await admin('POST', '/users', {})).body.errors).toEqual({
      email: ['The email field is required.'],
      password: ['The password field is required.'],
      account_ids: ['The account ids field is required.'],
    });
    expect((await admin('GET', '/users')).body.total).toBe(before);
  });

  it.each([
    'password',
    'Password1',
    'P@ssw0rd!',
    '  qwerty2024',
    '12345678',
    'zyxwvuts',
    'aaaabbbb',
    '1q2w3e4r',
    'Monkey!!99',
  ])('cannot have a password as common as %s', async (password) => {
    const { status, body } = await admin('POST', '/users', person({ password }));
    const common = { password: ['The password is one of the most common ones. Choose another.'] };
    expect([status, body.errors]).toEqual([422, common]);
  });

  it('cannot have their e-mail as a password', async () => {
    const { body: user } = await admin('POST', '/users', person({ email: 'olivia.finch@harbour.example' }));
    for (const password of ['Olivia.Finch', 'olivia.finch@harbour.example']) {
      const { status, body } = await admin('PATCH', `/users/${user.id}`, { password });
      expect([status, Object.keys(body.errors)]).toEqual([422, ['password']]);
    }
  });

  it('have unique e-mails, regardless of case', async () => {
    const first = await admin('POST', '/users', person());
    const again = await admin('POST', '/users', person({ email: first.body.email.toUpperCase() }));
    expect(again.body.errors).toEqual({ email: ['The email has already been taken.'] });
    const other = await admin('POST', '/users', person());
    const renamed = await admin('PATCH', `/users/${other.body.id}`, { email: first.body.email });
    expect(renamed.body.errors).toEqual({ email: ['The email has already been taken.'] });
  });

  it('can be read, listed, changed and deleted; their tokens are deleted with them', async () => {
    const group = await account();
    const { body: user } = await admin('POST', '/users', person({ account_ids: [group.id] }));
    const { body: made } = await admin('POST', `/accounts/${group.id}/tokens`, { name: 'mine', user_id: user.id });
    expect((await call('GET', units, { token: made.token })).status).toBe(200);
    const changed = await admin('PATCH', `/users/${user.id}`, { role: 'viewer' });
    expect(changed.body).toEqual({ ...user, role: 'viewer' });
    expect((await admin('GET', `/users/${user.id}`)).body).toEqual(changed.body);
    expect((await admin('GET', '/users')).body.data).toContainEqual(changed.body);
    expect((await admin('DELETE', `/users/${user.id}`)).status).toBe(204);
    expect((await call('GET', units, { token: made.token })).status).toBe(401);
    expect((await admin('GET', `/users/${user.id}`)).status).toBe(404);
  });

  it('can use their tokens for their accounts, as long as they have access', async () => {
    const [first, second, third] = [await account(), await account(), await account()];
    const { body: user } = await admin('POST', '/users', person({ account_ids: [first.id, second.id] }));
    const { body: made } = await admin('POST', `/accounts/${first.id}/tokens`, { name: 'mine', user_id: user.id });
    const root = async (account_id?: number) => {
      const { status, body } = await call('GET', units, {
        token: made.token,
        body: account_id === undefined ? {} : { account_id },
      });
      return status === 200 ? body.data[0].id : body.errors;
    };
    const outOfReach = { account_id: ['The account id is not one that you can access.'] };
    expect(await root()).toBe(first.root_unit_id);
    expect(await root(second.id)).toBe(second.root_unit_id);
    expect(await root(third.id)).toEqual(outOfReach);
    await admin('PATCH', `/users/${user.id}`, { account_ids: [first.id] });
    expect(await root(second.id)).toEqual(outOfReach);
    await admin('PATCH', `/users/${user.id}`, { account_ids: [third.id] });
    expect(await root()).toEqual(outOfReach);
    expect(await root(third.id)).toBe(third.root_unit_id);
  });
});

describe('e-mail and password (basic authentication)', () => {
  it('grant access to the admin API according to the role', async () => {
    const { body: owner } = await admin(
      'POST',
      '/users',
      person({ role: 'owner', password: 'pass:word with ünïcode' }),
    );
    const { body: staff } = await admin('POST', '/users', person());
    expect((await call('GET', '/admin/v1/accounts', basic(owner.email, 'pass:word with ünïcode'))).status).toBe(200);
    expect(
      (await call('GET', '/admin/v1/accounts', basic(owner.email.toUpperCase(), 'pass:word with ünïcode'))).status,
    ).toBe(200);
    for (const credentials of [basic(owner.email, 'wrong'), basic('a\0b', 'x'), basic('', '')]) {
      const { status, body } = await call('GET', '/admin/v1/accounts', credentials);
      expect([status, body]).toEqual([401, { errors: [{ message: 'Unauthorized' }] }]);
    }
    const asStaff = basic(staff.email, 'correct horse battery');
    expect((await call('GET', '/admin/v1/accounts', asStaff)).body.data).toEqual([]);
    expect((await call('POST', '/admin/v1/accounts', { ...asStaff, body: { name: 'Mine' } })).status).toBe(403);
    const { body: group } = await call('POST', '/admin/v1/accounts', {
      ...basic(owner.email, 'pass:word with ünïcode'),
      body: { name: 'Theirs' },
    });
    const made = await call('POST', `/admin/v1/accounts/${group.id}/tokens`, {
      ...basic(owner.email, 'pass:word with ünïcode'),
      body: { name: 'x' },
    });
    expect((await admin('GET', `/accounts/${group.id}/tokens/${made.body.id}`)).body.created_by).toBe(owner.email);
  });

  it('change nothing for a page of another site, although a browser would send them', async () => {
    const { body: owner } = await admin('POST', '/users', person({ role: 'owner' }));
    const as = basic(owner.email, 'correct horse battery');
    const rename = (headers: Record<string, string>) =>
      call('POST', '/admin/v1/accounts', { headers: { ...as.headers, ...headers }, body: { name: 'Theirs' } });
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'null' }])
      expect((await rename(headers as Record<string, string>)).status).toBe(403);
    expect((await rename({ 'sec-fetch-site': 'same-origin', origin: 'http://localhost' })).status).toBe(201);
    expect((await rename({})).status).toBe(201);
  });

  it('can be changed by the user only with the current password', async () => {
    const { body: owner } = await admin('POST', '/users', person({ role: 'owner' }));
    const as = { ...basic(owner.email, 'correct horse battery'), remoteAddress: '10.1.2.5' };
    const path = `/admin/v1/users/${owner.id}`;
    const change = (body: object, id = owner.id) => call('PATCH', `/admin/v1/users/${id}`, { ...as, body });
    const password = 'an even better one';
    expect((await change({ password })).body.errors).toEqual({
      current_password: ['The current password field is required to change your own password.'],
    });
    expect((await change({ password, current_password: 'wrong' })).body.errors).toEqual({
      current_password: ['The current password is wrong.'],
    });
    expect((await call('GET', path, as)).status).toBe(200);
    // Other fields of one's own, and other people's passwords, don't need it.
    expect((await change({ account_ids: [] })).status).toBe(200);
    const { body: other } = await admin('POST', '/users', person());
    expect((await change({ password }, other.id)).status).toBe(200);
    expect((await change({ password, current_password: 'correct horse battery' })).status).toBe(200);
    expect((await call('GET', path, as)).status).toBe(401);
    expect((await call('GET', path, { ...basic(owner.email, password), remoteAddress: '10.1.2.5' })).status).toBe(200);
  });

  it('are delayed after repeated wrong guesses', async () => {
    const statuses = new Set<number>();
    // More than twice the limit: a minute may end in between.
    for (let n = 0; n < 25; n++)
      statuses.add((await call('GET', '/admin/v1/accounts', basic('guess@harbour.example', `guess ${n}`))).status);
    expect([...statuses]).toContain(429);
    expect((await call('GET', '/admin/v1/accounts', { token: adminToken })).status).toBe(200);
  });

  it('are delayed after concurrent guesses, even the correct one among them', async () => {
    const { body: owner } = await admin('POST', '/users', person({ role: 'owner' }));
    const guesses = Array.from({ length: 40 }, (_, n) => (n === 39 ? 'correct horse battery' : `guess ${n}`));
    const answers = await Promise.all(
      guesses.map((guess) =>
        call('GET', '/admin/v1/accounts', { ...basic(owner.email, guess), remoteAddress: '10.1.2.3' }),
      ),
    );
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(20);
    expect(statuses.at(-1)).toBe(429);
  });

  it('may include spaces around the password, which count', async () => {
    const { body: owner } = await admin('POST', '/users', person({ role: 'owner', password: '  kept as typed  ' }));
    const remoteAddress = '10.1.2.4';
    expect(
      (await call('GET', '/admin/v1/accounts', { ...basic(owner.email, '  kept as typed  '), remoteAddress })).status,
    ).toBe(200);
    expect(
      (await call('GET', '/admin/v1/accounts', { ...basic(owner.email, 'kept as typed'), remoteAddress })).status,
    ).toBe(401);
  });

  it('are hashed while other requests are served', async () => {
    const group = await account();
    const users = Array.from({ length: 15 }, () => admin('POST', '/users', person()));
    const read = await Promise.race([
      call('GET', units, { token: group.token }),
      Promise.any(users.slice(10)).then(() => ({ status: 0 })),
    ]);
    expect(read.status).toBe(200);
    await Promise.all(users);
  });

  it('of the last owner cannot be removed', async () => {
    await sql`delete from users where role = 'owner'`;
    const { body: first } = await admin('POST', '/users', person({ role: 'owner' }));
    for (const refused of [
      await admin('DELETE', `/users/${first.id}`),
      await admin('PATCH', `/users/${first.id}`, { role: 'staff' }),
    ]) {
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body)).toContain('last owner');
    }
    const { body: second } = await admin('POST', '/users', person({ role: 'owner' }));
    const answers = await Promise.all([admin('DELETE', `/users/${first.id}`), admin('DELETE', `/users/${second.id}`)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 422]);
  });
});
