import { setTimeout as pause } from 'node:timers/promises';
import { countLogged, type LoggedRequests, searchLastBefore } from '../../features/access/requests/count-store.ts';
import { type Database, enterAccount, isDatabaseUnavailable, isNodeLost, type Tx } from '../../platform/db/database.ts';
import { settled } from '../../platform/db/ordered.ts';
import type { OwnLimits, TokenKey } from '../../platform/http/limits.ts';

const everyMs = 1000;
/** Counting uses at most a fifth of one connection, for any number of requests. */
const restPerWork = 4;
const longestRestMs = 10_000;
/** The statements of one transaction. */
const atOnce = 100;
/** An entry is visible at the latest this long after its request began. Most are after a second. */
const settledAfterMs = 10_000;

/** What is known of a token: the requests of the window in the entries up to `after`. */
interface Known extends TokenKey {
  windowStart: number;
  after: number;
  count: number;
}

interface Account {
  accountId: number;
  known: Known[];
}

/**
 * Makes the rate limits of tokens hold for all machines of one database. Each machine writes its requests to the request
 * log once per second, so the log has the requests of the others. Each entry is read for about ten seconds, and many
 * accounts share a round trip. A count is never too high.
 */
export class OtherMachines {
  readonly #db: Database;
  readonly #limits: OwnLimits;
  /** By account and token: those that were busy in this window or the one before. */
  readonly #known = new Map<string, Known>();
  /** The accounts that failed in this window. */
  readonly #failed = new Set<number>();
  #window = 0;

  constructor(db: Database, limits: OwnLimits) {
    this.#db = db;
    this.#limits = limits;
  }

  /** Counts the requests of all busy tokens once. An account that fails is left out until the window ends. */
  async count(signal?: AbortSignal): Promise<void> {
    const { windowStart: since, tokens } = this.#limits.busyTokens();
    if (since.getTime() !== this.#window) {
      for (const [key, { windowStart }] of this.#known) if (windowStart !== this.#window) this.#known.delete(key);
      this.#failed.clear();
      this.#window = since.getTime();
    }
    await this.#search(tokens, since, signal);
    const accounts = new Map<number, Account>();
    for (const { accountId, tokenId } of tokens) {
      const known = this.#known.get(keyOf({ accountId, tokenId }));
      if (!known) continue;
      if (known.windowStart !== this.#window) Object.assign(known, { windowStart: this.#window, count: 0 });
      const account = accounts.get(accountId) ?? { accountId, known: [] };
      account.known.push(known);
      accounts.set(accountId, account);
    }
    const times = { since, settledBefore: new Date(Date.now() - settledAfterMs) };
    await this.#each(
      [...accounts.values()],
      (tx, account) => countLogged(tx, account, times),
      ({ accountId }, counts) => {
        for (const one of counts) this.#raise({ accountId, tokenId: one.tokenId }, since, one);
      },
      signal,
    );
  }

  #raise(key: TokenKey, since: Date, { count, settledUpTo, settledCount }: LoggedRequests): void {
    const known = this.#known.get(keyOf(key));
    if (!known) return;
    this.#limits.raise(key, since, known.count + count);
    known.after = settledUpTo;
    known.count += settledCount;
  }

  /** Searches the log for the start of the window, for tokens that were not busy before. */
  async #search(tokens: TokenKey[], since: Date, signal?: AbortSignal): Promise<void> {
    let searched = tokens
      .filter((token) => !this.#known.has(keyOf(token)))
      .map((token) => ({ ...token, before: Number.MAX_SAFE_INTEGER }));
    while (searched.length > 0 && !signal?.aborted) {
      const further: typeof searched = [];
      await this.#each(
        searched,
        (tx, token) => searchLastBefore(tx, token, since),
        (token, found) => {
          if ('before' in found) further.push({ ...token, before: found.before });
          else this.#known.set(keyOf(token), { ...token, windowStart: this.#window, after: found.last, count: 0 });
        },
        signal,
      );
      searched = further;
    }
  }

  /** Sends a statement for each item, many in one transaction. If one fails, each gets a transaction of its own. */
  async #each<Item extends { accountId: number }, Result>(
    all: Item[],
    statement: (tx: Tx, item: Item) => Promise<Result>,
    use: (item: Item, result: Result) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const run = async (items: Item[]) => {
      const send = async (tx: Tx, item: Item) => {
        const entered = enterAccount(tx, item.accountId);
        const [result] = await settled<unknown>([statement(tx, item), entered]);
        return result as Result;
      };
      const results = await this.#db.transaction((tx) => tx.each(items, (item) => send(tx, item)));
      for (const [index, item] of items.entries()) use(item, results[index] as Result);
    };
    const items = all.filter(({ accountId }) => !this.#failed.has(accountId));
    for (let n = 0; n < items.length && !signal?.aborted; n += atOnce) {
      const some = items.slice(n, n + atOnce);
      try {
        await run(some);
        continue;
      } catch (error) {
        // Each account would wait for the database again. The next round tries all of them.
        if (isDatabaseUnavailable(error) && !isNodeLost(error)) return;
      }
      for (const item of some) {
        if (signal?.aborted) return;
        if (!this.#failed.has(item.accountId)) await run([item]).catch(() => this.#failed.add(item.accountId));
      }
    }
  }
}

const keyOf = ({ accountId, tokenId }: TokenKey) => `${accountId} ${tokenId}`;

/** Counts every second, until it is stopped. */
export function countOtherMachines(db: Database, limits: OwnLimits): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const machines = new OtherMachines(db, limits);
  async function work(): Promise<void> {
    let restMs = everyMs;
    while (!signal.aborted) {
      await pause(restMs, undefined, { signal, ref: false }).catch(() => {});
      const begin = performance.now();
      await machines.count(signal).catch(() => {}); // The next round counts again.
      restMs = Math.min(longestRestMs, Math.max(everyMs, (performance.now() - begin) * restPerWork));
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
