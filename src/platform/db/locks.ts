import type { Tx } from './database.ts';

/** So many locks at most in one transaction: PostgreSQL keeps a bounded number of them, for everybody together. */
export const mostLocks = 400;

/**
 * Whoever holds a key is alone with what it stands for, in this account, until its transaction ends; what does not
 * exist yet can be locked all the same. All of a transaction's keys are taken at once and in one order everywhere, so
 * that two transactions can't wait for each other. One with more keys than there may be locks is alone with the account:
 * with `all` of this kind, so that whoever took keys of another kind before can't be in its way.
 */
export async function lockKeys(tx: Tx, accountId: number, keys: string[], all = 'everything'): Promise<void> {
  const wanted = [...new Set(keys)];
  if (wanted.length > mostLocks) {
    await tx`select pg_advisory_xact_lock(hashtextextended(${all}, ${accountId}::bigint))`;
    return;
  }
  await tx.inOrder({
    // Before the keys: nobody who waits for one of those may stand behind somebody who waits for all of them.
    all: () => tx`select pg_advisory_xact_lock_shared(hashtextextended(${all}, ${accountId}::bigint))`,
    keys: () => tx`
      select pg_advisory_xact_lock(lock) from (
        select distinct hashtextextended(key, ${accountId}::bigint) as lock from unnest(${wanted}::text[]) as wanted (key)
        order by lock) as wanted`,
  });
}
