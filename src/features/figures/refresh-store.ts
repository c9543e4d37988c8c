import type { Tx } from '../../platform/db/database.ts';
import { type ColumnType, insertSelected } from '../../platform/db/insert-rows.ts';
import { lockKeys } from '../../platform/db/locks.ts';
import { settled } from '../../platform/db/ordered.ts';
import { join, raw, type Sql, sql } from '../../platform/db/sql.ts';
import { consentsInSql } from '../../shared/codes.ts';
import { recordOf } from '../../shared/record.ts';
import {
  type ActivityKind,
  type AddedRow,
  activityKinds,
  type ChangedDay,
  type DayCount,
  dayCounts,
  type FigureChanges,
  type UnitDay,
} from './schema.ts';
import {
  addPence,
  daysFromActivity,
  figureNames,
  lineageOf,
  sources,
  sumsFromDays,
  survivorsAmong,
  timesOfDay,
  timeZoneOf,
  todayOf,
} from './store.ts';

/** What the transaction knows about contacts, which saves look-ups. */
export interface KnownContacts {
  /** Contacts whose rows the transaction has locked, and which are not merged. */
  own?: ReadonlySet<number>;
  /** Survivors that it looked up before. They are checked again under the lock. */
  survivors?: ReadonlyMap<number, number>;
}

/** Keeps the figures of contacts. Called when all rows are stored and all other locks are taken. */
export async function refreshFigures(
  tx: Tx,
  accountId: number,
  changes: Partial<FigureChanges>,
  known: KnownContacts = {},
): Promise<void> {
  await settled(await sendRefresh(tx, accountId, changes, known));
}

/** The same, without waiting: resolves when all statements have been sent. */
export async function sendRefresh(
  tx: Tx,
  accountId: number,
  {
    added = [],
    changed = [],
    rated = [],
    merged = [],
    consented = [],
    edited = [],
    anonymous = [],
  }: Partial<FigureChanges>,
  { own = new Set(), survivors: lookedUp = new Map() }: KnownContacts = {},
): Promise<Promise<unknown>[]> {
  const contactIds = new Set([
    ...[...added, ...changed].map((row) => row.contact_id),
    ...rated,
    ...merged,
    ...consented,
  ]);
  const toAppend = (ids: Iterable<number>): Changes => ({
    contactIds: new Set([...ids, ...edited]),
    unitDays: [...added, ...changed, ...anonymous],
    onlyActivity: edited.length + merged.length + consented.length === 0,
  });
  if (contactIds.size === 0) return [appendChanges(tx, accountId, toAppend([]))];
  const others = [...contactIds].filter((id) => !own.has(id));
  const unknown = others.filter((id) => !lookedUp.has(id));
  const survivors = new Map(lookedUp);
  if (unknown.length > 0) for (const [id, to] of await findSurvivors(tx, accountId, unknown)) survivors.set(id, to);
  const survivorOf = (id: number) => survivors.get(id) ?? id;
  const toSurvivors = <Row extends { contact_id: number }>(rows: Row[]) =>
    rows.map((row) => ({ ...row, contact_id: survivorOf(row.contact_id) }));

  const [rows, days] = [toSurvivors(added), toSurvivors(changed)];
  const [ratedIds, counted] = [rated.map(survivorOf), [...new Set(merged.map(survivorOf))]];
  const again = new Set([...days.map((day) => day.contact_id), ...ratedIds, ...counted]);
  const simple = tx.isOneServer ? simpleDays(rows, again) : [];
  const isSimple = new Set(simple.map((day) => day.contact_id));
  const recounted = [...rows, ...days].filter((row) => !isSimple.has(row.contact_id));

  const locked = [...new Set([...contactIds].flatMap((id) => [id, survivorOf(id)]))];
  const steps = [() => lockFigures(tx, accountId, locked)];
  // Adding checks the contacts that are not merged.
  const isChecked = (id: number) => survivorOf(id) === id && isSimple.has(id);
  const unchecked = others.filter((id) => survivors.has(id) && !isChecked(id));
  const pairs = unchecked.map((id): [number, number] => [id, survivorOf(id)]);
  if (pairs.length > 0) steps.push(() => checkSurvivors(tx, accountId, pairs));
  if (merged.length > 0) {
    steps.push(() => deleteFigures(tx, accountId, [...new Set([...merged, ...counted])]));
    steps.push(() => countAllDays(tx, accountId, counted));
  }
  for (const kind of activityKinds) {
    const ofKind = recounted.filter((day) => day.kind === kind);
    if (ofKind.length > 0) steps.push(() => countDays(tx, accountId, kind, ofKind));
  }
  const summed = [...new Set([...recounted.map((row) => row.contact_id), ...ratedIds, ...counted])];
  if (summed.length > 0) steps.push(() => sumDays(tx, accountId, summed, counted.length + ratedIds.length > 0));
  if (simple.length > 0)
    steps.push(() => addToFigures(tx, accountId, simple, changeInserts(accountId, toAppend(locked))));
  else steps.unshift(() => appendChanges(tx, accountId, toAppend(locked)));
  const current = new Set([...summed, ...isSimple]);
  const outdated = consented.filter((id) => !current.has(id));
  if (outdated.length > 0) steps.push(() => updateConsents(tx, accountId, outdated));
  if (tx.isOneServer) return steps.map((step) => step());
  // On a distributed server some steps are several statements, which each wait for the one before.
  for (const step of steps) await step();
  return [];
}

