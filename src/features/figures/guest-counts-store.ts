import type { Tx } from '../../platform/db/database.ts';
import { insertRows } from '../../platform/db/insert-rows.ts';
import { only, raw, type Sql, sql } from '../../platform/db/sql.ts';
import { channels, consentBits, consentsInSql, flagOf } from '../../shared/codes.ts';
import { recordOf } from '../../shared/record.ts';
import { type Guest, type GuestCounts, guestCounts } from './schema.ts';
import { timeZoneOf } from './store.ts';

/*
 * The kept counts of guests. `counted_contacts` has what each contact adds to them, so the counts are always the sums of
 * its rows.
 */

/** The unit of the counts of the whole account. */
export const wholeAccount = 0;

/** The present state of those contacts that are guests. Merged and erased contacts are not. */
export function selectGuests(tx: Tx, accountId: number, contactIds: number[]): Promise<Guest[]> {
  const links = (table: string, id: string) => sql`array(
    select ${raw(id)} from ${raw(table)} where account_id = ${accountId} and contact_id = c.id order by 1)`;
  return tx<Guest>`
    select c.id as contact_id, (c.created_at at time zone ${timeZoneOf(accountId)})::date as day, ${raw(consentsInSql)} as consents,
      ${links('contact_units', 'unit_id')} as unit_ids, ${links('contact_groups', 'group_id')} as group_ids
    from contacts c where c.account_id = ${accountId} and c.id = any(${contactIds}::bigint[]) and c.merged_into is null`;
}

/** What the counts contain of these contacts, each named once. */
const countedOf = (accountId: number, contactIds: number[]) => sql`
  unnest(${contactIds}::bigint[]) as sent (id)
  cross join lateral (
    select contact_id, day, consents, unit_ids, group_ids from counted_contacts
    where account_id = ${accountId} and contact_id = sent.id offset 0) as counted_contact`;

function selectCounted(tx: Tx, accountId: number, contactIds: number[]): Promise<Guest[]> {
  return tx<Guest>`select contact_id, day, consents, unit_ids, group_ids from ${countedOf(accountId, contactIds)}`;
}

/** The contacts that one statement reads. */
const contactsAtOnce = 5000;

/**
 * Counts contacts whose state may have changed. Returns the number of contacts for which the counts were wrong.
 * The lock of the counts must be held.
 */
export async function countGuests(tx: Tx, accountId: number, contactIds: number[]): Promise<number> {
  let different = 0;
  for (let first = 0; first < contactIds.length; first += contactsAtOnce) {
    const { before, after } = await findChanged(tx, accountId, contactIds.slice(first, first + contactsAtOnce));
    different += new Set([...before, ...after].map((guest) => guest.contact_id)).size;
    await putCounted(tx, accountId, before, after);
    await addGuests(tx, accountId, [
      ...before.map((guest) => ({ ...guest, times: -1 })),
      ...after.map((guest) => ({ ...guest, times: 1 })),
    ]);
  }
  return different;
}

interface Changed {
  /** What the counts contain, and should not. */
  before: Guest[];
  /** What they lack. */
  after: Guest[];
}

/** What the counts contain of these contacts, and what they should contain, where it differs. */
export async function findChanged(tx: Tx, accountId: number, contactIds: number[]): Promise<Changed> {
  const { counted, guests } = await tx.inOrder({
    // A plan from the time when the table was empty would read all of it for each contact, until it is analysed again.
    plan: () => tx`set local enable_seqscan = off`,
    counted: () => selectCounted(tx, accountId, contactIds),
    guests: () => selectGuests(tx, accountId, contactIds),
  });
  const [texts, counts] = [new Set(guests.map(textOf)), new Set(counted.map(textOf))];
  return {
    before: counted.filter((guest) => !texts.has(textOf(guest))),
    after: guests.filter((guest) => !counts.has(textOf(guest))),
  };
}

const textOf = ({ contact_id, day, consents, unit_ids, group_ids }: Guest) =>
  JSON.stringify([contact_id, day, consents, unit_ids, group_ids]);

