import type pg from 'pg';

/**
 * Selects the waiting jobs, without those that failed for good, in the order of the arguments of `add_job`. The public
 * view of the jobs does not contain the payload.
 */
export const selectWaitingJobs = `
  select task.identifier, job.payload, queue.queue_name, job.run_at, job.max_attempts, job.key, job.priority,
    case when job.flags is not null then array(select jsonb_object_keys(job.flags)) end
  from graphile_worker._private_jobs as job join graphile_worker._private_tasks as task on task.id = job.task_id
    left join graphile_worker._private_job_queues as queue on queue.id = job.job_queue_id
  where job.attempts < job.max_attempts order by job.id`;

/** Drops the statements with which graphile-worker subscribes to new jobs. It also polls for them. */
export function ignoreListen(client: pg.ClientBase): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const withoutListen = (...args: unknown[]) =>
    typeof args[0] === 'string' && /^(UN)?LISTEN /.test(args[0]) ? Promise.resolve() : query(...args);
  Object.assign(client, { query: withoutListen });
}

/** Sends these statements wherever graphile-worker begins a transaction. */
export function beginWith(client: pg.ClientBase, beginning: string[]): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const withBeginning = async (...args: unknown[]) => {
    if (args[0] !== 'begin') return query(...args);
    for (const statement of beginning) await query(statement);
    return undefined;
  };
  Object.assign(client, { query: withBeginning });
}

/**
 * Makes the second release of a client that was connected with a callback do nothing. If the connection fails while
 * graphile-worker stops, it releases the client that listens for jobs twice. The error of pg-pool would be an unhandled
 * rejection, which ends the process.
 */
export function allowSecondRelease(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool);
  type Callback = Parameters<typeof connect>[0];
  const withOneRelease = (callback?: Callback) => {
    if (!callback) return connect();
    return connect((error, client, release) => {
      let isReleased = false;
      const once: typeof release = (...args) => {
        if (!isReleased) release(...args);
        isReleased = true;
      };
      // Without a client there is nothing to release.
      callback(error, client, client ? once : release);
    });
  };
  Object.assign(pool, { connect: withOneRelease });
}
