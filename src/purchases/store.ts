import type { Tx } from '../db/database.ts';
import { listing } from '../db/listing.ts';
import { only, type Sql, sql } from '../db/sql.ts';
import { onClock } from '../shared/clock.ts';
import { decimal, money, type Rows, type Slice } from '../shared/fields.ts';
import {
  type Item,
  type ListWaiting,
  type MatchKey,
  matchKeys,
  mostLines,
  type NewPurchase,
  type Purchase,
  type PurchasePop,
  type StaffPurchase,
  unknownOrderType,
  type Waiting,
} from './schema.ts';

interface StoredLine {
  description: string;
  sku: string;
  quantity: string;
  value: string;
  tags: string[];
}

export type SentKeys = Record<MatchKey, string | null> & { unique_code_group_id: number | null };

/** A purchase as it is stored. */
export interface PurchaseRow extends SentKeys {
  contact_id: number | null;
  unit_id: number;
  provider_id: number | null;
  transaction_reference: string;
  order_type_id: number;
  created_at: string;
  lines: StoredLine[];
  matched_by: MatchKey | null;
  matched_booking_id: number | null;
}

export const nothingSent: SentKeys = {
  booking_reference: null,
  unique_code: null,
  unique_code_group_id: null,
  membership_number: null,
  card_reference: null,
  table_number: null,
};

/** Which purchase is meant. */
export type PurchaseKey = Pick<PurchaseRow, 'transaction_reference' | 'unit_id' | 'provider_id'>;

export const purchaseKey = ({ transaction_reference, unit_id, provider_id }: PurchaseKey) =>
  `${unit_id} ${provider_id ?? ''} ${transaction_reference}`;
/** What stands for it among locks. */
export const purchaseLock = (reference: string) => `purchase:${reference}`;

/** What was sent, as it is stored: without what it says of the guest, and as far as it was there before. */
export function purchaseRow(
  before: PurchaseRow | undefined,
  sent: NewPurchase,
  of: { rootUnitId: number; providerId?: number | undefined; receivedAt: string; timeZone: string },
): PurchaseRow {
  return {
    ...(before ?? { ...nothingSent, contact_id: null, matched_by: null, matched_booking_id: null }),
    transaction_reference: sent.transaction_reference,
    unit_id: sent.unit_id ?? of.rootUnitId,
    provider_id: sent.provider_id ?? of.providerId ?? null,
    order_type_id: sent.order_type_id ?? before?.order_type_id ?? unknownOrderType,
    created_at:
      sent.created_at === undefined
        ? (before?.created_at ?? onClock(of.receivedAt, of.timeZone))
        : onClock(sent.created_at, of.timeZone),
    lines: sent.items?.map(line) ?? before?.lines ?? [],
  };
}

function line({ description = '', sku = '', quantity, value, tags = [] }: Item): StoredLine {
  return { description, sku, quantity: String(Number(decimal(quantity, 3))), value: money(value), tags };
}

const ofKeys = (keys: PurchaseKey[]) => sql`unnest(${keys.map((key) => key.transaction_reference)}::text[],
  ${keys.map((key) => key.unit_id)}::bigint[], ${keys.map((key) => key.provider_id)}::bigint[])
  as sent (transaction_reference, unit_id, provider_id)`;

const stored = sql`contact_id, unit_id, provider_id, transaction_reference, order_type_id, created_at, lines, booking_reference, unique_code,
  unique_code_group_id, membership_number, card_reference, table_number, matched_by, matched_booking_id`;

/** Those of these that exist. */
export function findPurchases(tx: Tx, accountId: number, keys: PurchaseKey[]): Promise<PurchaseRow[]> {
  return tx<PurchaseRow>`
    select purchase.* from ${ofKeys(keys)}
    cross join lateral (
      select ${stored} from purchases
      where account_id = ${accountId} and transaction_reference = sent.transaction_reference and unit_id = sent.unit_id
        and provider_id is not distinct from sent.provider_id offset 0) as purchase`;
}

export interface StoredPurchase extends PurchaseKey {
  id: number;
  /** What the contact that it was written to is today. */
  contact_id: number | null;
  matched_by: MatchKey | null;
}

