import { describe, expect, it } from 'vitest';
import { routes } from '../../../../src/app/http-app.ts';
import { noContentRoute } from '../../../../src/platform/http/route.ts';
import { NoFields } from '../../../../src/shared/fields.ts';
import { adminToken, testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { signedIn } from '../../../support/staff.ts';

const app = await testApp();
const { admin, call, account, database } = app;
const sql = await superuser(database);
const ours = await account();
const staff = await signedIn(app, 'staff', [ours.id]);

const trail = async (query: Record<string, string> = {}) =>
  (await call('GET', '/admin/v1/audit', { token: adminToken, query })).body.data as Record<string, unknown>[];

describe('the audit trail', () => {
  it('names the role given to a user, the group of assigned codes, and both contacts of a merge', async () => {
    const { body: user } = await admin('POST', '/users', {
      email: 'rise@harbour.example',
      password: 'correct horse battery',
      account_ids: [],
      role: 'viewer',
    });
    await admin('PATCH', `/users/${user.id}`, { role: 'staff' });
    await admin('PATCH', `/users/${user.id}`, { role: 'viewer' });
    const { id, token, root_unit_id } = await account();
    const group = await admin('POST', `/accounts/${id}/unique_code_groups`, { name: 'Summer', unit_id: root_unit_id });
    await admin('POST', `/accounts/${id}/unique_code_groups/${group.body.id}/codes`, { count: 3 });
    const guest = async (email: string) => (await call('POST', '/v1/contact', { token, body: { email } })).body.id;
    const [one, other] = [await guest('one@gmail.com'), await guest('other@gmail.com')];
    await admin('POST', `/accounts/${id}/contacts/${one}/merge`, { contact_id: other });
    const entries = await trail();
    const subjects = (action: string) => entries.filter((one) => one.action === action).map(({ subject }) => subject);
    expect(subjects('user.update')).toEqual(['rise@harbour.example (viewer)', 'rise@harbour.example (staff)']);
    expect(subjects('unique_code.create')).toEqual(['3 in Summer']);
    const merged = entries.find(({ action }) => action === 'contact.merge');
    expect(merged?.ids).toMatchObject({ contact_id: one, other_contact_id: other });
  });

  it('names who created, changed and deleted what, even after the deletion', async () => {
    const path = `/accounts/${ours.id}/units`;
    const { body: unit } = await staff.call('POST', path, { name: 'The Anchor' });
    await staff.call('PATCH', `${path}/${unit.id}`, { name: 'The Old Anchor' });
    await staff.call('DELETE', `${path}/${unit.id}`);
    const entries = await trail({ user_id: String(staff.id), account_id: String(ours.id) });
    expect(entries.map(({ action, subject, ids, fields }) => ({ action, subject, ids, fields }))).toEqual([
      { action: 'unit.delete', subject: 'The Old Anchor', ids: { unit_id: unit.id }, fields: [] },
      { action: 'unit.update', subject: 'The Old Anchor', ids: { unit_id: unit.id, id: unit.id }, fields: ['name'] },
      { action: 'unit.create', subject: 'The Anchor', ids: { id: unit.id }, fields: ['name'] },
    ]);
    const from = { actor: staff.email, account_id: ours.id, address: '127.0.0.1' };
    for (const entry of entries) expect(entry).toMatchObject(from);
  });

  it('contains changes by the admin token, sign-ins and wrong passwords', async () => {
    const { body: user } = await admin('POST', '/users', {
      email: 'trail@harbour.example',
      password: 'correct horse battery',
      account_ids: [],
    });
    const [made] = await trail();
    expect(made).toMatchObject({ actor: 'admin token', user_id: null, action: 'user.create', subject: user.email });
    const attempt = (password: string) =>
      call('POST', '/admin/v1/session', { body: { email: user.email, password }, remoteAddress: '10.4.0.1' });
    await attempt('wrong');
    await attempt('correct horse battery');
    const entries = await trail({ user_id: String(user.id) });
    expect(entries.map(({ action, address }) => [action, address])).toEqual([
      ['session.create', '10.4.0.1'],
      ['user.wrong_password', '10.4.0.1'],
    ]);
  });

  it('contains no value that was sent: no password and no guest data', async () => {
    const { body: contact } = await call('POST', '/v1/contact', {
      token: ours.token,
      body: { email: 'secret.guest@gmail.com', first_name: 'Secretive' },
    });
    await staff.call('DELETE', `/accounts/${ours.id}/contacts/${contact.id}`);
    const [erased] = await trail({ account_id: String(ours.id) });
    expect(erased).toMatchObject({ action: 'contact.erase', ids: { contact_id: contact.id }, subject: null });
    const everything = JSON.stringify(await sql`select * from audit_trail`);
    for (const secret of ['secret.guest', 'Secretive', 'correct horse']) expect(everything).not.toContain(secret);
  });

  it('contains no rejected request, no read, and no request of a partner', async () => {
    const before = (await trail()).length;
    await staff.call('POST', `/accounts/${ours.id}/units`, {});
    await staff.call('POST', `/accounts/${ours.id}/tokens`, { name: 'x' });
    await staff.call('GET', `/accounts/${ours.id}/units`);
    await call('POST', '/v1/contact', { token: ours.token, body: { email: 'ann@gmail.com' } });
    expect((await trail()).length).toBe(before);
  });

  it('cannot be changed, not even by the service', async () => {
    for (const statement of ['update audit_trail set actor = null', 'delete from audit_trail', 'truncate audit_trail'])
      await expect(app.db.transaction((tx) => tx([statement] as unknown as TemplateStringsArray))).rejects.toThrow(
        'append-only',
      );
  });

  it('remains after the account and the user are deleted', async () => {
    const gone = await account('Short-lived');
    const user = await signedIn(app, 'staff', [gone.id]);
    await user.call('POST', `/accounts/${gone.id}/units`, { name: 'The Crown' });
    await admin('DELETE', `/accounts/${gone.id}`);
    await admin('DELETE', `/users/${user.id}`);
    const actions = (await trail({ account_id: String(gone.id) })).map(({ action }) => action);
    expect(actions).toEqual(['account.delete', 'unit.create', 'token.create']);
  });

  it('has an action of the form noun.verb for every change through the admin API', () => {
    // Written out, so that no change becomes a read by mistake.
    const reads = routes.filter(({ readsOnly }) => readsOnly);
    expect(reads.map(({ path }) => path)).toEqual(['/admin/v1/accounts/:account_id/segments/preview']);
    const changing = routes.filter((one) => one.access !== 'partner' && one.method !== 'GET' && !reads.includes(one));
    expect(changing.length).toBeGreaterThan(40);
    for (const { method, path, action } of changing) expect(action, `${method} ${path}`).toMatch(/^[a-z_]+\.[a-z_]+$/);
  });

  it.each([undefined, 'create', 'Create a unit', 'unit.'])('refuses a route with the action %j', (action) => {
    const define = (access: 'admin' | 'partner') =>
      noContentRoute(
        {
          access,
          method: 'POST',
          path: '/x',
          tag: 'X',
          operationId: 'x',
          ...(action === undefined ? {} : { action }),
          summary: 'X',
          input: NoFields,
        },
        async () => {},
      );
    expect(() => define('admin')).toThrow('POST /x needs an action of the form noun.verb');
    expect(() => define('partner')).not.toThrow();
  });
});
