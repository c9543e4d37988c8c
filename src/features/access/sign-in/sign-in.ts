import { createHash, randomBytes } from 'node:crypto';
import { Batcher } from '../../../platform/batching/batcher.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { networkOf } from '../../../shared/address.ts';
import { passwordErrors } from '../../../shared/common-passwords.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { dummyHash, hashPassword, verifyPassword } from '../../../shared/password.ts';
import { Invalid, Unauthorized } from '../../../shared/problem.ts';
import { selectAccounts } from '../accounts/store.ts';
import { recentFailures } from '../audit/failures-store.ts';
import { insertAudit } from '../audit/store.ts';
import type { OpenSession } from '../sessions/schema.ts';
import {
  deleteSession,
  deleteSessionOf,
  deleteSessions,
  findSession,
  insertSession,
  selectSessions,
  sessionEnds,
  touchSessions,
} from '../sessions/store.ts';
import type { User } from '../users/schema.ts';
import { findPasswordHash, lockPassword, updateUser } from '../users/store.ts';
import { maxAccounts, type Session } from './schema.ts';

const hashOf = (secret: string) => createHash('sha256').update(secret).digest();

/**
 * The user with that e-mail and password. Whether the e-mail has a user must not show. So a try above the limit gets the
 * answer for a wrong password, not a 429: only users have failures to count. The steps, and so the time, are the same too.
 */
export async function userByPassword(
  db: Database,
  email: string,
  password: string,
  { address, network }: { address: string | null; network: string },
): Promise<{ user: User; passwordHash: string } | undefined> {
  if (email.includes('\0')) return undefined;
  const { found, failures } = await db.transaction((tx) => {
    const name = email.trim().toLowerCase();
    return tx.inOrder({ found: () => findPasswordHash(tx, name), failures: () => recentFailures(tx, name) });
  });
  const isGuessing = failures.filter((one) => networkOf(one.address) === network).length >= mostFailures;
  const checked = isGuessing ? undefined : found;
  // A network with a session of this user is trusted.
  const isKnownThere = checked?.addresses.some((known) => networkOf(known) === network) ?? false;
  const right = await verifyPassword(password, checked?.password_hash ?? dummyHash(), { network, isKnownThere });
  if (checked && right) {
    const { password_hash: passwordHash, addresses, ...user } = checked;
    return { user, passwordHash };
  }
  await db.transaction((tx) => (checked ? recordFailure(tx, checked, address) : commitNothing(tx)));
  return undefined;
}

/** The limit of wrong passwords for one user and network in a minute, on all machines. Each machine has lower limits of its own. */
const mostFailures = 10;

function recordFailure(tx: Tx, user: Pick<User, 'id' | 'email'>, address: string | null): Promise<void> {
  return insertAudit(tx, {
    actor: user.email,
    address,
    userId: user.id,
    accountId: null,
    action: 'user.wrong_password',
    subject: null,
    ids: {},
    fields: [],
  });
}

/** Takes as long as a commit with a row, and stores none. A row for each wrong e-mail would fill the disk. */
async function commitNothing(tx: Tx): Promise<void> {
  await tx`select pg_logical_emit_message(true, 'regulars', '')`;
}

interface SignedInUser {
  user: User;
  sessionId: number;
}

const secretPattern = /^[\w-]{43}$/;

/**
 * Finds the session and its user, and extends the session. Concurrent look-ups are batched, so a flood of invalid
 * cookies uses at most two connections.
 */
export function sessionLookUp(db: Database): (secret: string) => Promise<SignedInUser | undefined> {
  const lookUps = new Batcher<string, SignedInUser | undefined>({
    write: (_, secrets) => db.transaction((tx) => findSignedIn(tx, secrets), 'sessions'),
    weigh: () => 1,
    batching: 'on',
  });
  return async (secret) => (secretPattern.test(secret) ? lookUps.submit(0, secret) : undefined);
}

async function findSignedIn(tx: Tx, secrets: string[]): Promise<(SignedInUser | undefined)[]> {
  const found = await tx.each(secrets, (secret) => findSession(tx, hashOf(secret)));
  const stale = found.flatMap((session) => (session?.is_stale ? [session.session_id] : []));
  if (stale.length > 0) await touchSessions(tx, stale);
  return found.map((session) => {
    if (!session) return undefined;
    const { session_id, is_stale, ...user } = session;
    return { user, sessionId: session_id };
  });
}

/** Creates a session and returns the cookie's value, which replaces the old one. */
export async function beginSession(
  tx: Tx,
  { user, passwordHash }: { user: User; passwordHash: string },
  { address, userAgent }: { address: string | null; userAgent: string },
  replaced: string | undefined,
): Promise<{ secret: string; session: Session }> {
  const secret = randomBytes(32).toString('base64url');
  // The check is slow, so the password may have changed meanwhile.
  if (!(await lockPassword(tx, user.id, passwordHash))) throw new Unauthorized();
  if (replaced !== undefined) await deleteSessionOf(tx, hashOf(replaced));
  const client = { address: address ?? 'unknown', userAgent: userAgent.slice(0, 255) };
  const sessionId = await insertSession(tx, { userId: user.id, hash: hashOf(secret), ...client });
  return { secret, session: await showSession(tx, user, sessionId) };
}

export async function showSession(tx: Tx, user: User, sessionId: number | null): Promise<Session> {
  const accountIds = user.role === 'owner' ? null : user.account_ids;
  const { accounts, expires_at } = await tx.inOrder({
    accounts: () => selectAccounts(tx, accountIds, { limit: maxAccounts, offset: 0 }, 'name'),
    expires_at: () => sessionEnds(tx, sessionId),
  });
  const { id, email, role } = user;
  return { user: { id, email, role }, accounts: accounts.rows, expires_at };
}

export function listSessions(tx: Tx, user: User, sessionId: number | null, slice: Slice): Promise<Rows<OpenSession>> {
  return selectSessions(tx, { userId: user.id, sessionId }, slice);
}

export function endSession(tx: Tx, sessionId: number | null): Promise<void> {
  return deleteSession(tx, sessionId);
}

export function endAllSessions(tx: Tx, user: User): Promise<void> {
  return deleteSessions(tx, user.id);
}

/** Changes the password and ends the user's other sessions. */
export async function changePassword(
  tx: Tx,
  user: User,
  sessionId: number | null,
  { currentHash, newPassword }: { currentHash: string | undefined; newPassword: string },
): Promise<void> {
  const wrongPassword = () => new Invalid({ current_password: ['The current password is wrong.'] });
  if (currentHash === undefined) throw wrongPassword();
  const errors = passwordErrors('new_password', newPassword, user.email);
  if (errors) throw new Invalid(errors);
  // Hash before the transaction takes a connection, because hashing is slow.
  const passwordHash = await hashPassword(newPassword);
  if (!(await lockPassword(tx, user.id, currentHash))) throw wrongPassword();
  await updateUser(tx, user.id, { email: null, passwordHash, role: null });
  await deleteSessions(tx, user.id, sessionId);
}
