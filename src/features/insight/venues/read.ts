import type { Tx } from '../../../platform/db/database.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { NotFound } from '../../../shared/problem.ts';
import { waitingContacts } from '../../figures/changes-store.ts';
import { selectGuests, sumGroupGuests, sumUnitGuests } from '../../figures/guest-counts-store.ts';
import { areCountsKept } from '../../figures/unit-days-store.ts';
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
  const folders = await foldersOfUnits(tx, accountId, unitIds);
  const groupIds = [...folders.values()].flat().flatMap(({ groups }) => groups.map(({ id }) => id));
  const { units: guests, groups: inGroups } = await countMembers(tx, accountId, { unitIds, groupIds });
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

interface Members {
  units: Map<number, number>;
  groups: Map<number, number>;
}

/**
 * The numbers of contacts of units and groups: the kept counts without the contacts that changed since, and the present
 * state of these.
 */
async function countMembers(
  tx: Tx,
  accountId: number,
  { unitIds = [], groupIds = [] }: { unitIds?: number[]; groupIds?: number[] },
): Promise<Members> {
  const { areKept, waiting } = await tx.inOrder({
    areKept: () => areCountsKept(tx, accountId),
    waiting: () => waitingContacts(tx, accountId),
  });
  if (!areKept || !waiting)
    return tx.inOrder({
      units: () => countUnitGuests(tx, accountId, unitIds),
      groups: () => countGroupGuests(tx, accountId, groupIds),
    });
  const { units, groups, changed } = await tx.inOrder({
    units: () => sumUnitGuests(tx, accountId, unitIds, waiting),
    groups: () => sumGroupGuests(tx, accountId, groupIds, waiting),
    changed: () => selectGuests(tx, accountId, waiting),
  });
  const add = (to: Map<number, number>, ids: number[]) => {
    for (const id of ids) to.set(id, (to.get(id) ?? 0) + 1);
  };
  for (const { unit_ids, group_ids } of changed) {
    add(units, unit_ids);
    add(groups, group_ids);
  }
  return { units, groups };
}

/** Activity at a deleted unit stays, see `markDeleted`. */
export async function unitEffects(tx: Tx, accountId: number, id: number): Promise<UnitEffects> {
  const unit = mustExist(await findUnit(tx, accountId, id), 'unit');
  const { units: guests } = await countMembers(tx, accountId, { unitIds: [id] });
  const counts = await countAtUnit(tx, accountId, id);
  return { refused: unit.is_root ? rootUnitError : null, guests: guests.get(id) ?? 0, ...counts };
}

export async function folderEffects(tx: Tx, accountId: number, id: number): Promise<FolderEffects> {
  mustExist(await findFolder(tx, accountId, id), 'folder');
  const counts = await countInFolder(tx, accountId, id);
  return { refused: counts.groups > 0 ? folderNotEmpty : null, ...counts };
}

export async function groupEffects(tx: Tx, accountId: number, id: number): Promise<GroupEffects> {
  mustExist(await findGroup(tx, accountId, id), 'group');
  const { groups: guests } = await countMembers(tx, accountId, { groupIds: [id] });
  return { refused: null, guests: guests.get(id) ?? 0 };
}

function mustExist<T>(thing: T | undefined, noun: string): T {
  if (thing === undefined) throw new NotFound(`There is no such ${noun}.`);
  return thing;
}
