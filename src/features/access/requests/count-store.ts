import type { Tx } from '../../../platform/db/database.ts';
import { only } from '../../../platform/db/sql.ts';

/** The requests of a token since then that count towards its rate limit: neither rejected ones nor unknown paths. */
export async function countLoggedRequests(
  tx: Tx,
  { accountId, tokenId }: { accountId: number; tokenId: number },
  since: Date,
): Promise<number> {
  const rows = await tx<{ count: number }>`
    select count(*) from request_log
    where account_id = ${accountId} and at >= ${since} and token_id = ${tokenId} and status <> 429 and route <> 'unmatched'`;
  return only(rows).count;
}
