import type { Tx } from '../../../platform/db/database.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { Invalid, NotFound } from '../../../shared/problem.ts';
import { rootUnitError, type Unit } from './schema.ts';
import { findUnit, insertUnit, markDeleted, renameUnit, selectUnits } from './store.ts';

const noSuchUnit = 'There is no such unit.';

export function createUnit(tx: Tx, accountId: number, name: string): Promise<Unit> {
  return insertUnit(tx, accountId, name);
}

export function listUnits(tx: Tx, accountId: number, slice: Slice): Promise<Rows<Unit>> {
  return selectUnits(tx, accountId, slice);
}

export async function showUnit(tx: Tx, accountId: number, id: number): Promise<Unit> {
  const unit = await findUnit(tx, accountId, id);
  if (!unit) throw new NotFound(noSuchUnit);
  return unit;
}

export async function changeUnit(tx: Tx, accountId: number, id: number, name: string): Promise<Unit> {
  const unit = await renameUnit(tx, accountId, id, name);
  if (!unit) throw new NotFound(noSuchUnit);
  return unit;
}

export async function removeUnit(tx: Tx, accountId: number, id: number): Promise<void> {
  const unit = await showUnit(tx, accountId, id);
  if (unit.is_root) throw new Invalid({ unit_id: [rootUnitError] });
  await markDeleted(tx, accountId, id);
}
