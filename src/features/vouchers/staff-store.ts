import type { Tx } from '../../platform/db/database.ts';
import { listing } from '../../platform/db/listing.ts';
import { join, only, type Sql, sql } from '../../platform/db/sql.ts';
import type { After, Rows, Slice } from '../../shared/fields.ts';
import { codeKey, type ListCodes, type StaffCode, type StaffContactCode } from './schema.ts';
import { type CodeRow, codeColumns, codesWithMore, utc } from './store.ts';

const staffColumns = (accountId: number) => sql`code.id, code.unique_code, code.group_id as unique_code_group_id,
  case when code.redeemed_at is null then 'Active' else 'Redeemed' end as status, contact.id as contact_id, code.assigned_at,
  (select nullif(concat_ws(' ', nullif(first_name, ''), nullif(last_name, '')), '') from contacts
   where account_id = ${accountId} and id = contact.id) as contact_name,
  ${utc(sql`code.redeemed_at`)} as redeemed_at_datetime, code.redeemed_unit_id as redeemed_at_unit_id,
  unit.name as redeemed_at_unit_name, code.created_at`;

/** Finds a code by its key instead of searching the group, because a group can have a million codes. */
const codesWithKey = (accountId: number, { unique_code }: ListCodes) =>
  unique_code === undefined
    ? sql`unique_codes`
    : sql`(select * from unique_codes where account_id = ${accountId} and code_key = ${codeKey(unique_code)} offset 0)`;

/** The filters of a group's codes. */
const chosen = (accountId: number, groupId: number, { status, assigned }: ListCodes) => {
  const parts = [sql`code.account_id = ${accountId}`, sql`code.group_id = ${groupId}`];
  if (status !== undefined)
    parts.push(status === 'Active' ? sql`code.redeemed_at is null` : sql`code.redeemed_at is not null`);
  if (assigned !== undefined) parts.push(assigned ? sql`code.contact_id is not null` : sql`code.contact_id is null`);
  return join(parts, ' and ');
};

export async function selectCodes(
  tx: Tx,
  accountId: number,
  groupId: number,
  filter: ListCodes,
  slice: Slice,
): Promise<Rows<StaffCode>> {
  const [codes, where] = [codesWithKey(accountId, filter), chosen(accountId, groupId, filter)];
  const { rows, counted } = await tx.inOrder({
    // The page is selected first, so that names are not looked up for the codes before it. There may be a million.
    rows: () => tx<StaffCode>`
      select ${staffColumns(accountId)} from ${codesWithMore(accountId)}
      where code.account_id = ${accountId} and code.id = any(array(
        select id from ${codes} code where ${where} order by id limit ${slice.limit} offset ${slice.offset}))
      order by code.id`,
    counted: () => tx<{ total: number }>`select count(*) as total from ${codes} code where ${where}`,
  });
  return { rows, total: only(counted).total };
}

/** The next rows after an id. */
export function selectCodesAfter(
  tx: Tx,
  accountId: number,
  groupId: number,
  filter: ListCodes,
  { after, limit }: After,
): Promise<StaffCode[]> {
  return tx<StaffCode>`
    select ${staffColumns(accountId)} from ${codesWithMore(accountId, codesWithKey(accountId, filter))}
    where ${chosen(accountId, groupId, filter)} and code.id > ${after}
    order by code.id limit ${limit}`;
}

/** Subqueries instead of joins, because a plan that starts at the groups reads all of their codes. */
const groupNames = (accountId: number) => sql`cross join lateral (
    select name from unique_code_groups where account_id = ${accountId} and id = code.group_id offset 0) as g`;

const ofContacts = (accountId: number, contactIds: number[]) => sql`${codesWithMore(accountId)}
  ${groupNames(accountId)}
  where code.account_id = ${accountId} and code.contact_id = any(${contactIds})`;

