import type { Tx } from './database.ts';
import { raw, sql } from './sql.ts';

type Table = 'purchases' | 'stays' | 'unique_codes' | 'request_log';

/** Deletes so many of an account's rows at most, so that each step of many ends in time. False: there were none left. */
export async function deleteSome(tx: Tx, table: Table, accountId: number, limit: number): Promise<boolean> {
  const rows = sql`${raw(table)} where account_id = ${accountId}`;
  // As an array: a join with the list is planned by what the table held once, and may read all of it for each row.
  const { count } =
    await tx`delete from ${rows} and id = any(array(select id from ${rows} order by id limit ${limit}))`;
  return count > 0;
}
