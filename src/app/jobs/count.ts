import type { Tx } from '../../platform/db/database.ts';
import { only } from '../../platform/db/sql.ts';

/** A job that waits longer than this after its time is overdue. */
const overdueAfter = '5 minutes';
/** The first attempts often fail because the database is unavailable. */
const toleratedAttempts = 2;

/**
 * Counts the jobs by state. A job can have several states. `overdue`: no process has taken it. `failing`: it failed
 * repeatedly, or for good. A failed attempt moves the time of the job, so a failing job is not overdue.
 */
export async function countJobs(tx: Tx): Promise<Record<'queued' | 'overdue' | 'failing', number>> {
  return only(
    await tx<{ queued: number; overdue: number; failing: number }>`
      select count(*)::int as queued,
        count(*) filter (where locked_at is null and attempts < max_attempts
          and run_at < now() - ${overdueAfter}::interval)::int as overdue,
        count(*) filter (where last_error is not null and attempts > ${toleratedAttempts}::int)::int as failing
      from graphile_worker.jobs`,
  );
}
