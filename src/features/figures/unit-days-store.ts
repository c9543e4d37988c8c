import type { Tx } from '../../platform/db/database.ts';
import { insertRows } from '../../platform/db/insert-rows.ts';
import { only, raw, type Sql, sql } from '../../platform/db/sql.ts';
import { cancelledStage, npsCategory } from '../../shared/codes.ts';
import { startedStatuses, type UnitDay, type UnitDayCounts, unitDayCounts } from './schema.ts';
import { sumOfPence, timesOfDay } from './store.ts';

/** The lock of an account's kept counts. It is held by what changes them: the keeper, the filling, and deletions of groups. */
const lockKey = (accountId: number) => sql`hashtextextended('kept counts', ${accountId}::bigint)`;

/** Takes the lock until the transaction ends. False: another transaction holds it. */
export async function tryLockCounts(tx: Tx, accountId: number): Promise<boolean> {
  const rows = await tx<{ taken: boolean }>`select pg_try_advisory_xact_lock(${lockKey(accountId)}) as taken`;
  return only(rows).taken;
}

/** Waits for the lock. */
export async function lockCounts(tx: Tx, accountId: number): Promise<void> {
  await tx`select pg_advisory_xact_lock(${lockKey(accountId)})`;
}

/** Whether the counts include all earlier activity, in the current time zone. Otherwise readers count at request time. */
export async function areCountsKept(tx: Tx, accountId: number): Promise<boolean> {
  const rows = await tx<{ kept: boolean }>`
    select unit_days_filled_at is not null as kept from accounts where id = ${accountId}`;
  return rows[0]?.kept ?? false;
}

