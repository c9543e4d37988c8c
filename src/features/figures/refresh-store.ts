import type { Tx } from '../../platform/db/database.ts';
import { lockKeys } from '../../platform/db/locks.ts';
import { settled } from '../../platform/db/ordered.ts';
import { join, raw, type Sql, sql } from '../../platform/db/sql.ts';
import { type ActivityKind, activityKinds, type ChangedDay, type FigureChanges } from './schema.ts';
import { countColumns, daysFromActivity, latestNps, lineageOf, sources, sumColumns } from './store.ts';

/** Keeps the figures of contacts. Called when all rows are stored and all other locks are taken. */
export async function refreshFigures(tx: Tx, accountId: number, changes: Partial<FigureChanges>): Promise<void> {
  await settled(await sendRefresh(tx, accountId, changes));
}

/**
 * The same, without waiting: resolves when all statements have been sent. `own` are contacts that the transaction has
 * locked and that are not merged, so their survivors need no look-up.
 */
export async function sendRefresh(
  tx: Tx,
  accountId: number,
  { days = [], rated = [], merged = [] }: Partial<FigureChanges>,
  own: ReadonlySet<number> = new Set(),
): Promise<Promise<unknown>[]> {
  const contactIds = [...new Set([...days.map((day) => day.contact_id), ...rated])];
  const others = [...contactIds.filter((id) => !own.has(id)), ...merged];
  if (contactIds.length + others.length === 0) return [];
  const survivors = others.length > 0 ? await findSurvivors(tx, accountId, others) : new Map<number, number>();
  const locked = [...new Set([...contactIds, ...others, ...survivors.values()])];
  const counted = [...new Set(merged.flatMap((id) => survivors.get(id) ?? []))];
  const statements = [lockFigures(tx, accountId, locked)];
  if (merged.length > 0) {
    statements.push(deleteFigures(tx, accountId, [...new Set([...merged, ...counted])]));
    statements.push(countAllDays(tx, accountId, counted));
  }
  for (const kind of activityKinds) {
    const ofKind = days.filter((day) => day.kind === kind);
    if (ofKind.length > 0) statements.push(countDays(tx, accountId, kind, ofKind, locked));
  }
  const withNps = counted.length + rated.length > 0;
  statements.push(sumDays(tx, accountId, [...contactIds, ...counted], locked, withNps));
  return statements;
}

/**
 * Locks the figures of contacts until the transaction ends. Two transactions that count the same day one after the other
 * see each other's rows. These locks are taken after all others, so they cannot be part of a deadlock.
 */
export function lockFigures(tx: Tx, accountId: number, contactIds: number[]): Promise<void> {
  return lockKeys(
    tx,
    accountId,
    contactIds.map((id) => `figures:${id}`),
    'all figures',
  );
}

/** The survivor of each contact. */
export async function findSurvivors(tx: Tx, accountId: number, contactIds: number[]): Promise<Map<number, number>> {
  const rows = await tx<{ id: number; survivor: number }>`
    select id, coalesce(merged_into, id) as survivor from contacts where account_id = ${accountId} and id = any(${contactIds})`;
  return new Map(rows.map(({ id, survivor }) => [id, survivor]));
}

const timeZoneOf = (accountId: number) => sql`(select time_zone from accounts where id = ${accountId})`;
const todayOf = (tx: Tx, accountId: number) =>
  sql`(select (${tx.now} at time zone time_zone)::date from accounts where id = ${accountId})`;

/** If the contact was merged after its figures were locked, the transaction is repeated. */
const lockedSurvivor = (locked: number[]) =>
  sql`case when coalesce(merged_into, id) = any(${locked}::bigint[]) then coalesce(merged_into, id) else raced(id) end`;

const dayKey = raw('account_id, contact_id, day, unit_id');
const set = (names: readonly string[]) => raw(names.map((name) => `${name} = excluded.${name}`).join(', '));

