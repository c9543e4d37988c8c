import { setTimeout as pause } from 'node:timers/promises';
import { countLoggedRequests } from '../../features/access/requests/count-store.ts';
import type { Database } from '../../platform/db/database.ts';
import type { OwnLimits } from '../../platform/http/limits.ts';

const everyMs = 1000;
/** Counting uses at most a twentieth of one connection, for any number of requests. */
const restPerWork = 19;

/**
 * Makes the rate limits of tokens hold for all machines of one database. Each machine writes its requests to the request
 * log once per second, so the log has the requests of the others. A count is never too high: it is at most two seconds
 * behind.
 */
export function countOtherMachines(db: Database, limits: OwnLimits): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  async function count(): Promise<void> {
    const { windowStart, tokens } = limits.busyTokens();
    for (const token of tokens) {
      if (signal.aborted) return;
      const requests = await db.tenant(token.accountId, (tx) => countLoggedRequests(tx, token, windowStart));
      limits.raise(token, windowStart, requests);
    }
  }
  async function work(): Promise<void> {
    let restMs = everyMs;
    while (!signal.aborted) {
      await pause(restMs, undefined, { signal, ref: false }).catch(() => {});
      const begin = performance.now();
      // If the database is unavailable, no request is served either.
      await count().catch(() => {});
      restMs = Math.max(everyMs, (performance.now() - begin) * restPerWork);
    }
  }
  const working = work();
  return {
    stop: async () => {
      stopping.abort();
      await working;
    },
  };
}
