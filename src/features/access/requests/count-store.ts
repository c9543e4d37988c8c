import type { Tx } from '../../../platform/db/database.ts';
import { only } from '../../../platform/db/sql.ts';

/** The rows of one statement. */
const atOnce = 1000;

/** The entry before which the search goes on, or the last one before the time. */
type Found = { before: number } | { last: number };

/**
 * Searches the last entry of a token before a time, from the entry `before` back, in one statement. The log has no index on
 * the time, so the search ends at the first rows that are all older.
 */
export async function searchLastBefore(
  tx: Tx,
  { accountId, tokenId, before }: { accountId: number; tokenId: number; before: number },
  since: Date,
): Promise<Found> {
  const { size, first, last, latest } = only(
    await tx<{ size: number; first: number | null; last: number | null; latest: Date | null }>`
      select count(*) as size, min(id) as first, max(id) as last, max(at) as latest
      from (
        select id, at from request_log
        where account_id = ${accountId} and token_id = ${tokenId} and id < ${before} order by id desc limit ${atOnce}) as newest`,
  );
  if (first === null || last === null || latest === null) return { last: 0 };
  if (latest < since) return { last };
  return size < atOnce ? { last: 0 } : { before: first };
}

export interface LoggedRequests {
  tokenId: number;
  /** Those that count towards the rate limit: neither rejected ones nor unknown paths. */
  count: number;
  /** The entries up to this one need not be read again, and how many of them count. */
  settledUpTo: number;
  settledCount: number;
}

/**
 * Counts the requests since a time in the entries of several tokens, after the entry that is known for each. Entries get
 * their numbers before they are visible, so those after `settledBefore` have to be read again.
 */
export function countLogged(
  tx: Tx,
  { accountId, known }: { accountId: number; known: readonly { tokenId: number; after: number }[] },
  { since, settledBefore }: { since: Date; settledBefore: Date },
): Promise<LoggedRequests[]> {
  return tx<LoggedRequests>`
    with newer as (
      select entry.token_id, entry.id, entry.at, entry.at >= ${since} and entry.status <> 429 and entry.route <> 'unmatched' as counts
      from unnest(${known.map(({ tokenId }) => tokenId)}::bigint[], ${known.map(({ after }) => after)}::bigint[]) as known (token_id, after)
        cross join lateral (
          select token_id, id, at, status, route from request_log
          where account_id = ${accountId} and token_id = known.token_id and id > known.after) as entry),
    settled as (
      -- A long request has a late number and an early time, so the first recent entry decides.
      select token_id, coalesce(min(id) filter (where at >= ${settledBefore}) - 1, max(id)) as id from newer group by token_id)
    select newer.token_id as "tokenId", count(*) filter (where counts) as count, settled.id as "settledUpTo",
      count(*) filter (where counts and newer.id <= settled.id) as "settledCount"
    from newer join settled using (token_id) group by newer.token_id, settled.id`;
}
