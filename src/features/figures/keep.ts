import { setTimeout as pause } from 'node:timers/promises';
import { type Database, enterAccount, type Tx } from '../../platform/db/database.ts';
import { getAccount, holdAccount } from '../access/accounts/store.ts';
import { findUnitIds } from '../venues/units/store.ts';
import { countContacts } from './check-store.ts';
import {
  addCodeDays,
  codeGroupIds,
  countCodesAgain,
  deleteCodeChanges,
  selectCodeDays,
  takeCodeChanges,
} from './code-counts-store.ts';
import { countGuests, nextGuestIds } from './guest-counts-store.ts';
import type { UnitDay } from './schema.ts';
import {
  countUnitDays,
  deleteChangedDays,
  hasChangedCounts,
  lockCounts,
  markCountsKept,
  nextDays,
  putUnitDays,
  takeChangedDays,
  tryLockCounts,
} from './unit-days-store.ts';

/** Limits on what one transaction reads. The queue names the same days again and again, so it reads many rows. */
const [rowsOfStep, daysOfStep] = [2000, 5000];
/** The different days that one transaction counts. The first row of the queue can have more. */
const countedOfStep = 500;
/** The days that one statement counts. */
const daysOfStatement = 100;
/** The days of a unit that one transaction of the filling counts. A unit can have many thousand purchases a day. */
export const daysOfFilling = 31;
export const contactsOfFilling = 2000;

/** Counts the activity of these days again. The lock of the counts must be held. */
export async function keepUnitDays(tx: Tx, accountId: number, days: UnitDay[]): Promise<void> {
  for (let from = 0; from < days.length; from += daysOfStatement) {
    const counts = await countUnitDays(tx, accountId, days.slice(from, from + daysOfStatement));
    await putUnitDays(tx, accountId, counts);
  }
}

/** What is left of the queue: nothing, perhaps more, or another process works on it. */
export type Kept = 'all' | 'some' | 'busy';

/**
 * Takes rows of the queues and counts what they name. A row that a writer adds meanwhile is taken next time: exactly the
 * rows are deleted that were read before the count.
 */
export async function keepCounts(tx: Tx, accountId: number): Promise<Kept> {
  const { account, isLocked } = await tx.inOrder({
    // The deletion of the account waits, and then finds the rows of this transaction.
    account: () => holdAccount(tx, accountId),
    isLocked: () => tryLockCounts(tx, accountId),
  });
  if (!account) return 'all';
  if (!isLocked) return 'busy';
  const { rows, codes } = await tx.inOrder({
    rows: () => takeChangedDays(tx, accountId, rowsOfStep, daysOfStep),
    codes: () => takeCodeChanges(tx, accountId, rowsOfStep),
  });
  const days = new Map<string, UnitDay>();
  const rowIds: number[] = [];
  for (const { id, days: named, unit_ids } of rows) {
    const added = named.flatMap((day, place): [string, UnitDay][] => {
      const [unit_id, key] = [unit_ids[place], `${day} ${unit_ids[place]}`];
      return unit_id === undefined || days.has(key) ? [] : [[key, { day, unit_id }]];
    });
    if (rowIds.length > 0 && days.size + added.length > countedOfStep) break;
    for (const [key, day] of added) days.set(key, day);
    rowIds.push(id);
  }
  await keepUnitDays(tx, accountId, [...days.values()]);
  if (codes.length > 0) await addCodeDays(tx, accountId, codes);
  const codeIds = [...new Set(codes.map(({ id }) => id))];
  await tx.inOrder({
    days: () => rowIds.length > 0 && deleteChangedDays(tx, accountId, rowIds),
    codes: () => codeIds.length > 0 && deleteCodeChanges(tx, accountId, codeIds),
  });
  // What was added meanwhile is taken the next time, together with what follows.
  const taken = rows.reduce((sum, row) => sum + row.days.length, 0);
  const isMore = rowIds.length < rows.length || rows.length >= rowsOfStep || taken >= daysOfStep;
  return isMore || codeIds.length >= rowsOfStep ? 'some' : 'all';
}

