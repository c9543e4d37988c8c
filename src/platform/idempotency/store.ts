import type { Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';

export interface IdempotencyRecord {
  /** A hash of the client's own. */
  key: string;
  fingerprint: Buffer;
  /** Null: it told of a guest who was erased since. */
  body: string | null;
  discarded_fields: string[];
  contact_id: number | null;
}

/** How long a client may come back with the same request. */
const kept = sql`interval '24 hours'`;

export function selectRecords(tx: Tx, accountId: number, keys: string[]): Promise<IdempotencyRecord[]> {
  return tx<IdempotencyRecord>`
    select key, fingerprint, body, discarded_fields, contact_id from idempotency_records
    where account_id = ${accountId} and key = any(${keys}::text[]) and created_at > ${tx.now} - ${kept}`;
}

/** Over those that are past their time. */
export async function insertRecords(tx: Tx, accountId: number, answers: IdempotencyRecord[]): Promise<void> {
  const all = <Name extends keyof IdempotencyRecord>(name: Name) => answers.map((answer) => answer[name]);
  await tx`
    insert into idempotency_records (account_id, key, fingerprint, body, discarded_fields, contact_id, created_at)
    select ${accountId}, key, fingerprint, body, discarded, contact_id, ${tx.now}
    from unnest(${all('key')}::text[], ${all('fingerprint')}::bytea[], ${all('body')}::text[],
      ${answers.map(({ discarded_fields }) => JSON.stringify(discarded_fields))}::jsonb[], ${all('contact_id')}::bigint[])
      as answer (key, fingerprint, body, discarded, contact_id)
    on conflict (account_id, key) do update set fingerprint = excluded.fingerprint, body = excluded.body,
      discarded_fields = excluded.discarded_fields, contact_id = excluded.contact_id, created_at = excluded.created_at`;
}

/**
 * Keeps nothing of these guests but the hash of the key, and that until its time is over: a retry that comes late must
 * not bring them back.
 */
export async function deleteRecordsOf(tx: Tx, accountId: number, contactIds: number[]): Promise<void> {
  await tx`
    update idempotency_records set fingerprint = '', body = null, discarded_fields = '[]', contact_id = null
    where account_id = ${accountId} and contact_id = any(${contactIds})`;
}

/** So many of the oldest that are past their time. */
export async function deleteOldRecords(tx: Tx, accountId: number, limit: number): Promise<number> {
  const { count } = await tx`
    delete from idempotency_records where account_id = ${accountId} and key = any(array(
      select key from idempotency_records where account_id = ${accountId} and created_at < ${tx.now} - ${kept}
      order by created_at limit ${limit}))
      -- While we waited for it, the key may have been used anew.
      and created_at < ${tx.now} - ${kept}`;
  return count;
}
