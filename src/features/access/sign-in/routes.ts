import { jsonRoute, listRoute, noContentRoute } from '../../../platform/http/route.ts';
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
      answer: Session,
      status: 201,
      example: { input: { email: 'sam@harbour.example', password: 'correct horse battery staple' }, answer: example },
    },
    async (tx, call) => {
      const found = await call.userByPassword(call.input.email, call.input.password);
      if (!found) throw new Unauthorized();
      const { secret, session } = await beginSession(tx, found, call.client, call.cookieSent);
      call.keepCookie(secret);
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
      answer: Session,
      example: { answer: example },
    },
    (tx, { user, sessionId }) => showSession(tx, user, sessionId),
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
      await endSession(tx, call.sessionId);
      call.keepCookie(null);
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
    async (tx, { user, sessionId, input, userByPassword }) => {
      const found = await userByPassword(user.email, input.current_password);
      await changePassword(tx, user, sessionId, { currentHash: found?.passwordHash, newPassword: input.new_password });
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
      answer: OpenSession,
      example: {
        answer: {
          id: 9,
          created_at: '2026-03-01T12:30:00.000Z',
          last_seen_at: '2026-03-01T12:30:00.000Z',
          address: '203.0.113.7',
          user_agent: 'Mozilla/5.0',
          is_current: true,
        },
      },
    },
    (tx, { user, sessionId, slice }) => listSessions(tx, user, sessionId, slice),
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
      await endAllSessions(tx, call.user);
      call.keepCookie(null);
    },
  ),
];
