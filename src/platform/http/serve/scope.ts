import { setTimeout } from 'node:timers/promises';
import { Invalid, NotFound, Unavailable } from '../../../shared/problem.ts';
import { isConflict, isDatabaseUnavailable, type Tx } from '../../db/database.ts';
import { hasWritten } from '../cookie.ts';
import type { RequestCall } from '../request-call.ts';
import { mayReadReplica, type Route } from '../route.ts';
import type { ServeContext } from './context.ts';

/** Runs work in a transaction, scoped to the account of the request if the route has one. */
export async function inScope<T>(
  route: Route,
  call: RequestCall,
  context: ServeContext,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { span } = call.request;
  return span ? span.transaction(() => runInScope(route, call, context, work)) : runInScope(route, call, context, work);
}

/**
 * A read that fails on the replica is repeated on the primary: the replica may be gone, or lack a row or a column that is
 * new.
 */
async function runInScope<T>(
  route: Route,
  call: RequestCall,
  context: ServeContext,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const replica = mayReadReplica(route) && readsReplica(call) ? context.replica?.database() : undefined;
  if (!replica) return onPrimary(route, call, context, work);
  try {
    return await replica.tenant(call.accountId, async (tx) => {
      if (!(await context.authBackend.hasAccount(tx, call.accountId))) throw new NotFound('There is no such account.');
      return work(tx);
    });
  } catch (error) {
    if (isDatabaseUnavailable(error)) context.replica?.failed();
    return onPrimary(route, call, context, work);
  }
}

/** A program with a password or the admin token has no cookie, so it always sees its own writes on the primary. */
function readsReplica({ request }: RequestCall): boolean {
  return request.admin?.sessionId != null && !hasWritten(request);
}

async function onPrimary<T>(
  { account }: Route,
  { accountId }: RequestCall,
  { db, authBackend }: ServeContext,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (account === 'none') return db.transaction(work);
  return db.tenant(accountId, async (tx) => {
    if (account === 'in path' && !(await authBackend.holdAccount(tx, accountId))) {
      throw new NotFound('There is no such account.');
    }
    return work(tx);
  });
}

const mostAttempts = 8;
/** Before the second attempt, at most. Twice as long before each further one, at random, so that two that conflict part. */
const firstPauseMs = 5;

/** Repeats a transaction that conflicted with another one. No connection is held during the pauses. */
export async function retryOnConflict<T>(call: RequestCall, work: () => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isConflict(error)) throw error;
    if (attempt === mostAttempts) throw new Unavailable(`Each of ${mostAttempts} attempts conflicted with others.`);
    call.outcomes.length = 0;
    await setTimeout(Math.random() * firstPauseMs * 2 ** (attempt - 1));
    return retryOnConflict(call, work, attempt + 1);
  }
}

/** Throws if the input has errors, and adds those that only the database can find. */
export async function rejectInvalid({ alsoCheck }: Route, call: RequestCall, { db }: ServeContext): Promise<void> {
  const { errors } = call.read;
  if (errors.isEmpty) return;
  // Without a valid account there is nothing to check.
  const more =
    alsoCheck && !errors.fields.account_id ? await db.tenant(call.accountId, (tx) => alsoCheck(tx, call)) : {};
  throw new Invalid({ ...more, ...errors.fields });
}
