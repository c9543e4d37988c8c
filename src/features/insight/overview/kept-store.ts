import type { Tx } from '../../../platform/db/database.ts';
import { only, sql } from '../../../platform/db/sql.ts';
import { cancelledStage } from '../../../shared/codes.ts';
import { startedStatuses, type UnitDay } from '../../figures/schema.ts';
import { type CountScope, type NpsCount, type VisitCount, waitingRedemptions } from './store.ts';

/** All units, or one. A list of all units would make PostgreSQL scan the index once for each of them. */
const atUnit = ({ unitId }: CountScope) => (unitId === null ? sql`` : sql`and unit_id = ${unitId}`);

/** The days of the scope. */
const inScope = (scope: CountScope) => sql`
  account_id = ${scope.accountId} and day >= ${scope.edges[0]}::date and day < ${scope.edges.at(-1)}::date ${atUnit(scope)}`;

/** Days that changed since they were counted are left out. */
const unlessChanged = (changed: UnitDay[]) =>
  changed.length === 0
    ? sql``
    : sql`and not exists (
        select from unnest(${changed.map(({ day }) => day)}::date[], ${changed.map(({ unit_id }) => unit_id)}::bigint[]) as changed (day, unit_id)
        where changed.day = unit_days.day and changed.unit_id = unit_days.unit_id)`;

/** The sums of a day at all units, or of a unit over the range without the time before. */
export type KeptSum = Omit<VisitCount, 'place'> &
  Pick<NpsCount, 'promoters' | 'passives' | 'detractors'> & { day: string | null };

/**
 * The activity by day and by unit, without the changed days. Bookings and stays of the current day are left out, because
 * those later on the day do not count yet. Two scans are faster than one whose rows are stored for both.
 */
export function sumDays(tx: Tx, scope: CountScope, changed: UnitDay[]): Promise<KeptSum[]> {
  const hasPassed = sql`filter (where day < ${scope.now.slice(0, 10)}::date)`;
  const sums = sql`sum(purchases) as purchases, coalesce(sum(bookings) ${hasPassed}, 0) as bookings,
    coalesce(sum(stays) ${hasPassed}, 0) as stays, sum(pence)::float8 as pence`;
  const ratings = sql`sum(promoters) as promoters, sum(passives) as passives, sum(detractors) as detractors`;
  const rows = sql`from unit_days where ${inScope(scope)} ${unlessChanged(changed)}`;
  return tx<KeptSum>`
    select day, null::bigint as unit_id, ${sums}, ${ratings} ${rows} group by day
    union all
    select null, unit_id, ${sums}, 0, 0, 0 ${rows} and day >= ${scope.edges[1]}::date group by unit_id`;
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
export async function sumWaiting(tx: Tx, scope: CountScope, changed: UnitDay[]): Promise<number> {
  const rows = await tx<{ count: number }>`
    select coalesce(sum(waiting), 0)::bigint as count from unit_days
    where account_id = ${scope.accountId} ${atUnit(scope)} and waiting > 0 ${unlessChanged(changed)}`;
  return only(rows).count;
}

/** Redeemed codes by day, with those that wait to be added. One statement, so that none counts twice. */
export function sumRedeemed(tx: Tx, scope: CountScope): Promise<{ day: string; count: number }[]> {
  return tx<{ day: string; count: number }>`
    select day, sum(redeemed)::bigint as count from (
      select day, redeemed from unit_days where ${inScope(scope)} and redeemed <> 0
      union all
      select day, redeemed from (${waitingRedemptions(scope)}) as waiting
      where ${inScope(scope)}) as counted
    group by day`;
}
