import type { Tx } from '../db/database.ts';
import { listing } from '../db/listing.ts';
import { sql } from '../db/sql.ts';
import type { Rows, Slice } from '../shared/fields.ts';
import type { Note } from './schema.ts';

export interface NoteRow {
  contact_id: number;
  text: string;
  created_at: string;
}

/** In the order given, which their ids keep. */
export async function insertNotes(tx: Tx, accountId: number, notes: NoteRow[]): Promise<void> {
  await tx`
    insert into notes (account_id, contact_id, text, created_at)
    select ${accountId}::bigint, contact_id, text, created_at
    from rows from (jsonb_to_recordset(${JSON.stringify(notes)}::jsonb) as (contact_id bigint, text text, created_at timestamp))
      with ordinality as note (contact_id, text, created_at, place)
    order by place
    on conflict do nothing`;
}

export function selectNotes(tx: Tx, accountId: number, contactIds: number[], slice: Slice): Promise<Rows<Note>> {
  const from = sql`notes where account_id = ${accountId} and contact_id = any(${contactIds})`;
  const columns = sql`id, text, to_char(created_at, 'YYYY-MM-DD HH24:MI:SS') as created_at`;
  return listing(tx, { columns, from, orderBy: sql`id desc` }, slice);
}
