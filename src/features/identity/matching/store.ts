import type { Tx } from '../../../platform/db/database.ts';
import { alsoEquals, type Sql, sql } from '../../../platform/db/sql.ts';
import type { MatchKey } from '../../../shared/codes.ts';
import { cancelledStage } from '../../../shared/codes.ts';
import type { NewEvent } from '../../../shared/event-kind.ts';
import type { OwnPurchase } from '../../figures/schema.ts';
import { purchaseMatched } from './event-schema.ts';

/**
 * The keys that a transaction adds, which waiting purchases can match. `place` is the order of the commands in the
 * transaction: a key can move to another contact by the end.
 */
export interface NewMatchKeys {
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
  /** The new owners of membership numbers and cards. */
  claims: { kind: 'membership' | 'card'; value: string; contact_id: number; place: number }[];
  /**
   * The ids of assigned or redeemed voucher codes. If several groups have a code and a purchase names no group, the
   * redeemed code matches.
   */
  codeIds: number[];
}

const noNewMatchKeys: NewMatchKeys = { bookings: [], claims: [], codeIds: [] };

/** The key of a code, as in unique_codes.code_key and purchases.unique_code_key. */
const keyOfCode = (code: Sql) => sql`upper(${code} collate "C")`;

/** The maximum distance between a booking's start and a purchase: 3 hours, inclusive. */
const longestSeconds = 3 * 60 * 60;

/**
 * The distance between a booking's start and a purchase, in elapsed seconds. When daylight saving time changes, it
 * differs from the wall-clock distance. An index selects the candidates; this expression is computed only for them.
 */
const secondsBetween = (start: Sql, purchase: Sql, timeZone: string) =>
  sql`abs(extract(epoch from (${start} at time zone ${timeZone}) - (${purchase} at time zone ${timeZone})))`;

/** The waiting purchases that these keys match, with the rank of the key and the contact. */
const matches = (accountId: number, timeZone: string, { bookings, claims, codeIds }: NewMatchKeys) => sql`
  with booking as (
    select sent.*, stored.id,
      greatest(party_datetime - interval '4 hours', date_trunc('day', party_datetime)) as earliest,
      party_datetime + interval '4 hours' as latest, date_trunc('day', party_datetime) + interval '1 day' as next_day
    from jsonb_to_recordset(${JSON.stringify(bookings)}::jsonb) as sent (place bigint, booking_reference text,
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
  from unnest(${codeIds}::bigint[]) as sent (id)
  cross join lateral (
    select code_key, group_id, contact_id, redeemed_at from unique_codes
    where account_id = ${accountId} and id = sent.id and contact_id is not null offset 0) as code
  cross join lateral (
    select id, unique_code_group_id from purchases
    where account_id = ${accountId} and contact_id is null and unique_code_key = code.code_key offset 0) as purchase
  where purchase.unique_code_group_id = code.group_id or (purchase.unique_code_group_id is null and not exists (
    select from unique_codes other
    where other.account_id = ${accountId} and other.code_key = code.code_key and other.group_id <> code.group_id
      and (code.redeemed_at is null or other.redeemed_at is not null)))
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
      and created_at >= booking.earliest and created_at <= booking.latest and created_at < booking.next_day
      and lower(table_number) = any (select lower(seat) from unnest(booking.table_numbers) as seat) offset 0) as purchase
  where booking.stage_value <> ${cancelledStage} and purchase.seconds <= ${longestSeconds}`;

/** The identifying fields of a stored purchase that a request sends again. */
interface ExistingPurchase {
  transaction_reference: string;
  unit_id: number;
  provider_id: number | null;
}

const idsOfExisting = (accountId: number, existing: ExistingPurchase[]) => sql`
  select purchase.id from unnest(${existing.map((one) => one.transaction_reference)}::text[], ${existing.map((one) => one.unit_id)}::bigint[],
    ${existing.map((one) => one.provider_id)}::bigint[]) as sent (transaction_reference, unit_id, provider_id)
  cross join lateral (
    select id from purchases
    where account_id = ${accountId} and transaction_reference = sent.transaction_reference and ${alsoEquals(sql`unit_id`, sql`sent.unit_id`)}
      and provider_id is not distinct from sent.provider_id offset 0) as purchase`;

/** All transactions lock in id order. Returns the purchases as they are under the lock. */
function lockInOrder(tx: Tx, accountId: number, ids: Sql): Promise<OwnPurchase[]> {
  return tx<OwnPurchase>`
    select contact_id, unit_id, created_at, total_pence from purchases where account_id = ${accountId} and id = any(array(${ids})) order by id for no key update`;
}

/** Locks the purchases that are sent again. The statement of `lockExistingAndWaiting` would take long to plan. */
export function lockExisting(tx: Tx, accountId: number, existing: ExistingPurchase[]): Promise<OwnPurchase[]> {
  return lockInOrder(tx, accountId, idsOfExisting(accountId, existing));
}

