import type { Tx } from '../../../platform/db/database.ts';
import { insertRows } from '../../../platform/db/insert-rows.ts';
import { keptDays, type LoggedRequest } from './schema.ts';

export type RequestEntry = Omit<LoggedRequest, 'id' | 'at'> & { token_id: number; at: Date };

export async function insertRequests(tx: Tx, accountId: number, entries: RequestEntry[]): Promise<void> {
  await insertRows(tx, accountId, {
    table: 'request_log',
    columns: {
      ...{ token_id: 'bigint', at: 'timestamptz', request_id: 'text', address: 'text', method: 'text', route: 'text' },
      ...{ status: 'integer', duration_ms: 'real', error_fields: 'text[]', discarded_fields: 'text[]' },
    },
    rows: entries,
  });
}

export async function selectRequests(
  tx: Tx,
  accountId: number,
  tokenId: number,
  before: number | null,
  limit: number,
): Promise<LoggedRequest[]> {
  return tx<LoggedRequest>`
    select id, at, request_id, address, method, route, status, duration_ms, error_fields, discarded_fields
    from request_log
    where account_id = ${accountId} and token_id = ${tokenId} and (${before}::bigint is null or id < ${before})
    order by id desc limit ${limit}`;
}

/** The most entries that an erasure searches, to limit its time. */
const maxSearched = 1_000_000;

/** A request id sent by a client can contain a guest's e-mail or number. Replaces such ids in the newest entries. */
export async function eraseRequestIds(tx: Tx, accountId: number, patterns: string[]): Promise<void> {
  await tx`
    update request_log set request_id = 'erased' where account_id = ${accountId} and id = any(array(
      select id from (
        select id, request_id from request_log where account_id = ${accountId} order by id desc limit ${maxSearched}) as newest
      where lower(request_id) like any (${patterns}::text[])))`;
}

/** Deletes expired entries among the oldest `limit` ones. */
export async function deleteOldRequests(tx: Tx, accountId: number, limit: number): Promise<number> {
  const { count } = await tx`
    delete from request_log where account_id = ${accountId} and id = any(array(
      select id from (
        select id, at from request_log where account_id = ${accountId} order by id limit ${limit}) as oldest
      where at < now() - make_interval(days => ${keptDays})))`;
  return count;
}
