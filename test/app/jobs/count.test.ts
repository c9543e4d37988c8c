import { expect, it } from 'vitest';
import { countJobs } from '../../../src/app/jobs/count.ts';
import { openTestDatabase, superuser } from '../../support/database.ts';

it('counts queued, overdue and failing jobs', async () => {
  const database = await openTestDatabase();
  const sql = await superuser(database);
  expect(await database.db.transaction(countJobs)).toEqual({ queued: 0, overdue: 0, failing: 0 });
  await sql`select graphile_worker.add_job('in time', run_at := now() - interval '4 minutes')`;
  await sql`select graphile_worker.add_job('late', run_at := now() - interval '6 minutes')`;
  await sql`
    select graphile_worker.permanently_fail_jobs(array[id], 'no reason')
    from graphile_worker.add_job('failed for good', run_at := now() - interval '1 hour')`;
  await sql`
    select graphile_worker.reschedule_jobs(array[id], attempts := 3)
    from graphile_worker.add_job('tried without an error')`;
  expect(await database.db.transaction(countJobs)).toEqual({ queued: 4, overdue: 1, failing: 1 });
});
