import type { Tx } from '../../../platform/db/database.ts';
import { adHoc, join, type Sql, sql } from '../../../platform/db/sql.ts';

/** See `crossing.ts`. */
type Crossing = {
  of: string;
  first?: string;
  last?: string;
  unitIds?: number[] | undefined;
  udfId?: number;
  days?: number[];
};

/** The contacts whose dates are in these ranges. */
export async function selectCrossing(
  tx: Tx,
  accountId: number,
  timeZone: string,
  crossings: Crossing[],
): Promise<number[]> {
  if (crossings.length === 0) return [];
  const parts = crossings.map((one) => contactsOf(accountId, timeZone, one));
  const rows = await tx<{ id: number }>`
    select distinct coalesce(c.merged_into, c.id) as id from (${join(parts, ' union ')}) as crossing (id)
    join contacts c on c.account_id = ${accountId} and c.id = crossing.id ${adHoc}`;
  return rows.map(({ id }) => id);
}

function contactsOf(accountId: number, timeZone: string, crossing: Crossing): Sql {
  const { of, first, last, unitIds, udfId, days } = crossing;
  const own = sql`account_id = ${accountId}`;
  const inDays = (day: Sql) => sql`${day} between ${first}::date and ${last}::date`;
  const inTimes = (time: Sql, convert: (bound: Sql) => Sql) =>
    sql`${time} >= ${convert(sql`${first}::timestamp`)} and ${time} < ${convert(sql`${last}::timestamp + interval '1 day'`)}`;
  switch (of) {
    case 'last_visit':
      return sql`
        select day.contact_id from (select distinct contact_id from contact_days where ${own} and ${inDays(sql`day`)}) as day
        join contact_figures f on f.account_id = ${accountId} and f.contact_id = day.contact_id
        where ${inDays(sql`f.last_visit`)}`;
    case 'created_at':
      return sql`
        select id from contacts where ${own} and ${inTimes(sql`created_at`, (bound) => sql`(${bound}) at time zone ${timeZone}`)}`;
    case 'dob':
      return sql`select id from contacts where ${own} and ${inDays(sql`dob`)}`;
    case 'nps':
      return sql`select contact_id from feedback where ${own} and ${inTimes(sql`created_at`, (bound) => bound)}`;
    case 'udf':
      return sql`
        select contact_id from contact_udfs
        where ${own} and udf_id = ${udfId} and data collate "C" between ${first}::text and ${last}::text`;
    case 'birthday':
      return sql`
        select id from contacts where ${own} and merged_into is null
          and date_part('month', dob) * 100 + date_part('day', dob) = any(${days}::double precision[])`;
    default: {
      const atUnits = unitIds ? sql`and unit_id = any(${unitIds}::bigint[])` : sql``;
      return sql`select contact_id from contact_days where ${own} and ${inDays(sql`day`)} ${atUnits}`;
    }
  }
}
