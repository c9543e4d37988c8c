import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { only, type Sql, sql } from '../../../platform/db/sql.ts';
import { type MatchKey, matchKeys } from '../../../shared/codes.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { present } from '../../../shared/present.ts';
import { Invalid } from '../../../shared/problem.ts';
import { recordOf } from '../../../shared/record.ts';
import {
  type CountWaiting,
  type ListWaiting,
  mostLines,
  type Purchase,
  type StaffPurchase,
  type Waiting,
} from './schema.ts';
import { exceeds, type PurchaseSize, sizeColumns, unitName } from './store.ts';

/** The id of a line consists of the id of its purchase and its place. */
const lines = sql`(
  select coalesce(json_agg(json_build_object('id', p.id * ${mostLines} + place - 1, 'description', line -> 'description', 'sku', line -> 'sku',
    'quantity', line -> 'quantity', 'value', line -> 'value', 'tags', line -> 'tags') order by place), '[]')
  from jsonb_array_elements(p.lines) with ordinality as line (line, place)) as transaction_lines`;

const shown = (accountId: number) => sql`${lines}, ${unitName(accountId)}, p.id,
  (select coalesce(merged_into, id) from contacts where account_id = ${accountId} and id = p.contact_id) as contact_id,
  p.transaction_reference, p.unit_id, p.provider_id, p.order_type_id, to_char(p.created_at, 'YYYY-MM-DD HH24:MI:SS') as transaction_date`;

export function selectPurchases(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  slice: Slice,
): Promise<Rows<Purchase>> {
  const from = sql`purchases p where account_id = ${accountId} and contact_id = any(${contactIds})`;
  return purchasePage(
    tx,
    accountId,
    from,
    { columns: sql`${shown(accountId)}, p.matched_by`, orderBy: newestFirst },
    slice,
  );
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

const staffColumns = (
  accountId: number,
) => sql`${shown(accountId)}, p.matched_by, p.booking_reference, p.unique_code, p.unique_code_group_id, p.membership_number,
  p.card_reference, p.table_number, p.matched_at`;

export async function findStaffPurchase(tx: Tx, accountId: number, id: number): Promise<StaffPurchase | undefined> {
  const [row] = await tx<StaffPurchase>`
    select ${staffColumns(accountId)} from purchases p where account_id = ${accountId} and id = ${id}`;
  return row;
}

/** One condition per key, without a parameter, because it must repeat the condition of the partial index. */
const waitsFor: Record<MatchKey, Sql> = {
  booking_reference: sql`contact_id is null and booking_reference is not null`,
  unique_code: sql`contact_id is null and unique_code is not null`,
  membership_number: sql`contact_id is null and membership_number is not null`,
  card_reference: sql`contact_id is null and card_reference is not null`,
  table_number: sql`contact_id is null and table_number is not null`,
};

const atUnit = (unitId: number | undefined) => (unitId === undefined ? sql`` : sql`and unit_id = ${unitId}`);

/** The waiting purchases, or those that wait for one key, newest first. */
export function selectWaiting(
  tx: Tx,
  accountId: number,
  { waiting_for, unit_id }: ListWaiting,
  slice: Slice,
): Promise<Rows<StaffPurchase>> {
  const waits = waiting_for === undefined ? sql`contact_id is null` : waitsFor[waiting_for];
  const from = sql`purchases p where account_id = ${accountId} and ${waits} ${atUnit(unit_id)}`;
  return purchasePage(tx, accountId, from, { columns: staffColumns(accountId), orderBy: sql`p.id desc` }, slice);
}

/** Counts the waiting purchases, in total and by key. */
export async function countWaiting(tx: Tx, accountId: number, { unit_id }: CountWaiting = {}): Promise<Waiting> {
  const count = (condition: Sql) => tx<{ n: number }>`
    select count(*) as n from purchases where account_id = ${accountId} and ${condition} ${atUnit(unit_id)}`;
  const { all, byKey } = await tx.inOrder({
    all: () => count(sql`contact_id is null`),
    byKey: () => tx.each(matchKeys, async (key) => [key, only(await count(waitsFor[key])).n] as const),
  });
  const counts = new Map(byKey);
  return { waiting: only(all).n, waiting_for: recordOf(matchKeys, (key) => present(counts.get(key), 'count')) };
}
