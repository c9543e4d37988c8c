import type { Tx } from '../../../platform/db/database.ts';
import { insertRows } from '../../../platform/db/insert-rows.ts';
import { sql } from '../../../platform/db/sql.ts';

export async function findUdfs(
  tx: Tx,
  accountId: number,
  ids: number[],
): Promise<{ id: number; type: 'text' | 'date' }[]> {
  return tx<{ id: number; type: 'text' | 'date' }>`
    select id, type from udfs where account_id = ${accountId} and id = any(${ids})`;
}

export async function putUdfValues(
  tx: Tx,
  accountId: number,
  values: { contact_id: number; udf_id: number; data: string }[],
): Promise<void> {
  await insertRows(tx, accountId, {
    table: 'contact_udfs',
    columns: { contact_id: 'bigint', udf_id: 'bigint', data: 'text' },
    rows: values,
    clauses: sql`
      on conflict (account_id, contact_id, udf_id) do update set data = excluded.data where contact_udfs.data <> excluded.data`,
  });
}

/** Deletes values that have not changed. Returns those that it deleted. */
export async function deleteUdfValues(
  tx: Tx,
  accountId: number,
  contactId: number,
  values: { id: number; data: string }[],
): Promise<{ id: number; data: string }[]> {
  return tx<{ id: number; data: string }>`
    delete from contact_udfs c using jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as gone (id bigint, data text)
    where c.account_id = ${accountId} and c.contact_id = ${contactId} and c.udf_id = gone.id and c.data = gone.data
    returning c.udf_id as id, c.data`;
}
