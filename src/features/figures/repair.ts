import type { Database, Tx } from '../../platform/db/database.ts';
import { enqueue } from '../../platform/db/jobs.ts';
import { type FigureCheck, verifyAccount } from './check.ts';
import { recordCheck } from './check-store.ts';
import { checkedCounts, type RepairFigures, repairFiguresTask } from './schema.ts';

/** At night, some hours after midnight. */
const repairAfterSeconds = 2 * 60 * 60;

/** Enqueues the check of these accounts. */
export function enqueueRepair(tx: Tx, ids: number[]): Promise<void> {
  const jobs = ids.map((account_id) => ({ key: String(account_id), payload: { account_id } satisfies RepairFigures }));
  return enqueue(tx, repairFiguresTask, jobs, repairAfterSeconds);
}

/** The job: compares the figures and the kept counts with the activity, repairs differences, and adds the result to the metrics. */
export async function repairAccount(db: Database, accountId: number, signal: AbortSignal): Promise<FigureCheck> {
  const check = await verifyAccount(db, accountId, { repair: true, gently: true, signal });
  const { contacts, different, counts } = check;
  const repairedCounts = checkedCounts.reduce((sum, name) => sum + counts[name], 0);
  await db.transaction((tx) => recordCheck(tx, { checked: contacts, repaired: different, repairedCounts }));
  return check;
}
