import type { Tx } from '../../../platform/db/database.ts';
import { only, sql } from '../../../platform/db/sql.ts';
import { cancelledStage } from '../../../shared/codes.ts';
import { startedStatuses, type UnitDay } from '../../figures/schema.ts';
import type { CountScope, NpsCount, VisitCount } from './store.ts';

/** The days of the scope. */
const inScope = ({ accountId, unitIds, edges }: CountScope) => sql`
  account_id = ${accountId} and day >= ${edges[0]}::date and day < ${edges.at(-1)}::date and unit_id = any(${unitIds})`;

const place = ({ edges }: CountScope) => sql`width_bucket(day::timestamp, ${edges}::timestamp[])`;

/** Days that changed since they were counted are left out. */
const unlessChanged = (changed: UnitDay[]) => sql`not exists (
  select from unnest(${changed.map(({ day }) => day)}::date[], ${changed.map(({ unit_id }) => unit_id)}::bigint[]) as changed (day, unit_id)
  where changed.day = unit_days.day and changed.unit_id = unit_days.unit_id)`;

export type KeptCount = VisitCount & Pick<NpsCount, 'promoters' | 'passives' | 'detractors'>;

/**
 * The activity by time and by unit, like `countVisits`, without the changed days. Bookings and stays of the current day
 * are left out, because those later on the day do not count yet.
 */
export function sumDays(tx: Tx, scope: CountScope, changed: UnitDay[]): Promise<KeptCount[]> {
  const hasPassed = sql`filter (where day < ${scope.now.slice(0, 10)}::date)`;
  const sums = sql`sum(purchases)::bigint as purchases, coalesce(sum(bookings) ${hasPassed}, 0)::bigint as bookings,
    coalesce(sum(stays) ${hasPassed}, 0)::bigint as stays, sum(pence)::float8 as pence, sum(promoters)::bigint as promoters,
    sum(passives)::bigint as passives, sum(detractors)::bigint as detractors`;
  return tx<KeptCount>`
    with kept as materialized (
      select ${place(scope)} as place, day, unit_id, purchases, bookings, stays, pence, promoters, passives, detractors
      from unit_days where ${inScope(scope)} and ${unlessChanged(changed)})
    select place, null::bigint as unit_id, ${sums} from kept group by place
    union all
    select null, unit_id, ${sums} from kept where place > 1 group by unit_id`;
}

/** Bookings and stays of the current day that have begun. */
export function countToday(
  tx: Tx,
  { accountId, unitIds, now }: CountScope,
): Promise<{ unit_id: number; bookings: number; stays: number }[]> {
  const today = now.slice(0, 10);
  const atUnits = sql`account_id = ${accountId} and unit_id = any(${unitIds})`;
  return tx<{ unit_id: number; bookings: number; stays: number }>`
    select unit_id, sum(bookings)::bigint as bookings, sum(stays)::bigint as stays from (
      select unit_id, count(*) as bookings, 0 as stays from bookings
      where ${atUnits} and party_day = ${today}::date and party_datetime <= ${now}::timestamp and stage_value <> ${cancelledStage} group by 1
      union all
      select unit_id, 0, count(*) from stays
      where ${atUnits} and checkin_date >= ${today}::timestamp and checkin_date <= ${now}::timestamp
        and booking_status_id = any(${startedStatuses}) group by 1) as begun
    group by unit_id`;
}

/** Purchases without a contact, without those of the changed days. */
export async function sumWaiting(tx: Tx, { accountId, unitIds }: CountScope, changed: UnitDay[]): Promise<number> {
  const rows = await tx<{ count: number }>`
    select coalesce(sum(waiting), 0)::bigint as count from unit_days
    where account_id = ${accountId} and unit_id = any(${unitIds}) and waiting > 0 and ${unlessChanged(changed)}`;
  return only(rows).count;
}

/** Redeemed codes, with those that wait to be added. One statement, so that none counts twice. */
export function sumRedeemed(tx: Tx, scope: CountScope): Promise<{ place: number; count: number }[]> {
  const { accountId, timeZone } = scope;
  return tx<{ place: number; count: number }>`
    select ${place(scope)} as place, sum(redeemed)::bigint as count from (
      select account_id, day, unit_id, redeemed from unit_days where ${inScope(scope)} and redeemed <> 0
      union all
      select ${accountId}::bigint, (entry.at at time zone ${timeZone})::date, entry.unit_id, entry.redeemed
      from changed_unique_codes waiting
      cross join lateral jsonb_to_recordset(waiting.entries) as entry (unit_id bigint, at timestamptz, redeemed integer)
      where waiting.account_id = ${accountId} and entry.redeemed <> 0) as counted
    where ${inScope(scope)} group by 1`;
}
