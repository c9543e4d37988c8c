import { Logger, runMigrations } from 'graphile-worker';
import { type ConnectOptions, openClients, type Tx } from './database.ts';

export interface NewJob {
  payload: object;
  /** Begins with the account id if the job is about an account. Of several jobs with one key, the first is kept, at its own time. */
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

/** Removes an account's waiting jobs of all tasks but this one. Their keys begin with the account's id. */
export async function removeJobsOfAccount(tx: Tx, accountId: number, exceptTask: string): Promise<void> {
  await tx`
    select graphile_worker.remove_job(key) from graphile_worker.jobs
    where task_identifier <> ${exceptTask} and split_part(key, ' ', 2) = ${String(accountId)}`;
}

/** Removes the waiting jobs of this task whose keys start with this. */
export async function removeJobs(tx: Tx, task: string, keyStart: string): Promise<void> {
  await tx`
    select graphile_worker.remove_job(key) from graphile_worker.jobs
    where task_identifier = ${task} and starts_with(key, ${`${task} ${keyStart}`})`;
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

/** The jobs that wait, as a backup keeps them: as whoever enqueues them says them. */
export const waitingJobs = {
  name: 'graphile_worker.jobs',
  columns: ['identifier', 'payload', 'queue_name', 'run_at', 'max_attempts', 'job_key', 'priority', 'flags'],
  definition:
    'identifier text, payload json, queue_name text, run_at timestamptz, max_attempts integer, job_key text, priority integer, flags text[]',
};

/** Enqueues those in the table `waiting_jobs`. */
export async function addWaitingJobs(tx: Tx): Promise<void> {
  await tx`
    select graphile_worker.add_job(identifier, payload, queue_name, run_at, max_attempts, job_key, priority, flags)
    from waiting_jobs`;
}
