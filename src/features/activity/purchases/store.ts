import type { Tx } from '../../../platform/db/database.ts';
import { listing, type PageRequest, requestRows, selectForMany } from '../../../platform/db/listing.ts';
import { alsoEquals, only, type Sql, sql } from '../../../platform/db/sql.ts';
import { toLocalTime } from '../../../shared/clock.ts';
import { idOf, type MatchKey, matchKeys, orderTypes } from '../../../shared/codes.ts';
import { decimal, money, type Rows, type Slice } from '../../../shared/fields.ts';
import { present } from '../../../shared/present.ts';
import { Invalid } from '../../../shared/problem.ts';
import { recordOf } from '../../../shared/record.ts';
import {
  type Item,
  type ListWaiting,
  mostLines,
  type NewPurchase,
  type Purchase,
  type PurchasePop,
  type StaffPurchase,
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

/** A stored purchase. */
export interface PurchaseRow extends SentKeys {
  contact_id: number | null;
  unit_id: number;
  provider_id: number | null;
  transaction_reference: string;
  order_type_id: number;
  created_at: string;
  lines: StoredLine[];
  matched_by: MatchKey | null;
  /** The value of the key when it matched. */
  matched_value: string | null;
  matched_booking_id: number | null;
}

export const noMatchKeys: SentKeys = {
  booking_reference: null,
  unique_code: null,
  unique_code_group_id: null,
  membership_number: null,
  card_reference: null,
  table_number: null,
};

export const noMatch = { matched_by: null, matched_value: null, matched_booking_id: null };

/** The key of a purchase. */
export type PurchaseKey = Pick<PurchaseRow, 'transaction_reference' | 'unit_id' | 'provider_id'>;

export const purchaseKey = ({ transaction_reference, unit_id, provider_id }: PurchaseKey) =>
  `${unit_id} ${provider_id ?? ''} ${transaction_reference}`;
/** The lock key of a purchase. */
export const purchaseLock = (reference: string) => `purchase:${reference}`;

interface Defaults {
  rootUnitId: number;
  providerId?: number | undefined;
}

/** The key of a sent purchase. */
export function sentKey(sent: Omit<NewPurchase, 'items'>, { rootUnitId, providerId }: Defaults): PurchaseKey {
  return {
    transaction_reference: sent.transaction_reference,
    unit_id: sent.unit_id ?? rootUnitId,
    provider_id: sent.provider_id ?? providerId ?? null,
  };
}

/**
 * The purchase after a write. Match keys keep their values. The object is written out: with spread syntax, a thousand
 * purchases took 14 ms, and requests of other accounts wait for that time.
 */
export function purchaseRow(
  before: PurchaseRow | undefined,
  sent: NewPurchase,
  of: Defaults & { receivedAt: string; timeZone: string },
): PurchaseRow {
  return {
    contact_id: before?.contact_id ?? null,
    unit_id: sent.unit_id ?? of.rootUnitId,
    provider_id: sent.provider_id ?? of.providerId ?? null,
    transaction_reference: sent.transaction_reference,
    order_type_id: sent.order_type_id ?? before?.order_type_id ?? idOf(orderTypes, 'unknown'),
    created_at:
      sent.created_at === undefined
        ? (before?.created_at ?? toLocalTime(of.receivedAt, of.timeZone))
        : toLocalTime(sent.created_at, of.timeZone),
    lines: sent.items?.map(line) ?? before?.lines ?? [],
    booking_reference: before?.booking_reference ?? null,
    unique_code: before?.unique_code ?? null,
    unique_code_group_id: before?.unique_code_group_id ?? null,
    membership_number: before?.membership_number ?? null,
    card_reference: before?.card_reference ?? null,
    table_number: before?.table_number ?? null,
    matched_by: before?.matched_by ?? null,
    matched_value: before?.matched_value ?? null,
    matched_booking_id: before?.matched_booking_id ?? null,
  };
}

function line({ description = '', sku = '', quantity, value, tags = [] }: Item): StoredLine {
  return { description, sku, quantity: String(Number(decimal(quantity, 3))), value: money(value), tags };
}

const stored = sql`contact_id, unit_id, provider_id, transaction_reference, order_type_id, created_at, lines, booking_reference, unique_code,
  unique_code_group_id, membership_number, card_reference, table_number, matched_by, matched_value, matched_booking_id`;

/** The purchases with these keys. */
export function findPurchases(tx: Tx, accountId: number, keys: PurchaseKey[]): Promise<PurchaseRow[]> {
  return tx<PurchaseRow>`
    select purchase.* from unnest(${keys.map((key) => key.transaction_reference)}::text[], ${keys.map((key) => key.unit_id)}::bigint[],
      ${keys.map((key) => key.provider_id)}::bigint[]) as sent (transaction_reference, unit_id, provider_id)
    cross join lateral (
      select ${stored} from purchases
      where account_id = ${accountId} and transaction_reference = sent.transaction_reference and ${alsoEquals(sql`unit_id`, sql`sent.unit_id`)}
        and provider_id is not distinct from sent.provider_id offset 0) as purchase`;
}

export interface StoredPurchase extends PurchaseKey {
  id: number;
}

/** Upserts complete rows. New ids follow the order of the rows. */
export function putPurchases(tx: Tx, accountId: number, rows: PurchaseRow[]): Promise<StoredPurchase[]> {
  return tx<StoredPurchase>`
    insert into purchases (account_id, ${stored}, matched_at)
    select ${accountId}::bigint, ${stored}, case when matched_by is not null then ${tx.now} end
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (contact_id bigint, unit_id bigint, provider_id bigint,
      transaction_reference text, order_type_id integer, created_at timestamp, lines jsonb, booking_reference text, unique_code text,
      unique_code_group_id bigint, membership_number text, card_reference text, table_number text, matched_by text, matched_value text, matched_booking_id bigint))
      with ordinality as purchase (${stored}, place)
    order by place
    on conflict (account_id, transaction_reference, unit_id, provider_id) do update set contact_id = excluded.contact_id,
      order_type_id = excluded.order_type_id, created_at = excluded.created_at, lines = excluded.lines,
      booking_reference = excluded.booking_reference, unique_code = excluded.unique_code,
      unique_code_group_id = excluded.unique_code_group_id, membership_number = excluded.membership_number,
      card_reference = excluded.card_reference, table_number = excluded.table_number, matched_by = excluded.matched_by,
      matched_value = excluded.matched_value, matched_booking_id = excluded.matched_booking_id,
      -- A match that does not change keeps its time.
      matched_at = case when excluded.matched_by is not distinct from purchases.matched_by
        and excluded.contact_id is not distinct from purchases.contact_id then purchases.matched_at else excluded.matched_at end
    returning id, unit_id, provider_id, transaction_reference`;
}

/** Removes the membership numbers and cards of an erased guest from all purchases. */
export async function removeMemberKeys(
  tx: Tx,
  accountId: number,
  memberships: string[],
  cards: string[],
): Promise<void> {
  const gone = (values: string[], condition: Sql) => sql`
    select purchase.id from unnest(${values}::text[]) as gone (value)
    cross join lateral (select id from purchases where account_id = ${accountId} and ${condition} offset 0) as purchase`;
  const isGone = (column: Sql, values: string[]) => sql`${column} = any(${values}::text[])`;
  const [membership, card] = [sql`membership_number`, sql`card_reference`];
  await tx`
    update purchases set
      membership_number = case when ${isGone(membership, memberships)} then null else membership_number end,
      card_reference = case when ${isGone(card, cards)} then null else card_reference end,
      matched_value = case
        when matched_by = 'membership_number' and ${isGone(sql`matched_value`, memberships)} then null
        when matched_by = 'card_reference' and ${isGone(sql`matched_value`, cards)} then null
        else matched_value end
    where account_id = ${accountId} and id = any(array(
      select id from purchases where account_id = ${accountId} and id = any(array(
        ${gone(memberships, sql`contact_id is null and membership_number = gone.value`)} union
        ${gone(memberships, sql`contact_id is not null and membership_number = gone.value`)} union
        ${gone(memberships, sql`matched_by in ('membership_number', 'card_reference') and matched_value = gone.value`)} union
        ${gone(cards, sql`contact_id is null and card_reference = gone.value`)} union
        ${gone(cards, sql`contact_id is not null and card_reference = gone.value`)} union
        ${gone(cards, sql`matched_by in ('membership_number', 'card_reference') and matched_value = gone.value`)}))
      order by id for no key update))`;
}

/** The id of a line consists of the id of its purchase and its place. */
const lines = sql`(
  select coalesce(json_agg(json_build_object('id', p.id * ${mostLines} + place - 1, 'description', line -> 'description', 'sku', line -> 'sku',
    'quantity', line -> 'quantity', 'value', line -> 'value', 'tags', line -> 'tags') order by place), '[]')
  from jsonb_array_elements(p.lines) with ordinality as line (line, place)) as transaction_lines`;

// Names are looked up instead of joined: a plan that starts with the units reads all their purchases.
const unitName = sql`(select name from units where account_id = p.account_id and id = p.unit_id) as unit_name`;
const shown = sql`${lines}, ${unitName}, p.id,
  (select coalesce(merged_into, id) from contacts where account_id = p.account_id and id = p.contact_id) as contact_id,
  p.transaction_reference, p.unit_id, p.provider_id, p.order_type_id, to_char(p.created_at, 'YYYY-MM-DD HH24:MI:SS') as transaction_date`;

export function selectPurchases(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  slice: Slice,
): Promise<Rows<Purchase>> {
  const from = sql`purchases p where account_id = ${accountId} and contact_id = any(${contactIds})`;
  return purchasePage(tx, accountId, from, { columns: sql`${shown}, p.matched_by`, orderBy: newestFirst }, slice);
}

const newestFirst = sql`p.created_at desc, p.id desc`;

/** Limits on the lines of one page. Usual pages stay far below. */
const pageBounds = { lines: 10_000, bytes: 2 * 1024 * 1024 };

/** A page of purchases with their lines. The sizes are read first: the lines of a hundred purchases may be too many to send. */
async function purchasePage<Row extends { id: number }>(
  tx: Tx,
  accountId: number,
  from: Sql,
  { columns, orderBy }: { columns: Sql; orderBy: Sql },
  slice: Slice,
): Promise<Rows<Row>> {
  const { rows: sizes, total } = await listing<PurchaseSize>(tx, { columns: sizeColumns, from, orderBy }, slice);
  if (exceeds(sizes, pageBounds)) {
    const most = `${pageBounds.lines} lines or ${pageBounds.bytes / 2 ** 20} MiB`;
    throw new Invalid({
      page: [`The purchases on this page have more than ${most}. Search for them by date: /v1/pop/by_date.`],
    });
  }
  const ids = sizes.map(({ id }) => id);
  const rows = await tx<Row>`
    select ${columns} from purchases p where account_id = ${accountId} and id = any(${ids}::bigint[]) order by ${orderBy}`;
  return { rows, total };
}

/** Whether the purchases have more lines, or more bytes in their lines, than the bounds allow. */
export function exceeds(sizes: { lines: number; bytes: number }[], bounds: { lines: number; bytes: number }): boolean {
  let [lines, bytes] = [0, 0];
  for (const size of sizes) {
    lines += size.lines;
    bytes += size.bytes;
  }
  return lines > bounds.lines || bytes > bounds.bytes;
}

interface PopRow extends Omit<PurchasePop, 'transaction_lines' | 'contact_id'> {
  /** Null: too large. */
  lines: StoredLine[] | null;
}

const popColumns = sql`${unitName}, p.id, p.transaction_reference, p.unit_id, p.provider_id, p.order_type_id,
  to_char(p.created_at, 'YYYY-MM-DD HH24:MI:SS') as transaction_date`;

/** A contact's purchases in a range of days, newest first. */
const popsOf = (accountId: number) => ({
  from: sql`unnest(request.contact_ids) as person (id) cross join lateral (
    select * from purchases where account_id = ${accountId} and contact_id = person.id
      and created_at >= request.start and created_at < request.until offset 0) as p`,
  orderBy: sql`p.created_at desc, p.id desc`,
});

type DaysRequest = Omit<PageRequest, 'limit' | 'offset'>;

/** The purchases of each search. Undefined: the result exceeds `room`. */
export async function selectPurchasePops(
  tx: Tx,
  accountId: number,
  all: DaysRequest[],
  room: { purchases: number; lines: number; bytes: number },
): Promise<(PurchasePop[] | undefined)[]> {
  const list = {
    ...popsOf(accountId),
    columns: sql`case when pg_column_size(p.lines) <= ${room.bytes} and jsonb_array_length(p.lines) <= ${room.lines}
      then p.lines end as lines, ${popColumns}`,
    show: (row: PopRow, { contactId }: PageRequest) => (row.lines ? showPop(row, row.lines, contactId) : undefined),
  };
  // One row more than allowed shows whether there are more.
  const slice = { limit: room.purchases + 1, offset: 0 };
  const found = await selectForMany(
    tx,
    list,
    all.map(({ contactId, contactIds, start, end }) => ({ contactId, contactIds, start, end, ...slice })),
  );
  const fits = (purchases: (PurchasePop | undefined)[]): purchases is PurchasePop[] =>
    purchases.length <= room.purchases && !purchases.includes(undefined);
  return found.map((purchases) => (fits(purchases) ? purchases : undefined));
}

interface PurchaseSize {
  id: number;
  lines: number;
  /** The size of the lines as text. */
  bytes: number;
}

const sizeColumns = sql`p.id, jsonb_array_length(p.lines) as lines, octet_length(p.lines::text) as bytes`;

/** A part of a search's purchases. */
export interface PopPiece {
  /** As text, because it is only passed back to PostgreSQL. */
  ids: string;
  purchases: number;
  lines: number;
  bytes: number;
}

/** A search's purchases, at most `limit` of them, newest first, in pieces of about this size. */
export function selectPopPieces(
  tx: Tx,
  accountId: number,
  request: DaysRequest,
  limit: number,
  piece: { purchases: number; bytes: number },
): Promise<PopPiece[]> {
  const { from, orderBy } = popsOf(accountId);
  const ofOne = [{ ...request, limit, offset: 0 }];
  return tx<PopPiece>`
    with size as (
      select ${sizeColumns}, p.created_at from ${requestRows(ofOne)} cross join lateral (select p.* from ${from}) as p
      order by ${orderBy} limit ${limit}),
    placed as (
      select p.*, (row_number() over newest - 1) / ${piece.purchases}::int as by_count, sum(p.bytes) over newest / ${piece.bytes}::int as by_bytes
      from size as p window newest as (order by ${orderBy}))
    select array_agg(id order by ${orderBy})::text as ids, count(*) as purchases, sum(lines)::int8 as lines, sum(bytes)::int8 as bytes
    from placed as p group by by_count, trunc(by_bytes) order by by_count, trunc(by_bytes)`;
}

/** The purchases of a piece, newest first. */
export async function selectPopsOf(
  tx: Tx,
  accountId: number,
  contactId: number,
  { ids }: PopPiece,
): Promise<PurchasePop[]> {
  const rows = await tx<PopRow>`
    select p.lines, ${popColumns} from purchases p where account_id = ${accountId} and id = any(${ids}::bigint[])
    order by p.created_at desc, p.id desc`;
  return rows.map((row) => showPop(row, row.lines ?? [], contactId));
}

/** Assembles the lines here, because PostgreSQL takes longer. */
function showPop(row: PopRow, stored: StoredLine[], contactId: number): PurchasePop {
  return {
    transaction_lines: stored.map(({ description, sku, quantity, value }, place) => {
      return { id: row.id * mostLines + place, description, sku, quantity, value };
    }),
    unit_name: row.unit_name,
    id: row.id,
    contact_id: contactId,
    transaction_reference: row.transaction_reference,
    unit_id: row.unit_id,
    provider_id: row.provider_id,
    order_type_id: row.order_type_id,
    transaction_date: row.transaction_date,
  };
}

const staffColumns = sql`${shown}, p.matched_by, p.booking_reference, p.unique_code, p.unique_code_group_id, p.membership_number,
  p.card_reference, p.table_number, p.matched_at`;

export async function findStaffPurchase(tx: Tx, accountId: number, id: number): Promise<StaffPurchase | undefined> {
  const [row] = await tx<StaffPurchase>`
    select ${staffColumns} from purchases p where account_id = ${accountId} and id = ${id}`;
  return row;
}

/** The value of the key when it matched, and the booking that it led to. */
export async function findMatch(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<Pick<PurchaseRow, 'matched_value' | 'matched_booking_id'>> {
  const [row] = await tx<Pick<PurchaseRow, 'matched_value' | 'matched_booking_id'>>`
    select matched_value, matched_booking_id from purchases where account_id = ${accountId} and id = ${id}`;
  return row ?? noMatch;
}

/** One condition per key, without a parameter, because it must repeat the condition of the partial index. */
const waitsFor: Record<MatchKey, Sql> = {
  booking_reference: sql`contact_id is null and booking_reference is not null`,
  unique_code: sql`contact_id is null and unique_code is not null`,
  membership_number: sql`contact_id is null and membership_number is not null`,
  card_reference: sql`contact_id is null and card_reference is not null`,
  table_number: sql`contact_id is null and table_number is not null`,
};

/** The waiting purchases, or those that wait for one key, newest first. */
export function selectWaiting(
  tx: Tx,
  accountId: number,
  { waiting_for }: ListWaiting,
  slice: Slice,
): Promise<Rows<StaffPurchase>> {
  const waits = waiting_for === undefined ? sql`contact_id is null` : waitsFor[waiting_for];
  const from = sql`purchases p where account_id = ${accountId} and ${waits}`;
  return purchasePage(tx, accountId, from, { columns: staffColumns, orderBy: sql`p.id desc` }, slice);
}

/** Counts the waiting purchases, in total and by key. */
export async function countWaiting(tx: Tx, accountId: number): Promise<Waiting> {
  const count = (condition: Sql) => tx<{ n: number }>`
    select count(*) as n from purchases where account_id = ${accountId} and ${condition}`;
  const { all, byKey } = await tx.inOrder({
    all: () => count(sql`contact_id is null`),
    byKey: () => tx.each(matchKeys, async (key) => [key, only(await count(waitsFor[key])).n] as const),
  });
  const counts = new Map(byKey);
  return { waiting: only(all).n, waiting_for: recordOf(matchKeys, (key) => present(counts.get(key), 'count')) };
}
