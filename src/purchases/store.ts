import type { Tx } from '../db/database.ts';
import { type Asked, listing, selectForMany } from '../db/listing.ts';
import { alsoEquals, only, type Sql, sql } from '../db/sql.ts';
import { type MatchKey, matchKeys } from '../matching/schema.ts';
import { onClock } from '../shared/clock.ts';
import { decimal, money, type Rows, type Slice } from '../shared/fields.ts';
import {
  type Item,
  type ListWaiting,
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
  /** The value that the key had when it led there. */
  matched_value: string | null;
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

export const noMatch = { matched_by: null, matched_value: null, matched_booking_id: null };

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
    ...(before ?? { ...nothingSent, contact_id: null, ...noMatch }),
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

const stored = sql`contact_id, unit_id, provider_id, transaction_reference, order_type_id, created_at, lines, booking_reference, unique_code,
  unique_code_group_id, membership_number, card_reference, table_number, matched_by, matched_value, matched_booking_id`;

/** Those of these that exist. */
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

/** Makes the new ones and changes the others: every row as it is to be, in the order given, which their ids keep. */
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
      -- A match that stays is as old as it was.
      matched_at = case when excluded.matched_by is not distinct from purchases.matched_by
        and excluded.contact_id is not distinct from purchases.contact_id then purchases.matched_at else excluded.matched_at end
    returning id, unit_id, provider_id, transaction_reference`;
}

/** A line's id is made of the purchase's and its place. */
const lines = sql`(
  select coalesce(json_agg(json_build_object('id', p.id * ${mostLines} + place - 1, 'description', line -> 'description', 'sku', line -> 'sku',
    'quantity', line -> 'quantity', 'value', line -> 'value', 'tags', line -> 'tags') order by place), '[]')
  from jsonb_array_elements(p.lines) with ordinality as line (line, place)) as transaction_lines`;

// Names are looked up for what is shown, and not joined: a plan that begins at the units reads all that was ever bought there.
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
  const columns = sql`${shown}, p.matched_by`;
  return listing(tx, { columns, from, orderBy: sql`p.created_at desc, p.id desc` }, slice);
}

interface PopRow extends Omit<PurchasePop, 'transaction_lines' | 'contact_id'> {
  /** Null: larger than it may be. */
  lines: StoredLine[] | null;
}

/** On these days, newest first. Undefined: more than there is room for, or the lines of one take more bytes than that. */
export async function selectPurchasePops(
  tx: Tx,
  accountId: number,
  all: Omit<Asked, 'limit' | 'offset'>[],
  room: { purchases: number; bytes: number },
): Promise<(PurchasePop[] | undefined)[]> {
  const list = {
    columns: sql`case when pg_column_size(p.lines) <= ${room.bytes} then p.lines end as lines, ${unitName}, p.id,
      p.transaction_reference, p.unit_id, p.provider_id, p.order_type_id, to_char(p.created_at, 'YYYY-MM-DD HH24:MI:SS') as transaction_date`,
    from: sql`unnest(asked.contact_ids) as person (id) cross join lateral (
      select * from purchases where account_id = ${accountId} and contact_id = person.id
        and created_at >= asked.start and created_at < asked.until offset 0) as p`,
    orderBy: sql`p.created_at desc, p.id desc`,
    show: (row: PopRow, { contactId }: Asked) => (row.lines ? showPop(row, row.lines, contactId) : undefined),
  };
  // One more, to see whether there is.
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

/** The lines are put together here: PostgreSQL would take longer. */
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

/** What led to the contact: the key's value then, and the booking. */
export async function findMatch(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<Pick<PurchaseRow, 'matched_value' | 'matched_booking_id'>> {
  const [row] = await tx<Pick<PurchaseRow, 'matched_value' | 'matched_booking_id'>>`
    select matched_value, matched_booking_id from purchases where account_id = ${accountId} and id = ${id}`;
  return row ?? noMatch;
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
  const from = sql`purchases p where account_id = ${accountId} and ${waits}`;
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
