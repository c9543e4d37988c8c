import type { Tx } from '../../../platform/db/database.ts';
import { adHoc, join, raw, type Sql, sql } from '../../../platform/db/sql.ts';

/** See `crossing.ts`. */
type Crossing = {
  of: string;
  first?: string;
  last?: string;
  unitIds?: number[] | undefined;
  rows?: string;
  columns?: string[];
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
    select distinct id from (${join(parts, ' union all ')}) as crossing ${adHoc}`;
  return rows.map(({ id }) => id);
}

function contactsOf(accountId: number, timeZone: string, crossing: Crossing): Sql {
  const { of, first, last, unitIds, rows = 'true', columns = [], udfId, days } = crossing;
  const own = sql`account_id = ${accountId}`;
  const inDays = (day: Sql) => sql`${day} between ${first}::date and ${last}::date`;
  const inTimes = (time: Sql, convert: (bound: Sql) => Sql) =>
    sql`${time} >= ${convert(sql`${first}::timestamp`)} and ${time} < ${convert(sql`${last}::timestamp + interval '1 day'`)}`;
  const guests = sql`select id from contacts where ${own} and merged_into is null`;
  switch (of) {
    case 'figures':
      return sql`
        select day.contact_id as id from (
          select distinct contact_id from contact_days where ${own} and ${inDays(sql`day`)} and visited) as day
        join contact_figures f on f.account_id = ${accountId} and f.contact_id = day.contact_id
        where ${join(
          columns.map((column) => inDays(raw(`f.${column}`))),
          ' or ',
        )}`;
    case 'created_at':
      return sql`${guests} and ${inTimes(sql`created_at`, (bound) => sql`(${bound}) at time zone ${timeZone}`)}`;
    case 'dob':
      return sql`${guests} and ${inDays(sql`dob`)}`;
    case 'nps':
      // The feedback of a contact that was merged counts for the survivor.
      return sql`
        select coalesce(c.merged_into, c.id) as id from feedback f
        join contacts c on c.account_id = ${accountId} and c.id = f.contact_id
        where f.account_id = ${accountId} and ${inTimes(sql`f.created_at`, (bound) => bound)}`;
    case 'udf':
      return sql`
        select contact_id as id from contact_udfs
        where ${own} and udf_id = ${udfId} and data collate "C" between ${first}::text and ${last}::text`;
    case 'birthday':
      return sql`
        ${guests} and date_part('month', dob) * 100 + date_part('day', dob) = any(${days}::double precision[])`;
    default: {
      const atUnits = unitIds ? sql`and unit_id = any(${unitIds}::bigint[])` : sql``;
      return sql`
        select contact_id as id from contact_days where ${own} and ${inDays(sql`day`)} and (${raw(rows)}) ${atUnits}`;
    }
  }
}