/** Makes the new ones and changes the others: every row as it is to be, in the order given, which their ids keep. */
export function putPurchases(tx: Tx, accountId: number, rows: PurchaseRow[]): Promise<StoredPurchase[]> {
  return tx<StoredPurchase>`
    with stored as (
      insert into purchases (account_id, ${stored}, matched_at)
      select ${accountId}::bigint, ${stored}, case when matched_by is not null then now() end
      from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (contact_id bigint, unit_id bigint, provider_id bigint,
        transaction_reference text, order_type_id integer, created_at timestamp, lines jsonb, booking_reference text, unique_code text,
        unique_code_group_id bigint, membership_number text, card_reference text, table_number text, matched_by text, matched_booking_id bigint))
        with ordinality as purchase (${stored}, place)
      order by place
      on conflict (account_id, transaction_reference, unit_id, provider_id) do update set contact_id = excluded.contact_id,
        order_type_id = excluded.order_type_id, created_at = excluded.created_at, lines = excluded.lines,
        booking_reference = excluded.booking_reference, unique_code = excluded.unique_code,
        unique_code_group_id = excluded.unique_code_group_id, membership_number = excluded.membership_number,
        card_reference = excluded.card_reference, table_number = excluded.table_number, matched_by = excluded.matched_by,
        matched_booking_id = excluded.matched_booking_id,
        -- A match that stays is as old as it was.
        matched_at = case when excluded.matched_by is not distinct from purchases.matched_by
          and excluded.contact_id is not distinct from purchases.contact_id then purchases.matched_at else excluded.matched_at end
      returning id, contact_id, unit_id, provider_id, transaction_reference, matched_by)
    select stored.id, coalesce(c.merged_into, c.id) as contact_id, stored.unit_id, stored.provider_id, stored.transaction_reference,
      stored.matched_by
    from stored left join contacts c on c.account_id = ${accountId} and c.id = stored.contact_id`;
}

/**
 * What a transaction brings that purchases may have been waiting for. Where it does many things one after the other,
 * `place` says which came first: what a purchase waited for may be with somebody else by the end.
 */
export interface Brought {
  bookings: {
    place: number;
    booking_reference: string;
    provider_id: number | null;
    contact_id: number;
    unit_id: number;
    party_datetime: string | null;
    table_numbers: string[];
    stage_value: number;
  }[];
  /** Who is now known by a membership number or card. */
  claims: { kind: 'membership' | 'card'; value: string; contact_id: number; place: number }[];
  /** Voucher codes, by id, that were assigned. */
  codeIds: number[];
}

export const nothingBrought: Brought = { bookings: [], claims: [], codeIds: [] };

/** The interface's own number for a booking that was cancelled. */
const cancelled = 550;

/** Within 3 hours of each other, and that exactly is within. */
const longestSeconds = 3 * 60 * 60;

/**
 * How far a booking's start is from a purchase, in seconds as they pass: on the night when the clocks change, an hour of
 * the wall clock's is none, or two. An index finds those within four of its hours; this is then for them alone.
 */
const secondsBetween = (start: Sql, purchase: Sql, timeZone: string) =>
  sql`abs(extract(epoch from (${start} at time zone ${timeZone}) - (${purchase} at time zone ${timeZone})))`;

/** The purchases that wait for something of this, by what (in the order in which keys count), and whose they are. */
const matches = (accountId: number, timeZone: string, { bookings, claims, codeIds }: Brought) => sql`
  with booking as (
    select sent.*, stored.id from jsonb_to_recordset(${JSON.stringify(bookings)}::jsonb) as sent (place bigint, booking_reference text,
      provider_id bigint, contact_id bigint, unit_id bigint, party_datetime timestamp, table_numbers text[], stage_value bigint)
    cross join lateral (
      select id from bookings
      where account_id = ${accountId} and booking_reference = sent.booking_reference
        and provider_id is not distinct from sent.provider_id offset 0) as stored),
  claim as (
    select * from jsonb_to_recordset(${JSON.stringify(claims)}::jsonb) as sent (place bigint, kind text, value text, contact_id bigint))
  select purchase.id, place, 1 as rank, 'booking_reference' as key, booking.contact_id, booking.id as booking_id, 0 as seconds
  from booking cross join lateral (
    select id from purchases
    where account_id = ${accountId} and contact_id is null and booking_reference = booking.booking_reference offset 0) as purchase
  union all
  select purchase.id, 0, 2, 'unique_code', code.contact_id, null, 0
  from unnest(${codeIds}::bigint[]) as brought (id)
  cross join lateral (
    select unique_code, group_id, contact_id from unique_codes
    where account_id = ${accountId} and id = brought.id and contact_id is not null offset 0) as code
  cross join lateral (
    select id, unique_code_group_id from purchases
    where account_id = ${accountId} and contact_id is null and unique_code = code.unique_code offset 0) as purchase
  where purchase.unique_code_group_id = code.group_id or (purchase.unique_code_group_id is null and not exists (
    select from unique_codes other
    where other.account_id = ${accountId} and other.unique_code = code.unique_code and other.group_id <> code.group_id))
  union all
  select purchase.id, place, 3, 'membership_number', claim.contact_id, null, 0
  from claim cross join lateral (
    select id from purchases
    where account_id = ${accountId} and contact_id is null and membership_number = claim.value offset 0) as purchase
  where claim.kind = 'membership'
  union all
  select purchase.id, place, 4, 'card_reference', claim.contact_id, null, 0
  from claim cross join lateral (
    select id from purchases
    where account_id = ${accountId} and contact_id is null and card_reference = claim.value offset 0) as purchase
  where claim.kind = 'card'
  union all
  select purchase.id, place, 5, 'table_number', booking.contact_id, booking.id, purchase.seconds
  from booking cross join lateral (
    select id, ${secondsBetween(sql`booking.party_datetime`, sql`created_at`, timeZone)} as seconds from purchases
    where account_id = ${accountId} and contact_id is null and table_number is not null and unit_id = booking.unit_id
      and created_at >= greatest(booking.party_datetime - interval '4 hours', date_trunc('day', booking.party_datetime))
      and created_at <= booking.party_datetime + interval '4 hours'
      and created_at < date_trunc('day', booking.party_datetime) + interval '1 day'
      and lower(table_number) = any (select lower(seat) from unnest(booking.table_numbers) as seat) offset 0) as purchase
  where booking.stage_value <> ${cancelled} and purchase.seconds <= ${longestSeconds}`;

