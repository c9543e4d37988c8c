import type { Tx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { keptDays, type LoggedRequest } from './schema.ts';

export type RequestEntry = Omit<LoggedRequest, 'id' | 'at'> & { token_id: number; at: Date };

/** Inserts nothing if the account is deleted. The caller holds the account. */
export async function insertRequests(tx: Tx, accountId: number, entries: RequestEntry[]): Promise<void> {
  const all = <Name extends keyof RequestEntry>(name: Name) => entries.map((entry) => entry[name]);
  const lists = (name: 'error_fields' | 'discarded_fields') =>
    entries.map((entry) => (entry[name].length === 0 ? null : JSON.stringify(entry[name])));
  const asArray = (name: Sql) =>
    sql`case when ${name} is null then '{}' else array(select jsonb_array_elements_text(${name}::jsonb)) end`;
  // There is never a conflict. Without the clause, a distributed PostgreSQL turns this into a COPY, which policies
  // reject.
  await tx`
    insert into request_log
      (account_id, token_id, at, request_id, address, method, route, status, duration_ms, error_fields, discarded_fields)
    select account.account_id, token_id, to_timestamp(at), request_id, address, method, route, status, duration_ms, ${asArray(sql`errors`)}, ${asArray(sql`discarded`)}
    from (
      select account_id from units join accounts on accounts.id = account_id
      where account_id = ${accountId} and is_root and accounts.deleted_at is null) as account
    cross join unnest(${all('token_id')}::bigint[], ${entries.map(({ at }) => at.getTime() / 1000)}::float8[], ${all('request_id')}::text[], ${all('address')}::text[], ${all('method')}::text[],
      ${all('route')}::text[], ${all('status')}::integer[], ${all('duration_ms')}::real[], ${lists('error_fields')}::text[],
      ${lists('discarded_fields')}::text[])
      as entry (token_id, at, request_id, address, method, route, status, duration_ms, errors, discarded)
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
