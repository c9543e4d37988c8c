import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { adHoc, only, raw, type Sql, sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { ActionKind, SegmentAction } from './action-schema.ts';

const isCodes = raw(`kind = 'assign_codes'`);
const columns = (accountId: number) => sql`
  id, kind, segment_id, case when ${isCodes} then target_id end as unique_code_group_id,
  case when not (${isCodes}) then target_id end as group_id,
  case when ${isCodes} then (select name from unique_code_groups g where g.account_id = ${accountId} and g.id = target_id)
    else (select name from groups g where g.account_id = ${accountId} and g.id = target_id) end as target_name,
  state, total, done, skipped, greatest(total - done - skipped, 0) as left, error, created_at, finished_at`;

export interface NewAction {
  kind: ActionKind;
  segmentId: number;
  targetId: number;
  total: number;
}

/** Undefined: the same action is unfinished. */
export async function insertAction(
  tx: Tx,
  accountId: number,
  { kind, segmentId, targetId, total }: NewAction,
): Promise<number | undefined> {
  const [row] = await tx<{ id: number }>`
    insert into segment_actions (account_id, kind, segment_id, target_id, state, total, created_at)
    values (${accountId}, ${kind}, ${segmentId}, ${targetId}, 'waiting', ${total}, ${tx.now})
    on conflict do nothing returning id`;
  return row?.id;
}

export async function findAction(tx: Tx, accountId: number, id: number): Promise<SegmentAction | undefined> {
  const [row] = await tx<SegmentAction>`
    select ${columns(accountId)} from segment_actions where account_id = ${accountId} and id = ${id}`;
  return row;
}

/** The same action, if it is unfinished. */
export async function findOpenAction(
  tx: Tx,
  accountId: number,
  { kind, segmentId, targetId }: Omit<NewAction, 'total'>,
): Promise<SegmentAction | undefined> {
  const [row] = await tx<SegmentAction>`
    select ${columns(accountId)} from segment_actions
    where account_id = ${accountId} and kind = ${kind} and segment_id = ${segmentId} and target_id = ${targetId}
      and finished_at is null`;
  return row;
}

export async function openActionIds(tx: Tx, accountId: number): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select id from segment_actions where account_id = ${accountId} and finished_at is null order by id`;
  return rows.map(({ id }) => id);
}

export function selectActions(
  tx: Tx,
  accountId: number,
  segmentId: number | undefined,
  slice: Slice,
): Promise<Rows<SegmentAction>> {
  const ofSegment = segmentId === undefined ? sql`` : sql`and segment_id = ${segmentId}`;
  const from = sql`segment_actions where account_id = ${accountId} ${ofSegment}`;
  return listing(tx, { columns: columns(accountId), from, orderBy: sql`id desc` }, slice);
}

export interface OpenAction {
  kind: ActionKind;
  segment_id: number;
  target_id: number;
  last_contact_id: number;
  /** Whether the definition of the segment was changed since the action began. */
  is_changed: boolean;
}

/** Undefined: the action is finished. `lock` keeps others from working on it until the transaction ends. */
export async function readOpenAction(
  tx: Tx,
  accountId: number,
  id: number,
  lock = false,
): Promise<OpenAction | undefined> {
  const [row] = await tx<OpenAction>`
    select kind, segment_id, target_id, last_contact_id, exists (
        select from segments s where s.account_id = ${accountId} and s.id = segment_id and s.defined_at > segment_actions.created_at) as is_changed
    from segment_actions
    where account_id = ${accountId} and id = ${id} and finished_at is null ${lock ? sql`for no key update` : sql``}`;
  return row;
}

export interface ActionProgress {
  done: number;
  skipped: number;
  lastContactId: number;
}

/** Adds the progress of a batch. */
export async function storeProgress(
  tx: Tx,
  accountId: number,
  id: number,
  { done, skipped, lastContactId }: ActionProgress,
): Promise<void> {
  await tx`
    update segment_actions set state = 'running', done = done + ${done}, skipped = skipped + ${skipped},
      last_contact_id = ${lastContactId}
    where account_id = ${accountId} and id = ${id}`;
}

/** Ends an unfinished action. At the end of a complete one, the total is the number of members that were handled. */
export async function finishAction(
  tx: Tx,
  accountId: number,
  id: number,
  state: 'done' | 'failed' | 'cancelled',
  error: string | null = null,
): Promise<void> {
  await tx`
    update segment_actions set state = ${state}, error = ${error}, finished_at = ${tx.now},
      total = case when ${state}::text = 'done' then done + skipped else total end
    where account_id = ${accountId} and id = ${id} and finished_at is null`;
}

/** The number of members without a code of the voucher group, also not by a merged contact. */
export async function countWithoutCode(
  tx: Tx,
  accountId: number,
  { from, where }: { from: Sql; where: Sql },
  codeGroupId: number,
): Promise<number> {
  const rows = await tx<{ count: number }>`
    select count(*) as count from ${from}
    left join (
      select distinct coalesce(holder.merged_into, holder.id) as id
      from unique_codes code join contacts holder on holder.account_id = ${accountId} and holder.id = code.contact_id
      where code.account_id = ${accountId} and code.group_id = ${codeGroupId} and code.contact_id is not null) as had
      on had.id = c.id
    where c.account_id = ${accountId} and c.merged_into is null and had.id is null and (${where}) ${adHoc}`;
  return only(rows).count;
}

/** Those of the contacts that are in the group. */
export async function selectInGroup(
  tx: Tx,
  accountId: number,
  groupId: number,
  contactIds: number[],
): Promise<Set<number>> {
  const rows = await tx<{ id: number }>`
    select contact_id as id from contact_groups
    where account_id = ${accountId} and group_id = ${groupId} and contact_id = any(${contactIds})`;
  return new Set(rows.map(({ id }) => id));
}

export async function selectInUnit(
  tx: Tx,
  accountId: number,
  unitId: number,
  contactIds: number[],
): Promise<Set<number>> {
  const rows = await tx<{ id: number }>`
    select contact_id as id from contact_units
    where account_id = ${accountId} and unit_id = ${unitId} and contact_id = any(${contactIds})`;
  return new Set(rows.map(({ id }) => id));
}
