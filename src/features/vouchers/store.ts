import type { Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { codeKey } from './schema.ts';

/** What stands for a code, in whatever group, among locks. */
export const codeLock = (code: string) => `code:${codeKey(code)}`;

/** What stands for bringing codes into a group, among locks. */
export const importLock = (groupId: number) => `codes into ${groupId}`;

/** How many are new. */
export async function insertCodes(tx: Tx, accountId: number, groupId: number, codes: string[]): Promise<number> {
  const { count } = await tx`
    insert into unique_codes (account_id, group_id, unique_code, created_at)
    select ${accountId}::bigint, ${groupId}::bigint, unique_code, ${tx.now} from unnest(${codes}::text[]) as sent (unique_code)
    on conflict do nothing`;
  return count;
}

/** An instant as the interface writes it. */
export const utc = (instant: Sql) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** A code, with whose it is today: a contact that was merged gives its own up to the other. */
export interface CodeRow {
  id: number;
  unique_code: string;
  code_key: string;
  unique_code_group_id: number;
  contact_id: number | null;
  redeemed_at_datetime: string | null;
  redeemed_at_unit_id: number | null;
  redeemed_at_unit_name: string | null;
}

export const codeColumns = sql`code.id, code.unique_code, code.code_key, code.group_id as unique_code_group_id, contact.id as contact_id,
  ${utc(sql`code.redeemed_at`)} as redeemed_at_datetime, code.redeemed_unit_id as redeemed_at_unit_id, unit.name as redeemed_at_unit_name`;

export const codesWithMore = (accountId: number, codes = sql`unique_codes`) => sql`${codes} code
  left join lateral (
    select coalesce(merged_into, id) as id from contacts where account_id = ${accountId} and id = code.contact_id offset 0) as contact on true
  left join lateral (
    select name from units where account_id = ${accountId} and id = code.redeemed_unit_id offset 0) as unit on true`;

/** How a code is asked for. Without a group, it may be in any. */
export interface SoughtCode {
  key: string;
  groupId: number | null;
}

/** The ids of those codes. Of one that several groups have, two are enough to know it. */
const soughtIds = (accountId: number, sought: SoughtCode[]) => sql`
  select code.id from unnest(${sought.map(({ key }) => key)}::text[], ${sought.map(({ groupId }) => groupId)}::bigint[])
    as sought (key, group_id)
  cross join lateral (
    select id from unique_codes
    where account_id = ${accountId} and code_key = sought.key and group_id = coalesce(sought.group_id, group_id)
    limit 2) as code`;

export function findCodes(tx: Tx, accountId: number, sought: SoughtCode[]): Promise<CodeRow[]> {
  return tx<CodeRow>`
    select ${codeColumns} from ${codesWithMore(accountId)}
    where code.account_id = ${accountId} and code.id = any(array(${soughtIds(accountId, sought)})) order by code.id`;
}

/** Alone with them until the transaction ends; in one order everywhere, so that two can't wait for each other. */
export async function lockCodes(
  tx: Tx,
  accountId: number,
  sought: SoughtCode[],
): Promise<(CodeRow & { waited_for: boolean })[]> {
  const locked = await tx<{ id: number }>`
    select id from unique_codes where account_id = ${accountId} and id = any(array(${soughtIds(accountId, sought)}))
    order by id for no key update`;
  if (locked.length === 0) return [];
  // Only now: while we waited for a lock, a code may have been given to somebody.
  return tx<CodeRow & { waited_for: boolean }>`
    select ${codeColumns}, code.contact_id is not null and exists (
      select from purchases
      where account_id = ${accountId} and contact_id is null and unique_code_key = code.code_key) as waited_for
    from ${codesWithMore(accountId)}
    where code.account_id = ${accountId} and code.id = any(${locked.map(({ id }) => id)}) order by code.id`;
}

export interface Redemption {
  id: number;
  unit_id: number;
  /** A time on the account's clock, or an instant that ends in Z. */
  at: string;
}

const instantOf = (at: Sql, timeZone: Sql) =>
  sql`case when ${at} like '%Z' then ${at}::timestamptz else ${at}::timestamp at time zone ${timeZone} end`;

/** Of codes that are locked and not redeemed; when that was. */
export async function storeRedemptions(
  tx: Tx,
  accountId: number,
  timeZone: string,
  redemptions: Redemption[],
): Promise<Map<number, string>> {
  const rows = await tx<{ id: number; redeemed_at_datetime: string }>`
    update unique_codes code set redeemed_unit_id = sent.unit_id, redeemed_at = ${instantOf(sql`sent.at`, sql`${timeZone}`)}
    from unnest(${redemptions.map(({ id }) => id)}::bigint[], ${redemptions.map(({ unit_id }) => unit_id)}::bigint[],
      ${redemptions.map(({ at }) => at)}::text[]) as sent (id, unit_id, at)
    where code.account_id = ${accountId} and code.id = sent.id and code.redeemed_at is null
    returning code.id, ${utc(sql`code.redeemed_at`)} as redeemed_at_datetime`;
  return new Map(rows.map((row) => [row.id, row.redeemed_at_datetime]));
}

export interface PlainRedemption extends SoughtCode {
  unit_id: number;
  at: string;
}

export interface RedeemedRow extends Pick<CodeRow, 'id' | 'unique_code' | 'unique_code_group_id' | 'contact_id'> {
  /** Among those that were asked for, from 1. */
  place: number;
  redeemed_at_unit_id: number;
  redeemed_at_datetime: string;
}

/**
 * Redeems those of which it can be seen at a glance that they may be: one code and no other is meant, it is not
 * redeemed, the unit is there, and no purchase waits for it. Of several for one code, the first. In the order of their
 * ids, so that two can't wait for each other.
 */
export function redeemPlain(tx: Tx, accountId: number, sent: PlainRedemption[]): Promise<RedeemedRow[]> {
  return tx<RedeemedRow>`
    update unique_codes code set redeemed_unit_id = plain.unit_id, redeemed_at = plain.at
    from (
      select distinct on (found.id) found.id, found.contact_id, sent.place, sent.unit_id,
        ${instantOf(sql`sent.at`, sql`(select time_zone from accounts where id = ${accountId})`)} as at
      from unnest(${sent.map(({ key }) => key)}::text[], ${sent.map(({ groupId }) => groupId)}::bigint[],
        ${sent.map(({ unit_id }) => unit_id)}::bigint[], ${sent.map(({ at }) => at)}::text[]) with ordinality
        as sent (key, group_id, unit_id, at, place)
      cross join lateral (
        select min(id) as id, min(contact_id) as contact_id, count(*) as codes from unique_codes
        where account_id = ${accountId} and code_key = sent.key and group_id = coalesce(sent.group_id, group_id) offset 0) as found
      where codes = 1 and exists (
        select from units where account_id = ${accountId} and id = sent.unit_id and deleted_at is null)
      order by found.id, place) as plain
    where code.account_id = ${accountId} and code.id = plain.id and code.redeemed_at is null
      -- Assigned meanwhile, it is not plain any more.
      and code.contact_id is not distinct from plain.contact_id
      and (code.contact_id is null or not exists (
        select from purchases
        where account_id = ${accountId} and contact_id is null and unique_code_key = code.code_key))
    returning plain.place::int as place, code.id, code.unique_code, code.group_id as unique_code_group_id,
      (select coalesce(merged_into, id) from contacts where account_id = ${accountId} and id = code.contact_id) as contact_id,
      ${utc(sql`code.redeemed_at`)} as redeemed_at_datetime, code.redeemed_unit_id as redeemed_at_unit_id`;
}
