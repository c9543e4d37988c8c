import type { Tx } from '../../../platform/db/database.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { lineage } from '../../identity/identities/store.ts';
import type { Note, StaffNote } from './schema.ts';
import { selectNotes, selectStaffNotes } from './store.ts';

/** The notes on a contact and on the contacts merged into it. */
export async function listNotes(tx: Tx, accountId: number, contactId: number, slice: Slice): Promise<Rows<Note>> {
  return selectNotes(tx, accountId, await lineage(tx, accountId, contactId), slice);
}

/** The same with the authors, for staff. */
export async function listStaffNotes(
  tx: Tx,
  accountId: number,
  contactId: number,
  slice: Slice,
): Promise<Rows<StaffNote>> {
  return selectStaffNotes(tx, accountId, await lineage(tx, accountId, contactId), slice);
}
