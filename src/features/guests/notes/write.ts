import type { Tx } from '../../../platform/db/database.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import { lockSurvivor } from '../contacts/store.ts';
import { noteAdded } from './event-schema.ts';
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
  const note = await insertStaffNote(tx, accountId, id, { text, author });
  await appendEvents(tx, accountId, [noteAdded.of({ contact_id: id, text, created_at: note.created_at })]);
  return note;
}
