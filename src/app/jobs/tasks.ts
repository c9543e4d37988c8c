import type { Static, TObject } from 'typebox';
import { deleteAccountRows } from '../../features/access/accounts/delete.ts';
import {
  CountFigures,
  countFiguresTask,
  DeleteAccount,
  deleteAccountTask,
} from '../../features/access/accounts/schema.ts';
import { fillAccount } from '../../features/figures/check.ts';
import { repairAccount } from '../../features/figures/repair.ts';
import { RepairFigures, repairFiguresTask } from '../../features/figures/schema.ts';
import type { EmailDomains } from '../../features/guests/domains/check.ts';
import { recheckDomain } from '../../features/guests/domains/recheck.ts';
import { RecheckDomain, recheckDomainTask } from '../../features/guests/domains/schema.ts';
import { RunAction, runActionTask } from '../../features/insight/segments/action-schema.ts';
import { turnSegments } from '../../features/insight/segments/keep.ts';
import { type AssignCodes, runAction } from '../../features/insight/segments/run-action.ts';
import { assignToMembers } from '../../features/vouchers/assign.ts';
import type { Database } from '../../platform/db/database.ts';
import { replaceStatistics, replaceStatisticsTask } from '../../platform/db/statistics.ts';
import type { Logger } from '../../platform/log.ts';
import { Invalid } from '../../shared/problem.ts';
import { reader } from '../../shared/read.ts';
import { propertiesOf } from '../../shared/record.ts';

/** The tasks of jobs, by name. The signal aborts when the process stops. */
export type Tasks = Record<string, (payload: unknown, signal: AbortSignal) => Promise<void>>;

export function tasks(db: Database, domains: EmailDomains, log: Logger): Tasks {
  return {
    [deleteAccountTask]: async (payload, signal) => {
      const deletion = readPayload(DeleteAccount, payload);
      if (await deleteAccountRows(db, deletion, signal)) log.info(deletion, 'deleted all rows of an account');
    },
    [countFiguresTask]: async (payload, signal) => {
      const { account_id } = readPayload(CountFigures, payload);
      const contacts = await fillAccount(db, account_id, { signal });
      // A day can have begun before its figures were complete.
      await turnSegments(db, account_id);
      log.info({ account_id, contacts }, 'counted the figures of an account');
    },
    [repairFiguresTask]: async (payload, signal) => {
      const { account_id } = readPayload(RepairFigures, payload);
      const { contacts, different, listed, counts } = await repairAccount(db, account_id, signal);
      if (different > 0) log.warn({ account_id, contacts, repaired: different, ids: listed }, 'repaired figures');
      if (Object.values(counts).some((count) => count > 0))
        log.warn({ account_id, repaired: counts }, 'repaired counts');
    },
    [recheckDomainTask]: (payload) => recheckDomain(db, domains, readPayload(RecheckDomain, payload)),
    [runActionTask]: async (payload, signal) => {
      const action = readPayload(RunAction, payload);
      if (await runAction(db, action, { signal, assignCodes: assignToSegment }))
        log.info(action, 'ran a segment action');
    },
    [replaceStatisticsTask]: () => replaceStatistics(db),
  };
}

/** The matches of waiting purchases are counted for requests only. */
export const assignToSegment: AssignCodes = (tx, accountId, groupId, ids) =>
  assignToMembers(tx, accountId, groupId, ids, () => {});

/** A job may have been stored by another version. One with an invalid payload fails. */
function readPayload<S extends TObject>(schema: S, payload: unknown): Static<S> {
  const { valid, errors } = reader(schema)(propertiesOf(payload));
  if (valid === undefined) throw new Invalid(errors.fields);
  return valid;
}
