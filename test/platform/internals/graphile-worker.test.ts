import { Logger, run } from 'graphile-worker';
import { expect, it } from 'vitest';
import { openClients } from '../../../src/platform/db/connection.ts';
import { addWaitingJobs, waitingJobs } from '../../../src/platform/db/jobs.ts';
import { raw } from '../../../src/platform/db/sql.ts';
import { selectWaitingJobs } from '../../../src/platform/internals/graphile-worker.ts';
import { openTestDatabase, superuser } from '../../support/database.ts';

it('reads the waiting jobs with all arguments of add_job, without those that failed for good', async () => {
  const { db } = await openTestDatabase();
  const runAt = '2100-01-01T00:00:00.000Z';
  const read = () =>
    db.transaction(
      (tx) => tx<Record<string, unknown>>`
        select * from (${raw(selectWaitingJobs)}) as job (${raw(waitingJobs.columns.join(', '))})`,
    );
  const job = {
    identifier: 'test',
    payload: { n: 1 },
    queue_name: 'queue',
    run_at: new Date(runAt),
    max_attempts: 3,
    job_key: 'key',
    priority: 7,
    flags: ['a'],
  };
  await db.transaction(async (tx) => {
    await tx`select graphile_worker.add_job('test', '{"n":1}', 'queue', ${runAt}::timestamptz, 3, 'key', 7, array['a'])`;
    await tx`select graphile_worker.add_job('failed', '{}', max_attempts := 1)`;
    await tx`
      select graphile_worker.permanently_fail_jobs(array(select id from graphile_worker.jobs where task_identifier = 'failed'), 'failed')`;
  });
  expect([...(await read())]).toEqual([job]);

  // The order of the columns is the order of the arguments.
  await db.transaction(async (tx) => {
    await tx`create temporary table waiting_jobs (${raw(waitingJobs.definition)}) on commit drop`;
    await tx`insert into waiting_jobs ${raw(selectWaitingJobs)}`;
    await tx`select graphile_worker.remove_job('key')`;
    await addWaitingJobs(tx);
  });
  expect([...(await read())]).toEqual([job]);
});

it.each([false, true])('runs jobs, and listens for them unless there is a pooler (%s)', async (isPooled) => {
  const { db, ...database } = await openTestDatabase();
  const sql = await superuser(database);
  const pgPool = openClients({ url: database.url, isPooled, connections: 3 });
  let ran = 0;
  const runner = await run({
    ...{ pgPool, noHandleSignals: true, pollInterval: 100, noPreparedStatements: isPooled, concurrency: 1 },
    taskList: { test: () => void ran++ },
    logger: new Logger(() => () => {}),
  });
  // The last statement of each connection.
  const listening = () => sql`
    select from pg_stat_activity where datname = ${database.name} and query like 'LISTEN%'`;
  if (!isPooled) await expect.poll(listening).toHaveLength(1);
  await db.transaction((tx) => tx`select graphile_worker.add_job('test')`);
  await expect.poll(() => ran).toBe(1);
  expect(await listening()).toHaveLength(isPooled ? 0 : 1);
  await runner.stop();
  await pgPool.end();
});