/**
 * Locks, in one order everywhere, the purchases that a transaction is about to change: those sent again, and those that
 * may have been waiting for what it brings.
 */
export async function lockPurchases(
  tx: Tx,
  accountId: number,
  timeZone: string,
  keys: PurchaseKey[],
  brought: Brought,
): Promise<void> {
  await tx`
    select id from purchases where account_id = ${accountId} and id in (
      select purchase.id from ${ofKeys(keys)}
      cross join lateral (
        select id from purchases
        where account_id = ${accountId} and transaction_reference = sent.transaction_reference and unit_id = sent.unit_id
          and provider_id is not distinct from sent.provider_id offset 0) as purchase
      union
      select id from (${matches(accountId, timeZone, brought)}) as match)
    order by id for no key update`;
}

/** Gives purchases that were waiting for something of this to whom they belong. Answers what each was matched by. */
export async function matchWaiting(tx: Tx, accountId: number, timeZone: string, brought: Brought): Promise<MatchKey[]> {
  const rows = await tx<{ matched_by: MatchKey }>`
    update purchases set contact_id = match.contact_id, matched_by = match.key, matched_booking_id = match.booking_id, matched_at = now()
    from (
      select distinct on (id) * from (${matches(accountId, timeZone, brought)}) as match
      order by id, place, rank, seconds, booking_id desc) as match
    where purchases.account_id = ${accountId} and purchases.id = match.id and purchases.contact_id is null
    returning purchases.matched_by`;
  return rows.map((row) => row.matched_by);
}

export interface Lead {
  contact_id: number;
  booking_id: number | null;
}

/** For each reference, in order: the booking that was made last under it. */
export async function bookingsLedTo(tx: Tx, accountId: number, references: string[]): Promise<(Lead | undefined)[]> {
  const rows = await tx<{ contact_id: number | null; booking_id: number | null }>`
    select booking.contact_id, booking.id as booking_id
    from unnest(${references}::text[]) with ordinality as sent (booking_reference, place)
    left join lateral (
      select id, contact_id from bookings
      where account_id = ${accountId} and booking_reference = sent.booking_reference order by id desc limit 1) as booking on true
    order by place`;
  return rows.map(lead);
}

/** For each membership number or card, in order: whose it is. */
export async function membersLedTo(
  tx: Tx,
  accountId: number,
  identities: { kind: 'membership' | 'card'; value: string }[],
): Promise<(Lead | undefined)[]> {
  const rows = await tx<{ contact_id: number | null }>`
    select identity.contact_id
    from unnest(${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[]) with ordinality
      as sent (kind, value, place)
    left join lateral (
      select contact_id from identities where account_id = ${accountId} and kind = sent.kind and value = sent.value offset 0)
      as identity on true
    order by place`;
  return rows.map(lead);
}

export interface CodeFound {
  /** How many groups have it: with more than one, the group must be said. */
  groups: number;
  /** Undefined: in no group, or assigned to nobody. */
  lead: Lead | undefined;
}

