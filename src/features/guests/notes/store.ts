import type { Tx } from '../../../platform/db/database.ts';
import { insertRows } from '../../../platform/db/insert-rows.ts';
import { listing } from '../../../platform/db/listing.ts';
import { only, sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { Note, StaffNote } from './schema.ts';

export interface NoteRow {
  contact_id: number;
  text: string;
  created_at: string;
}

/** New ids follow the order of the notes. */
export async function insertNotes(tx: Tx, accountId: number, notes: NoteRow[]): Promise<void> {
  const columns = { contact_id: 'bigint', text: 'text', created_at: 'timestamp' } as const;
  await insertRows(tx, accountId, { table: 'notes', columns, rows: notes });
}

const columns = sql`id, text, to_char(created_at, 'YYYY-MM-DD HH24:MI:SS') as created_at`;
const ofContacts = (accountId: number, contactIds: number[]) =>
  sql`notes where account_id = ${accountId} and contact_id = any(${contactIds})`;

export function selectNotes(tx: Tx, accountId: number, contactIds: number[], slice: Slice): Promise<Rows<Note>> {
  return listing(tx, { columns, from: ofContacts(accountId, contactIds), orderBy: sql`id desc` }, slice);
}

export function selectStaffNotes(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  slice: Slice,
): Promise<Rows<StaffNote>> {
  const from = ofContacts(accountId, contactIds);
  return listing(tx, { columns: sql`${columns}, author`, from, orderBy: sql`id desc` }, slice);
}

/** Dated now, in the time zone of the account. */
export async function insertStaffNote(
  tx: Tx,
  accountId: number,
  contactId: number,
  { text, author }: Pick<StaffNote, 'text' | 'author'>,
): Promise<StaffNote> {
  const rows = await tx<StaffNote>`
    insert into notes (account_id, contact_id, text, created_at, author)
    select ${accountId}::bigint, ${contactId}::bigint, ${text}, date_trunc('second', ${tx.now} at time zone time_zone), ${author}
    from accounts where id = ${accountId}
    returning ${columns}, author`;
  return only(rows);
}