async function putCounted(tx: Tx, accountId: number, before: Guest[], after: Guest[]): Promise<void> {
  const stays = new Set(after.map((guest) => guest.contact_id));
  const gone = before.flatMap(({ contact_id }) => (stays.has(contact_id) ? [] : [contact_id]));
  if (gone.length > 0)
    await tx`delete from counted_contacts where account_id = ${accountId} and contact_id = any(${gone})`;
  if (after.length === 0) return;
  await insertRows(tx, accountId, {
    table: 'counted_contacts',
    columns: {
      ...{ contact_id: 'bigint', day: 'date', consents: 'integer', unit_ids: 'bigint[]', group_ids: 'bigint[]' },
    },
    rows: after,
    clauses: sql`on conflict (account_id, contact_id) do update set day = excluded.day, consents = excluded.consents,
      unit_ids = excluded.unit_ids, group_ids = excluded.group_ids`,
  });
}

export interface GuestDay extends GuestCounts {
  unit_id: number;
  day: string;
}

export interface GroupGuests {
  group_id: number;
  guests: number;
}

/** Adds guests to the counts, or takes them away (`times` is -1). */
async function addGuests(tx: Tx, accountId: number, guests: (Guest & { times: number })[]): Promise<void> {
  const days = new Map<string, GuestDay>();
  const groups = new Map<number, GroupGuests>();
  for (const { day, consents, unit_ids, group_ids, times } of guests) {
    for (const unit_id of [wholeAccount, ...unit_ids]) {
      const key = `${unit_id} ${day}`;
      const sum = days.get(key) ?? { unit_id, day, ...recordOf(guestCounts, () => 0) };
      days.set(key, sum);
      addGuest(sum, consents, times);
    }
    for (const group_id of group_ids)
      groups.set(group_id, { group_id, guests: (groups.get(group_id)?.guests ?? 0) + times });
  }
  await addGuestDays(tx, accountId, [...days.values()]);
  await addGroupGuests(tx, accountId, [...groups.values()]);
}

/** Adds a guest with these consents to a sum. */
export function addGuest(to: GuestCounts, consents: number, times = 1): void {
  to.guests += times;
  for (const channel of channels) if (consents & consentBits[channel]) to[flagOf[channel]] += times;
}

const added = (table: string, names: readonly string[]) =>
  raw(names.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', '));

/** Adds to the counts of days. Days to which nothing is added are left out. */
export async function addGuestDays(tx: Tx, accountId: number, days: GuestDay[]): Promise<void> {
  const rows = days.filter((day) => guestCounts.some((name) => day[name] !== 0));
  if (rows.length === 0) return;
  await insertRows(tx, accountId, {
    table: 'guest_days',
    columns: { unit_id: 'bigint', day: 'date', ...recordOf(guestCounts, () => 'integer' as const) },
    rows,
    clauses: sql`on conflict (account_id, unit_id, day) do update set ${added('guest_days', guestCounts)}`,
  });
}

export async function addGroupGuests(tx: Tx, accountId: number, groups: GroupGuests[]): Promise<void> {
  const rows = groups.filter(({ guests }) => guests !== 0);
  if (rows.length === 0) return;
  await insertRows(tx, accountId, {
    table: 'group_guests',
    columns: { group_id: 'bigint', guests: 'integer' },
    rows,
    clauses: sql`on conflict (account_id, group_id) do update set ${added('group_guests', ['guests'])}`,
  });
}

/** The next ids of contacts after this one, also of those that only the counts have. */
export async function nextGuestIds(tx: Tx, accountId: number, after: number, limit: number): Promise<number[]> {
  const next = (table: string, id: string) => sql`(
    select ${raw(id)} as id from ${raw(table)} where account_id = ${accountId} and ${raw(id)} > ${after}
    order by 1 limit ${limit})`;
  const rows = await tx<{ id: number }>`
    select id from (${next('contacts', 'id')} union ${next('counted_contacts', 'contact_id')}) as next
    order by id limit ${limit}`;
  return rows.map((row) => row.id);
}

/** The counts in one order, and what one contact takes away from them. */
const inOrder = raw(['guests', ...channels.map((channel) => flagOf[channel])].join(', '));
const takenAway = raw(
  ['-1', ...channels.map((channel) => `-(consents & ${consentBits[channel]} <> 0)::integer`)].join(', '),
);
const sums = raw(guestCounts.map((name) => `sum(${name})::bigint as ${name}`).join(', '));

