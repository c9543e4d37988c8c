import type { Tx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { type CountScope, waitingRedemptions } from './store.ts';

/** The position of the last group. */
export interface GroupCursor {
  redeemed: number;
  id: number;
}

export interface RedeemedRow {
  id: number;
  name: string;
  redeemed: number;
  /** The sum of all groups. */
  total: number;
}

/**
 * The number of redeemed codes by group: the kept counts, and the changes that wait to be added. One statement, so that none
 * counts twice. The counts are read group by group, because their index begins with the group.
 */
function keptCounts(scope: CountScope): Sql {
  const { accountId, unitIds, edges } = scope;
  const inScope = sql`day >= ${edges[0]}::date and day < ${edges.at(-1)}::date and unit_id = any(${unitIds}::bigint[])`;
  return sql`
    select code_group.id as group_id, kept.redeemed from unique_code_groups code_group
    cross join lateral (
      select sum(redeemed) as redeemed from unique_code_days
      where account_id = ${accountId} and group_id = code_group.id and ${inScope} offset 0) as kept
    where code_group.account_id = ${accountId}
    union all
    select group_id, redeemed from (${waitingRedemptions(scope)}) as waiting where ${inScope}`;
}

/** The same from the codes, as long as the counts do not include all earlier codes. */
function countedCodes({ accountId, unitIds, timeZone, edges }: CountScope): Sql {
  return sql`
    select group_id, count(*) as redeemed from unique_codes
    where account_id = ${accountId} and redeemed_unit_id = any(${unitIds}::bigint[])
      and redeemed_at >= ${edges[0]}::timestamp at time zone ${timeZone}
      and redeemed_at < ${edges.at(-1)}::timestamp at time zone ${timeZone}
    group by group_id`;
}

/**
 * The groups with codes that were redeemed, most codes first. The codes themselves are not listed: no index finds them by
 * the time of the redemption.
 */
export function selectRedeemedGroups(
  tx: Tx,
  scope: CountScope,
  { areKept, cursor, limit }: { areKept: boolean; cursor: GroupCursor | undefined; limit: number },
): Promise<RedeemedRow[]> {
  const { accountId } = scope;
  const after =
    cursor === undefined ? sql`` : sql`where (redeemed, id) < (${cursor.redeemed}::bigint, ${cursor.id}::bigint)`;
  return tx<RedeemedRow>`
    select id, redeemed, total, (select name from unique_code_groups where account_id = ${accountId} and id = summed.id) as name
    from (
      select group_id as id, sum(redeemed)::bigint as redeemed, (sum(sum(redeemed)) over ())::bigint as total
      from (${areKept ? keptCounts(scope) : countedCodes(scope)}) as counted
      group by group_id having sum(redeemed) > 0) as summed
    ${after} order by redeemed desc, id desc limit ${limit}`;
}
