import type { Tx } from '../db/database.ts';
import { listing } from '../db/listing.ts';
import { join, only, type Sql, sql } from '../db/sql.ts';
import type { After, Rows, Slice } from '../shared/fields.ts';
import { type CodeGroup, codeKey, type ListCodes, type NewCodeGroup, type StaffCode } from './schema.ts';

/** What stands for a code, in whatever group, among locks. */
export const codeLock = (code: string) => `code:${codeKey(code)}`;

const groupColumns = sql`id, unit_id, name, created_at`;

/** Undefined: the unit has a group of that name already. */
export async function insertCodeGroup(
  tx: Tx,
  accountId: number,
  { unit_id, name }: NewCodeGroup,
): Promise<CodeGroup | undefined> {
  const [group] = await tx<CodeGroup>`
    insert into unique_code_groups (account_id, unit_id, name) values (${accountId}, ${unit_id}, ${name})
    on conflict do nothing returning ${groupColumns}`;
  return group;
}

/** Which of these groups exist. */
export async function existingCodeGroups(tx: Tx, accountId: number, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await tx<{ id: number }>`
    select id from unique_code_groups where account_id = ${accountId} and id = any(${ids})`;
  return rows.map((row) => row.id);
}

export async function findCodeGroup(tx: Tx, accountId: number, id: number): Promise<CodeGroup | undefined> {
  const [group] = await tx<CodeGroup>`
    select ${groupColumns} from unique_code_groups where account_id = ${accountId} and id = ${id}`;
  return group;
}

export function selectCodeGroups(
  tx: Tx,
  accountId: number,
  unitId: number | null,
  slice: Slice,
): Promise<Rows<CodeGroup>> {
  const from = sql`unique_code_groups where account_id = ${accountId} and unit_id = coalesce(${unitId}::bigint, unit_id)`;
  return listing(tx, { columns: groupColumns, from, orderBy: sql`id desc` }, slice);
}

export async function renameCodeGroup(
  tx: Tx,
  accountId: number,
  id: number,
  name: string,
): Promise<CodeGroup | undefined> {
  const [group] = await tx<CodeGroup>`
    update unique_code_groups set name = ${name} where account_id = ${accountId} and id = ${id} returning ${groupColumns}`;
  return group;
}

/** Until the transaction ends, nobody else gives out its codes or deletes it; and for deleting, nobody puts one into it. */
export async function lockCodeGroup(
  tx: Tx,
  accountId: number,
  id: number,
  why: 'for giving' | 'for deleting',
): Promise<boolean> {
  const lock = why === 'for giving' ? sql`for no key update` : sql`for update`;
  const rows = await tx`select from unique_code_groups where account_id = ${accountId} and id = ${id} ${lock}`;
  return rows.length > 0;
}

export async function deleteCodeGroup(tx: Tx, accountId: number, id: number): Promise<void> {
  await tx`delete from unique_code_groups where account_id = ${accountId} and id = ${id}`;
}

/** Whether any of its codes is somebody's, or was redeemed. */
export async function isUsed(tx: Tx, accountId: number, groupId: number): Promise<boolean> {
  const { used } = only(
    await tx<{ used: boolean }>`
      select exists (
        select from unique_codes where account_id = ${accountId} and group_id = ${groupId}
          and (contact_id is not null or redeemed_at is not null)) as used`,
  );
  return used;
}

/** So many at most of those that no guest has met, behind an id. Gives the last one's id; null: there were none left. */
export async function deleteUnusedCodes(
  tx: Tx,
  accountId: number,
  groupId: number,
  { after, limit }: After,
): Promise<number | null> {
  const unused = sql`contact_id is null and redeemed_at is null`;
  const rows = await tx<{ last: number | null }>`
    with deleted as (
      delete from unique_codes where account_id = ${accountId} and ${unused} and id = any(array(
        select id from unique_codes where account_id = ${accountId} and group_id = ${groupId} and ${unused} and id > ${after}
        order by id limit ${limit}))
      returning id)
    select max(id) as last from deleted`;
  return only(rows).last;
}

/** How many are new. */
export async function insertCodes(tx: Tx, accountId: number, groupId: number, codes: string[]): Promise<number> {
  const { count } = await tx`
    insert into unique_codes (account_id, group_id, unique_code)
    select ${accountId}::bigint, ${groupId}::bigint, unique_code from unnest(${codes}::text[]) as sent (unique_code)
    on conflict do nothing`;
  return count;
}

