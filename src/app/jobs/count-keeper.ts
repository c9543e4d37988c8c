import { nextAccountIds } from '../../features/access/accounts/store.ts';
import { accountsToKeep, keepCounts } from '../../features/figures/keep.ts';
import { Keeper } from './keeper.ts';

/** Accounts without work that a tick looks at. Those that had work in the last tick are always looked at. */
const accountsOfTick = 200;
/** After this time an account waits for the next tick, so that the others get their turn. */
const longestMs = 1000;

/**
 * Counts what writers changed, for Home and the statistics of vouchers. Readers are right without it, but slower. Several
 * processes may run it: each account has a lock.
 */
export class CountKeeper extends Keeper {
  /** A busy day is counted once per pass. Readers count the days that wait, which are few. */
  protected override readonly everyMs = 10_000;
  /** Accounts that had work in the last tick. */
  #busy = new Set<number>();
  #after = 0;

  protected pass(): Promise<number> {
    return this.tick();
  }

  /** One pass. Returns the number of accounts that had work. */
  async tick(): Promise<number> {
    const next = await this.db.transaction((tx) => nextAccountIds(tx, this.#after, accountsOfTick));
    this.#after = next.length === accountsOfTick ? (next.at(-1) ?? 0) : 0;
    const looked = [...new Set([...this.#busy, ...next])];
    const ids = await this.db.transaction((tx) => accountsToKeep(tx, looked));
    this.#busy = new Set(ids);
    for (const id of ids) if (!this.isStopped) await this.safely(() => this.#keep(id));
    return ids.length;
  }

  async #keep(id: number): Promise<void> {
    const end = Date.now() + longestMs;
    while (!this.isStopped && Date.now() < end) {
      if ((await this.gently(() => this.db.tenant(id, (tx) => keepCounts(tx, id)))) !== 'some') return;
    }
  }
}
