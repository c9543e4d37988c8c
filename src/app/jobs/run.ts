import { setTimeout as pause } from 'node:timers/promises';
import { Logger as JobLogger, run } from 'graphile-worker';
import { type ConnectOptions, openClients } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/log.ts';
import type { Tasks } from './tasks.ts';

export interface Jobs {
  /** Finishes the job in hand, and leaves the others to whoever comes next. */
  stop(): Promise<void>;
}

const concurrency = 4;
/** One more listens for news of jobs. */
const connections = concurrency + 1;
const comeBackMs = 1000;
/**
 * A job that is done, or has failed, while the database is away can't be told so. Unless these are reported by way of a
 * batch, be it of one, nobody hears of that, and it would end the process.
 */
const preset = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

/** Does the jobs that were put off, a few at a time, in this process; several processes share them out among themselves. */
export function runJobs(connect: ConnectOptions, tasks: Tasks, log: Logger): Jobs {
  const stopping = new AbortController();
  const pool = openClients({ ...connect, applicationName: 'regulars jobs', connections });
  const logger = new JobLogger(() => (level, message) => {
    // Its own messages quote payloads at times, and a database that is away is known from elsewhere.
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
          pollInterval: 2000,
          logger,
          preset,
        });
        const stop = () => void runner.stop().catch(() => {});
        stopping.signal.addEventListener('abort', stop, { once: true });
        if (stopping.signal.aborted) stop();
        await runner.promise.finally(() => stopping.signal.removeEventListener('abort', stop));
      } catch (error) {
        if (!stopping.signal.aborted)
          log.warn({ reason: (error as Error).message }, 'jobs stopped, and are taken up again');
      }
      // The database went away, and its jobs with it.
      await pause(comeBackMs, undefined, { signal: stopping.signal }).catch(() => {});
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