/** An instant as the interface writes it. */
const utc = (instant: Sql) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

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

const codeColumns = sql`code.id, code.unique_code, code.code_key, code.group_id as unique_code_group_id, contact.id as contact_id,
  ${utc(sql`code.redeemed_at`)} as redeemed_at_datetime, code.redeemed_unit_id as redeemed_at_unit_id, unit.name as redeemed_at_unit_name`;

const codesWithMore = (accountId: number) => sql`unique_codes code
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
export function lockCodes(
  tx: Tx,
  accountId: number,
  sought: SoughtCode[],
): Promise<(CodeRow & { waited_for: boolean })[]> {
  return tx<CodeRow & { waited_for: boolean }>`
    select ${codeColumns}, code.contact_id is not null and exists (
      select from purchases
      where account_id = ${accountId} and contact_id is null and upper(unique_code collate "C") = code.code_key) as waited_for
    from ${codesWithMore(accountId)}
    where code.account_id = ${accountId} and code.id = any(array(${soughtIds(accountId, sought)}))
    order by code.id for no key update of code`;
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
        where account_id = ${accountId} and contact_id is null and upper(unique_code collate "C") = code.code_key))
    returning plain.place::int as place, code.id, code.unique_code, code.group_id as unique_code_group_id,
      (select coalesce(merged_into, id) from contacts where account_id = ${accountId} and id = code.contact_id) as contact_id,
      ${utc(sql`code.redeemed_at`)} as redeemed_at_datetime, code.redeemed_unit_id as redeemed_at_unit_id`;
}

const staffColumns = sql`code.id, code.unique_code, code.group_id as unique_code_group_id,
  case when code.redeemed_at is null then 'Active' else 'Redeemed' end as status, contact.id as contact_id, code.assigned_at,
  ${utc(sql`code.redeemed_at`)} as redeemed_at_datetime, code.redeemed_unit_id as redeemed_at_unit_id, code.created_at`;

/** Which codes are wanted: of one group, or of all. */
const chosen = (accountId: number, groupId: number | null, { status, assigned, unique_code }: ListCodes) => {
  const parts = [sql`code.account_id = ${accountId}`];
  if (groupId !== null) parts.push(sql`code.group_id = ${groupId}`);
  if (unique_code !== undefined) parts.push(sql`code.code_key = ${codeKey(unique_code)}`);
  if (status !== undefined)
    parts.push(status === 'Active' ? sql`code.redeemed_at is null` : sql`code.redeemed_at is not null`);
  if (assigned !== undefined) parts.push(assigned ? sql`code.contact_id is not null` : sql`code.contact_id is null`);
  return join(parts, ' and ');
};

export async function selectCodes(
  tx: Tx,
  accountId: number,
  groupId: number | null,
  filter: ListCodes,
  slice: Slice,
): Promise<Rows<StaffCode>> {
  const where = chosen(accountId, groupId, filter);
  const [rows, counted] = await Promise.all([
    tx<StaffCode>`
      select ${staffColumns} from ${codesWithMore(accountId)} where ${where}
      order by code.id limit ${slice.limit} offset ${slice.offset}`,
    tx<{ total: number }>`select count(*) as total from unique_codes code where ${where}`,
  ]);
  return { rows, total: only(counted).total };
}

/** The next so many behind one of them. */
export function selectCodesAfter(
  tx: Tx,
  accountId: number,
  groupId: number,
  filter: ListCodes,
  { after, limit }: After,
): Promise<StaffCode[]> {
  return tx<StaffCode>`
    select ${staffColumns} from ${codesWithMore(accountId)} where ${chosen(accountId, groupId, filter)} and code.id > ${after}
    order by code.id limit ${limit}`;
}

/** A contact's, with what the groups and units are called; the newest first. */
export function selectContactCodes(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  slice: Slice,
): Promise<Rows<CodeRow & { unique_code_group_name: string }>> {
  const from = sql`${codesWithMore(accountId)}
    join unique_code_groups g on g.account_id = code.account_id and g.id = code.group_id
    where code.account_id = ${accountId} and code.contact_id = any(${contactIds})`;
  const columns = sql`${codeColumns}, g.name as unique_code_group_name`;
  return listing(tx, { columns, from, orderBy: sql`code.id desc` }, slice);
}

