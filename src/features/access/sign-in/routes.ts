import { jsonRoute, listRoute, noContentRoute } from '../../../platform/http/route.ts';
import { sessionOf } from '../../../platform/http/session.ts';
import { NoFields } from '../../../shared/fields.ts';
import { Unauthorized } from '../../../shared/problem.ts';
import { OpenSession } from '../sessions/schema.ts';
import { NewPassword, Session, SignIn } from './schema.ts';
import { beginSession, changePassword, endAllSessions, endSession, listSessions, showSession } from './sign-in.ts';

const shared = { tag: 'Sessions', role: 'viewer' } as const;
const one = '/admin/v1/session';
const all = '/admin/v1/sessions';
const example = {
  user: { id: 5, email: 'sam@harbour.example', role: 'staff' },
  accounts: [{ id: 1, name: 'The Harbour Group', time_zone: 'Europe/London', root_unit_id: 1 }],
  expires_at: '2026-03-31T12:30:00.000Z',
};

export const signInRoutes = [
  jsonRoute(
    {
      ...shared,
      access: 'public',
      method: 'POST',
      path: one,
      operationId: 'adminSignIn',
      action: 'session.create',
      summary: 'Sign in',
      description:
        'Sets a session cookie. A wrong e-mail and a wrong password both return 401. Repeated failures return 429. A request from a page of another site returns 403.',
      input: SignIn,
      response: Session,
      status: 201,
      example: { input: { email: 'sam@harbour.example', password: 'correct horse battery staple' }, response: example },
    },
    async (tx, call) => {
      const current = sessionOf(call);
      const found = await current.userByPassword(call.input.email, call.input.password);
      if (!found) throw new Unauthorized();
      const { secret, session } = await beginSession(tx, found, current.client, current.secret);
      current.setCookie(secret);
      return session;
    },
  ),
  jsonRoute(
    {
      ...shared,
      access: 'admin',
      method: 'GET',
      path: one,
      operationId: 'adminGetSession',
      summary: 'Show the session',
      description:
        'Returns the signed-in user and the accounts that the user can access. The admin token has no user and gets a 403.',
      input: NoFields,
      response: Session,
      example: { response: example },
    },
    async (tx, call) => {
      const { user, id } = sessionOf(call);
      return showSession(tx, user, id);
    },
  ),
  noContentRoute(
    {
      ...shared,
      access: 'admin',
      method: 'DELETE',
      path: one,
      operationId: 'adminSignOut',
      action: 'session.delete',
      summary: 'Sign out',
      description: 'Ends the session of this request and deletes its cookie.',
      input: NoFields,
    },
    async (tx, call) => {
      const session = sessionOf(call);
      await endSession(tx, session.id);
      session.setCookie(null);
    },
  ),
  noContentRoute(
    {
      ...shared,
      access: 'admin',
      method: 'POST',
      path: `${one}/password`,
      operationId: 'adminChangePassword',
      action: 'user.change_password',
      summary: 'Change your password',
      description: 'Ends all other sessions of the user. This session stays. A wrong current password returns 422.',
      input: NewPassword,
      example: { input: { current_password: 'correct horse battery staple', new_password: 'an even better one' } },
    },
    async (tx, call) => {
      const session = sessionOf(call);
      const { user, id } = session;
      const { current_password, new_password: newPassword } = call.input;
      const found = await session.userByPassword(user.email, current_password);
      await changePassword(tx, user, id, { currentHash: found?.passwordHash, newPassword });
    },
  ),
  listRoute(
    {
      ...shared,
      access: 'admin',
      method: 'GET',
      path: all,
      operationId: 'adminListSessions',
      summary: 'List your sessions',
      description: 'Lists the open sessions of the signed-in user, newest first.',
      input: NoFields,
      response: OpenSession,
      example: {
        response: {
          id: 9,
          created_at: '2026-03-01T12:30:00.000Z',
          last_seen_at: '2026-03-01T12:30:00.000Z',
          address: '203.0.113.7',
          user_agent: 'Mozilla/5.0',
          is_current: true,
        },
      },
    },
    async (tx, call) => {
      const { user, id } = sessionOf(call);
      return listSessions(tx, user, id, call.slice);
    },
  ),
  noContentRoute(
    {
      ...shared,
      access: 'admin',
      method: 'DELETE',
      path: all,
      operationId: 'adminSignOutEverywhere',
      action: 'session.delete_all',
      summary: 'Sign out everywhere',
      description: 'Ends all sessions of the user, including this one.',
      input: NoFields,
    },
    async (tx, call) => {
      const session = sessionOf(call);
      await endAllSessions(tx, session.user);
      session.setCookie(null);
    },
  ),
];
