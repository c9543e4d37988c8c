import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { inAccount } from '../../../platform/db/in-account.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import { Invalid, NotFound } from '../../../shared/problem.ts';
import { refreshFigures } from '../../figures/refresh-store.ts';
import { contactUpdated, noContactChanges } from '../../guests/contacts/event-schema.ts';
import { attachGroups, lockContacts, storeToUnits } from '../../guests/contacts/store.ts';
import { findGroup } from '../../venues/groups/store.ts';
import type { RunAction } from './action-schema.ts';
import {
  type ActionProgress,
  finishAction,
  type OpenAction,
  readOpenAction,
  selectInGroup,
  selectInUnit,
  storeProgress,
} from './action-store.ts';
import { enqueueActions } from './actions.ts';
import { evaluate } from './evaluate.ts';
import { getWithNested } from './manage.ts';
import { selectMemberIdsAfter } from './members-store.ts';

/** Gives each contact a code of the voucher group. */
export type AssignCodes = (
  tx: Tx,
  accountId: number,
  groupId: number,
  contactIds: number[],
) => Promise<{ assigned: number; skipped: number; left: number }>;

interface Options {
  signal: AbortSignal;
  assignCodes: AssignCodes;
  /** After this time the job is enqueued again, so that jobs of other accounts have their turn. */
  longestMs?: number;
  batch?: number;
  /** Called after each batch, outside its transaction. */
  onBatch?: () => Promise<void> | void;
  /** Works at most half of the time, so that requests hardly wait for it. */
  gently?: boolean;
}

/** Few enough that only these contacts are locked, and not all figures of the account. */
const contactsOfBatch = 150;
/** The number of ids that one evaluation returns. An evaluation can cost the same for few and for many. */
const idsAtOnce = 20_000;
/** A job may take longer than a request, but less than the statement timeout. */
const evaluationMs = 20_000;
const longestJobMs = 20_000;
const longestPauseMs = 1000;

/**
 * The job: works through the members of a segment in the order of their ids. Each batch commits its changes together
 * with its progress, so an interrupted action continues without repeating anything. If two processes run the same
 * action, the lock on its row makes them take turns. False: it was interrupted, and another job continues.
 */
export async function runAction(
  db: Database,
  { account_id: accountId, action_id: id }: RunAction,
  { signal, assignCodes, longestMs = longestJobMs, batch = contactsOfBatch, onBatch, gently = true }: Options,
): Promise<boolean> {
  const begin = Date.now();
  const isOver = () => signal.aborted || Date.now() - begin >= longestMs;
  const work: Work = (tx, action, ids) =>
    action.kind === 'assign_codes'
      ? giveCodes(tx, accountId, action.target_id, ids, assignCodes)
      : addToGroup(tx, accountId, action.target_id, ids);
  let ids: number[] = [];
  try {
    while (!isOver()) {
      const batchBegin = Date.now();
      const action = await db.tenant(accountId, (tx) => readOpenAction(tx, accountId, id));
      if (!action) return true;
      if (action.is_changed) throw new NotFound('The segment was changed. Start the action again for its new members.');
      ids = ids.filter((one) => one > action.last_contact_id);
      if (ids.length === 0) ids = await inAccount(db, accountId, (tx) => nextMembers(tx, accountId, action));
      const next = ids.slice(0, batch);
      const isOpen = await inAccount(db, accountId, (tx) => runBatch(tx, accountId, id, next, work));
      if (!isOpen) return true;
      await onBatch?.();
      if (gently) await pause(Math.min(Date.now() - batchBegin, longestPauseMs), undefined, { signal }).catch(() => {});
    }
  } catch (error) {
    if (!(error instanceof Invalid || error instanceof NotFound)) throw error;
    const reason = error.message;
    await db.tenant(accountId, (tx) => finishAction(tx, accountId, id, 'failed', reason));
    return true;
  }
  await db.transaction((tx) => enqueueActions(tx, accountId, [id]));
  return false;
}

type Work = (tx: Tx, action: OpenAction, ids: number[]) => Promise<Handled>;

interface Handled {
  done: number;
  skipped: number;
  /** Why the action cannot go on. */
  error?: string;
}

async function nextMembers(tx: Tx, accountId: number, { segment_id, last_contact_id }: OpenAction): Promise<number[]> {
  const segment = await getWithNested(tx, accountId, segment_id).catch((error) => {
    throw error instanceof NotFound ? new NotFound('The segment was deleted.') : error;
  });
  return evaluate(tx, accountId, segment, { now: new Date(), limitMs: evaluationMs }, (compiled) =>
    selectMemberIdsAfter(tx, accountId, compiled, { after: last_contact_id, limit: idsAtOnce }),
  );
}

/** Whether the action has more to do. Without ids there are no more members. */
async function runBatch(tx: Tx, accountId: number, id: number, ids: number[], work: Work): Promise<boolean> {
  const action = await readOpenAction(tx, accountId, id, true);
  if (!action) return false;
  const lastContactId = ids.at(-1);
  if (lastContactId === undefined) {
    await finishAction(tx, accountId, id, 'done');
    return false;
  }
  // Another process has done some of them meanwhile.
  const left = ids.filter((one) => one > action.last_contact_id);
  if (left.length === 0) return true;
  const { done, skipped, error } = await work(tx, action, left);
  const progress: ActionProgress = { done, skipped, lastContactId };
  await storeProgress(tx, accountId, id, progress);
  if (error === undefined) return true;
  await finishAction(tx, accountId, id, 'failed', error);
  return false;
}

async function giveCodes(
  tx: Tx,
  accountId: number,
  groupId: number,
  ids: number[],
  assignCodes: AssignCodes,
): Promise<Handled> {
  const { assigned, skipped, left } = await assignCodes(tx, accountId, groupId, ids).catch((error) => {
    throw error instanceof NotFound ? new NotFound('The group of codes was deleted.') : error;
  });
  if (left === 0) return { done: assigned, skipped };
  const error = 'There are no more free codes. Generate more and start again. Members who have a code are skipped.';
  return { done: assigned, skipped, error };
}

/** Adds contacts to a group and to its unit, as a contact write does. */
async function addToGroup(tx: Tx, accountId: number, groupId: number, ids: number[]): Promise<Handled> {
  const contacts = (await lockContacts(tx, accountId, ids)).filter((row) => row.merged_into === null);
  const group = await findGroup(tx, accountId, groupId);
  if (!group) throw new NotFound('The group was deleted.');
  const members = await selectInGroup(
    tx,
    accountId,
    groupId,
    contacts.map((row) => row.id),
  );
  const added = contacts.flatMap((row) => (members.has(row.id) ? [] : [row.id]));
  if (added.length > 0) {
    const unit_id = group.unit_id;
    const { inUnit } = await tx.inOrder({
      inUnit: () => selectInUnit(tx, accountId, unit_id, added),
      units: () =>
        storeToUnits(
          tx,
          accountId,
          added.map((contact_id) => ({ contact_id, unit_id })),
        ),
      groups: () =>
        attachGroups(
          tx,
          accountId,
          added.map((contact_id) => ({ contact_id, group_id: groupId })),
        ),
    });
    await refreshFigures(tx, accountId, { edited: added });
    const events = added.map((contact_id) =>
      contactUpdated.of({
        ...{ contact_id, ...noContactChanges() },
        ...{ added_unit_ids: inUnit.has(contact_id) ? [] : [unit_id], added_group_ids: [groupId] },
      }),
    );
    await appendEvents(tx, accountId, events);
  }
  return { done: added.length, skipped: ids.length - added.length };
}
