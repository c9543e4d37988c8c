import type { Tx } from '../../platform/db/database.ts';
import { NotFound } from '../../shared/problem.ts';
import { findFigures, requireFigures, selectByUnit } from './read-store.ts';
import type { Figures } from './schema.ts';

/** The figures of a contact. The id of a merged contact leads to its survivor. */
export async function showFigures(tx: Tx, accountId: number, contactId: number): Promise<Figures> {
  const { kept, byUnit } = await tx.inOrder({
    kept: () => findFigures(tx, accountId, contactId),
    byUnit: () => selectByUnit(tx, accountId, contactId),
  });
  if (!kept) throw new NotFound('There is no such contact.');
  await requireFigures(tx, accountId);
  const { pence, purchase_days: days, ...figures } = kept;
  return {
    ...figures,
    spend: pence / 100,
    average_spend: days === 0 ? null : Math.round(pence / days) / 100,
    by_unit: byUnit.map(({ pence: atUnit, ...unit }) => ({ ...unit, spend: atUnit / 100 })),
  };
}
