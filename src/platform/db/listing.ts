import type { Rows, Slice } from '../../shared/fields.ts';
import { present } from '../../shared/present.ts';
import type { Tx } from './database.ts';
import { only, type Sql, sql } from './sql.ts';

/** One page of a list and the total count: two statements in one round trip. */
export async function listing<Row>(
  tx: Tx,
  { columns, from, orderBy }: { columns: Sql; from: Sql; orderBy: Sql },
  { limit, offset }: Slice,
): Promise<Rows<Row>> {
  const { rows, counted } = await tx.inOrder({
    rows: () => tx<Row>`select ${columns} from ${from} order by ${orderBy} limit ${limit} offset ${offset}`,
    counted: () => tx<{ total: number }>`select count(*) as total from ${from}`,
  });
  return { rows, total: only(counted).total };
}

/** The page that one request of a batch needs: rows of these contacts in this range of days. */
export interface PageRequest extends Slice {
  /** The survivor. */
  contactId: number;
  /** The survivor and the contacts merged into it. */
  contactIds: number[];
  start: string;
  /** The last day, inclusive. */
  end: string;
}

/** A row per request, for use in `from`: `request.contact_ids`, `request.start` and `request.until`, in the types of the indexes. */
export const requestRows = (all: PageRequest[]) => sql`(
  select place, contact_ids::bigint[] as contact_ids, first::timestamp as start, (last + 1)::timestamp as until, most, skipped
  from unnest(${all.map(({ contactIds }) => `{${contactIds}}`)}::text[], ${all.map(({ start }) => start)}::date[],
    ${all.map(({ end }) => end)}::date[], ${all.map(({ limit }) => limit)}::bigint[], ${all.map(({ offset }) => offset)}::bigint[])
    with ordinality as sent (contact_ids, first, last, most, skipped, place) offset 0) as request`;

interface ListingForMany<Row, Shown> {
  columns: Sql;
  from: Sql;
  orderBy: Sql;
  show(row: Row, request: PageRequest): Shown;
}

/** Pages of one list for many requests, in one statement. */
export async function selectForMany<Row, Shown>(
  tx: Tx,
  { columns, from, orderBy, show }: ListingForMany<Row, Shown>,
  all: PageRequest[],
): Promise<Shown[][]> {
  if (all.length === 0) return [];
  const pages = all.map((request): { request: PageRequest; shown: Shown[] } => ({ request, shown: [] }));
  // The lateral join reads page by page, so the rows of a page are in its order.
  const rows = await tx<Row & { place: number }>`
    select request.place, page.* from ${requestRows(all)}
    cross join lateral (select ${columns} from ${from} order by ${orderBy} limit request.most offset request.skipped) as page`;
  for (const row of rows) {
    const { request, shown } = present(pages[row.place - 1], 'page');
    shown.push(show(row, request));
  }
  return pages.map(({ shown }) => shown);
}

/** Pages with total counts. A count runs only if the rows of the page do not give the total. */
export async function listingForMany<Row, Shown>(
  tx: Tx,
  list: ListingForMany<Row, Shown>,
  all: PageRequest[],
): Promise<Rows<Shown>[]> {
  const pages = await selectForMany(tx, list, all);
  const totals = pages.map(({ length }, index) => {
    const { limit, offset } = present(all[index], 'page');
    return length < limit && (length > 0 || offset === 0) ? offset + length : undefined;
  });
  const unknown = [...totals.keys()].filter((index) => totals[index] === undefined);
  const missing =
    unknown.length === 0
      ? []
      : await tx<{ place: number; total: number }>`
          select request.place, (select count(*) from ${list.from}) as total
          from ${requestRows(unknown.map((index) => present(all[index], 'page')))}`;
  for (const { place, total } of missing) totals[present(unknown[place - 1], 'page')] = total;
  return pages.map((rows, index) => ({ rows, total: present(totals[index], 'total') }));
}