/** Erases the figures of contacts. The lock waits for a transaction that counts them, so that none of its rows stays. */
export async function eraseFigures(tx: Tx, accountId: number, contactIds: number[]): Promise<void> {
  await tx.inOrder({
    lock: () => lockFigures(tx, accountId, contactIds),
    changes: () => appendChanges(tx, accountId, { contactIds }),
    figures: () => deleteFigures(tx, accountId, contactIds),
  });
}

interface Changes {
  contactIds?: Iterable<number>;
  /** The counts of units have no wifi, and unique codes append their own changes. */
  unitDays?: Iterable<UnitDay & { kind?: ActivityKind }>;
  /** Whether nothing else changed, such as a name, a consent or a unit of a contact. */
  onlyActivity?: boolean;
}

/** Records what a transaction changed. Work that follows the write is done by background processes. */
export async function appendChanges(tx: Tx, accountId: number, changes: Changes): Promise<void> {
  const inserts = changeInserts(accountId, changes);
  const [first, second] = inserts;
  // A distributed server would need a commit in two phases for both in one statement.
  if (first && second && tx.isOneServer) await tx`with first as (${first}) ${second}`;
  else await tx.each(inserts, (insert) => tx`${insert}`);
}

/** The statements of `appendChanges`. */
function changeInserts(accountId: number, { contactIds = [], unitDays = [], onlyActivity = false }: Changes): Sql[] {
  const pairs = new Map<string, UnitDay>();
  for (const { unit_id, day: time, kind } of unitDays) {
    if (kind === 'wifi' || kind === 'vouchers') continue;
    const day = time.slice(0, 10);
    pairs.set(`${unit_id} ${day}`, { unit_id, day });
  }
  const [ids, days] = [[...contactIds], [...pairs.values()]];
  const inserts: Sql[] = [];
  if (ids.length > 0)
    inserts.push(sql`
      insert into changes (account_id, contact_ids, only_activity) values (${accountId}, ${ids}, ${onlyActivity})`);
  if (days.length > 0)
    inserts.push(sql`
      insert into changed_unit_days (account_id, days, unit_ids)
      values (${accountId}, ${days.map(({ day }) => day)}::date[], ${days.map(({ unit_id }) => unit_id)})`);
  return inserts;
}

/** The counts that are added to one day of a contact, by unit. */
interface AddedDay {
  contact_id: number;
  day: string;
  units: Map<number, Partial<Record<DayCount, number>>>;
}

/**
 * New rows, added up by contact, day and unit. Leaves out contacts that are counted again, and those with several days,
 * because a statement can change a row only once, and with amounts that a number does not represent exactly.
 */