/**
 * The kept counts of a unit without some contacts, by the position of the day between edges. One statement, because the
 * contacts can be counted at any time.
 */
export function sumGuestDays(
  tx: Tx,
  accountId: number,
  unitId: number,
  edges: string[],
  without: number[],
): Promise<(GuestCounts & { place: number })[]> {
  const atUnit = unitId === wholeAccount ? sql`` : sql`where ${unitId} = any(unit_ids)`;
  return tx<GuestCounts & { place: number }>`
    select width_bucket(day, ${edges}::date[]) as place, ${sums} from (
      select day, ${inOrder} from guest_days where account_id = ${accountId} and unit_id = ${unitId}
      union all
      select day, ${takenAway} from ${countedOf(accountId, without)} ${atUnit}) as counted
    group by 1`;
}

/** The kept numbers of guests of units, without some contacts. */
export const sumUnitGuests = (tx: Tx, accountId: number, unitIds: number[], without: number[]) =>
  sumMembers(tx, accountId, { table: sql`guest_days`, id: sql`unit_id`, list: sql`unit_ids` }, unitIds, without);

/** The kept numbers of guests in groups, without some contacts. */
export const sumGroupGuests = (tx: Tx, accountId: number, groupIds: number[], without: number[]) =>
  sumMembers(tx, accountId, { table: sql`group_guests`, id: sql`group_id`, list: sql`group_ids` }, groupIds, without);

async function sumMembers(
  tx: Tx,
  accountId: number,
  { table, id, list }: Record<'table' | 'id' | 'list', Sql>,
  ids: number[],
  without: number[],
): Promise<Map<number, number>> {
  const rows = await tx<{ id: number; guests: number }>`
    select id, sum(guests)::bigint as guests from (
      select ${id} as id, guests from ${table} where account_id = ${accountId} and ${id} = any(${ids}::bigint[])
      union all
      select member.id, -1 from ${countedOf(accountId, without)} cross join lateral unnest(${list}) as member (id)
      where member.id = any(${ids}::bigint[])) as counted
    group by id`;
  return new Map(rows.map((row) => [row.id, row.guests]));
}

/** The last of the next counted contacts after an id. Null: there is none. */
export async function lastOfNext(tx: Tx, accountId: number, after: number, limit: number): Promise<number | null> {
  const rows = await tx<{ last: number | null }>`
    select max(contact_id) as last from (
      select contact_id from counted_contacts where account_id = ${accountId} and contact_id > ${after}
      order by contact_id limit ${limit}) as next`;
  return only(rows).last;
}

const inRange = (accountId: number, { after, last }: { after: number; last: number }) =>
  sql`account_id = ${accountId} and contact_id > ${after} and contact_id <= ${last}`;

/** The counts of guests that follow from a range of counted contacts. */
export function sumCounted(tx: Tx, accountId: number, range: { after: number; last: number }): Promise<GuestDay[]> {
  const consents = channels.map(
    (channel) => `count(*) filter (where consents & ${consentBits[channel]} <> 0) as ${flagOf[channel]}`,
  );
  return tx<GuestDay>`
    select unit.id as unit_id, day, count(*) as guests, ${raw(consents.join(', '))}
    from counted_contacts cross join lateral unnest(${wholeAccount}::bigint || unit_ids) as unit (id)
    where ${inRange(accountId, range)} group by 1, 2`;
}

export function sumCountedGroups(
  tx: Tx,
  accountId: number,
  range: { after: number; last: number },
): Promise<GroupGuests[]> {
  return tx<GroupGuests>`
    select link.id as group_id, count(*) as guests from counted_contacts cross join lateral unnest(group_ids) as link (id)
    where ${inRange(accountId, range)} group by 1`;
}

/** The kept counts of a unit. */
export function selectGuestDays(tx: Tx, accountId: number, unitId: number): Promise<GuestDay[]> {
  return tx<GuestDay>`
    select unit_id, day, ${inOrder} from guest_days where account_id = ${accountId} and unit_id = ${unitId}`;
}

export function selectGroupGuests(tx: Tx, accountId: number): Promise<GroupGuests[]> {
  return tx<GroupGuests>`select group_id, guests from group_guests where account_id = ${accountId}`;
}
