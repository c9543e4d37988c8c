import { nextAccountIds } from '../../features/access/accounts/store.ts';
import { type Database, isDatabaseUnavailable, type Tx } from '../../platform/db/database.ts';

/** Deletes so many, at most, of an account's rows that are past their time; gives how many there were. */
export type Sweep = (tx: Tx, accountId: number, limit: number) => Promise<number>;

/** The same for a table that all accounts share. */
export type SharedSweep = (tx: Tx, limit: number) => Promise<number>;

const firstMs = 60 * 1000;
const everyMs = 60 * 60 * 1000;
const step = 5000;

interface Sweeps {
  ofAccounts?: Sweep[];
  shared?: SharedSweep[];
}

/** Deletes what is past its time, every hour, account by account and in small steps, so that nothing waits for it. */
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

  /** Step by step, until a step finds less than it may delete. A failure is reported, and the other sweeps go on. */
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
