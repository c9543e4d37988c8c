import { Logger, runMigrations } from 'graphile-worker';
import { type ConnectOptions, openClients, type Tx } from './database.ts';

export interface NewJob {
  payload: object;
  /** Of several with one key, one is kept: the first, at its own time. */
  key: string;
}

/**
 * Puts work off, in the very transaction that makes it necessary: if that is not kept, neither is the job. One that is
 * there already, and not about to be done, will see what we are writing; it is left alone, as to touch it would make
 * every writer wait for the others.
 */
export async function enqueue(tx: Tx, task: string, jobs: NewJob[], delaySeconds: number): Promise<void> {
  const keyed = jobs.map(({ payload, key }) => ({ payload, key: `${task} ${key}` }));
  await tx`
    select graphile_worker.add_job(${task}, payload, job_key := job.key, job_key_mode := 'preserve_run_at',
      run_at := now() + make_interval(secs => ${delaySeconds}))
    from rows from (jsonb_to_recordset(${JSON.stringify(keyed)}::jsonb) as (payload json, key text)) with ordinality as job (payload, key, place)
    where not exists (
      select from graphile_worker.jobs as waiting
      where waiting.key = job.key and waiting.locked_at is null and waiting.run_at > now() + interval '60 seconds')
    order by place`;
}

/** The queue's own tables, in a schema of their own. Processes that start at once must take turns at this. */
export async function migrateJobs(options: ConnectOptions): Promise<void> {
  const pgPool = openClients({ ...options, connections: 1 });
  try {
    await runMigrations({ pgPool, logger: new Logger(() => () => {}) });
  } finally {
    await pgPool.end();
  }
}
