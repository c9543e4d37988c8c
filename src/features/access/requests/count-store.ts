import type { Tx } from '../../../platform/db/database.ts';
import { only } from '../../../platform/db/sql.ts';

/** The rows of one statement. */
const atOnce = 5000;

/**
 * The requests of a token since then that count towards its rate limit: neither rejected ones nor unknown paths. The log
 * has no index on the time, so it is read from the newest entry back to the first rows that are all older.
 */
export async function countLoggedRequests(
  tx: Tx,
  { accountId, tokenId }: { accountId: number; tokenId: number },
  since: Date,
): Promise<number> {
  let total = 0;
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const { count, size, first, latest } = only(
      await tx<{ count: number; size: number; first: number | null; latest: Date | null }>`
        select count(*) filter (where at >= ${since} and status <> 429 and route <> 'unmatched') as count,
          count(*) as size, min(id) as first, max(at) as latest
        from (
          select id, at, status, route from request_log
          where account_id = ${accountId} and token_id = ${tokenId} and id < ${before} order by id desc limit ${atOnce}) as newest`,
    );
    total += count;
    if (first === null || latest === null || size < atOnce || latest < since) return total;
    before = first;
  }
}
