import type { Rows, Slice } from '../shared/fields.ts';
import type { Tx } from './database.ts';
import { only, type Sql } from './sql.ts';

/** One page of a list, and how many there are in all: two statements that travel together. */
export async function listing<Row>(
  tx: Tx,
  { columns, from, orderBy }: { columns: Sql; from: Sql; orderBy: Sql },
  { limit, offset }: Slice,
): Promise<Rows<Row>> {
  const [rows, counted] = await Promise.all([
    tx<Row>`select ${columns} from ${from} order by ${orderBy} limit ${limit} offset ${offset}`,
    tx<{ total: number }>`select count(*) as total from ${from}`,
  ]);
  return { rows, total: only(counted).total };
}
