import type { Tx } from '../../../platform/db/database.ts';
import { lockSurvivor } from '../contacts/store.ts';
import type { StaffNewNote, StaffNote } from './schema.ts';
import { insertStaffNote } from './store.ts';

export async function writeNote(
  tx: Tx,
  accountId: number,
  contactId: number,
  { text }: StaffNewNote,
  author: string,
): Promise<StaffNote> {
  const { id } = await lockSurvivor(tx, accountId, contactId);
  return insertStaffNote(tx, accountId, id, { text, author });
}
