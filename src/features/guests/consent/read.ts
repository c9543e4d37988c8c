import type { Tx } from '../../../platform/db/database.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { lineage } from '../../identity/identities/store.ts';
import type { ConsentEntry, StaffConsentEntry } from './schema.ts';
import { selectLedger, selectStaffLedger } from './store.ts';

/** The consent ledger of a contact and of the contacts merged into it. */
export async function listConsent(
  tx: Tx,
  accountId: number,
  contactId: number,
  slice: Slice,
): Promise<Rows<ConsentEntry>> {
  return selectLedger(tx, accountId, await lineage(tx, accountId, contactId), slice);
}

/** The same with actor and reason, for staff. */
export async function listStaffConsent(
  tx: Tx,
  accountId: number,
  contactId: number,
  slice: Slice,
): Promise<Rows<StaffConsentEntry>> {
  return selectStaffLedger(tx, accountId, await lineage(tx, accountId, contactId), slice);
}
