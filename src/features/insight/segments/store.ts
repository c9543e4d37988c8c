import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { only, raw, sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { Definition } from './definition-schema.ts';

export interface SegmentRow {
  id: number;
  name: string;
  definition: Definition;
  created_at: string;
  updated_at: string;
}

const columns = raw('id, name, definition, created_at, updated_at');

/** Undefined: the name already exists. */
export async function insertSegment(
  tx: Tx,
  accountId: number,
  { name, definition }: Pick<SegmentRow, 'name' | 'definition'>,
): Promise<SegmentRow | undefined> {
  const [row] = await tx<SegmentRow>`
    insert into segments (account_id, name, definition) values (${accountId}, ${name}, ${JSON.stringify(definition)}::jsonb)
    on conflict do nothing returning ${columns}`;
  return row;
}

export async function findSegment(tx: Tx, accountId: number, id: number): Promise<SegmentRow | undefined> {
  const [row] = await tx<SegmentRow>`select ${columns} from segments where account_id = ${accountId} and id = ${id}`;
  return row;
}

export function selectSegments(tx: Tx, accountId: number, slice: Slice): Promise<Rows<SegmentRow>> {
  return listing(tx, { columns, from: sql`segments where account_id = ${accountId}`, orderBy: sql`id` }, slice);
}

export async function countSegments(tx: Tx, accountId: number): Promise<number> {
  return only(await tx<{ n: number }>`select count(*) as n from segments where account_id = ${accountId}`).n;
}

/** What is not given stays. */
export async function updateSegment(
  tx: Tx,
  accountId: number,
  id: number,
  { name, definition }: { name: string | undefined; definition: Definition | undefined },
): Promise<SegmentRow | undefined> {
  const [row] = await tx<SegmentRow>`
    update segments set name = coalesce(${name ?? null}, name),
      definition = coalesce(${definition === undefined ? null : JSON.stringify(definition)}::jsonb, definition),
      updated_at = ${tx.now}
    where account_id = ${accountId} and id = ${id} returning ${columns}`;
  return row;
}

/** Deletes the stored members of segments whose definition changed. They are stored anew, and begin a new membership. */
export async function redefineSegments(tx: Tx, accountId: number, ids: number[]): Promise<void> {
  await tx.inOrder({
    segments: () => tx`
      update segments set evaluated_day = null, defined_at = ${tx.now} where account_id = ${accountId} and id = any(${ids})`,
    members: () => tx`delete from segment_members where account_id = ${accountId} and segment_id = any(${ids})`,
  });
}

export async function deleteSegment(tx: Tx, accountId: number, id: number): Promise<void> {
  await tx`delete from segments where account_id = ${accountId} and id = ${id}`;
}

export function selectDefinitions(
  tx: Tx,
  accountId: number,
  ids: number[],
): Promise<Pick<SegmentRow, 'id' | 'definition'>[]> {
  return tx<Pick<SegmentRow, 'id' | 'definition'>>`
    select id, definition from segments where account_id = ${accountId} and id = any(${ids})`;
}

/** The segments that refer to any other. */
export function selectReferring(tx: Tx, accountId: number): Promise<SegmentRow[]> {
  // A quote in a value has a backslash before it, so only a condition contains this text.
  return tx<SegmentRow>`
    select ${columns} from segments where account_id = ${accountId} and definition::text like '%"field": "segment"%' order by id`;
}