/** For each code, in order; in its group where one is said. */
export async function codesLedTo(
  tx: Tx,
  accountId: number,
  codes: { unique_code: string; unique_code_group_id: number | null }[],
): Promise<CodeFound[]> {
  const rows = await tx<{ groups: number; contact_id: number | null }>`
    select coalesce(code.groups, 0) as groups, code.contact_id
    from unnest(${codes.map((code) => code.unique_code)}::text[], ${codes.map((code) => code.unique_code_group_id)}::bigint[])
      with ordinality as sent (unique_code, group_id, place)
    left join lateral (
      select count(*) as groups, min(contact_id) as contact_id from unique_codes
      where account_id = ${accountId} and unique_code = sent.unique_code
        and group_id = coalesce(sent.group_id, group_id) offset 0) as code on true
    order by place`;
  return rows.map((row) => ({ groups: row.groups, lead: row.groups === 1 ? lead(row) : undefined }));
}

function lead(row: { contact_id: number | null; booking_id?: number | null }): Lead | undefined {
  return row.contact_id === null ? undefined : { contact_id: row.contact_id, booking_id: row.booking_id ?? null };
}

/** Bookings of a unit that started within four hours of a purchase on the wall clock, on the same day. */
const around = (accountId: number) => sql`b.account_id = ${accountId} and b.unit_id = sent.unit_id
  and b.party_datetime >= greatest(sent.at - interval '4 hours', date_trunc('day', sent.at))
  and b.party_datetime <= sent.at + interval '4 hours' and b.party_datetime < date_trunc('day', sent.at) + interval '1 day'`;

/** For each purchase at a table, in order: the booking that had the table, nearest to it in time. */
export async function tablesLedTo(
  tx: Tx,
  accountId: number,
  timeZone: string,
  purchases: { unit_id: number; at: string; table_number: string }[],
): Promise<(Lead | undefined)[]> {
  const rows = await tx<{ contact_id: number | null; booking_id: number | null }>`
    select booking.contact_id, booking.id as booking_id
    from unnest(${purchases.map((one) => one.unit_id)}::bigint[], ${purchases.map((one) => one.at)}::timestamp[],
      ${purchases.map((one) => one.table_number)}::text[]) with ordinality as sent (unit_id, at, table_number, place)
    left join lateral (
      select id, contact_id, seconds from (
        select b.id, b.contact_id, ${secondsBetween(sql`b.party_datetime`, sql`sent.at`, timeZone)} as seconds
        from bookings b where ${around(accountId)} and b.stage_value <> ${cancelled}
          and lower(sent.table_number) = any (select lower(seat) from unnest(b.table_numbers) as seat) offset 0) as candidate
      where seconds <= ${longestSeconds} order by seconds, id desc limit 1) as booking on true
    order by place`;
  return rows.map(lead);
}

export interface CandidateRow {
  booking_id: number;
  booking_reference: string;
  contact_id: number;
  party_datetime: string;
  table_numbers: string[];
  cancelled: boolean;
  same_day: boolean;
  same_table: boolean;
  within: boolean;
}

/** The bookings of the unit nearest to a purchase, within half a day, with what speaks for and against each. */
export function selectCandidates(
  tx: Tx,
  accountId: number,
  timeZone: string,
  { unit_id, at, table_number }: { unit_id: number; at: string; table_number: string },
): Promise<CandidateRow[]> {
  return tx<CandidateRow>`
    select booking_id, booking_reference, contact_id, party_datetime, table_numbers, cancelled, same_day, same_table,
      seconds <= ${longestSeconds} as within
    from (
      select b.id as booking_id, b.booking_reference, coalesce(c.merged_into, c.id) as contact_id,
        to_char(b.party_datetime, 'YYYY-MM-DD HH24:MI:SS') as party_datetime, b.table_numbers, b.stage_value = ${cancelled} as cancelled,
        b.party_datetime::date = ${at}::timestamp::date as same_day,
        lower(${table_number}) = any (select lower(seat) from unnest(b.table_numbers) as seat) as same_table,
        ${secondsBetween(sql`b.party_datetime`, sql`${at}::timestamp`, timeZone)} as seconds
      from bookings b join contacts c on c.account_id = b.account_id and c.id = b.contact_id
      where b.account_id = ${accountId} and b.unit_id = ${unit_id}
        and b.party_datetime between ${at}::timestamp - interval '12 hours' and ${at}::timestamp + interval '12 hours') as candidate
    order by (same_table and same_day and not cancelled and seconds <= ${longestSeconds}) desc, same_table desc, seconds, booking_id desc
    limit 20`;
}