function simpleDays(added: AddedRow[], again: ReadonlySet<number>): AddedDay[] {
  const days = new Map<number, AddedDay | undefined>();
  for (const { contact_id, day: time, unit_id, counts } of added) {
    const day = time.slice(0, 10);
    if (!days.has(contact_id))
      days.set(contact_id, again.has(contact_id) ? undefined : { contact_id, day, units: new Map() });
    const one = days.get(contact_id);
    if (!one) continue;
    const sums = one.units.get(unit_id) ?? {};
    for (const name of dayCounts) if (counts[name]) sums[name] = (sums[name] ?? 0) + counts[name];
    one.units.set(unit_id, sums);
    if (one.day !== day || Math.abs(sums.pence ?? 0) > mostAddedPence) days.set(contact_id, undefined);
  }
  return [...days.values()].filter((day) => day !== undefined);
}

const mostAddedPence = 1e15;

/**
 * Locks the figures of contacts until the transaction ends. Two transactions that count the same day one after the other
 * see each other's rows. These locks are taken after all others, so they cannot be part of a deadlock.
 */
function lockFigures(tx: Tx, accountId: number, contactIds: number[]): Promise<void> {
  return lockKeys(
    tx,
    accountId,
    contactIds.map((id) => `figures:${id}`),
    'all figures',
  );
}

/** The survivor of each contact. */
async function findSurvivors(tx: Tx, accountId: number, contactIds: number[]): Promise<Map<number, number>> {
  const rows = await tx<{ id: number; survivor: number }>`
    select id, coalesce(merged_into, id) as survivor from contacts where account_id = ${accountId} and id = any(${contactIds})`;
  return new Map(rows.map(({ id, survivor }) => [id, survivor]));
}

/** If a contact was merged or separated before its figures were locked, the transaction is repeated. */
async function checkSurvivors(tx: Tx, accountId: number, pairs: [number, number][]): Promise<void> {
  await tx`
    select raced(contact.id) from unnest(${pairs.map(([id]) => id)}::bigint[], ${pairs.map(([, to]) => to)}::bigint[]) as pair (id, survivor)
    cross join lateral (
      select id, coalesce(merged_into, id) as survivor from contacts where account_id = ${accountId} and id = pair.id offset 0) as contact
    where contact.survivor <> pair.survivor`;
}

const dayKey = raw('account_id, contact_id, day, unit_id');
const set = (names: readonly string[]) => raw(names.map((name) => `${name} = excluded.${name}`).join(', '));

/**
 * Counts the rows of one kind again, on these days of survivors. Their figures must be locked. A contact that was erased
 * before that gets no row.
 */
async function countDays(tx: Tx, accountId: number, kind: ActivityKind, days: ChangedDay[]): Promise<void> {
  const { counts, rows } = sources[kind];
  const names = Object.keys(counts);
  const of = {
    accountId,
    contactId: sql`member.id`,
    timeZone: timeZoneOf(accountId),
    on: 'changed',
  };
  const select = sql`
    select changed.contact_id, changed.day, changed.unit_id, counted.*
    from (
      select distinct sent.*, ${timesOfDay(sql`day`)} from unnest(${days.map((one) => one.contact_id)}::bigint[],
        ${days.map((one) => one.day.slice(0, 10))}::date[], ${days.map((one) => one.unit_id)}::bigint[]) as sent (contact_id, day, unit_id)) as changed
    join contacts guest on guest.account_id = ${accountId} and guest.id = changed.contact_id
    cross join lateral (
      select ${join(Object.values(counts))}
      from (${lineageOf(accountId, sql`changed.contact_id`)}) as member
      cross join lateral (${rows(of)}) as activity
      where activity.unit_id = changed.unit_id) as counted
    order by 1, 2, 3`;
  await putDays(tx, accountId, names, select);
}