/** Locks the purchases that are sent again, and waiting purchases that the new keys match. */
export function lockExistingAndWaiting(
  tx: Tx,
  accountId: number,
  timeZone: string,
  existing: ExistingPurchase[],
  newKeys: NewMatchKeys,
): Promise<OwnPurchase[]> {
  return lockInOrder(
    tx,
    accountId,
    sql`${idsOfExisting(accountId, existing)} union select id from (${matches(accountId, timeZone, newKeys)}) as match`,
  );
}

/** A waiting purchase that was matched. */
export interface MatchedPurchase extends OwnPurchase {
  transaction_reference: string;
  provider_id: number | null;
  matched_by: MatchKey;
  /** The contact after merges. */
  survivor: number;
}

export function matchedEvents(matched: MatchedPurchase[]): NewEvent[] {
  return matched.map(({ contact_id: _, survivor: contact_id, total_pence, ...purchase }) =>
    purchaseMatched.of({ contact_id, ...purchase, total: total_pence / 100 }),
  );
}

/** Matches waiting purchases to contacts, counts the matches by key, and returns the purchases. */
export async function matchWaiting(
  tx: Tx,
  accountId: number,
  timeZone: string,
  newKeys: NewMatchKeys,
  count: (outcome: string) => void,
): Promise<MatchedPurchase[]> {
  const rows = await tx<MatchedPurchase>`
    update purchases set contact_id = match.contact_id, matched_by = match.key, matched_booking_id = match.booking_id, matched_at = ${tx.now},
      matched_value = case when match.key = 'booking_reference' then booking_reference when match.key = 'unique_code' then unique_code
        when match.key = 'membership_number' then membership_number when match.key = 'card_reference' then card_reference
        else table_number end
    from (
      select distinct on (id) * from (${matches(accountId, timeZone, newKeys)}) as match
      order by id, place, rank, seconds, booking_id desc) as match
    where purchases.account_id = ${accountId} and purchases.id = match.id and purchases.contact_id is null
    returning purchases.matched_by, purchases.contact_id, purchases.unit_id, purchases.created_at, purchases.total_pence,
      purchases.transaction_reference, purchases.provider_id, ${survivorOf(accountId, sql`purchases.contact_id`)}`;
  for (const { matched_by } of rows) count(`waiting_purchase_matched_by_${matched_by}`);
  return rows;
}

/** Locks and matches waiting purchases, in a transaction that changes no other purchases. */
export async function lockAndMatchWaiting(
  tx: Tx,
  accountId: number,
  timeZone: string,
  newKeys: Partial<NewMatchKeys>,
  count: (outcome: string) => void,
): Promise<MatchedPurchase[]> {
  const all = { ...noNewMatchKeys, ...newKeys };
  await lockExistingAndWaiting(tx, accountId, timeZone, [], all);
  return matchWaiting(tx, accountId, timeZone, all, count);
}

export interface MatchTarget {
  contact_id: number;
  /** The contact that this one was merged into, or itself. */
  survivor: number;
  booking_id: number | null;
}

/*
 * Under row-level security an index is used only for a column that equals another column or a parameter. So the values of
 * the sent rows are computed in a subquery with `offset 0`, and not in the condition.
 */

/** For each reference, in order: the contact of the provider's booking, or else of the newest booking. */
export async function findByBookings(
  tx: Tx,
  accountId: number,
  references: { booking_reference: string; provider_id: number | null }[],
): Promise<(MatchTarget | undefined)[]> {
  const rows = await tx<TargetRow>`
    select booking.contact_id, ${survivorOf(accountId, sql`booking.contact_id`)}, booking.id as booking_id
    from unnest(${references.map((one) => one.booking_reference)}::text[], ${references.map((one) => one.provider_id)}::bigint[])
      with ordinality as sent (booking_reference, provider_id, place)
    left join lateral (
      select id, contact_id from bookings
      where account_id = ${accountId} and booking_reference = sent.booking_reference
      order by provider_id is not distinct from sent.provider_id desc, id desc limit 1) as booking on true
    order by place`;
  return rows.map(targetOf);
}

/** For each membership number or card, in order: its owner. */
export async function findByIdentities(
  tx: Tx,
  accountId: number,
  identities: { kind: 'membership' | 'card'; value: string }[],
): Promise<(MatchTarget | undefined)[]> {
  const rows = await tx<TargetRow>`
    select identity.contact_id, ${survivorOf(accountId, sql`identity.contact_id`)}
    from unnest(${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[]) with ordinality
      as sent (kind, value, place)
    left join lateral (
      select contact_id from identities where account_id = ${accountId} and kind = sent.kind and value = sent.value offset 0)
      as identity on true
    order by place`;
  return rows.map(targetOf);
}

export interface CodeFound {
  /** The number of groups with this code. With more than one, the group is required. */
  groups: number;
  /** Undefined: the code does not exist or is not assigned. */
  target: MatchTarget | undefined;
}

