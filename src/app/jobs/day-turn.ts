import { accountsInTimeZone, selectTimeZones } from '../../features/access/accounts/store.ts';
import { turnDays } from '../../features/figures/check.ts';
import { enqueueRepair } from '../../features/figures/repair.ts';
import { type Database, isDatabaseUnavailable } from '../../platform/db/database.ts';
import { dayNumber, today } from '../../shared/clock.ts';

const everyMs = 10_000;
const accountsOfPage = 1000;
/** The figures of an account are checked once in this number of days. */
const checkEveryDays = 7;

/**
 * Runs what is due at midnight, in the time zone of each account: days that were in the future begin to count. It also
 * runs at the start, because midnight may have passed before. Several processes may run it: each step can be repeated.
 */
export class DayTurn {
  readonly #db: Database;
  readonly #onFailed: (error: unknown) => void;
  readonly #now: () => Date;
  /** The day that was last begun, by time zone. */
  readonly #days = new Map<string, string>();
  readonly #timer: NodeJS.Timeout;
  #running: Promise<unknown> | undefined;

  constructor(db: Database, onFailed: (error: unknown) => void, now = () => new Date()) {
    this.#db = db;
    this.#onFailed = onFailed;
    this.#now = now;
    this.#timer = setInterval(() => this.#tick(), everyMs);
    this.#timer.unref();
    this.#tick();
  }

  #tick(): void {
    this.#running ??= this.turn()
      .catch(this.#onFailed)
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Begins the day in the time zones where it is new. Returns the number of contacts whose figures changed. */
  async turn(): Promise<number> {
    let contacts = 0;
    for (const timeZone of await this.#db.transaction(selectTimeZones)) {
      const day = today(this.#now(), timeZone);
      if (this.#days.get(timeZone) === day) continue;
      contacts += await this.#begin(timeZone, day);
      this.#days.set(timeZone, day);
    }
    return contacts;
  }

  async #begin(timeZone: string, day: string): Promise<number> {
    const isStart = !this.#days.has(timeZone);
    let contacts = 0;
    for (let ids: number[] = [0]; ids.length > 0; ) {
      ids = await this.#db.transaction((tx) => accountsInTimeZone(tx, timeZone, ids.at(-1) ?? 0, accountsOfPage));
      for (const id of ids) {
        try {
          contacts += await turnDays(this.#db, id);
        } catch (error) {
          if (isDatabaseUnavailable(error)) throw error;
          this.#onFailed(error);
        }
      }
      // At midnight only: a start, or an upgrade of many machines, must not cause the work of a check.
      const checked = ids.filter((id) => !isStart && (dayNumber(day) + id) % checkEveryDays === 0);
      if (checked.length > 0) await this.#db.transaction((tx) => enqueueRepair(tx, checked));
    }
    return contacts;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }
}
