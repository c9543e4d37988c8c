import type { Tx } from '../../../platform/db/database.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { lineage } from '../../identity/identities/store.ts';
import type { ConsentEntry, StaffConsentEntry } from './schema.ts';
import { selectLedger, selectStaffLedger } from './store.ts';

/** How the contact's consents came to be, and those of whoever was merged into it. */
export async function listConsent(
  tx: Tx,
  accountId: number,
  contactId: number,
  slice: Slice,
): Promise<Rows<ConsentEntry>> {
  return selectLedger(tx, accountId, await lineage(tx, accountId, contactId), slice);
}

/** The same, with who and why. */
export async function listStaffConsent(
  tx: Tx,
  accountId: number,
  contactId: number,
  slice: Slice,
): Promise<Rows<StaffConsentEntry>> {
  return selectStaffLedger(tx, accountId, await lineage(tx, accountId, contactId), slice);
}
