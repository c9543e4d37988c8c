import { deleteAccountRows } from '../../features/access/accounts/delete.ts';
import { type DeleteAccount, deleteAccountTask } from '../../features/access/accounts/schema.ts';
import type { EmailDomains } from '../../features/guests/domains/check.ts';
import { recheckDomain } from '../../features/guests/domains/recheck.ts';
import { type RecheckDomain, recheckDomainTask } from '../../features/guests/domains/schema.ts';
import type { Database } from '../../platform/db/database.ts';
import { replaceStatistics, replaceStatisticsTask } from '../../platform/db/statistics.ts';
import type { Logger } from '../../platform/log.ts';

/** The tasks of jobs, by name. The signal aborts when the process stops. */
export type Tasks = Record<string, (payload: unknown, signal: AbortSignal) => Promise<void>>;

export function tasks(db: Database, domains: EmailDomains, log: Logger): Tasks {
  return {
    [deleteAccountTask]: async (payload, signal) => {
      const deletion = payload as DeleteAccount;
      if (await deleteAccountRows(db, deletion, signal)) log.info(deletion, 'deleted all rows of an account');
    },
    [recheckDomainTask]: (payload) => recheckDomain(db, domains, payload as RecheckDomain),
    [replaceStatisticsTask]: () => replaceStatistics(db),
  };
}
