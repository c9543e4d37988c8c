import type { Tx } from '../../../platform/db/database.ts';
import { insertRows } from '../../../platform/db/insert-rows.ts';
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
    feedback: () =>
      insertRows(tx, accountId, {
        table: 'feedback',
        columns: {
          ...{ id: 'bigint', contact_id: 'bigint', type_id: 'integer', source_id: 'integer', unit_id: 'bigint' },
          ...{ comments: 'jsonb', created_at: 'timestamp' },
        },
        rows,
      }),
    ratings: () =>
      insertRows(tx, accountId, {
        table: 'feedback_ratings',
        columns: { feedback_id: 'bigint', category_id: 'bigint', rating_text: 'text', contact_note: 'text' },
        rows: ratings,
      }),
  });
}

export function selectFeedback(tx: Tx, accountId: number, contactIds: number[], slice: Slice): Promise<Rows<Feedback>> {
  const from = sql`feedback f where account_id = ${accountId} and contact_id = any(${contactIds})`;
  const columns = sql`id, type_id, source_id, unit_id, comments, to_char(created_at, 'YYYY-MM-DD HH24:MI:SS') as created_at,
    (select coalesce(jsonb_agg(jsonb_build_object('category_id', category_id, 'rating_text', rating_text, 'contact_note', contact_note) order by r.id), '[]')
      from feedback_ratings r where r.account_id = ${accountId} and r.feedback_id = f.id) as ratings`;
  return listing(tx, { columns, from, orderBy: sql`id desc` }, slice);
}