/** The codes of contacts with the names of groups and units, newest first. */
export function selectContactCodes(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  slice: Slice,
): Promise<Rows<CodeRow & { unique_code_group_name: string }>> {
  const columns = sql`${codeColumns}, g.name as unique_code_group_name`;
  return listing(tx, { columns, from: ofContacts(accountId, contactIds), orderBy: sql`code.id desc` }, slice);
}

/** The same with the fields for staff. */
export function selectStaffContactCodes(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  slice: Slice,
): Promise<Rows<StaffContactCode>> {
  const columns = sql`${staffColumns(accountId)}, g.name as unique_code_group_name`;
  return listing(tx, { columns, from: ofContacts(accountId, contactIds), orderBy: sql`code.id desc` }, slice);
}

/** Finds a code in all groups. */
export function selectCodeEverywhere(
  tx: Tx,
  accountId: number,
  unique_code: string,
  slice: Slice,
): Promise<Rows<StaffContactCode>> {
  const from = sql`${codesWithMore(accountId)}
    ${groupNames(accountId)}
    where code.account_id = ${accountId} and code.code_key = ${codeKey(unique_code)}`;
  const columns = sql`${staffColumns(accountId)}, g.name as unique_code_group_name`;
  return listing(tx, { columns, from, orderBy: sql`code.id` }, slice);
}

/** Assigns each code to its contact. */
/** An assigned code. A code can be redeemed before it is assigned. */
export interface AssignedRow {
  id: number;
  group_id: number;
  unique_code: string;
  assigned_at: string;
  contact_id: number;
  redeemed_at: string | null;
  redeemed_at_unit_id: number;
}

export function assignCodes(
  tx: Tx,
  accountId: number,
  assignments: { id: number; contact_id: number }[],
): Promise<AssignedRow[]> {
  return tx<AssignedRow>`
    update unique_codes code set contact_id = given.contact_id, assigned_at = ${tx.now}
    from unnest(${assignments.map(({ id }) => id)}::bigint[], ${assignments.map(({ contact_id }) => contact_id)}::bigint[])
      as given (id, contact_id)
    where code.account_id = ${accountId} and code.id = given.id
    returning code.id, code.group_id, code.unique_code, to_utc_text(code.assigned_at) as assigned_at, code.contact_id, to_utc_text(code.redeemed_at) as redeemed_at, code.redeemed_unit_id as redeemed_at_unit_id`;
}

/** The time of a code's assignment. Undefined: it is not assigned. The code must be locked. */
export async function findAssignment(tx: Tx, accountId: number, id: number): Promise<string | undefined> {
  const [row] = await tx<{ assigned_at: string }>`
    select to_utc_text(coalesce(assigned_at, created_at)) as assigned_at from unique_codes
    where account_id = ${accountId} and id = ${id} and contact_id is not null`;
  return row?.assigned_at;
}

/** Makes codes free again. */
export async function releaseCodes(tx: Tx, accountId: number, ids: number[]): Promise<void> {
  await tx`
    update unique_codes set contact_id = null, assigned_at = null where account_id = ${accountId} and id = any(${ids})`;
}

export function findStaffCodes(tx: Tx, accountId: number, ids: number[]): Promise<StaffCode[]> {
  return tx<StaffCode>`
    select ${staffColumns(accountId)} from ${codesWithMore(accountId)} where code.account_id = ${accountId} and code.id = any(${ids})
    order by code.id`;
}

/** The codes of contacts in all groups. They are few. */
const codesOf = (accountId: number, contact: Sql) => sql`
  select id, unique_code, group_id from unique_codes where account_id = ${accountId} and contact_id = ${contact} offset 0`;

/** The contact and the contacts merged into it. */
const mergedIds = (accountId: number, contact: Sql) => sql`(
  select ${contact} as id union all
  select merged.id from contacts merged where merged.account_id = ${accountId} and merged.merged_into = ${contact}) as person`;

