import type { Tx } from '../db/database.ts';
import { insertRows } from '../db/insert-rows.ts';
import { sql } from '../db/sql.ts';

export interface IdempotencyRecord {
  /** The hash of the client's key. */
  key: string;
  fingerprint: Buffer;
  /** Null: it contained a guest who was erased since. */
  body: string | null;
  discarded_fields: string[];
  contact_id: number | null;
}

/** A client can repeat a request for this long. */
const lifetime = sql`interval '24 hours'`;

export function selectRecords(tx: Tx, accountId: number, keys: string[]): Promise<IdempotencyRecord[]> {
  return tx<IdempotencyRecord>`
    select key, fingerprint, body, discarded_fields, contact_id from idempotency_records
    where account_id = ${accountId} and key = any(${keys}::text[]) and created_at > ${tx.now} - ${lifetime}`;
}

/** Replaces expired records with the same key. */
export async function insertRecords(tx: Tx, accountId: number, records: IdempotencyRecord[]): Promise<void> {
  await insertRows(tx, accountId, {
    table: 'idempotency_records',
    columns: { key: 'text', fingerprint: 'bytea', body: 'text', discarded_fields: 'jsonb', contact_id: 'bigint' },
    rows: records.map((record) => ({ ...record, fingerprint: `\\x${record.fingerprint.toString('hex')}` })),
    computed: { created_at: () => tx.now },
    clauses: sql`
    on conflict (account_id, key) do update set fingerprint = excluded.fingerprint, body = excluded.body,
      discarded_fields = excluded.discarded_fields, contact_id = excluded.contact_id, created_at = excluded.created_at`,
  });
}

/** Clears the records of erased guests. The hash of the key stays until it expires, so that a late retry does not create the guest again. */
export async function deleteRecordsOf(tx: Tx, accountId: number, contactIds: number[]): Promise<void> {
  await tx`
    update idempotency_records set fingerprint = '', body = null, discarded_fields = '[]', contact_id = null
    where account_id = ${accountId} and contact_id = any(${contactIds})`;
}

/** Deletes the oldest expired records, at most `limit`. */
export async function deleteOldRecords(tx: Tx, accountId: number, limit: number): Promise<number> {
  const { count } = await tx`
    delete from idempotency_records where account_id = ${accountId} and key = any(array(
      select key from idempotency_records where account_id = ${accountId} and created_at < ${tx.now} - ${lifetime}
      order by created_at limit ${limit}))
      -- While this statement waited for the lock, the key may have been used again.
      and created_at < ${tx.now} - ${lifetime}`;
  return count;
}
