import { nextAccountIds } from '../../features/access/accounts/store.ts';
import { accountsWithChanges } from '../../features/figures/changes-store.ts';
import { fillNext, followChanges } from '../../features/insight/segments/keep.ts';
import { accountsWithSegments } from '../../features/insight/segments/keep-store.ts';
import { Keeper } from './keeper.ts';

/** The most transactions of one account before the next account has its turn. */
const mostRounds = 5;
/** The number of accounts that are looked at each time, with and without segments. Accounts that had changes come on top. */
const [accountsAtOnce, othersAtOnce] = [1000, 200];
/** A segment that could not be filled is tried again after this time. */
const retryMs = 10 * 60_000;

/**
 * Keeps the members of segments and the counts of guests: stores what writes changed, a moment after each write, and fills
 * new segments. Several processes may run it. One at a time works on an account, in transactions that can be repeated.
 */
export class SegmentKeeper extends Keeper {
  /** When the segments that could not be filled are tried again, by account and segment. */
  readonly #failed = new Map<number, Map<number, number>>();
  /** Accounts that had changes. */
  #busy: ReadonlySet<number> = new Set();
  #lastNext = 0;
  #lastOther = 0;
  #filling: Promise<unknown> | undefined;

  protected pass(): Promise<void> {
    return this.follow();
  }

  /** Follows the changes of all accounts. Filling takes longer, so changes do not wait for it. */
  async follow(): Promise<void> {
    const accountIds = await this.db.transaction(async (tx) => {
      const { next, others } = await tx.inOrder({
        next: () => accountsWithSegments(tx, this.#lastNext, accountsAtOnce),
        others: () => nextAccountIds(tx, this.#lastOther, othersAtOnce),
      });
      this.#lastNext = next.length === accountsAtOnce ? (next.at(-1) ?? 0) : 0;
      this.#lastOther = others.length === othersAtOnce ? (others.at(-1) ?? 0) : 0;
      return accountsWithChanges(tx, [...new Set([...this.#busy, ...next, ...others])]);
    });
    this.#busy = new Set(accountIds);
    this.#filling ??= this.#fillAll(accountIds).finally(() => {
      this.#filling = undefined;
    });
    for (const accountId of accountIds) await this.safely(() => this.#followAccount(accountId));
  }

  async #followAccount(accountId: number, isPatient = false): Promise<void> {
    for (let round = 0, more = true; more && round < mostRounds && !this.isStopped; round++) {
      more = await this.gently(() => followChanges(this.db, accountId, isPatient));
    }
  }

  /** Fills one segment of each account in turn, until all are filled. */
  async #fillAll(accountIds: number[]): Promise<void> {
    for (let open = accountIds; open.length > 0 && !this.isStopped; ) {
      const more: number[] = [];
      for (const accountId of open) {
        await this.safely(async () => {
          if (!(await this.gently(() => this.#fillNext(accountId)))) return;
          more.push(accountId);
          // The lock is free now, so that changes do not wait for all fills. Another process may wait for the lock, too,
          // to fill the next segment.
          await this.#followAccount(accountId, true);
        }).catch(this.onFailed);
      }
      open = more;
    }
  }

  async #fillNext(accountId: number): Promise<boolean> {
    const failed = this.#failed.get(accountId) ?? new Map<number, number>();
    for (const [id, until] of failed) if (until < Date.now()) failed.delete(id);
    if (failed.size === 0) this.#failed.delete(accountId);
    return fillNext(this.db, accountId, new Set(failed.keys()), (id) => {
      failed.set(id, Date.now() + retryMs);
      this.#failed.set(accountId, failed);
    });
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#filling;
  }
}