/** For each code, in order: its contact. A code with a group is looked up in that group only. */
export async function findByCodes(
  tx: Tx,
  accountId: number,
  codes: { unique_code: string; unique_code_group_id: number | null }[],
): Promise<CodeFound[]> {
  const rows = await tx<TargetRow & { groups: number }>`
    select coalesce(code.groups, 0) as groups, code.contact_id, ${survivorOf(accountId, sql`code.contact_id`)}
    from (
      select ${keyOfCode(sql`unique_code`)} as key, group_id, place
      from unnest(${codes.map((code) => code.unique_code)}::text[], ${codes.map((code) => code.unique_code_group_id)}::bigint[])
        with ordinality as sent (unique_code, group_id, place) offset 0) as sent
    left join lateral (
      select count(*) as groups, min(contact_id) as contact_id from unique_codes
      where account_id = ${accountId} and code_key = sent.key
        and group_id = coalesce(sent.group_id, group_id) offset 0) as code on true
    order by place`;
  return rows.map((row) => ({ groups: row.groups, target: row.groups === 1 ? targetOf(row) : undefined }));
}

interface TargetRow {
  contact_id: number | null;
  survivor: number | null;
  booking_id?: number | null;
}

function targetOf({ contact_id, survivor, booking_id = null }: TargetRow): MatchTarget | undefined {
  return contact_id === null ? undefined : { contact_id, survivor: survivor ?? contact_id, booking_id };
}

const survivorOf = (accountId: number, contactId: Sql) => sql`
  (select coalesce(merged_into, id) from contacts where account_id = ${accountId} and id = ${contactId}) as survivor`;

/**
 * For each purchase at a table, in order: the contact of the table's booking that is nearest in time. The index contains
 * the table, or '' for bookings with several tables.
 */
export async function findByTables(
  tx: Tx,
  accountId: number,
  timeZone: string,
  purchases: { unit_id: number; at: string; table_number: string }[],
): Promise<(MatchTarget | undefined)[]> {
  const rows = await tx<TargetRow>`
    select booking.contact_id, ${survivorOf(accountId, sql`booking.contact_id`)}, booking.id as booking_id
    from (
      select unit_id, at, at::date as day, lower(table_number) as table_key, place
      from unnest(${purchases.map((one) => one.unit_id)}::bigint[], ${purchases.map((one) => one.at)}::timestamp[],
        ${purchases.map((one) => one.table_number)}::text[]) with ordinality as sent (unit_id, at, table_number, place) offset 0) as sent
    left join lateral (
      select id, contact_id, seconds from unnest(array[sent.table_key, '']) as wanted (table_key)
      cross join lateral (
        select b.id, b.contact_id, ${secondsBetween(sql`b.party_datetime`, sql`sent.at`, timeZone)} as seconds
        from bookings b
        where b.account_id = ${accountId} and b.unit_id = sent.unit_id and b.party_day = sent.day and b.table_key = wanted.table_key
          and b.stage_value <> ${cancelledStage} and sent.table_key = any (select lower(seat) from unnest(b.table_numbers) as seat) offset 0) as candidate
      where seconds <= ${longestSeconds} order by seconds, id desc limit 1) as booking on true
    order by place`;
  return rows.map(targetOf);
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

/** The unit's bookings within 12 hours of a purchase, and the chosen booking. Shows which conditions each one meets. */
export function selectCandidates(
  tx: Tx,
  accountId: number,
  timeZone: string,
  { unit_id, at, table_number }: { unit_id: number; at: string; table_number: string },
  chosen: number | null,
): Promise<CandidateRow[]> {
  return tx<CandidateRow>`
    select booking_id, booking_reference, contact_id, party_datetime, table_numbers, cancelled, same_day, same_table,
      seconds <= ${longestSeconds} as within
    from (
      select b.id as booking_id, b.booking_reference, coalesce(c.merged_into, c.id) as contact_id,
        to_char(b.party_datetime, 'YYYY-MM-DD HH24:MI:SS') as party_datetime, b.table_numbers, b.stage_value = ${cancelledStage} as cancelled,
        b.party_datetime::date = ${at}::timestamp::date as same_day,
        lower(${table_number}) = any (select lower(seat) from unnest(b.table_numbers) as seat) as same_table,
        ${secondsBetween(sql`b.party_datetime`, sql`${at}::timestamp`, timeZone)} as seconds
      from bookings b join contacts c on c.account_id = b.account_id and c.id = b.contact_id
      where b.account_id = ${accountId} and b.id = any(array(
        select id from bookings
        where account_id = ${accountId} and unit_id = ${unit_id} and party_day between ${at}::timestamp::date - 1 and ${at}::timestamp::date + 1
          and party_datetime between ${at}::timestamp - interval '12 hours' and ${at}::timestamp + interval '12 hours') || ${chosen}::bigint)) as candidate
    order by booking_id = ${chosen} desc, (same_table and same_day and not cancelled and seconds <= ${longestSeconds}) desc, same_table desc, seconds, booking_id desc
    limit 20`;
}