/** Undefined contact: nobody's. */
export async function assignCodes(
  tx: Tx,
  accountId: number,
  assignments: { id: number; contact_id: number | null }[],
): Promise<void> {
  await tx`
    update unique_codes code set contact_id = given.contact_id, assigned_at = case when given.contact_id is not null then now() end
    from unnest(${assignments.map(({ id }) => id)}::bigint[], ${assignments.map(({ contact_id }) => contact_id)}::bigint[])
      as given (id, contact_id)
    where code.account_id = ${accountId} and code.id = given.id`;
}

export function findStaffCodes(tx: Tx, accountId: number, ids: number[]): Promise<StaffCode[]> {
  return tx<StaffCode>`
    select ${staffColumns} from ${codesWithMore(accountId)} where code.account_id = ${accountId} and code.id = any(${ids})
    order by code.id`;
}

/** Codes of a group to give out: the first that each of these contacts has already, and so many that are free. */
export async function selectCodesToGive(
  tx: Tx,
  accountId: number,
  groupId: number,
  contactIds: number[],
): Promise<{ id: number; unique_code: string; contact_id: number | null }[]> {
  // One statement, so that a code that is being given meanwhile is seen in either part and not in neither.
  return tx`
    select had.id, had.unique_code, had.contact_id from unnest(${contactIds}::bigint[]) as contact (id)
    cross join lateral (
      select code.id, code.unique_code, contact.id as contact_id from unique_codes code
      where code.account_id = ${accountId} and code.group_id = ${groupId} and code.contact_id = any(array(
        select contact.id union all
        select c.id from contacts c where c.account_id = ${accountId} and c.merged_into = contact.id))
      order by code.id limit 1) as had
    union all
    (select id, unique_code, null from unique_codes
     where account_id = ${accountId} and group_id = ${groupId} and contact_id is null and redeemed_at is null
     order by id limit ${contactIds.length})`;
}

/** How many of these are still free. They stay so until the transaction ends. */
export async function lockFreeCodes(tx: Tx, accountId: number, ids: number[]): Promise<number> {
  const rows = await tx`
    select from unique_codes where account_id = ${accountId} and id = any(${ids}) and contact_id is null and redeemed_at is null
    order by id for no key update`;
  return rows.length;
}

interface Range {
  timeZone: string;
  start: string;
  end: string;
}

/** How many a group has. */
export async function countCodes(tx: Tx, accountId: number, groupId: number) {
  const rows = await tx<{ made: number; assigned: number; redeemed: number }>`
    select count(*) as made, count(contact_id) as assigned, count(redeemed_at) as redeemed
    from unique_codes where account_id = ${accountId} and group_id = ${groupId}`;
  return only(rows);
}

export function countByUnit(tx: Tx, accountId: number, groupId: number) {
  return tx<{ unit_id: number; unit_name: string; redeemed: number }>`
    select unit_id, unit.name as unit_name, redeemed from (
      select redeemed_unit_id as unit_id, count(*) as redeemed from unique_codes
      where account_id = ${accountId} and group_id = ${groupId} and redeemed_at is not null group by 1) as counted
    join units unit on unit.account_id = ${accountId} and unit.id = unit_id
    order by redeemed desc, unit_id`;
}

/** What happened on each day, and where: made and assigned are not at a unit. */
export function countByDay(tx: Tx, accountId: number, groupId: number, { timeZone, start, end }: Range) {
  const counted = (instant: Sql, what: string, where: Sql) => sql`
    select (${instant} at time zone ${timeZone})::date as date, ${what} as what, ${where} as unit_id, count(*) as count
    from unique_codes code
    where account_id = ${accountId} and group_id = ${groupId} and ${instant} >= ${start}::timestamp at time zone ${timeZone}
      and ${instant} < (${end}::date + 1)::timestamp at time zone ${timeZone}`;
  return tx<{ date: string; what: 'made' | 'assigned' | 'redeemed'; unit_id: number | null; count: number }>`
    ${counted(sql`created_at`, 'made', sql`null::bigint`)} group by 1, 3
    union all ${counted(sql`assigned_at`, 'assigned', sql`null::bigint`)} and contact_id is not null group by 1, 3
    union all ${counted(sql`redeemed_at`, 'redeemed', sql`redeemed_unit_id`)} group by 1, 3
    order by date, unit_id`;
}
