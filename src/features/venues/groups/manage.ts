import { isViolation, type Tx } from '../../../platform/db/database.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { Invalid, NotFound } from '../../../shared/problem.ts';
import { findUnit } from '../units/store.ts';
import { defaultFolder, type Folder, folderNotEmpty, type Group, type NewGroup } from './schema.ts';
import {
  deleteFolder,
  deleteGroup,
  ensureFolder,
  findFolder,
  findGroup,
  insertFolder,
  insertGroup,
  renameFolder,
  renameGroup,
  selectFolders,
  selectGroups,
} from './store.ts';

const nameTaken = (where: string) => new Invalid({ name: [`The name has already been taken ${where}.`] });

export async function createFolder(tx: Tx, accountId: number, unitId: number, name: string): Promise<Folder> {
  await mustHaveUnit(tx, accountId, unitId);
  const folder = await insertFolder(tx, accountId, unitId, name);
  if (!folder) throw nameTaken('on this unit');
  return folder;
}

export function listFolders(
  tx: Tx,
  accountId: number,
  unitId: number | undefined,
  slice: Slice,
): Promise<Rows<Folder>> {
  return selectFolders(tx, accountId, unitId ?? null, slice);
}

export async function showFolder(tx: Tx, accountId: number, id: number): Promise<Folder> {
  return mustExist(await findFolder(tx, accountId, id), 'folder');
}

export async function changeFolder(tx: Tx, accountId: number, id: number, name: string): Promise<Folder> {
  return mustExist(await rejectTakenName(renameFolder(tx, accountId, id, name), 'on this unit'), 'folder');
}

export async function removeFolder(tx: Tx, accountId: number, id: number): Promise<void> {
  try {
    if (!(await deleteFolder(tx, accountId, id))) throw noSuch('folder');
  } catch (error) {
    if (!isViolation(error, 'foreign key')) throw error;
    throw new Invalid({ folder_id: [folderNotEmpty] });
  }
}

export async function createGroup(
  tx: Tx,
  accountId: number,
  { unit_id, name, folder_name = defaultFolder }: NewGroup,
): Promise<Group> {
  await mustHaveUnit(tx, accountId, unit_id);
  const folder = await ensureFolder(tx, accountId, unit_id, folder_name);
  const group = await insertGroup(tx, accountId, folder, name);
  if (!group) throw nameTaken('in this folder');
  return group;
}

export function listGroups(
  tx: Tx,
  accountId: number,
  { unit_id, folder_id }: { unit_id?: number; folder_id?: number },
  slice: Slice,
): Promise<Rows<Group>> {
  return selectGroups(tx, accountId, unit_id ?? null, folder_id ?? null, slice);
}

export async function showGroup(tx: Tx, accountId: number, id: number): Promise<Group> {
  return mustExist(await findGroup(tx, accountId, id), 'group');
}

export async function changeGroup(tx: Tx, accountId: number, id: number, name: string): Promise<Group> {
  return mustExist(await rejectTakenName(renameGroup(tx, accountId, id, name), 'in this folder'), 'group');
}

export async function removeGroup(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await deleteGroup(tx, accountId, id))) throw noSuch('group');
}

async function mustHaveUnit(tx: Tx, accountId: number, unitId: number): Promise<void> {
  if (!(await findUnit(tx, accountId, unitId))) {
    throw new Invalid({ unit_id: ['The unit id is not a unit of this account.'] });
  }
}

async function rejectTakenName<T>(change: Promise<T>, where: string): Promise<T> {
  try {
    return await change;
  } catch (error) {
    throw isViolation(error, 'unique') ? nameTaken(where) : error;
  }
}

function mustExist<T>(thing: T | undefined, noun: string): T {
  if (thing === undefined) throw noSuch(noun);
  return thing;
}

function noSuch(noun: string): NotFound {
  return new NotFound(`There is no such ${noun}.`);
}
