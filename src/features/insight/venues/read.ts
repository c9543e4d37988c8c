import type { Tx } from '../../../platform/db/database.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { NotFound } from '../../../shared/problem.ts';
import { folderNotEmpty } from '../../venues/groups/schema.ts';
import { findFolder, findGroup, foldersOfUnits } from '../../venues/groups/store.ts';
import { rootUnitError } from '../../venues/units/schema.ts';
import { findUnit, selectUnits } from '../../venues/units/store.ts';
import type { FolderEffects, GroupEffects, UnitEffects, Venue } from './schema.ts';
import { countAtUnit, countGroupGuests, countInFolder, countUnitGuests, searchUnits } from './store.ts';

export async function listVenues(
  tx: Tx,
  accountId: number,
  search: string | undefined,
  slice: Slice,
): Promise<Rows<Venue>> {
  const { rows: units, total } = await (search === undefined
    ? selectUnits(tx, accountId, slice)
    : searchUnits(tx, accountId, search, slice));
  const unitIds = units.map(({ id }) => id);
  const { folders, guests } = await tx.inOrder({
    folders: () => foldersOfUnits(tx, accountId, unitIds),
    guests: () => countUnitGuests(tx, accountId, unitIds),
  });
  const groupIds = [...folders.values()].flat().flatMap(({ groups }) => groups.map(({ id }) => id));
  const inGroups = await countGroupGuests(tx, accountId, groupIds);
  const rows = units.map((unit) => ({
    ...unit,
    guests: guests.get(unit.id) ?? 0,
    folders: (folders.get(unit.id) ?? []).map(({ groups, ...folder }) => ({
      ...folder,
      groups: groups.map((group) => ({ ...group, guests: inGroups.get(group.id) ?? 0 })),
    })),
  }));
  return { rows, total };
}

/** Activity at a deleted unit stays, see `markDeleted`. */
export async function unitEffects(tx: Tx, accountId: number, id: number): Promise<UnitEffects> {
  const unit = mustExist(await findUnit(tx, accountId, id), 'unit');
  const { guests, counts } = await tx.inOrder({
    guests: () => countUnitGuests(tx, accountId, [id]),
    counts: () => countAtUnit(tx, accountId, id),
  });
  return { refused: unit.is_root ? rootUnitError : null, guests: guests.get(id) ?? 0, ...counts };
}

export async function folderEffects(tx: Tx, accountId: number, id: number): Promise<FolderEffects> {
  mustExist(await findFolder(tx, accountId, id), 'folder');
  const counts = await countInFolder(tx, accountId, id);
  return { refused: counts.groups > 0 ? folderNotEmpty : null, ...counts };
}

export async function groupEffects(tx: Tx, accountId: number, id: number): Promise<GroupEffects> {
  mustExist(await findGroup(tx, accountId, id), 'group');
  const guests = await countGroupGuests(tx, accountId, [id]);
  return { refused: null, guests: guests.get(id) ?? 0 };
}

function mustExist<T>(thing: T | undefined, noun: string): T {
  if (thing === undefined) throw new NotFound(`There is no such ${noun}.`);
  return thing;
}
