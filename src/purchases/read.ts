import type { Tx } from '../db/database.ts';
import { lineage } from '../identities/store.ts';
import type { Rows, Slice } from '../shared/fields.ts';
import { NotFound } from '../shared/problem.ts';
import type { ListWaiting, Purchase, StaffPurchase, Waiting } from './schema.ts';
import { countWaiting, countWaitingEverywhere, findStaffPurchase, selectPurchases, selectWaiting } from './store.ts';

/** The contact's purchases, and those of whoever was merged into it. */
export async function listPurchases(
  tx: Tx,
  accountId: number,
  contactId: number,
  slice: Slice,
): Promise<Rows<Purchase>> {
  return selectPurchases(tx, accountId, await lineage(tx, accountId, contactId), slice);
}

/** Those of which nobody knows yet whose they are. */
export function listWaiting(
  tx: Tx,
  accountId: number,
  wanted: ListWaiting,
  slice: Slice,
): Promise<Rows<StaffPurchase>> {
  return selectWaiting(tx, accountId, wanted, slice);
}

export function howManyWait(tx: Tx, accountId: number): Promise<Waiting> {
  return countWaiting(tx, accountId);
}

/** In all accounts together, by what they wait for. */
export async function howManyWaitEverywhere(tx: Tx): Promise<Record<string, number>> {
  return Object.fromEntries((await countWaitingEverywhere(tx)).map(({ key, waiting }) => [key, waiting]));
}

export async function showPurchase(tx: Tx, accountId: number, id: number): Promise<StaffPurchase> {
  const purchase = await findStaffPurchase(tx, accountId, id);
  if (!purchase) throw new NotFound('There is no such purchase.');
  return purchase;
}
