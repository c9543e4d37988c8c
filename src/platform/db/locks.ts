import type { Tx } from './database.ts';

/** The most locks of one transaction. The lock table of PostgreSQL has a fixed size for all transactions. */
export const mostLocks = 400;

/**
 * Locks keys of an account until the end of the transaction, also for rows that do not exist yet. All keys of a
 * transaction are locked at once and in one order, so two transactions cannot deadlock. A transaction with more keys than
 * `mostLocks` locks all keys of this kind (`all`) exclusively. Keys of other kinds have another `all`, so they do not
 * conflict with it.
 */
export async function lockKeys(tx: Tx, accountId: number, keys: string[], all = 'everything'): Promise<void> {
  const wanted = [...new Set(keys)];
  if (wanted.length > mostLocks) {
    await tx`select pg_advisory_xact_lock(hashtextextended(${all}, ${accountId}::bigint))`;
    return;
  }
  // The first is taken before the keys, so that a transaction that holds keys never waits for one that waits for all keys.
  await tx`
    select pg_advisory_xact_lock_shared(hashtextextended(${all}, ${accountId}::bigint))
    union all
    select pg_advisory_xact_lock(lock) from (
      select distinct hashtextextended(key, ${accountId}::bigint) as lock from unnest(${wanted}::text[]) as wanted (key)
      order by lock) as wanted`;
}

/**
 * PostgreSQL ends the transaction if the process stops in the middle of it, as a suspended machine does. Its locks would
 * stay otherwise.
 */
export async function limitPauses(tx: Tx): Promise<void> {
  await tx`set local idle_in_transaction_session_timeout = '10s'`;
}
