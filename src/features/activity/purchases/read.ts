import type { Database, Tx } from '../../../platform/db/database.ts';
import { matchKeys } from '../../../shared/codes.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { type FieldErrors, Invalid, NotFound } from '../../../shared/problem.ts';
import { nextAccountIds } from '../../access/accounts/store.ts';
import { lineage } from '../../identity/identities/store.ts';
import { findUnit } from '../../venues/units/store.ts';
import { countWaiting, findStaffPurchase, selectPurchases, selectWaiting } from './listing-store.ts';
import type { CountWaiting, ListWaiting, Purchase, StaffPurchase, Waiting } from './schema.ts';

/** The purchases of the contact and of its merged contacts. */
export async function listPurchases(
  tx: Tx,
  accountId: number,
  contactId: number,
  slice: Slice,
): Promise<Rows<Purchase>> {
  return selectPurchases(tx, accountId, await lineage(tx, accountId, contactId), slice);
}

export async function listWaiting(
  tx: Tx,
  accountId: number,
  wanted: ListWaiting,
  slice: Slice,
): Promise<Rows<StaffPurchase>> {
  await mustHaveUnit(tx, accountId, wanted);
  return selectWaiting(tx, accountId, wanted, slice);
}

export async function countWaitingPurchases(tx: Tx, accountId: number, wanted: CountWaiting): Promise<Waiting> {
  await mustHaveUnit(tx, accountId, wanted);
  return countWaiting(tx, accountId, wanted);
}

async function mustHaveUnit(tx: Tx, accountId: number, wanted: CountWaiting): Promise<void> {
  const errors = await waitingErrors(tx, accountId, wanted);
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

/** The errors that need the database. */
export async function waitingErrors(
  tx: Tx,
  accountId: number,
  { unit_id }: Partial<CountWaiting>,
): Promise<FieldErrors> {
  if (unit_id === undefined || (await findUnit(tx, accountId, unit_id))) return {};
  return { unit_id: ['The unit id is not a unit of this account.'] };
}

/** Counts the waiting purchases of all accounts by key. One transaction per account, so that none takes long. */
export async function countWaitingInAllAccounts(db: Database): Promise<Record<string, number>> {
  const waiting: Record<string, number> = Object.fromEntries(matchKeys.map((key) => [key, 0]));
  let ids: number[] = [];
  do {
    ids = await db.transaction((tx) => nextAccountIds(tx, ids.at(-1) ?? 0, 1000));
    for (const accountId of ids) {
      const { waiting_for } = await db.tenant(accountId, (tx) => countWaiting(tx, accountId));
      for (const key of matchKeys) waiting[key] = (waiting[key] ?? 0) + waiting_for[key];
    }
  } while (ids.length > 0);
  return waiting;
}

export async function showPurchase(tx: Tx, accountId: number, id: number): Promise<StaffPurchase> {
  const purchase = await findStaffPurchase(tx, accountId, id);
  if (!purchase) throw new NotFound('There is no such purchase.');
  return purchase;
}
