import type { Tx } from '../../platform/db/database.ts';
import { join, only, raw, type Sql, sql } from '../../platform/db/sql.ts';
import { dayCounts } from './schema.ts';
import { daysFromActivity, figureNames, sumsFromDays, survivorsAmong, timeZoneOf, todayOf } from './store.ts';

/** The next ids of contacts after this one, to loop over all contacts. Merged contacts are included. */
export async function nextContactIds(tx: Tx, accountId: number, after: number, limit: number): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select id from contacts where account_id = ${accountId} and id > ${after} order by id limit ${limit}`;
  return rows.map((row) => row.id);
}

export async function countContacts(tx: Tx, accountId: number): Promise<number> {
  return only(await tx<{ count: number }>`select count(*) as count from contacts where account_id = ${accountId}`)
    .count;
}

/** The contacts among these whose figures differ from their activity. One statement, so that writers do not matter. */
export async function findDifferent(tx: Tx, accountId: number, contactIds: number[]): Promise<number[]> {
  const survivors = survivorsAmong(accountId, contactIds);
  const counts = raw(dayCounts.join(', '));
  const names = raw(figureNames(true).join(', '));
  const kept = sql`account_id = ${accountId} and contact_id = any(${contactIds}::bigint[])`;
  const isZero = join(
    dayCounts.map((name) => raw(`${name} = 0`)),
    ' and ',
  );
  const rows = await tx<{ contact_id: number }>`
    with counted as (${daysFromActivity(accountId, survivors, timeZoneOf(accountId))}),
    days as (select contact_id, day, unit_id, ${counts} from contact_days where ${kept} and not (${isZero})),
    summed as (${sumsFromDays(accountId, survivors, todayOf(tx, accountId), true)}),
    sums as (select contact_id, ${names} from contact_figures where ${kept})
    select contact_id from (
      (select contact_id, day, unit_id, ${counts} from counted except select * from days) union all
      (select * from days except select contact_id, day, unit_id, ${counts} from counted)) as day
    union
    select coalesce(summed.contact_id, sums.contact_id) from summed full join sums on sums.contact_id = summed.contact_id
    where case when sums.contact_id is null
      then summed.visits + summed.purchases + summed.bookings + summed.cancelled_bookings + summed.stays + summed.vouchers_redeemed > 0
        or summed.nps is not null or summed.next_day is not null
      else summed is distinct from sums end
    order by 1`;
  return rows.map((row) => row.contact_id);
}

/** The ids in the figures that belong to no contact. There should be none; at most 1,000 are returned. */
export async function findStrays(tx: Tx, accountId: number): Promise<number[]> {
  const without = (table: Sql) => sql`
    select contact_id from ${table} kept where kept.account_id = ${accountId} and not exists (
      select from contacts c where c.account_id = ${accountId} and c.id = kept.contact_id)`;
  const rows = await tx<{ contact_id: number }>`
    ${without(sql`contact_days`)} union ${without(sql`contact_figures`)} limit 1000`;
  return rows.map((row) => row.contact_id);
}

/** The next contacts with a day that was in the future and has come. */
export async function findDue(tx: Tx, accountId: number, after: number, limit: number): Promise<number[]> {
  const rows = await tx<{ contact_id: number }>`
    select contact_id from contact_figures where account_id = ${accountId} and next_day <= ${todayOf(tx, accountId)} and contact_id > ${after}
    order by contact_id limit ${limit}`;
  return rows.map((row) => row.contact_id);
}

/** Adds the result of a check, for the metrics. */
export async function recordCheck(
  tx: Tx,
  { checked, repaired, repairedCounts }: Record<'checked' | 'repaired' | 'repairedCounts', number>,
): Promise<void> {
  await tx`
    insert into figure_checks as kept (day, checked, repaired, repaired_counts)
    values (current_date, ${checked}, ${repaired}, ${repairedCounts})
    on conflict (day) do update set checked = kept.checked + excluded.checked, repaired = kept.repaired + excluded.repaired,
      repaired_counts = kept.repaired_counts + excluded.repaired_counts`;
}

export async function sumChecks(tx: Tx): Promise<Record<'checked' | 'repaired', number>> {
  const rows = await tx<{ checked: number; repaired: number }>`
    select coalesce(sum(checked), 0)::float8 as checked, coalesce(sum(repaired), 0)::float8 as repaired from figure_checks`;
  return only(rows);
}

export async function sumRepairedCounts(tx: Tx): Promise<Record<'repaired', number>> {
  const rows = await tx<{ repaired: number }>`
    select coalesce(sum(repaired_counts), 0)::float8 as repaired from figure_checks`;
  return only(rows);
}

/** The accounts whose earlier activity is not counted yet. */
export async function unfilledAccounts(tx: Tx): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select id from accounts where (figures_filled_at is null or unit_days_filled_at is null) and deleted_at is null order by id`;
  return rows.map((row) => row.id);
}

export async function markFilled(tx: Tx, accountId: number): Promise<void> {
  await tx`update accounts set figures_filled_at = now() where id = ${accountId} and figures_filled_at is null`;
}