/** Counts the rows of one kind again, on these days. The contacts and their survivors must be locked. */
export async function countDays(
  tx: Tx,
  accountId: number,
  kind: ActivityKind,
  days: ChangedDay[],
  locked: number[],
): Promise<void> {
  const { counts, rows } = sources[kind];
  const names = Object.keys(counts);
  const of = { accountId, contactId: sql`member.id`, timeZone: timeZoneOf(accountId), on: sql`changed.day` };
  await tx`
    insert into contact_days (${dayKey}, ${raw(names.join(', '))})
    select ${accountId}::bigint, changed.contact_id, changed.day, changed.unit_id, counted.*
    from (
      select distinct survivor.id as contact_id, sent.day, sent.unit_id
      from unnest(${days.map((one) => one.contact_id)}::bigint[], ${days.map((one) => one.day.slice(0, 10))}::date[],
        ${days.map((one) => one.unit_id)}::bigint[]) as sent (contact_id, day, unit_id)
      cross join lateral (
        select ${lockedSurvivor(locked)} as id from contacts where account_id = ${accountId} and id = sent.contact_id offset 0) as survivor) as changed
    cross join lateral (
      select ${join(Object.values(counts))}
      from (${lineageOf(accountId, sql`changed.contact_id`)}) as member
      cross join lateral (${rows(of)}) as activity
      where activity.unit_id = changed.unit_id) as counted
    order by 2, 3, 4
    on conflict (${dayKey}) do update set ${set(names)}`;
}

/** The contacts among these that are not merged into another. */
const survivorsAmong = (accountId: number, contactIds: number[]) =>
  sql`select id from contacts where account_id = ${accountId} and id = any(${contactIds}::bigint[]) and merged_into is null`;

/** Counts all days of these contacts again, including the rows of contacts that were merged into them. */
export async function countAllDays(tx: Tx, accountId: number, contactIds: number[]): Promise<void> {
  const survivors = survivorsAmong(accountId, contactIds);
  await tx`
    insert into contact_days (${dayKey}, ${raw(countColumns.join(', '))})
    select ${accountId}::bigint, counted.*
    from (${daysFromActivity(accountId, survivors, timeZoneOf(accountId))}) as counted
    on conflict (${dayKey}) do update set ${set(countColumns)}`;
}

const sumNames = Object.keys(sumColumns);
const npsNames = ['nps', 'nps_day'];

/** The sums of these contacts, from their days. */
function sumsOf(accountId: number, contactIds: Sql, today: Sql, withNps: boolean): Sql {
  const sums = Object.entries(sumColumns).map(([name, sum]) => sql`${sum} as ${raw(name)}`);
  const nps = withNps ? sql`left join lateral (${latestNps(accountId, sql`guest.id`)}) as nps on true` : sql``;
  return sql`
    select guest.id as contact_id, summed.* ${withNps ? sql`, nps.nps, nps.nps_day` : sql``}
    from (${contactIds}) as guest (id)
    cross join lateral (
      select ${join(sums)} from contact_days cross join (select ${today} as today) as clock
      where account_id = ${accountId} and contact_id = guest.id) as summed ${nps}`;
}

/** Adds up the days of these contacts again. `withNps` also looks for the latest NPS rating. */
export async function sumDays(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  locked: number[],
  withNps: boolean,
): Promise<void> {
  const names = withNps ? [...sumNames, ...npsNames] : sumNames;
  const survivors = sql`
    select distinct ${lockedSurvivor(locked)} from contacts where account_id = ${accountId} and id = any(${contactIds}::bigint[])`;
  await tx`
    insert into contact_figures (account_id, contact_id, ${raw(names.join(', '))})
    select ${accountId}::bigint, sums.* from (${sumsOf(accountId, survivors, todayOf(tx, accountId), withNps)}) as sums
    order by contact_id
    on conflict (account_id, contact_id) do update set ${set(names)}`;
}

export async function deleteFigures(tx: Tx, accountId: number, contactIds: number[]): Promise<void> {
  await tx.inOrder({
    days: () => tx`delete from contact_days where account_id = ${accountId} and contact_id = any(${contactIds})`,
    sums: () => tx`delete from contact_figures where account_id = ${accountId} and contact_id = any(${contactIds})`,
  });
}
