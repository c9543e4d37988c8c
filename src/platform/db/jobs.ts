import { Logger, runMigrations } from 'graphile-worker';
import { commitInTwoPhases } from './citus.ts';
import { type ConnectOptions, openClients } from './connection.ts';
import type { Tx } from './database.ts';

export interface NewJob {
  payload: object;
  /** Starts with the account id if the job belongs to an account. Of several jobs with one key, the first one stays, at its own time. */
  key: string;
}

/**
 * Enqueues jobs in the transaction that needs them, so both commit or neither. An existing job with the key that does not
 * run soon will see what this transaction writes. It is not touched, because writers would wait for each other on its row.
 */
export async function enqueue(tx: Tx, task: string, jobs: NewJob[], delaySeconds: number): Promise<void> {
  const keyed = jobs.map(({ payload, key }) => ({ payload, key: `${task} ${key}` }));
  const add = () => tx`
    select graphile_worker.add_job(${task}, payload, job_key := job.key, job_key_mode := 'preserve_run_at',
      run_at := now() + make_interval(secs => ${delaySeconds}))
    from rows from (jsonb_to_recordset(${JSON.stringify(keyed)}::jsonb) as (payload json, key text)) with ordinality as job (payload, key, place)
    where not exists (
      select from graphile_worker.jobs as waiting
      where waiting.key = job.key and waiting.locked_at is null and waiting.run_at > now() + interval '60 seconds')
    order by place`;
  await tx.inOrder({ add, prepare: () => commitInTwoPhases(tx) });
}

/** Removes the waiting jobs of an account, except those of this task. Their keys start with the account id. */
export async function removeJobsOfAccount(tx: Tx, accountId: number, exceptTask: string): Promise<void> {
  await tx`
    select graphile_worker.remove_job(key) from graphile_worker.jobs
    where task_identifier <> ${exceptTask} and split_part(key, ' ', 2) = ${String(accountId)}`;
}

/** Removes the waiting jobs of this task whose keys start with `keyStart`. */
export async function removeJobs(tx: Tx, task: string, keyStart: string): Promise<void> {
  await tx`
    select graphile_worker.remove_job(key) from graphile_worker.jobs
    where task_identifier = ${task} and starts_with(key, ${`${task} ${keyStart}`})`;
}

/** Creates or upgrades the tables of graphile-worker, in its own schema. The caller must hold the migration lock. */
export async function migrateJobs(options: ConnectOptions): Promise<void> {
  const pgPool = openClients({ ...options, connections: 1, withoutTimeouts: true });
  try {
    await runMigrations({ pgPool, logger: new Logger(() => () => {}) });
  } finally {
    await pgPool.end();
  }
}

/** The waiting jobs in a backup: the arguments of `add_job`. */
export const waitingJobs = {
  name: 'graphile_worker.jobs',
  columns: ['identifier', 'payload', 'queue_name', 'run_at', 'max_attempts', 'job_key', 'priority', 'flags'],
  definition:
    'identifier text, payload json, queue_name text, run_at timestamptz, max_attempts integer, job_key text, priority integer, flags text[]',
};

/** Enqueues the jobs in the table `waiting_jobs`. */
export async function addWaitingJobs(tx: Tx): Promise<void> {
  await tx`
    select graphile_worker.add_job(identifier, payload, queue_name, run_at, max_attempts, job_key, priority, flags)
    from waiting_jobs`;
}