/** Stores days, with these counts of each. */
async function putDays(tx: Tx, accountId: number, names: readonly string[], select: Sql): Promise<void> {
  await insertSelected(tx, accountId, {
    table: 'contact_days',
    columns: {
      ...{ contact_id: 'bigint', day: 'date', unit_id: 'bigint' },
      ...recordOf(names, (name): ColumnType => (name === 'pence' ? 'bigint' : 'integer')),
    },
    select,
    clauses: sql`on conflict (${dayKey}) do update set ${set(names)}`,
  });
}

/** Counts all days of these contacts again, including the rows of contacts that were merged into them. */
export async function countAllDays(tx: Tx, accountId: number, contactIds: number[]): Promise<void> {
  const survivors = survivorsAmong(accountId, contactIds);
  await putDays(tx, accountId, dayCounts, daysFromActivity(accountId, survivors, timeZoneOf(accountId)));
}

/** The columns of contact_figures that are no integers. */
const figureTypes: Record<string, ColumnType> = {
  ...{ first_visit: 'date', last_visit: 'date', recent_visits: 'date[]', next_day: 'date' },
  ...{ pence: 'bigint', nps: 'numeric', nps_day: 'date', consents: 'smallint' },
};

/** Adds up the days of these contacts again. `withNps` also looks for the latest NPS rating. */
export async function sumDays(tx: Tx, accountId: number, contactIds: number[], withNps: boolean): Promise<void> {
  const names = figureNames(withNps);
  const survivors = survivorsAmong(accountId, contactIds);
  await insertSelected(tx, accountId, {
    table: 'contact_figures',
    columns: { contact_id: 'bigint', ...recordOf(names, (name) => figureTypes[name] ?? 'integer') },
    select: sumsFromDays(accountId, survivors, todayOf(tx, accountId), withNps),
    clauses: sql`on conflict (account_id, contact_id) do update set ${set(names)}`,
  });
}

async function updateConsents(tx: Tx, accountId: number, contactIds: number[]): Promise<void> {
  await tx`
    update contact_figures f set consents = ${raw(consentsInSql)} from contacts c
    where f.account_id = ${accountId} and f.contact_id = any(${contactIds}) and c.account_id = ${accountId} and c.id = f.contact_id`;
}

async function deleteFigures(tx: Tx, accountId: number, contactIds: number[]): Promise<void> {
  await tx.inOrder({
    days: () => tx`delete from contact_days where account_id = ${accountId} and contact_id = any(${contactIds})`,
    sums: () => tx`delete from contact_figures where account_id = ${accountId} and contact_id = any(${contactIds})`,
  });
}

const isVisit = ({ purchases, bookings, stays, wifi, vouchers_redeemed }: Partial<Record<DayCount, number>>) =>
  Boolean(purchases ?? bookings ?? stays ?? wifi ?? vouchers_redeemed);

/** The columns of contact_figures that are sums of counts. */
const summedCounts = {
  purchases: ['purchases'],
  pence: ['pence'],
  bookings: ['bookings', 'enquiries'],
  cancelled_bookings: ['cancelled_bookings'],
  stays: ['stays'],
  vouchers_redeemed: ['vouchers_redeemed'],
} as const satisfies Record<string, readonly DayCount[]>;

const typeOf = (column: string) => raw(column === 'pence' ? 'bigint[]' : 'integer[]');
const plus = (table: string, column: string) =>
  column === 'pence'
    ? sql`pence = ${addPence(raw(`${table}.pence`), raw('excluded.pence'))}`
    : raw(`${column} = ${table}.${column} + excluded.${column}`);

/**
 * Adds counts to the days and to the sums of contacts, in one statement: both parts see the days as they were before, and
 * a day counts as a visit only if it was none. If a contact was merged before its figures were locked, the transaction is
 * repeated. The latest visits are those of both lists, because adding never takes a visit away. `further` are statements
 * that are sent together with this one, to save a message.
 */
