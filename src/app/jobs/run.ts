import { setTimeout as pause } from 'node:timers/promises';
import { Logger as JobLogger, run } from 'graphile-worker';
import { type ConnectOptions, openClients } from '../../platform/db/connection.ts';
import type { Logger } from '../../platform/log.ts';
import { messageOf } from '../../shared/errors.ts';
import type { Tasks } from './tasks.ts';

export interface Jobs {
  /** Completes the running jobs. The others stay in the queue. */
  stop(): Promise<void>;
}

const concurrency = 4;
/** One more connection listens for new jobs. */
const connections = concurrency + 1;
const restartMs = 1000;
/**
 * While the database is unavailable, graphile-worker cannot store that a job completed or failed. Without batching, that
 * error is an unhandled rejection and would end the process. A delay of 0 turns batching on.
 */
const preset = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

/** Runs the jobs, a few at a time. Several processes share the queue. */
export function runJobs(connect: ConnectOptions, tasks: Tasks, log: Logger): Jobs {
  const stopping = new AbortController();
  const pool = openClients({ ...connect, applicationName: 'regulars jobs', connections });
  const logger = new JobLogger(() => (level, message) => {
    // The messages of graphile-worker can contain payloads, so they are cut. An unavailable database is logged elsewhere.
    log[level === 'error' || level === 'warning' ? 'warn' : 'trace']({ jobs: message.slice(0, 200) }, 'jobs');
  });

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const runner = await run({
          pgPool: pool,
          taskList: Object.fromEntries(
            Object.entries(tasks).map(([name, task]) => [name, (payload) => task(payload, stopping.signal)]),
          ),
          concurrency,
          noHandleSignals: true,
          noPreparedStatements: connect.isPooled === true,
          pollInterval: 2000,
          logger,
          preset,
        });
        const stop = () => void runner.stop().catch(() => {});
        stopping.signal.addEventListener('abort', stop, { once: true });
        if (stopping.signal.aborted) stop();
        await runner.promise.finally(() => stopping.signal.removeEventListener('abort', stop));
      } catch (error) {
        if (!stopping.signal.aborted) log.warn({ reason: messageOf(error) }, 'job runner stopped and will restart');
      }
      // The database became unavailable.
      await pause(restartMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const working = work();

  return {
    stop: async () => {
      stopping.abort();
      await working;
      await pool.end().catch(() => {});
    },
  };
}
