import type { Tx } from '../db/database.ts';
import type { LoggedRequest } from './schema.ts';

export type RequestEntry = Omit<LoggedRequest, 'id' | 'at'> & { token_id: number; at: Date };

export async function insertRequests(tx: Tx, accountId: number, entries: RequestEntry[]): Promise<void> {
  // The conflict clause never fires; without one, a distributed PostgreSQL turns this into a COPY that policies refuse.
  await tx`
    insert into request_log
      (account_id, token_id, at, request_id, method, route, status, duration_ms, error_fields, discarded_fields)
    select ${accountId}::bigint, token_id, at, request_id, method, route, status, duration_ms, error_fields, discarded_fields
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as entry (token_id bigint, at timestamptz, request_id text, method text,
      route text, status integer, duration_ms real, error_fields text[], discarded_fields text[])
    on conflict do nothing`;
}

export async function selectRequests(
  tx: Tx,
  accountId: number,
  tokenId: number,
  before: number | null,
  limit: number,
): Promise<LoggedRequest[]> {
  return tx<LoggedRequest>`
    select id, at, request_id, method, route, status, duration_ms, error_fields, discarded_fields
    from request_log
    where account_id = ${accountId} and token_id = ${tokenId} and (${before}::bigint is null or id < ${before})
    order by id desc limit ${limit}`;
}

/** So many of the oldest entries that are past their time. */
export async function deleteOldRequests(tx: Tx, accountId: number, keptDays: number, limit: number): Promise<number> {
  const { count } = await tx`
    delete from request_log where account_id = ${accountId} and id in (
      select id from request_log where account_id = ${accountId} and at < now() - make_interval(days => ${keptDays})
      order by at limit ${limit})`;
  return count;
}

export async function nextAccountIds(tx: Tx, after: number, limit: number): Promise<number[]> {
  const rows = await tx<{ id: number }>`select id from accounts where id > ${after} order by id limit ${limit}`;
  return rows.map((row) => row.id);
}
