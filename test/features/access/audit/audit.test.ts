import { describe, expect, it } from 'vitest';
import { routes } from '../../../../src/app/http-app.ts';
import { adminToken, testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { signedIn } from '../../../support/staff.ts';

const app = await testApp();
const { admin, call, account, database } = app;
const behind = await superuser(database);
const ours = await account();
const staff = await signedIn(app, 'staff', [ours.id]);

const trail = async (query: Record<string, string> = {}) =>
  (await call('GET', '/admin/v1/audit', { token: adminToken, query })).body.data as Record<string, unknown>[];

describe('the audit trail', () => {
  it('names the role that a user was given, the group that codes went to, and who was merged into whom', async () => {
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
    expect(subjects('Change a user')).toEqual(['rise@harbour.example (viewer)', 'rise@harbour.example (staff)']);
    expect(subjects('Generate or import unique codes')).toEqual(['3 in Summer']);
    const merged = entries.find(({ action }) => String(action).startsWith('Merge'));
    expect(merged?.ids).toMatchObject({ contact_id: one, other_contact_id: other });
  });

  it('tells who made, changed and deleted what, by name, also once that is gone', async () => {
    const path = `/accounts/${ours.id}/units`;
    const { body: unit } = await staff.call('POST', path, { name: 'The Anchor' });
    await staff.call('PATCH', `${path}/${unit.id}`, { name: 'The Old Anchor' });
    await staff.call('DELETE', `${path}/${unit.id}`);
    const entries = await trail({ user_id: String(staff.id), account_id: String(ours.id) });
    expect(entries.map(({ action, subject, ids, fields }) => ({ action, subject, ids, fields }))).toEqual([
      { action: 'Delete a unit', subject: 'The Old Anchor', ids: { unit_id: unit.id }, fields: [] },
      { action: 'Change a unit', subject: 'The Old Anchor', ids: { unit_id: unit.id, id: unit.id }, fields: ['name'] },
      { action: 'Create a unit', subject: 'The Anchor', ids: { id: unit.id }, fields: ['name'] },
    ]);
    const from = { actor: staff.email, account_id: ours.id, address: '127.0.0.1' };
    for (const entry of entries) expect(entry).toMatchObject(from);
  });

  it('has the admin token’s deeds and the sign-ins, wrong passwords too', async () => {
    const { body: user } = await admin('POST', '/users', {
      email: 'trail@harbour.example',
      password: 'correct horse battery',
      account_ids: [],
    });
    const [made] = await trail();
    expect(made).toMatchObject({ actor: 'admin token', user_id: null, action: 'Create a user', subject: user.email });
    const attempt = (password: string) =>
      call('POST', '/admin/v1/session', { body: { email: user.email, password }, remoteAddress: '10.4.0.1' });
    await attempt('wrong');
    await attempt('correct horse battery');
    const entries = await trail({ user_id: String(user.id) });
    expect(entries.map(({ action, address }) => [action, address])).toEqual([
      ['Sign in', '10.4.0.1'],
      ['Wrong password', '10.4.0.1'],
    ]);
  });

  it('holds no value that was sent: no password, and nothing of a guest', async () => {
    const { body: contact } = await call('POST', '/v1/contact', {
      token: ours.token,
      body: { email: 'secret.guest@gmail.com', first_name: 'Secretive' },
    });
    await staff.call('DELETE', `/accounts/${ours.id}/contacts/${contact.id}`);
    const [erased] = await trail({ account_id: String(ours.id) });
    expect(erased).toMatchObject({ action: 'Erase a contact', ids: { contact_id: contact.id }, subject: null });
    const everything = JSON.stringify(await behind`select * from audit_trail`);
    for (const secret of ['secret.guest', 'Secretive', 'correct horse']) expect(everything).not.toContain(secret);
  });

  it('has nothing of what was refused, nor of what was only read, nor of what partners do', async () => {
    const before = (await trail()).length;
    await staff.call('POST', `/accounts/${ours.id}/units`, {});
    await staff.call('POST', `/accounts/${ours.id}/tokens`, { name: 'x' });
    await staff.call('GET', `/accounts/${ours.id}/units`);
    await call('POST', '/v1/contact', { token: ours.token, body: { email: 'ann@gmail.com' } });
    expect((await trail()).length).toBe(before);
  });

  it('can’t be rewritten, not even by the service', async () => {
    for (const statement of ['update audit_trail set actor = null', 'delete from audit_trail', 'truncate audit_trail'])
      await expect(app.db.transaction((tx) => tx([statement] as unknown as TemplateStringsArray))).rejects.toThrow(
        'append-only',
      );
  });

  it('stays when the account and the user are gone', async () => {
    const gone = await account('Short-lived');
    const user = await signedIn(app, 'staff', [gone.id]);
    await user.call('POST', `/accounts/${gone.id}/units`, { name: 'The Crown' });
    await admin('DELETE', `/accounts/${gone.id}`);
    await admin('DELETE', `/users/${user.id}`);
    const actions = (await trail({ account_id: String(gone.id) })).map(({ action }) => action);
    expect(actions).toEqual(['Delete an account', 'Create a unit', 'Create a personal access token']);
  });

  it('knows every call of the admin API that changes anything', () => {
    const changing = routes.filter(({ access, method }) => access !== 'partner' && method !== 'GET');
    expect(changing.length).toBeGreaterThan(30);
    for (const { summary } of changing) expect(summary).toMatch(/^[A-Z]/);
  });
});
