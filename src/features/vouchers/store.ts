import type { Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { AddedRow, CodeChange } from '../figures/schema.ts';
import { codeKey } from './schema.ts';

/** The lock key of a code, in any group. */
export const codeLock = (code: string) => `code:${codeKey(code)}`;

/** The lock key for adding codes to a group. */
export const importLock = (groupId: number) => `codes into ${groupId}`;

/** Returns the number of new codes, and their time. */
export async function insertCodes(
  tx: Tx,
  accountId: number,
  groupId: number,
  codes: string[],
): Promise<{ made: number; at: string }> {
  // A distributed server counts the skipped rows too, so the new ones are returned.
  const created = await tx<{ created_at: Date }>`
    insert into unique_codes (account_id, group_id, unique_code, created_at)
    select ${accountId}::bigint, ${groupId}::bigint, unique_code, ${tx.now} from unnest(${codes}::text[]) as sent (unique_code)
    on conflict do nothing
    returning created_at`;
  return { made: created.length, at: created[0]?.created_at.toISOString() ?? '' };
}

/** An instant in the format of the API. */
export const utc = (instant: Sql) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** A code with its contact after merges. */
export interface CodeRow {
  id: number;
  unique_code: string;
  code_key: string;
  unique_code_group_id: number;
  contact_id: number | null;
  /** The contact that the code was assigned to, before merges. */
  own_contact_id: number | null;
  redeemed_at_datetime: string | null;
  redeemed_at_unit_id: number | null;
  redeemed_at_unit_name: string | null;
}

export const codeColumns = sql`code.id, code.unique_code, code.code_key, code.group_id as unique_code_group_id, contact.id as contact_id, code.contact_id as own_contact_id,
  ${utc(sql`code.redeemed_at`)} as redeemed_at_datetime, code.redeemed_unit_id as redeemed_at_unit_id, unit.name as redeemed_at_unit_name`;

export const codesWithMore = (accountId: number, codes = sql`unique_codes`) => sql`${codes} code
  left join lateral (
    select coalesce(merged_into, id) as id from contacts where account_id = ${accountId} and id = code.contact_id offset 0) as contact on true
  left join lateral (
    select name from units where account_id = ${accountId} and id = code.redeemed_unit_id offset 0) as unit on true`;

/** A requested code. Without a group, it can be in any group. */
export interface RequestedCode {
  key: string;
  groupId: number | null;
}

/** The ids of these codes. Two per code are enough to see that it is ambiguous. */
const requestedIds = (accountId: number, requested: RequestedCode[]) => sql`
  select code.id from unnest(${requested.map(({ key }) => key)}::text[], ${requested.map(({ groupId }) => groupId)}::bigint[])
    as requested (key, group_id)
  cross join lateral (
    select id from unique_codes
    where account_id = ${accountId} and code_key = requested.key and group_id = coalesce(requested.group_id, group_id)
    limit 2) as code`;

export function findCodes(tx: Tx, accountId: number, requested: RequestedCode[]): Promise<CodeRow[]> {
  return tx<CodeRow>`
    select ${codeColumns} from ${codesWithMore(accountId)}
    where code.account_id = ${accountId} and code.id = any(array(${requestedIds(accountId, requested)})) order by code.id`;
}

/** Locks the codes until the transaction ends. All transactions lock in id order, so two of them cannot deadlock. */
export async function lockCodes(
  tx: Tx,
  accountId: number,
  requested: RequestedCode[],
): Promise<(CodeRow & { waited_for: boolean })[]> {
  const locked = await tx<{ id: number }>`
    select id from unique_codes where account_id = ${accountId} and id = any(array(${requestedIds(accountId, requested)}))
    order by id for no key update`;
  if (locked.length === 0) return [];
  // Read the rows after locking, because a code may have been assigned while this waited.
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
  /** A time in the account's time zone, or an instant that ends in Z. */
  at: string;
}

/** Redeems codes that are locked and not redeemed. Returns the times. */
export async function storeRedemptions(
  tx: Tx,
  accountId: number,
  timeZone: string,
  redemptions: Redemption[],
): Promise<Map<number, string>> {
  const rows = await tx<{ id: number; redeemed_at_datetime: string }>`
    update unique_codes code set redeemed_unit_id = sent.unit_id, redeemed_at = to_instant(sent.at, ${timeZone})
    from unnest(${redemptions.map(({ id }) => id)}::bigint[], ${redemptions.map(({ unit_id }) => unit_id)}::bigint[],
      ${redemptions.map(({ at }) => at)}::text[]) as sent (id, unit_id, at)
    where code.account_id = ${accountId} and code.id = sent.id and code.redeemed_at is null
    returning code.id, to_utc_text(code.redeemed_at) as redeemed_at_datetime`;
  return new Map(rows.map((row) => [row.id, row.redeemed_at_datetime]));
}

export interface SimpleRedemption extends RequestedCode {
  unit_id: number;
  at: string;
}

export interface RedeemedRow
  extends Pick<CodeRow, 'id' | 'unique_code' | 'unique_code_group_id' | 'contact_id' | 'own_contact_id'> {
  /** The position in the request, from 1. */
  place: number;
  redeemed_at_unit_id: number;
  redeemed_at_datetime: string;
  /** The day in the account's time zone. */
  day: string;
}

/**
 * Redeems the simple cases: the code is unambiguous and not redeemed, the unit exists, and no purchase waits for the
 * code. If several requests have the same code, the first one redeems it. Locks in id order, so two transactions cannot
 * deadlock.
 */
export function redeemSimple(tx: Tx, accountId: number, sent: SimpleRedemption[]): Promise<RedeemedRow[]> {
  return tx<RedeemedRow>`
    update unique_codes code set redeemed_unit_id = plain.unit_id, redeemed_at = plain.at
    from (
      select distinct on (found.id) found.id, found.contact_id, sent.place, sent.unit_id,
        to_instant(sent.at, (select time_zone from accounts where id = ${accountId})) as at,
        (to_instant(sent.at, (select time_zone from accounts where id = ${accountId}))
          at time zone (select time_zone from accounts where id = ${accountId}))::date as day
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
      -- A code that was assigned meanwhile is not a simple case.
      and code.contact_id is not distinct from plain.contact_id
      and (code.contact_id is null or not exists (
        select from purchases
        where account_id = ${accountId} and contact_id is null and unique_code_key = code.code_key))
    returning plain.place::int as place, code.id, code.unique_code, code.group_id as unique_code_group_id,
      (select coalesce(merged_into, id) from contacts where account_id = ${accountId} and id = code.contact_id) as contact_id,
      code.contact_id as own_contact_id,
      to_utc_text(code.redeemed_at) as redeemed_at_datetime, code.redeemed_unit_id as redeemed_at_unit_id, plain.day`;
}

/** A redeemed code, for the figures of the contact that it was assigned to. */
export function redeemedVisit(contact_id: number | null, unit_id: number, day: string): AddedRow[] {
  return contact_id === null ? [] : [{ kind: 'vouchers', contact_id, unit_id, day, counts: { vouchers_redeemed: 1 } }];
}

/** The codes of erased contacts become free. Returns the changes of the counts. */
export async function releaseCodesOf(tx: Tx, accountId: number, contactIds: number[]): Promise<CodeChange[]> {
  const released = await tx<{ group_id: number; at: string }>`
    update unique_codes set contact_id = null where account_id = ${accountId} and id = any(array(
      select id from unique_codes where account_id = ${accountId} and contact_id = any(${contactIds}) order by id for no key update))
    returning group_id, to_utc_text(coalesce(assigned_at, created_at)) as at`;
  return released.map((code) => ({ ...code, assigned: -1 }));
}
