import { setTimeout as pause } from 'node:timers/promises';
import { type Database, enterAccount, isConflict, type Tx } from '../../../platform/db/database.ts';
import {
  beginDeleting,
  countRows,
  deleteNext,
  hasRows,
  type Place,
  passes,
  type TenantTable,
  tenantTables,
  tryDeletionLock,
} from '../../../platform/db/deletion.ts';
import { enqueue, removeJobsOfAccount } from '../../../platform/db/jobs.ts';
import { NotFound } from '../../../shared/problem.ts';
import { type DeleteAccount, deleteAccountTask } from './schema.ts';
import { deleteMarkedAccount, isMarkedDeleted, lockMarkedDeleted, markDeleted, selectMarkedDeleted } from './store.ts';

/** Marks the account as deleted, which hides it from the commit on. A job deletes its rows. */
export async function removeAccount(tx: Tx, id: number): Promise<void> {
  await enterAccount(tx, id);
  if (!(await markDeleted(tx, id))) throw new NotFound('There is no such account.');
  await enqueueDeletion(tx, [id]);
}

function enqueueDeletion(tx: Tx, ids: number[]): Promise<void> {
  const jobs = ids.map((account_id) => ({ key: String(account_id), payload: { account_id } satisfies DeleteAccount }));
  return enqueue(tx, deleteAccountTask, jobs, 0);
}

/** Enqueues unfinished deletions again. graphile-worker keeps the job of a killed process locked for hours. */
export async function resumeDeletions(tx: Tx): Promise<void> {
  await enqueueDeletion(tx, await selectMarkedDeleted(tx));
}

/** The job. False: the process stopped before the end, and another one continues. */
export async function deleteAccountRows(
  db: Database,
  { account_id: id }: DeleteAccount,
  signal: AbortSignal,
): Promise<boolean> {
  const isFinished = await finishDeletion(db, id, { signal });
  if (!isFinished) await db.transaction((tx) => enqueueDeletion(tx, [id]));
  return isFinished;
}

interface Options {
  signal?: AbortSignal;
  /** Called with the number of rows that each batch deleted. */
  onBatch?: (rows: number) => void;
  batch?: number;
}

const rowsOfBatch = 1000;
const longestPauseMs = 1000;
const busyPauseMs = 100;

/**
 * Deletes the rows of an account that is marked as deleted, one batch and one transaction at a time, and then the
 * account's own row. It can be interrupted anywhere and started again. Several may run: one batch is deleted at a time
 * in the whole service, and half of the time none. False: it was interrupted by the signal.
 */
export async function finishDeletion(db: Database, id: number, options: Options = {}): Promise<boolean> {
  const { signal, onBatch = () => {}, batch = rowsOfBatch } = options;

  /** Undefined: the account no longer exists, or is not marked as deleted. */
  async function runWithLock<T>(work: (tx: Tx) => Promise<T>): Promise<T | undefined> {
    for (;;) {
      signal?.throwIfAborted();
      const begin = Date.now();
      const done = await db.tenant(id, async (tx) => {
        if (!(await tryDeletionLock(tx))) return 'busy';
        if (!(await isMarkedDeleted(tx, id))) return 'gone';
        await beginDeleting(tx);
        return { result: await work(tx) };
      });
      if (done === 'gone') return undefined;
      const ms = done === 'busy' ? busyPauseMs : Math.min(Date.now() - begin, longestPauseMs);
      await pause(ms, undefined, signal ? { signal } : {});
      if (done !== 'busy') return done.result;
    }
  }

  async function deleteAll(tables: TenantTable[]): Promise<boolean> {
    for (const pass of tables.flatMap(passes)) {
      let after: Place;
      do {
        const deleted = await runWithLock((tx) => deleteNext(tx, pass, id, after, batch));
        if (!deleted) return true;
        if (deleted.count > 0) onBatch(deleted.count);
        after = deleted.place ?? undefined;
      } while (after !== undefined);
    }
    return (await runWithLock((tx) => deleteIfEmpty(tx, tables, id))) ?? true;
  }

  try {
    const tables = await db.transaction(tenantTables);
    // A write that started before the account was marked can have added rows.
    const isGone = () =>
      deleteAll(tables).catch(async (error) => {
        if (!isConflict(error)) throw error;
        await pause(busyPauseMs);
        return false;
      });
    while (!(await isGone()));
    return true;
  } catch (error) {
    if (signal?.aborted) return false;
    throw error;
  }
}

async function deleteIfEmpty(tx: Tx, tables: TenantTable[], id: number): Promise<boolean> {
  await lockMarkedDeleted(tx, id);
  if (await hasRows(tx, tables, id)) return false;
  // The payloads of these jobs contain domains of guests.
  await removeJobsOfAccount(tx, id, deleteAccountTask);
  await deleteMarkedAccount(tx, id);
  return true;
}

/** The number of rows to delete. */
export function rowsOfAccount(db: Database, id: number): Promise<number> {
  return db.tenant(id, async (tx) => countRows(tx, await tenantTables(tx), id));
}