/** The accounts among these with something in their queues. The transaction visits one after the other. */
export async function accountsToKeep(tx: Tx, accountIds: number[]): Promise<number[]> {
  const changed = await tx.each(accountIds, (id) =>
    tx.inOrder({ scope: () => enterAccount(tx, id), changed: () => hasChangedCounts(tx, id) }),
  );
  return accountIds.filter((_, place) => changed[place]?.changed);
}

export interface FillOptions {
  signal?: AbortSignal;
  onProgress?: (done: number, of: number) => void;
  /** Works at most half of the time, so that requests hardly wait for it. */
  gently?: boolean;
}

/** The account was deleted, so there is nothing to count any more. */
export class AccountDeleted extends Error {
  override name = 'AccountDeleted';
}

/** Runs parts of a long work on the counts, each in a transaction that holds their lock. */
export function stepsOf(db: Database, accountId: number, { signal, gently = false }: FillOptions) {
  return async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    signal?.throwIfAborted();
    const begin = Date.now();
    const result = await db.tenant(accountId, async (tx) => {
      if (!(await holdAccount(tx, accountId))) throw new AccountDeleted(`Account ${accountId} was deleted.`);
      await lockCounts(tx, accountId);
      return work(tx);
    });
    if (gently) await pause(Date.now() - begin);
    return result;
  };
}

/**
 * Counts all activity of an account by day and unit, all codes and all guests, a bounded part and a transaction at a time.
 * It can be interrupted and repeated. Writers and the keeper may run meanwhile.
 */
export async function fillCounts(db: Database, accountId: number, options: FillOptions = {}): Promise<void> {
  const { onProgress = () => {} } = options;
  const step = stepsOf(db, accountId, options);
  const { account, units, groups, contacts } = await db.tenant(accountId, (tx) =>
    tx.inOrder({
      account: () => getAccount(tx, accountId),
      units: () => findUnitIds(tx, accountId),
      groups: () => codeGroupIds(tx, accountId),
      contacts: () => countContacts(tx, accountId),
    }),
  );
  const of = units.length + groups.length + Math.ceil(contacts / contactsOfFilling);
  let done = 0;
  for (const unitId of units) {
    for (let after: string | undefined = '-infinity'; after !== undefined; ) {
      const from: string = after;
      const days = await step(async (tx) => {
        const next = await nextDays(tx, accountId, unitId, from, daysOfFilling);
        await keepUnitDays(
          tx,
          accountId,
          next.map((day) => ({ day, unit_id: unitId })),
        );
        return next;
      });
      after = days.length === daysOfFilling ? days.at(-1) : undefined;
    }
    onProgress(++done, of);
  }
  for (const groupId of groups) {
    await step((tx) => recountGroup(tx, accountId, groupId));
    onProgress(++done, of);
  }
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    const ids = await step(async (tx) => {
      const next = await nextGuestIds(tx, accountId, from, contactsOfFilling);
      await countGuests(tx, accountId, next);
      return next;
    });
    after = ids.at(-1);
    if (after !== undefined) onProgress(++done, Math.max(of, done));
  }
  await db.tenant(accountId, (tx) => markCountsKept(tx, accountId, account.time_zone));
}

/** Replaces the counts of a group's codes: the difference is added to all tables that have them. */
async function recountGroup(tx: Tx, accountId: number, groupId: number): Promise<void> {
  const before = await selectCodeDays(tx, accountId, groupId);
  const now = await countCodesAgain(tx, accountId, groupId);
  const negative = before.map((day) => ({
    ...day,
    ...{ made: -day.made, assigned: -day.assigned, redeemed: -day.redeemed },
  }));
  await addCodeDays(tx, accountId, [...now, ...negative]);
}
