import { nextAccountIds } from '../accounts/store.ts';
import { type Database, isDatabaseAway, type Tx } from '../db/database.ts';

/** Deletes so many, at most, of an account's rows that are past their time; gives how many there were. */
export type Sweep = (tx: Tx, accountId: number, limit: number) => Promise<number>;

const firstMs = 60 * 1000;
const everyMs = 60 * 60 * 1000;
const step = 5000;

/** Deletes what is past its time, every hour, account by account and in small steps, so that nothing waits for it. */
export class Sweeper {
  readonly #db: Database;
  readonly #sweeps: Sweep[];
  readonly #onFailed: (error: unknown) => void;
  readonly #timers: NodeJS.Timeout[];

  constructor(db: Database, sweeps: Sweep[], onFailed: (error: unknown) => void) {
    this.#db = db;
    this.#sweeps = sweeps;
    this.#onFailed = onFailed;
    this.#timers = [setTimeout(() => void this.sweep(), firstMs), setInterval(() => void this.sweep(), everyMs)];
    for (const timer of this.#timers) timer.unref();
  }

  async sweep(): Promise<number> {
    let deleted = 0;
    try {
      let ids: number[] = [];
      do {
        ids = await this.#db.transaction((tx) => nextAccountIds(tx, ids.at(-1) ?? 0, 1000));
        // What fails in one account is not the others' to wait for.
        for (const accountId of ids)
          for (const sweep of this.#sweeps)
            deleted += await this.#ofAccount(accountId, sweep).catch((error) => {
              if (isDatabaseAway(error)) throw error;
              this.#onFailed(error);
              return 0;
            });
      } while (ids.length > 0);
    } catch (error) {
      this.#onFailed(error);
    }
    return deleted;
  }

  async #ofAccount(accountId: number, sweep: Sweep): Promise<number> {
    const count = await this.#db.tenant(accountId, (tx) => sweep(tx, accountId, step));
    return count < step ? count : count + (await this.#ofAccount(accountId, sweep));
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}
