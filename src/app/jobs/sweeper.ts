import { nextAccountIds } from '../../features/access/accounts/store.ts';
import { type Database, isDatabaseUnavailable, type Tx } from '../../platform/db/database.ts';

/** Deletes expired rows of an account, at most `limit`. Returns the number of deleted rows. */
export type Sweep = (tx: Tx, accountId: number, limit: number) => Promise<number>;

/** Deletes expired rows of a shared table, at most `limit`. */
export type SharedSweep = (tx: Tx, limit: number) => Promise<number>;

const firstMs = 60 * 1000;
const everyMs = 60 * 60 * 1000;
const step = 5000;

interface Sweeps {
  ofAccounts?: Sweep[];
  shared?: SharedSweep[];
}

/** Deletes expired rows every hour, account by account and in small steps, so that requests do not wait for it. */
export class Sweeper {
  readonly #db: Database;
  readonly #ofAccounts: Sweep[];
  readonly #shared: SharedSweep[];
  readonly #onFailed: (error: unknown) => void;
  readonly #timers: NodeJS.Timeout[];

  constructor(db: Database, { ofAccounts = [], shared = [] }: Sweeps, onFailed: (error: unknown) => void) {
    this.#db = db;
    this.#ofAccounts = ofAccounts;
    this.#shared = shared;
    this.#onFailed = onFailed;
    this.#timers = [setTimeout(() => void this.sweep(), firstMs), setInterval(() => void this.sweep(), everyMs)];
    for (const timer of this.#timers) timer.unref();
  }

  async sweep(): Promise<number> {
    let deleted = 0;
    try {
      for (const sweep of this.#shared)
        deleted += await this.#safely(() => this.#db.transaction((tx) => sweep(tx, step)));
      let ids: number[] = [];
      do {
        ids = await this.#db.transaction((tx) => nextAccountIds(tx, ids.at(-1) ?? 0, 1000));
        for (const accountId of ids)
          for (const sweep of this.#ofAccounts)
            deleted += await this.#safely(() => this.#db.tenant(accountId, (tx) => sweep(tx, accountId, step)));
      } while (ids.length > 0);
    } catch (error) {
      this.#onFailed(error);
    }
    return deleted;
  }

  /** Repeats the step until it deletes less than its limit. An error is reported, and the other sweeps continue. */
  async #safely(sweepSome: () => Promise<number>): Promise<number> {
    let deleted = 0;
    try {
      for (let count = step; count === step; deleted += count) count = await sweepSome();
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.#onFailed(error);
    }
    return deleted;
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}
