import type { Tx } from '../db/database.ts';
import { lineage } from '../identities/store.ts';
import type { Rows, Slice } from '../shared/fields.ts';
import type { ConsentEntry } from './schema.ts';
import { selectLedger } from './store.ts';

/** How the contact's consents came to be, and those of whoever was merged into it. */
export async function listConsent(
  tx: Tx,
  accountId: number,
  contactId: number,
  slice: Slice,
): Promise<Rows<ConsentEntry>> {
  return selectLedger(tx, accountId, await lineage(tx, accountId, contactId), slice);
}
