import { setTimeout as pause } from 'node:timers/promises';
import { type Database, isUnavailableToAll } from '../../platform/db/database.ts';

const everyMs = 2000;
const longestPauseMs = 1000;

/** Work in the background that follows what writers changed, account by account, every two seconds. */
export abstract class Keeper {
  protected readonly db: Database;
  protected readonly onFailed: (error: unknown) => void;
  protected isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> | undefined;

  constructor(db: Database, onFailed: (error: unknown) => void) {
    this.db = db;
    this.onFailed = onFailed;
  }

  /** One pass over the accounts. */
  protected abstract pass(): Promise<unknown>;

  start(): this {
    this.#timer = setInterval(() => {
      this.#running ??= this.pass()
        .catch(this.onFailed)
        .finally(() => {
          this.#running = undefined;
        });
    }, everyMs);
    this.#timer.unref();
    return this;
  }

  /**
   * Runs the work of one account, whose error does not stop the others. If the database is unavailable, the others would
   * fail too, so the pass ends.
   */
  protected async safely(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isUnavailableToAll(error)) throw error;
      this.onFailed(error);
    }
  }

  /** Runs a transaction, and then pauses for as long as it took, so that requests have at least half of the time. */
  protected async gently<T>(work: () => Promise<T>): Promise<T> {
    const begin = Date.now();
    const result = await work();
    const ms = Math.min(Date.now() - begin, longestPauseMs);
    // After a short one no request notices the difference.
    if (ms > 10 && !this.isStopped) await pause(ms);
    return result;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }
}
