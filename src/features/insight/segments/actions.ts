import type { Tx } from '../../../platform/db/database.ts';
import { enqueue } from '../../../platform/db/jobs.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { present } from '../../../shared/present.ts';
import { Invalid, NotFound } from '../../../shared/problem.ts';
import { findGroup } from '../../venues/groups/store.ts';
import { findCodeGroup } from '../../vouchers/group-store.ts';
import { countFreeCodes } from '../../vouchers/staff-store.ts';
import {
  type AddSegmentToGroup,
  type AssignToSegment,
  type ListActions,
  maxOpenActions,
  type RunAction,
  runActionTask,
  type SegmentAction,
} from './action-schema.ts';
import {
  countWithoutCode,
  findAction,
  findOpenAction,
  finishAction,
  insertAction,
  type NewAction,
  openActionIds,
  readOpenAction,
  selectActions,
} from './action-store.ts';
import { type Clock, evaluate, isTimeout } from './evaluate.ts';
import { getWithNested } from './manage.ts';
import { countMembers, inSavepoint } from './members-store.ts';
import type { SegmentRow } from './store.ts';

/** Starts to give each member a code of the voucher group. The same action that is still unfinished is returned instead. */
export async function startAssignCodes(
  tx: Tx,
  accountId: number,
  segmentId: number,
  { unique_code_group_id: targetId }: AssignToSegment,
  clock: Clock,
): Promise<SegmentAction> {
  const segment = await getWithNested(tx, accountId, segmentId);
  if (!(await findCodeGroup(tx, accountId, targetId))) {
    throw new Invalid({ unique_code_group_id: ['The unique code group id is not a group of this account.'] });
  }
  return start(tx, accountId, segment, { kind: 'assign_codes', targetId }, clock, async (compiled, total) => {
    const free = await countFreeCodes(tx, accountId, targetId, total);
    if (free >= total) return;
    // If counting takes too long, the job finds out whether there are enough.
    const count = () => countWithoutCode(tx, accountId, compiled, targetId);
    const needed = (await inSavepoint(tx, count, isTimeout)) ?? free;
    if (needed <= free) return;
    const [members, codes] = [text(needed), free === 0 ? 'no free codes' : `only ${text(free)} free`];
    throw new Invalid({
      unique_code_group_id: [
        `The members without a code are ${members}, and the unique code group has ${codes}. Generate ${text(needed - free)} more first.`,
      ],
    });
  });
}

const text = (count: number) => count.toLocaleString('en');

/** Starts to add each member to a group. */
export async function startAddToGroup(
  tx: Tx,
  accountId: number,
  segmentId: number,
  { group_id: targetId }: AddSegmentToGroup,
  clock: Clock,
): Promise<SegmentAction> {
  const segment = await getWithNested(tx, accountId, segmentId);
  if (!(await findGroup(tx, accountId, targetId))) {
    throw new Invalid({ group_id: ['The group id is not a group of this account.'] });
  }
  return start(tx, accountId, segment, { kind: 'add_to_group', targetId }, clock);
}

type Evaluated = Parameters<Parameters<typeof evaluate>[4]>[0];

async function start(
  tx: Tx,
  accountId: number,
  segment: SegmentRow & Parameters<typeof evaluate>[2],
  { kind, targetId }: Pick<NewAction, 'kind' | 'targetId'>,
  clock: Clock,
  check: (compiled: Evaluated, total: number) => Promise<void> = async () => {},
): Promise<SegmentAction> {
  const action = { kind, segmentId: segment.id, targetId };
  const open = await findOpenAction(tx, accountId, action);
  if (open) return open;
  if ((await openActionIds(tx, accountId)).length >= maxOpenActions) {
    throw new Invalid({
      segment_id: [`The account already has ${maxOpenActions} unfinished actions. Wait until one is finished.`],
    });
  }
  const total = await evaluate(tx, accountId, segment, clock, async (compiled) => {
    const { counts } = await countMembers(tx, accountId, compiled);
    await check(compiled, counts.count);
    return counts.count;
  });
  const id = await insertAction(tx, accountId, { ...action, total });
  // Another request started it at the same time.
  if (id === undefined) return present(await findOpenAction(tx, accountId, action), 'action');
  await enqueueActions(tx, accountId, [id]);
  return showAction(tx, accountId, id);
}

export function enqueueActions(tx: Tx, accountId: number, ids: number[]): Promise<void> {
  const jobs = ids.map((action_id) => ({
    key: `${accountId} ${action_id}`,
    payload: { account_id: accountId, action_id } satisfies RunAction,
  }));
  return enqueue(tx, runActionTask, jobs, 0);
}

/** Enqueues the unfinished actions of an account again. graphile-worker keeps the job of a killed process locked for hours. */
export async function resumeActions(tx: Tx, accountId: number): Promise<void> {
  const ids = await openActionIds(tx, accountId);
  if (ids.length > 0) await enqueueActions(tx, accountId, ids);
}

export async function showAction(tx: Tx, accountId: number, id: number): Promise<SegmentAction> {
  const action = await findAction(tx, accountId, id);
  if (!action) throw new NotFound('There is no such segment action.');
  return action;
}

export function listActions(
  tx: Tx,
  accountId: number,
  { segment_id }: ListActions,
  slice: Slice,
): Promise<Rows<SegmentAction>> {
  return selectActions(tx, accountId, segment_id, slice);
}

/** Stops an action after its current batch. What was done stays. A finished action does not change. */
export async function cancelAction(tx: Tx, accountId: number, id: number): Promise<SegmentAction> {
  if (await readOpenAction(tx, accountId, id, true)) await finishAction(tx, accountId, id, 'cancelled');
  return showAction(tx, accountId, id);
}