async function addToFigures(tx: Tx, accountId: number, days: AddedDay[], further: Sql[]): Promise<void> {
  const totals = days.map(({ units }) => {
    const all = [...units.values()];
    return (names: readonly DayCount[]) =>
      all.reduce((sum, counts) => sum + names.reduce((n, name) => n + (counts[name] ?? 0), 0), 0);
  });
  const columns = Object.entries(summedCounts).filter(([, names]) => totals.some((total) => total(names) !== 0));
  const names = columns.map(([name]) => name);
  const lists = [
    sql`${days.map((day) => day.contact_id)}::bigint[]`,
    sql`${days.map(({ day }) => day)}::date[]`,
    sql`${days.map(({ units }) => [...units.values()].some(isVisit))}::boolean[]`,
    sql`${totals.map((total) => total(['purchases']) > 0)}::boolean[]`,
    ...columns.map(([name, of]) => sql`${totals.map((total) => total(of))}::${typeOf(name)}`),
  ];
  const sumsOfKept = ['visits', 'purchase_days', ...names];
  const isNew = sql`(is_visit and not before.visited and day <= today)`;
  const parts = [...further, ...addToDays(accountId, days)].map((part, n) => sql`${raw(`part${n}`)} as (${part})`);
  await tx`
    ${parts.length > 0 ? sql`with ${join(parts)}` : sql``}
    insert into contact_figures as kept (account_id, contact_id, consents, first_visit, last_visit, recent_visits, next_day,
      ${raw(sumsOfKept.join(', '))})
    select ${accountId}::bigint, sent.contact_id,
      case when c.merged_into is null then ${raw(consentsInSql)} else raced(c.id)::smallint end,
      case when ${isNew} then day end, case when ${isNew} then day end,
      case when ${isNew} then array[day] else '{}' end, case when is_visit and not before.visited and day > today then day end,
      ${join([sql`${isNew}::integer`, sql`(has_purchase and not before.purchased)::integer`, ...names.map((name) => raw(`sent.${name}`))])}
    from unnest(${join(lists)}) as sent (${raw(['contact_id', 'day', 'is_visit', 'has_purchase', ...names].join(', '))})
    join contacts c on c.account_id = ${accountId} and c.id = sent.contact_id
    cross join lateral (
      select coalesce(bool_or(visited), false) as visited, coalesce(bool_or(purchases > 0), false) as purchased from contact_days
      where account_id = ${accountId} and contact_id = sent.contact_id and day = sent.day) as before
    cross join (select ${todayOf(tx, accountId)} as today offset 0) as clock
    on conflict (account_id, contact_id) do update set consents = excluded.consents, first_visit = least(kept.first_visit, excluded.first_visit),
      last_visit = greatest(kept.last_visit, excluded.last_visit), next_day = least(kept.next_day, excluded.next_day),
      recent_visits = case when excluded.visits = 0 then kept.recent_visits
        when excluded.first_visit > kept.last_visit then (excluded.recent_visits || kept.recent_visits)[1:50]
        else array(select day from unnest(excluded.recent_visits || kept.recent_visits) as day order by day desc limit 50) end,
      ${join(sumsOfKept.map((name) => plus('kept', name)))}`;
}

/** The statement that stores the days, if there are any. */
function addToDays(accountId: number, days: AddedDay[]): Sql[] {
  const rows = days.flatMap(({ units, ...day }) =>
    [...units].map(([unit_id, counts]) => ({ ...day, unit_id, counts })),
  );
  const names = dayCounts.filter((name) => rows.some(({ counts }) => counts[name]));
  if (names.length === 0) return [];
  const lists = names.map((name) => sql`${rows.map(({ counts }) => counts[name] ?? 0)}::${typeOf(name)}`);
  return [
    sql`
      insert into contact_days as kept (${dayKey}, ${raw(names.join(', '))})
      select ${accountId}::bigint, * from unnest(${rows.map((row) => row.contact_id)}::bigint[], ${rows.map(({ day }) => day)}::date[],
        ${rows.map((row) => row.unit_id)}::bigint[], ${join(lists)})
      on conflict (${dayKey}) do update set ${join(names.map((name) => plus('kept', name)))}`,
  ];
}
