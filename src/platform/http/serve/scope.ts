import { Invalid, NotFound, Unavailable } from '../../../shared/problem.ts';
import { isConflict, type Tx } from '../../db/database.ts';
import type { RequestCall } from '../request-call.ts';
import type { Route } from '../route.ts';
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

async function runInScope<T>(
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

const mostAttempts = 5;

/** Repeats a transaction that conflicted with another one. */
export async function retryOnConflict<T>(call: RequestCall, work: () => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isConflict(error)) throw error;
    if (attempt === mostAttempts) throw new Unavailable(`Each of ${mostAttempts} attempts conflicted with others.`);
    call.outcomes.length = 0;
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
