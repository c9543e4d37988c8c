import type { Tx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type { CountScope } from './store.ts';

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

/** The kept counts of `code_group.id`, and the changes that wait to be added. One statement, so that none counts twice. */
function keptCounts({ accountId, unitIds, timeZone, edges }: CountScope): Sql {
  const inScope = sql`day >= ${edges[0]}::date and day < ${edges.at(-1)}::date and unit_id = any(${unitIds}::bigint[])`;
  const ofGroup = sql`account_id = ${accountId} and group_id = code_group.id`;
  return sql`
    select coalesce(sum(redeemed), 0)::bigint as redeemed from (
      select redeemed from unique_code_days where ${ofGroup} and ${inScope}
      union all
      select redeemed from (
        select (entry.at at time zone ${timeZone})::date as day, entry.unit_id, entry.redeemed
        from (select entries from changed_unique_codes where ${ofGroup}) as waiting
        cross join lateral jsonb_to_recordset(waiting.entries) as entry (unit_id bigint, at timestamptz, redeemed integer)
        where entry.redeemed <> 0) as entry
      where ${inScope}) as counted`;
}

/** The same from the codes, as long as the counts do not include all earlier codes. */
function countedCodes({ accountId, unitIds, timeZone, edges }: CountScope): Sql {
  return sql`
    select count(*) as redeemed from unique_codes
    where account_id = ${accountId} and group_id = code_group.id and redeemed_unit_id = any(${unitIds}::bigint[])
      and redeemed_at >= ${edges[0]}::timestamp at time zone ${timeZone} and redeemed_at < ${edges.at(-1)}::timestamp at time zone ${timeZone}`;
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
  const after =
    cursor === undefined ? sql`` : sql`where (redeemed, id) < (${cursor.redeemed}::bigint, ${cursor.id}::bigint)`;
  return tx<RedeemedRow>`
    select id, name, redeemed, total from (
      select code_group.id, code_group.name, counted.redeemed, (sum(counted.redeemed) over ())::bigint as total
      from unique_code_groups code_group
      cross join lateral (${areKept ? keptCounts(scope) : countedCodes(scope)} offset 0) as counted
      where code_group.account_id = ${scope.accountId} and counted.redeemed > 0) as redeemed_group
    ${after} order by redeemed desc, id desc limit ${limit}`;
}