export async function accountsWithoutCounts(tx: Tx): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select id from accounts where unit_days_filled_at is null and deleted_at is null order by id`;
  return rows.map((row) => row.id);
}

/** If the time zone changed meanwhile, the account is filled again. */
export async function markCountsKept(tx: Tx, accountId: number, timeZone: string): Promise<void> {
  await tx`
    update accounts set unit_days_filled_at = now()
    where id = ${accountId} and unit_days_filled_at is null and time_zone = ${timeZone}`;
}

/** Whether the keeper has something to do. */
export async function hasChangedCounts(tx: Tx, accountId: number): Promise<boolean> {
  const rows = await tx<{ changed: boolean }>`
    select exists (select from changed_unit_days where account_id = ${accountId})
      or exists (select from changed_unique_codes where account_id = ${accountId}) as changed`;
  return only(rows).changed;
}

/** The changed days that are not counted yet, each once, at most `limit`. */
export function selectChangedDays(tx: Tx, accountId: number, limit: number): Promise<UnitDay[]> {
  return tx<UnitDay>`
    select distinct changed.day, changed.unit_id from changed_unit_days waiting
    cross join lateral unnest(waiting.days, waiting.unit_ids) as changed (day, unit_id)
    where waiting.account_id = ${accountId} limit ${limit}`;
}

interface ChangedRow {
  id: number;
  days: string[];
  unit_ids: number[];
}

/** The first rows of the queue whose days are at most `mostDays` in all, and at least one row. */
export function takeChangedDays(tx: Tx, accountId: number, mostRows: number, mostDays: number): Promise<ChangedRow[]> {
  return tx<ChangedRow>`
    select id, days::text[] as days, unit_ids from (
      select id, days, unit_ids, sum(cardinality(days)) over (order by id) - cardinality(days) as before from (
        select id, days, unit_ids from changed_unit_days where account_id = ${accountId} order by id limit ${mostRows}) as first) as summed
    where before < ${mostDays} order by id`;
}

export async function deleteChangedDays(tx: Tx, accountId: number, ids: number[]): Promise<void> {
  await tx`delete from changed_unit_days where account_id = ${accountId} and id = any(${ids})`;
}

const onDay = (time: Sql) => sql`${time} >= pair.begins and ${time} < pair.ends`;

/** What Home counts, from the activity, for each of these days. Each day must be there only once. */
export function countUnitDays(tx: Tx, accountId: number, days: UnitDay[]): Promise<UnitDayCounts[]> {
  const atUnit = sql`account_id = ${accountId} and unit_id = pair.unit_id`;
  return tx<UnitDayCounts>`
    select pair.day, pair.unit_id, purchases, pence, waiting, bookings, stays, promoters, passives, detractors
    from (
      select *, ${timesOfDay(sql`day`)}
      from unnest(${days.map(({ day }) => day)}::date[], ${days.map(({ unit_id }) => unit_id)}::bigint[]) as sent (day, unit_id) offset 0) as pair
    cross join lateral (
      select count(*) as purchases, ${sumOfPence(sql`total_pence`)}::text as pence, count(*) filter (where contact_id is null) as waiting
      from purchases where ${atUnit} and ${onDay(sql`created_at`)} offset 0) as purchase
    cross join lateral (
      select count(*) as bookings from bookings
      where ${atUnit} and party_day = pair.day and stage_value <> ${cancelledStage} offset 0) as booking
    cross join lateral (
      select count(*) as stays from stays
      where ${atUnit} and ${onDay(sql`checkin_date`)} and booking_status_id = any(${startedStatuses}) offset 0) as stay
    cross join lateral (
      select count(*) filter (where rating >= 9) as promoters, count(*) filter (where rating >= 7 and rating < 9) as passives,
        count(*) filter (where rating < 7) as detractors
      from (select id from feedback where ${atUnit} and ${onDay(sql`created_at`)} offset 0) as given
      cross join lateral (
        select rating_text::numeric as rating from feedback_ratings
        where account_id = ${accountId} and feedback_id = given.id and category_id = ${npsCategory} offset 0) as answer
      offset 0) as nps`;
}

const replaced = raw(unitDayCounts.map((name) => `${name} = excluded.${name}`).join(', '));

/** Stores counts of days. */
export async function putUnitDays(tx: Tx, accountId: number, rows: UnitDayCounts[]): Promise<void> {
  await insertRows(tx, accountId, {
    table: 'unit_days',
    columns: {
      ...{ day: 'date', unit_id: 'bigint', purchases: 'integer', pence: 'bigint', waiting: 'integer' },
      ...{ bookings: 'integer', stays: 'integer', promoters: 'integer', passives: 'integer', detractors: 'integer' },
    },
    rows,
    clauses: sql`on conflict (account_id, day, unit_id) do update set ${replaced}`,
  });
}

/** The kept counts of a unit after a day, until another. */
export function selectUnitDays(
  tx: Tx,
  accountId: number,
  unitId: number,
  { after, until }: { after: string; until: string },
): Promise<UnitDayCounts[]> {
  return tx<UnitDayCounts>`
    select day, unit_id, purchases, pence::text as pence, waiting, bookings, stays, promoters, passives, detractors from unit_days
    where account_id = ${accountId} and unit_id = ${unitId} and day > ${after}::date and day <= ${until}::date order by day`;
}

/** The days of a unit that wait to be counted. */
export async function selectWaitingDays(tx: Tx, accountId: number, unitId: number): Promise<Set<string>> {
  const rows = await tx<{ day: string }>`
    select distinct changed.day from changed_unit_days waiting
    cross join lateral unnest(waiting.days, waiting.unit_ids) as changed (day, unit_id)
    where waiting.account_id = ${accountId} and changed.unit_id = ${unitId}`;
  return new Set(rows.map(({ day }) => day));
}

/** The next days with activity at a unit, after this one. Reads one row of each kind per day. */
export async function nextDays(
  tx: Tx,
  accountId: number,
  unitId: number,
  after: string,
  limit: number,
): Promise<string[]> {
  const first = (table: string, column: string, from: string) => sql`(
    select min(${raw(column)}) from ${raw(table)}
    where account_id = ${accountId} and unit_id = ${unitId} and ${raw(column)} >= ${raw(from)})`;
  const next = (before: Sql) => sql`
    select least(${first('purchases', 'created_at', 'following.begins')}::date, ${first('bookings', 'party_day', 'following.day')},
      ${first('stays', 'checkin_date', 'following.begins')}::date, ${first('feedback', 'created_at', 'following.begins')}::date)
    from (select day + 1 as day, ${timesOfDay(sql`day + 1`)} from ${before} offset 0) as following`;
  const rows = await tx<{ day: string }>`
    with recursive found (day) as (
      ${next(sql`(values (${after}::date)) as before (day)`)}
      union all ${next(sql`found where day is not null`)})
    select day from found where day is not null limit ${limit}`;
  return rows.map((row) => row.day);
}

/** The days of the activity that is deleted together with contacts. */
export function selectDaysOfContacts(tx: Tx, accountId: number, contactIds: number[]): Promise<UnitDay[]> {
  const own = sql`account_id = ${accountId} and contact_id = any(${contactIds})`;
  return tx<UnitDay>`
    select unit_id, created_at::date as day from purchases where ${own} union
    select unit_id, party_day from bookings where ${own} and party_day is not null union
    select unit_id, created_at::date from feedback where ${own}`;
}
