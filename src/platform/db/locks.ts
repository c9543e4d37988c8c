import type { Tx } from './database.ts';

/** The most locks of one transaction. PostgreSQL has a fixed number of locks for all transactions together. */
export const mostLocks = 400;

/**
 * Locks keys of the account until the end of the transaction. A key can stand for a row that does not exist yet. Every
 * transaction takes all its keys at once and in the same order, so that two cannot wait for each other. A transaction
 * with more keys than `mostLocks` takes one lock on all keys of the account instead. `all` names that lock: keys of
 * another kind, which a transaction took before, have another one.
 */
export async function lockKeys(tx: Tx, accountId: number, keys: string[], all = 'everything'): Promise<void> {
  const wanted = [...new Set(keys)];
  if (wanted.length > mostLocks) {
    await tx`select pg_advisory_xact_lock(hashtextextended(${all}, ${accountId}::bigint))`;
    return;
  }
  await tx.inOrder({
    // Before the keys: a transaction that holds some of them must not wait for one that waits for all.
    all: () => tx`select pg_advisory_xact_lock_shared(hashtextextended(${all}, ${accountId}::bigint))`,
    keys: () => tx`
      select pg_advisory_xact_lock(lock) from (
        select distinct hashtextextended(key, ${accountId}::bigint) as lock from unnest(${wanted}::text[]) as wanted (key)
        order by lock) as wanted`,
  });
}
