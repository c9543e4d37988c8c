import { nextAccountIds } from '../../features/access/accounts/store.ts';
import { fillNext, followChanges } from '../../features/insight/segments/keep.ts';
import { accountsWithChanges, accountsWithSegments } from '../../features/insight/segments/keep-store.ts';
import { type Database, isDatabaseUnavailable } from '../../platform/db/database.ts';

const everyMs = 1000;
/** The most transactions of one account before the next account has its turn. */
const mostRounds = 5;
/** The number of accounts without segments that are looked at each time. Their changes are only deleted. */
const othersAtOnce = 100;
/** A segment that could not be filled is tried again after this time. */
const retryMs = 10 * 60_000;

/**
 * Keeps the members of segments: stores what writes changed, a moment after each write, and fills new segments. Several
 * processes may run it. One at a time works on an account, in transactions that can be repeated.
 */
export class SegmentKeeper {
  readonly #db: Database;
  readonly #onFailed: (error: unknown) => void;
  /** When the segments that could not be filled are tried again, by account and segment. */
  readonly #failed = new Map<number, Map<number, number>>();
  /** The last of the other accounts that was looked at. */
  #after = 0;
  #timer: NodeJS.Timeout | undefined;
  #following: Promise<unknown> | undefined;
  #filling: Promise<unknown> | undefined;
  #isStopped = false;

  constructor(db: Database, onFailed: (error: unknown) => void) {
    this.#db = db;
    this.#onFailed = onFailed;
  }

  start(): this {
    this.#timer = setInterval(() => {
      this.#following ??= this.follow().finally(() => {
        this.#following = undefined;
      });
    }, everyMs);
    this.#timer.unref();
    return this;
  }

  /** Follows the changes of all accounts. Filling takes longer, so changes do not wait for it. */
  async follow(): Promise<void> {
    try {
      const accountIds = await this.#db.transaction(async (tx) => {
        const others = await nextAccountIds(tx, this.#after, othersAtOnce);
        this.#after = others.length === othersAtOnce ? (others.at(-1) ?? 0) : 0;
        return accountsWithChanges(tx, [...new Set([...(await accountsWithSegments(tx)), ...others])]);
      });
      for (const accountId of accountIds) await this.#safely(() => this.#followAccount(accountId));
      this.#filling ??= this.#fillAll(accountIds).finally(() => {
        this.#filling = undefined;
      });
    } catch (error) {
      this.#onFailed(error);
    }
  }

  async #followAccount(accountId: number): Promise<void> {
    for (let round = 0, more = true; more && round < mostRounds && !this.#isStopped; round++) {
      more = await followChanges(this.#db, accountId);
    }
  }

  async #fillAll(accountIds: number[]): Promise<void> {
    for (const accountId of accountIds) await this.#safely(() => this.#fillAccount(accountId)).catch(this.#onFailed);
  }

  async #fillAccount(accountId: number): Promise<void> {
    const failed = this.#failed.get(accountId) ?? new Map<number, number>();
    for (const [id, until] of failed) if (until < Date.now()) failed.delete(id);
    for (let more = true; more && !this.#isStopped; ) {
      more = await fillNext(this.#db, accountId, new Set(failed.keys()), (id) => {
        failed.set(id, Date.now() + retryMs);
        this.#failed.set(accountId, failed);
      });
    }
    if (failed.size === 0) this.#failed.delete(accountId);
  }

  /** An error of one account does not stop the others. */
  async #safely(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.#onFailed(error);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#following;
    await this.#filling;
  }
}
