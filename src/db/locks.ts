import type { Tx } from './database.ts';

/** So many locks at most for all that may be many in one transaction: PostgreSQL keeps a bounded number of them. */
const stripes = 1024;

export interface Keys {
  /** Each has a lock of its own. */
  own: string[];
  /** These share `stripes` locks: two that have nothing to do with each other may wait for each other, but never for ever. */
  shared?: string[];
}

/**
 * Whoever holds a key is alone with what it stands for, in this account, until its transaction ends; what does not
 * exist yet can be locked all the same. All of a transaction's keys are taken at once and in one order everywhere, so
 * that two transactions can't wait for each other.
 */
export async function lockKeys(tx: Tx, accountId: number, { own, shared = [] }: Keys): Promise<void> {
  await tx`
    select pg_advisory_xact_lock(lock) from (
      select hashtextextended(key, ${accountId}::bigint) as lock from unnest(${own}::text[]) as own (key)
      union
      select hashtextextended('stripe ' || (hashtextextended(key, 0) & ${stripes - 1}::bigint), ${accountId}::bigint)
      from unnest(${shared}::text[]) as shared (key)
      order by lock) as wanted`;
}
