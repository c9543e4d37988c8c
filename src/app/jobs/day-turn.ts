import { accountsInTimeZone, selectTimeZones } from '../../features/access/accounts/store.ts';
import { turnDays } from '../../features/figures/check.ts';
import { enqueueRepair } from '../../features/figures/repair.ts';
import { turnSegments } from '../../features/insight/segments/keep.ts';
import { type Database, isUnavailableToAll } from '../../platform/db/database.ts';
import { dayNumber } from '../../shared/clock.ts';

const everyMs = 10_000;
const accountsOfPage = 1000;
/** The figures of an account are checked once in this number of days. */
const checkEveryDays = 7;
/** A write that began before midnight can commit after the first pass. No statement takes longer than half a minute. */
const passesAfterMs = [0, 60_000, 300_000];

interface Turning {
  day: string;
  /** When the remaining passes are due. */
  due: number[];
}

/**
 * Runs what is due at midnight, in the time zone of each account: days that were in the future begin to count, and guests
 * enter and leave segments because time passes. It also runs at the start, because midnight may have passed before.
 * Several processes may run it: each step can be repeated.
 */
export class DayTurn {
  readonly #db: Database;
  readonly #onFailed: (error: unknown) => void;
  readonly #days = new Map<string, Turning>();
  /** Accounts whose last pass failed. They are tried again with every tick. */
  readonly #failed = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> | undefined;

  constructor(db: Database, onFailed: (error: unknown) => void) {
    this.#db = db;
    this.#onFailed = onFailed;
  }

  start(): this {
    this.#timer = setInterval(() => this.#tick(), everyMs);
    this.#timer.unref();
    this.#tick();
    return this;
  }

  #tick(): void {
    this.#running ??= this.turn()
      .catch(this.#onFailed)
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Begins the day in the time zones where it is new. Returns the number of contacts that were looked at. */
  async turn(time = Date.now()): Promise<number> {
    let contacts = 0;
    for (const id of this.#failed) contacts += await this.#turnAccount(id);
    for (const { time_zone, day } of await this.#db.transaction(selectTimeZones)) {
      const known = this.#days.get(time_zone);
      if (known?.day !== day) {
        this.#days.set(time_zone, { day, due: passesAfterMs.map((ms) => time + ms) });
        // At midnight only: a start, or an upgrade of many machines, must not cause the work of a check.
        if (known) await this.#enqueueChecks(time_zone, day);
      }
      const turning = this.#days.get(time_zone);
      const next = turning?.due[0];
      if (!turning || next === undefined || next > time) continue;
      contacts += await this.#pass(time_zone);
      turning.due = turning.due.filter((at) => at > time);
    }
    return contacts;
  }

  async #pass(timeZone: string): Promise<number> {
    let contacts = 0;
    await this.#forEachPage(timeZone, async (ids) => {
      for (const id of ids) contacts += await this.#turnAccount(id);
    });
    return contacts;
  }

  async #turnAccount(id: number): Promise<number> {
    try {
      const contacts = (await turnDays(this.#db, id)) + (await turnSegments(this.#db, id));
      this.#failed.delete(id);
      return contacts;
    } catch (error) {
      if (isUnavailableToAll(error)) throw error;
      this.#failed.add(id);
      this.#onFailed(error);
      return 0;
    }
  }

  async #enqueueChecks(timeZone: string, day: string): Promise<void> {
    await this.#forEachPage(timeZone, async (ids) => {
      const checked = ids.filter((id) => (dayNumber(day) + id) % checkEveryDays === 0);
      if (checked.length > 0) await this.#db.transaction((tx) => enqueueRepair(tx, checked));
    });
  }

  async #forEachPage(timeZone: string, work: (ids: number[]) => Promise<void>): Promise<void> {
    for (let last = 0, more = true; more; ) {
      const ids = await this.#db.transaction((tx) => accountsInTimeZone(tx, timeZone, last, accountsOfPage));
      await work(ids);
      last = ids.at(-1) ?? last;
      more = ids.length === accountsOfPage;
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }
}
