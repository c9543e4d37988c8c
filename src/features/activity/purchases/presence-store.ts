import type { Tx } from '../../../platform/db/database.ts';
import { type PageRequest, requestRows, selectForMany } from '../../../platform/db/listing.ts';
import { sql } from '../../../platform/db/sql.ts';
import { mostLines, type PurchasePop } from './schema.ts';
import { type StoredLine, sizeColumns, unitName } from './store.ts';

interface PopRow extends Omit<PurchasePop, 'transaction_lines' | 'contact_id'> {
  /** Null: too large. */
  lines: StoredLine[] | null;
}

const popColumns = (
  accountId: number,
) => sql`${unitName(accountId)}, p.id, p.transaction_reference, p.unit_id, p.provider_id, p.order_type_id,
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
      then p.lines end as lines, ${popColumns(accountId)}`,
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
    select p.lines, ${popColumns(accountId)} from purchases p where account_id = ${accountId} and id = any(${ids}::bigint[])
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