/** A line's id is made of the purchase's and its place. */
const lines = (withTags: boolean) => sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', p.id * ${mostLines} + place - 1) || ${withTags ? sql`line` : sql`(line - 'tags')`} order by place), '[]')
  from jsonb_array_elements(p.lines) with ordinality as line (line, place)) as transaction_lines`;

const shown = (
  withTags: boolean,
) => sql`${lines(withTags)}, u.name as unit_name, p.id, coalesce(c.merged_into, c.id) as contact_id,
  p.transaction_reference, p.unit_id, p.provider_id, p.order_type_id, to_char(p.created_at, 'YYYY-MM-DD HH24:MI:SS') as transaction_date`;
const withNames = sql`purchases p join units u on u.account_id = p.account_id and u.id = p.unit_id
  left join contacts c on c.account_id = p.account_id and c.id = p.contact_id`;

export function selectPurchases(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  slice: Slice,
): Promise<Rows<Purchase>> {
  const from = sql`${withNames} where p.account_id = ${accountId} and p.contact_id = any(${contactIds})`;
  const columns = sql`${shown(true)}, p.matched_by`;
  return listing(tx, { columns, from, orderBy: sql`p.created_at desc, p.id desc` }, slice);
}

/** On these days, newest first; one more than `most` where there are more than that. */
export function selectPurchasePops(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  { start, end }: { start: string; end: string },
  most: number,
): Promise<PurchasePop[]> {
  return tx<PurchasePop>`
    select ${shown(false)} from ${withNames}
    where p.account_id = ${accountId} and p.contact_id = any(${contactIds})
      and p.created_at >= ${start}::date and p.created_at < ${end}::date + 1
    order by p.created_at desc, p.id desc limit ${most + 1}`;
}

const staffColumns = sql`${shown(true)}, p.matched_by, p.booking_reference, p.unique_code, p.unique_code_group_id, p.membership_number,
  p.card_reference, p.table_number, p.matched_at`;

export async function findStaffPurchase(tx: Tx, accountId: number, id: number): Promise<StaffPurchase | undefined> {
  const [row] = await tx<StaffPurchase>`
    select ${staffColumns} from ${withNames} where p.account_id = ${accountId} and p.id = ${id}`;
  return row;
}

/** The booking that led to the contact. */
export async function findMatchedBooking(tx: Tx, accountId: number, id: number): Promise<number | null> {
  const [row] = await tx<{ matched_booking_id: number | null }>`
    select matched_booking_id from purchases where account_id = ${accountId} and id = ${id}`;
  return row?.matched_booking_id ?? null;
}

/** A condition for each, and not a parameter: the partial indexes are found by their very words. */
const waitsFor: Record<MatchKey, Sql> = {
  booking_reference: sql`contact_id is null and booking_reference is not null`,
  unique_code: sql`contact_id is null and unique_code is not null`,
  membership_number: sql`contact_id is null and membership_number is not null`,
  card_reference: sql`contact_id is null and card_reference is not null`,
  table_number: sql`contact_id is null and table_number is not null`,
};

/** Those that wait for this, or for anything; newest first. */
export function selectWaiting(
  tx: Tx,
  accountId: number,
  { waiting_for }: ListWaiting,
  slice: Slice,
): Promise<Rows<StaffPurchase>> {
  const waits = waiting_for === undefined ? sql`contact_id is null` : waitsFor[waiting_for];
  const from = sql`(select * from purchases where account_id = ${accountId} and ${waits}) as p
    join units u on u.account_id = p.account_id and u.id = p.unit_id
    left join contacts c on c.account_id = p.account_id and c.id = p.contact_id`;
  return listing(tx, { columns: staffColumns, from, orderBy: sql`p.id desc` }, slice);
}

/** How many wait, and for what. */
export async function countWaiting(tx: Tx, accountId: number): Promise<Waiting> {
  const count = (condition: Sql) => tx<{ n: number }>`
    select count(*) as n from purchases where account_id = ${accountId} and ${condition}`;
  const [all, ...each] = await Promise.all([
    count(sql`contact_id is null`),
    ...matchKeys.map((key) => count(waitsFor[key])),
  ]);
  const waiting_for = Object.fromEntries(
    matchKeys.map((key, index) => [key, only(each[index] as { n: number }[]).n]),
  ) as Record<MatchKey, number>;
  return { waiting: only(all).n, waiting_for };
}

/** In all accounts together. */
export function countWaitingEverywhere(tx: Tx): Promise<{ key: MatchKey; waiting: number }[]> {
  return tx<{ key: MatchKey; waiting: number }>`select key, waiting from waiting_purchases()`;
}
