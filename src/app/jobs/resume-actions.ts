import { nextAccountIds } from '../../features/access/accounts/store.ts';
import { resumeActions } from '../../features/insight/segments/actions.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Sweep } from './sweeper.ts';

/** Enqueues the unfinished segment actions of all accounts, after a process was killed. */
export async function resumeAllActions(db: Database, signal: AbortSignal): Promise<void> {
  for (let last = 0, more = true; more && !signal.aborted; ) {
    const ids = await db.transaction((tx) => nextAccountIds(tx, last, 1000));
    for (const id of ids) if (!signal.aborted) await db.tenant(id, (tx) => resumeActions(tx, id));
    last = ids.at(-1) ?? last;
    more = ids.length > 0;
  }
}

/** The same every hour, for jobs of another machine that was killed. Deletes nothing. */
export const resumeActionsOf: Sweep = async (tx, accountId) => {
  await resumeActions(tx, accountId);
  return 0;
};
