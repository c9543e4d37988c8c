import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Tx } from '../../platform/db/database.ts';
import { inAccount } from '../../platform/db/in-account.ts';
import { verifyCounts } from './check-counts.ts';
import {
  countContacts,
  findDifferent,
  findDue,
  findStrays,
  markFilled,
  nextContactIds,
  unfilledAccounts,
} from './check-store.ts';
import { fillCounts } from './keep.ts';
import { eraseFigures, refreshFigures } from './refresh-store.ts';
import type { CountCheck } from './schema.ts';

/** Few enough that only these contacts are locked, and not all figures of the account. */
const contactsOfBatch = 150;

interface Options {
  signal?: AbortSignal;
  onProgress?: (done: number, of: number) => void;
  /** The progress of the counts of days and units, and of codes, which come first. */
  onCounts?: (done: number, of: number) => void;
  /** Works at most half of the time, so that requests hardly wait for it. */
  gently?: boolean;
}

/** Runs work on all contacts of an account, a batch and a transaction at a time. */
async function inBatches(
  db: Database,
  accountId: number,
  { signal, onProgress = () => {}, gently = false }: Options,
  work: (tx: Tx, contactIds: number[]) => Promise<void>,
): Promise<number> {
  const of = await db.tenant(accountId, (tx) => countContacts(tx, accountId));
  let [done, after] = [0, 0];
  for (;;) {
    signal?.throwIfAborted();
    const begin = Date.now();
    const ids = await inAccount(db, accountId, async (tx) => {
      const next = await nextContactIds(tx, accountId, after, contactsOfBatch);
      if (next.length > 0) await work(tx, next);
      return next;
    });
    if (ids.length === 0) return done;
    after = ids.at(-1) ?? after;
    done += ids.length;
    onProgress(done, Math.max(of, done));
    if (gently) await pause(Date.now() - begin);
  }
}

/** Counts all activity of an account again. It can be interrupted and repeated. */
export async function countAccount(db: Database, accountId: number, options: Options = {}): Promise<number> {
  return inBatches(db, accountId, options, (tx, merged) => refreshFigures(tx, accountId, { merged }));
}

/** Counts the activity that was stored before there were figures, or that is on other days in a new time zone. */
export async function fillAccount(db: Database, accountId: number, options: Options = {}): Promise<number> {
  const { signal, gently = false, onCounts = () => {} } = options;
  await fillCounts(db, accountId, { ...(signal && { signal }), gently, onProgress: onCounts });
  const contacts = await countAccount(db, accountId, options);
  await db.tenant(accountId, (tx) => markFilled(tx, accountId));
  return contacts;
}

/** Fills all accounts that need it. Returns the number of contacts. */
export async function fillAccounts(db: Database, options: Options = {}): Promise<number> {
  let contacts = 0;
  for (const accountId of await db.transaction(unfilledAccounts)) contacts += await fillAccount(db, accountId, options);
  return contacts;
}

export interface FigureCheck {
  contacts: number;
  /** The contacts whose figures differed from their activity. At most `mostListed` are listed. */
  different: number;
  listed: number[];
  counts: CountCheck;
}

const mostListed = 100;

/** Compares the figures and the kept counts of an account with its activity, and repairs the differences if asked to. */
export async function verifyAccount(
  db: Database,
  accountId: number,
  { repair, ...options }: Options & { repair: boolean },
): Promise<FigureCheck> {
  await turnDays(db, accountId);
  const found: number[] = [];
  const contacts = await inBatches(db, accountId, options, async (tx, ids) => {
    const different = await findDifferent(tx, accountId, ids);
    if (repair && different.length > 0) await refreshFigures(tx, accountId, { merged: different });
    found.push(...different);
  });
  const strays = await inAccount(db, accountId, async (tx) => {
    const ids = await findStrays(tx, accountId);
    if (repair && ids.length > 0) await eraseFigures(tx, accountId, ids);
    return ids;
  });
  // A batch that was repeated reports its contacts twice.
  const different = [...new Set([...found, ...strays])];
  const { signal, gently = false } = options;
  const counts = await verifyCounts(db, accountId, { repair, gently, ...(signal && { signal }) });
  return { contacts, different: different.length, listed: different.slice(0, mostListed), counts };
}

/** Counts days that were in the future and have come, such as those of bookings. Returns the number of contacts. */
export async function turnDays(db: Database, accountId: number): Promise<number> {
  let [contacts, after] = [0, 0];
  for (;;) {
    const due = await inAccount(db, accountId, async (tx) => {
      const ids = await findDue(tx, accountId, after, contactsOfBatch);
      await refreshFigures(tx, accountId, { rated: ids });
      return ids;
    });
    contacts += due.length;
    after = due.at(-1) ?? after;
    if (due.length < contactsOfBatch) return contacts;
  }
}
