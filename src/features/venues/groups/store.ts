import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { only, sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { Folder, Group } from './schema.ts';

const folderColumns = sql`id, name, unit_id`;
const groupColumns = sql`id, name, unit_id, folder_id`;

interface Named {
  id: number;
  name: string;
}

export type FolderTree = Named & { groups: Named[] };

/** The folders of many units with their groups, in one statement. */
export async function foldersOfUnits(tx: Tx, accountId: number, unitIds: number[]): Promise<Map<number, FolderTree[]>> {
  const rows = await tx<{ unit_id: number; id: number; name: string; groups: Named[] }>`
    select f.unit_id, f.id, f.name,
      coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name) order by g.id) filter (where g.id is not null), '[]') as groups
    from folders f
    left join groups g on g.account_id = f.account_id and g.unit_id = f.unit_id and g.folder_id = f.id
    where f.account_id = ${accountId} and f.unit_id = any(${unitIds})
    group by f.unit_id, f.id, f.name
    order by f.id`;
  const trees = new Map<number, FolderTree[]>();
  for (const { unit_id, ...folder } of rows) {
    const siblings = trees.get(unit_id);
    if (siblings) siblings.push(folder);
    else trees.set(unit_id, [folder]);
  }
  return trees;
}

/** The folder with that name on the unit. Created if it is missing. */
export async function ensureFolder(tx: Tx, accountId: number, unitId: number, name: string): Promise<Folder> {
  // The update changes nothing. It returns an existing row, even one that another process just created.
  const rows = await tx<Folder>`
    insert into folders (account_id, unit_id, name) values (${accountId}, ${unitId}, ${name})
    on conflict (account_id, unit_id, name_key) do update set name = folders.name
    returning ${folderColumns}`;
  return only(rows);
}

/** Undefined: the unit already has a folder with that name. */
export async function insertFolder(
  tx: Tx,
  accountId: number,
  unitId: number,
  name: string,
): Promise<Folder | undefined> {
  const [folder] = await tx<Folder>`
    insert into folders (account_id, unit_id, name) values (${accountId}, ${unitId}, ${name})
    on conflict do nothing returning ${folderColumns}`;
  return folder;
}

export function selectFolders(tx: Tx, accountId: number, unitId: number | null, slice: Slice): Promise<Rows<Folder>> {
  const from = sql`folders where account_id = ${accountId} and (${unitId}::bigint is null or unit_id = ${unitId})`;
  return listing(tx, { columns: folderColumns, from, orderBy: sql`id` }, slice);
}

export async function findFolder(tx: Tx, accountId: number, id: number): Promise<Folder | undefined> {
  const [folder] =
    await tx<Folder>`select ${folderColumns} from folders where account_id = ${accountId} and id = ${id}`;
  return folder;
}

export async function renameFolder(tx: Tx, accountId: number, id: number, name: string): Promise<Folder | undefined> {
  const [folder] = await tx<Folder>`
    update folders set name = ${name} where account_id = ${accountId} and id = ${id} returning ${folderColumns}`;
  return folder;
}

export async function deleteFolder(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const { count } = await tx`delete from folders where account_id = ${accountId} and id = ${id}`;
  return count > 0;
}

/** Undefined: the folder already has a group with that name. */
export async function insertGroup(tx: Tx, accountId: number, folder: Folder, name: string): Promise<Group | undefined> {
  const [group] = await tx<Group>`
    insert into groups (account_id, unit_id, folder_id, name) values (${accountId}, ${folder.unit_id}, ${folder.id}, ${name})
    on conflict do nothing returning ${groupColumns}`;
  return group;
}

export function selectGroups(
  tx: Tx,
  accountId: number,
  unitId: number | null,
  folderId: number | null,
  slice: Slice,
): Promise<Rows<Group>> {
  const from = sql`groups where account_id = ${accountId} and (${unitId}::bigint is null or unit_id = ${unitId})
    and (${folderId}::bigint is null or folder_id = ${folderId})`;
  return listing(tx, { columns: groupColumns, from, orderBy: sql`id` }, slice);
}

export async function findGroup(tx: Tx, accountId: number, id: number): Promise<Group | undefined> {
  const [group] = await tx<Group>`
    select ${groupColumns} from groups where account_id = ${accountId} and id = ${id}`;
  return group;
}

export async function renameGroup(tx: Tx, accountId: number, id: number, name: string): Promise<Group | undefined> {
  const [group] = await tx<Group>`
    update groups set name = ${name} where account_id = ${accountId} and id = ${id} returning ${groupColumns}`;
  return group;
}

/** Deletes a group. Its contacts have changed, which is recorded in rows of bounded size. */
export async function deleteGroup(tx: Tx, accountId: number, id: number): Promise<boolean> {
  // No contact can join from here on.
  await tx`select from groups where account_id = ${accountId} and id = ${id} for update`;
  const parts = await tx<{ contact_ids: number[] }>`
    select array_agg(contact_id) as contact_ids from (
      select contact_id, row_number() over () / 1000 as part from contact_groups
      where account_id = ${accountId} and group_id = ${id}) as member
    group by part`;
  await tx.each(
    parts,
    ({ contact_ids }) => tx`insert into changes (account_id, contact_ids) values (${accountId}, ${contact_ids})`,
  );
  const { count } = await tx`delete from groups where account_id = ${accountId} and id = ${id}`;
  return count > 0;
}

/** A group in a contact write. The case of `folder_name` and `name` is ignored. */
export interface GroupName {
  unit_id: number;
  folder_name: string;
  name: string;
}

export function findGroups(tx: Tx, accountId: number, ids: number[]): Promise<Group[]> {
  return tx<Group>`select ${groupColumns} from groups where account_id = ${accountId} and id = any(${ids})`;
}

/** The id and stored name of each, in order. Null: not found. */
export function findGroupsByName(
  tx: Tx,
  accountId: number,
  names: GroupName[],
): Promise<{ id: number | null; name: string | null }[]> {
  return tx<{ id: number | null; name: string | null }>`
    select found.id, found.name
    from (
      select unit_id, lower(folder_name) as folder_key, lower(name) as name_key, place
      from rows from (jsonb_to_recordset(${JSON.stringify(names)}::jsonb) as (unit_id bigint, folder_name text, name text))
        with ordinality as sent (unit_id, folder_name, name, place) offset 0) as wanted
    left join lateral (
      select id from folders
      where account_id = ${accountId} and unit_id = wanted.unit_id and name_key = wanted.folder_key offset 0) as folder on true
    left join lateral (
      select id, name from groups
      where account_id = ${accountId} and unit_id = wanted.unit_id and folder_id = folder.id
        and name_key = wanted.name_key offset 0) as found on true
    order by place`;
}

/** Creates missing groups and folders. The order is the same everywhere, so that two transactions cannot deadlock. */
export async function ensureGroups(tx: Tx, accountId: number, names: GroupName[]): Promise<void> {
  const wanted = JSON.stringify(names);
  await tx`
    insert into folders (account_id, unit_id, name)
    select distinct on (unit_id, lower(folder_name)) ${accountId}::bigint, unit_id, folder_name
    from jsonb_to_recordset(${wanted}::jsonb) as wanted (unit_id bigint, folder_name text)
    order by unit_id, lower(folder_name)
    on conflict do nothing`;
  await tx`
    insert into groups (account_id, unit_id, folder_id, name)
    select distinct on (f.id, wanted.name_key) ${accountId}::bigint, f.unit_id, f.id, wanted.name
    from (
      select *, lower(folder_name) as folder_key, lower(name) as name_key
      from jsonb_to_recordset(${wanted}::jsonb) as sent (unit_id bigint, folder_name text, name text) offset 0) as wanted
    join folders f on f.account_id = ${accountId} and f.unit_id = wanted.unit_id and f.name_key = wanted.folder_key
    order by f.id, wanted.name_key
    on conflict do nothing`;
}
