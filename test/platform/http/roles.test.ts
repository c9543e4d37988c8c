import { describe, expect, it } from 'vitest';
import { routes } from '../../../src/app/http-app.ts';
import { testApp } from '../../support/app.ts';
import { signedIn } from '../../support/staff.ts';

const app = await testApp();
const ours = await app.account();
const theirs = await app.account('Another group');
const owner = await signedIn(app, 'owner');
const staff = await signedIn(app, 'staff', [ours.id]);
const viewer = await signedIn(app, 'viewer', [ours.id]);

const adminOperations = routes.filter(({ access }) => access === 'admin');

/** Written out here on purpose: what a new operation is open to has to be decided twice. */
const forOwners = (path: string, method: string) =>
  /\/(users|tokens|audit|email_domains)\b/.test(path) ||
  (method !== 'GET' && /\/webhooks(\/:webhook_id(\/rotate_secret)?)?$/.test(path)) ||
  (method !== 'GET' && path === '/admin/v1/accounts') ||
  (method === 'DELETE' && path === '/admin/v1/accounts/:account_id');
/** A read, although it has a body. */
const isRead = (path: string, method: string) => method === 'GET' || path.endsWith('/segments/preview');
const isForAllRoles = (path: string) => path.startsWith('/admin/v1/session');

/** The address with ids that lead nowhere, so that nothing is changed where the call is let in. */
const address = (path: string, account: number) =>
  path.replace('/admin/v1', '').replace(':account_id', String(account)).replace(/:\w+/g, '999999999');

describe.each(adminOperations.map(({ method, path, role }) => ({ method, path, role })))(
  '$method $path',
  ({ method, path, role }) => {
    const needed = forOwners(path, method) ? 'owner' : isRead(path, method) || isForAllRoles(path) ? 'viewer' : 'staff';

    it(`requires ${needed} or more`, async () => {
      expect(role).toBe(needed);
      if (isForAllRoles(path)) return;
      const refused = needed === 'owner' ? [staff, viewer] : needed === 'staff' ? [viewer] : [];
      for (const user of refused) {
        const { status, body } = await user.call(method, address(path, ours.id), method === 'GET' ? undefined : {});
        expect([status, body]).toEqual([403, { errors: [{ message: expect.stringContaining('owner') }] }]);
      }
      // Permitted users get an error about the body or the unknown ids.
      if (method === 'DELETE' && path === '/admin/v1/accounts/:account_id') return;
      const allowed = needed === 'owner' ? [owner] : needed === 'staff' ? [owner, staff] : [owner, staff, viewer];
      for (const user of allowed) {
        const { status } = await user.call(method, address(path, ours.id), method === 'GET' ? undefined : {});
        expect([200, 201, 404, 422]).toContain(status);
      }
    });

    it.skipIf(!path.includes(':account_id'))('responds for another’s account as for an unknown account', async () => {
      for (const user of [staff, viewer]) {
        const other = await user.call(method, address(path, theirs.id), method === 'GET' ? undefined : {});
        const none = await user.call(method, address(path, 999_999), method === 'GET' ? undefined : {});
        expect(other.status).toBe(404);
        expect(other.body).toEqual({ errors: [{ message: 'There is no such account.' }] });
        expect([none.status, none.body]).toEqual([other.status, other.body]);
      }
    });
  },
);

describe('the list of accounts', () => {
  it('has only those that the user can access; an owner has all', async () => {
    const names = async (user: typeof staff) =>
      (await user.call('GET', '/accounts')).body.data.map((one: { id: number }) => one.id);
    expect(await names(staff)).toEqual([ours.id]);
    expect(await names(viewer)).toEqual([ours.id]);
    expect(await names(owner)).toEqual([ours.id, theirs.id]);
  });
});
