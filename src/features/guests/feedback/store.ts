import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { Feedback } from './schema.ts';

export interface FeedbackRow {
  id: number;
  contact_id: number;
  type_id: number;
  source_id: number | null;
  unit_id: number;
  comments: { type: string | null; note: string }[];
  ratings: { category_id: number; rating_text: string; contact_note: string | null }[];
  created_at: string;
}

export async function newFeedbackIds(tx: Tx, count: number): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select nextval('feedback_id_seq') as id from generate_series(1, ${count}::bigint)`;
  return rows.map((row) => row.id);
}

export async function insertFeedback(tx: Tx, accountId: number, feedback: FeedbackRow[]): Promise<void> {
  const rows = feedback.map(({ ratings: _, ...row }) => row);
  const ratings = feedback.flatMap((row) => row.ratings.map((rating) => ({ ...rating, feedback_id: row.id })));
  await tx.inOrder({
    feedback: () => tx`
      insert into feedback (account_id, id, contact_id, type_id, source_id, unit_id, comments, created_at)
      select ${accountId}::bigint, id, contact_id, type_id, source_id, unit_id, comments, created_at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as entry (id bigint, contact_id bigint, type_id integer, source_id integer,
        unit_id bigint, comments jsonb, created_at timestamp)
      on conflict do nothing`,
    ratings: () => tx`
      insert into feedback_ratings (account_id, feedback_id, category_id, rating_text, contact_note)
      select ${accountId}::bigint, feedback_id, category_id, rating_text, contact_note
      from rows from (jsonb_to_recordset(${JSON.stringify(ratings)}::jsonb) as (feedback_id bigint, category_id bigint, rating_text text,
        contact_note text)) with ordinality as rating (feedback_id, category_id, rating_text, contact_note, place)
      order by place
      on conflict do nothing`,
  });
}

export function selectFeedback(tx: Tx, accountId: number, contactIds: number[], slice: Slice): Promise<Rows<Feedback>> {
  const from = sql`feedback f where account_id = ${accountId} and contact_id = any(${contactIds})`;
  const columns = sql`id, type_id, source_id, unit_id, comments, to_char(created_at, 'YYYY-MM-DD HH24:MI:SS') as created_at,
    (select coalesce(jsonb_agg(jsonb_build_object('category_id', category_id, 'rating_text', rating_text, 'contact_note', contact_note) order by r.id), '[]')
      from feedback_ratings r where r.account_id = ${accountId} and r.feedback_id = f.id) as ratings`;
  return listing(tx, { columns, from, orderBy: sql`id desc` }, slice);
}
