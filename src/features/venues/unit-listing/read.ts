import type { Tx } from '../../../platform/db/database.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { foldersOfUnits } from '../groups/store.ts';
import type { Unit } from '../units/schema.ts';
import { selectUnits } from '../units/store.ts';
import type { UnitWithFolders } from './schema.ts';

export function listUnits(tx: Tx, accountId: number, slice: Slice): Promise<Rows<Unit>> {
  return selectUnits(tx, accountId, slice);
}

/** The units with folders and groups, in three statements for a page of any size. */
export async function listUnitsWithFolders(tx: Tx, accountId: number, slice: Slice): Promise<Rows<UnitWithFolders>> {
  const { rows, total } = await selectUnits(tx, accountId, slice);
  const folders = await foldersOfUnits(
    tx,
    accountId,
    rows.map((unit) => unit.id),
  );
  return {
    rows: rows.map((unit) => ({ ...unit, deleted: 'N', folders: folders.get(unit.id) ?? [] })),
    total,
  };
}