/** The first code of the group that each of these contacts already has, and up to `limit` free codes. */
export async function selectCodesToAssign(
  tx: Tx,
  accountId: number,
  groupId: number,
  contactIds: number[],
): Promise<{ id: number; unique_code: string; contact_id: number | null }[]> {
  // One statement, so that a code that is assigned meanwhile appears in one of the two parts.
  return tx`
    select had.id, had.unique_code, had.contact_id from unnest(${contactIds}::bigint[]) as contact (id)
    cross join lateral (
      select code.id, code.unique_code, contact.id as contact_id from ${mergedIds(accountId, sql`contact.id`)}
      cross join lateral (${codesOf(accountId, sql`person.id`)}) as code
      where code.group_id = ${groupId} order by code.id limit 1) as had
    union all
    (select id, unique_code, null from unique_codes
     where account_id = ${accountId} and group_id = ${groupId} and contact_id is null and redeemed_at is null
     order by id limit ${contactIds.length})`;
}

/** The first contacts of a group without a code of the voucher group, and their total number. */
export async function selectContactsWithoutCode(
  tx: Tx,
  accountId: number,
  codeGroupId: number,
  contactGroupId: number,
  limit: number,
): Promise<{ ids: number[]; total: number }> {
  const rows = await tx<{ id: number; total: number }>`
    select contact.id, count(*) over () as total
    from contact_groups link
    -- Contacts and codes are looked up for each link. In a join, a plan without statistics reads all contacts for each link.
    cross join lateral (
      select id from contacts
      where account_id = ${accountId} and id = link.contact_id and merged_into is null offset 0) as contact
    where link.account_id = ${accountId} and link.group_id = ${contactGroupId}
      and not exists (
        select from ${mergedIds(accountId, sql`contact.id`)}
        cross join lateral (${codesOf(accountId, sql`person.id`)}) as code where code.group_id = ${codeGroupId})
    order by contact.id limit ${limit}`;
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 };
}

/** The number of free codes of a group, counted up to a limit. */
export async function countFreeCodes(tx: Tx, accountId: number, groupId: number, most: number): Promise<number> {
  const rows = await tx<{ count: number }>`
    select count(*) as count from (
      select from unique_codes
      where account_id = ${accountId} and group_id = ${groupId} and contact_id is null and redeemed_at is null
      limit ${most}) as free`;
  return only(rows).count;
}

/** The number of these codes that are still free. Locks them until the transaction ends. */
export async function lockFreeCodes(tx: Tx, accountId: number, ids: number[]): Promise<number> {
  const rows = await tx`
    select from unique_codes where account_id = ${accountId} and id = any(${ids}) and contact_id is null and redeemed_at is null
    order by id for no key update`;
  return rows.length;
}

export interface Range {
  timeZone: string;
  start: string;
  end: string;
}

/** The number of codes of a group. */
export async function countCodes(tx: Tx, accountId: number, groupId: number) {
  const rows = await tx<{ made: number; assigned: number; redeemed: number }>`
    select count(*) as made, count(contact_id) as assigned, count(redeemed_at) as redeemed
    from unique_codes where account_id = ${accountId} and group_id = ${groupId}`;
  return only(rows);
}

/** The number of codes with this prefix and length. */
export async function countSimilarCodes(tx: Tx, accountId: number, groupId: number, prefix: string, length: number) {
  const rows = await tx<{ count: number }>`
    select count(*) as count from unique_codes
    where account_id = ${accountId} and group_id = ${groupId} and length(unique_code) = ${length}
      and starts_with(code_key, ${codeKey(prefix)})`;
  return only(rows).count;
}

export function countByUnit(tx: Tx, accountId: number, groupId: number) {
  return tx<{ unit_id: number; unit_name: string; redeemed: number }>`
    select unit_id, unit.name as unit_name, redeemed from (
      select redeemed_unit_id as unit_id, count(*) as redeemed from unique_codes
      where account_id = ${accountId} and group_id = ${groupId} and redeemed_at is not null group by 1) as counted
    join units unit on unit.account_id = ${accountId} and unit.id = unit_id
    order by redeemed desc, unit_id`;
}

/** The counts by day and unit. Generated and assigned codes have no unit. */
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
