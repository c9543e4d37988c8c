import type { Tx } from '../../platform/db/database.ts';
import { listing } from '../../platform/db/listing.ts';
import { only, sql } from '../../platform/db/sql.ts';
import type { After, Rows, Slice } from '../../shared/fields.ts';
import type { CodeGroup, CountedCodeGroup, NewCodeGroup } from './group-schema.ts';

const groupColumns = sql`id, unit_id, name, created_at`;

/** Returns undefined if the unit already has a group with that name. */
export async function insertCodeGroup(
  tx: Tx,
  accountId: number,
  { unit_id, name }: NewCodeGroup,
): Promise<CodeGroup | undefined> {
  const [group] = await tx<CodeGroup>`
    insert into unique_code_groups (account_id, unit_id, name, created_at) values (${accountId}, ${unit_id}, ${name}, ${tx.now})
    on conflict do nothing returning ${groupColumns}`;
  return group;
}

/** The ids that belong to a group. */
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

/** These groups, newest first, with the names of their units. */
export function namedCodeGroups(
  tx: Tx,
  accountId: number,
  ids: number[],
): Promise<Omit<CountedCodeGroup, 'made' | 'assigned' | 'redeemed'>[]> {
  return tx`
    select g.id, g.unit_id, g.name, g.created_at, unit.name as unit_name
    from unique_code_groups g
    join units unit on unit.account_id = g.account_id and unit.id = g.unit_id
    where g.account_id = ${accountId} and g.id = any(${ids}) order by g.id desc`;
}

/** The same with their counts, from the codes. */
export function countedCodeGroups(tx: Tx, accountId: number, ids: number[]): Promise<CountedCodeGroup[]> {
  return tx<CountedCodeGroup>`
    select g.id, g.unit_id, g.name, g.created_at, unit.name as unit_name,
      coalesce(made, 0) as made, coalesce(assigned, 0) as assigned, coalesce(redeemed, 0) as redeemed
    from unique_code_groups g
    join units unit on unit.account_id = g.account_id and unit.id = g.unit_id
    left join (
      select group_id, count(*) as made, count(contact_id) as assigned, count(redeemed_at) as redeemed
      from unique_codes where account_id = ${accountId} and group_id = any(${ids}) group by 1) as codes on group_id = g.id
    where g.account_id = ${accountId} and g.id = any(${ids}) order by g.id desc`;
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

/**
 * Locks the group until the transaction ends, against assigning its codes and deleting it. For a deletion, also against
 * new codes.
 */
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

/** Whether any of its codes is assigned or redeemed. */
export async function isUsed(tx: Tx, accountId: number, groupId: number): Promise<boolean> {
  const { used } = only(
    await tx<{ used: boolean }>`
      select exists (
        select from unique_codes where account_id = ${accountId} and group_id = ${groupId}
          and (contact_id is not null or redeemed_at is not null)) as used`,
  );
  return used;
}

/** Deletes up to `limit` free codes after an id. Returns the last id; null: none were left. */
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
