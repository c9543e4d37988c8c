import { nextAccountIds } from '../../features/access/accounts/store.ts';
import { accountsToKeep, keepCounts } from '../../features/figures/keep.ts';
import { Keeper } from './keeper.ts';

/** Accounts without work that a tick looks at. Those that had work in the last tick are always looked at. */
const accountsOfTick = 200;
/** After this time an account waits for the next tick, so that the others get their turn. */
const longestMs = 1000;

/**
 * An account rests for this many times the time that its counts took, and not longer than `longestRestMs`. A day with many
 * writes is then counted once for all of them. Meanwhile readers count the days that wait.
 */
const [restTimes, longestRestMs] = [20, 10_000];

/**
 * Counts what writers changed, for Home and the statistics of vouchers. Readers are right without it, but slower. Several
 * processes may run it: each account has a lock.
 */
export class CountKeeper extends Keeper {
  /** Accounts that had work in the last tick, or that rest. */
  #busy = new Set<number>();
  /** When an account may be counted again. */
  readonly #restsUntil = new Map<number, number>();
  #after = 0;

  protected pass(): Promise<number> {
    for (const [id, until] of this.#restsUntil) if (until <= Date.now()) this.#restsUntil.delete(id);
    return this.tick(new Set(this.#restsUntil.keys()));
  }

  /** One pass. Returns the number of accounts that had work. */
  async tick(resting: ReadonlySet<number> = new Set()): Promise<number> {
    const next = await this.db.transaction((tx) => nextAccountIds(tx, this.#after, accountsOfTick));
    this.#after = next.length === accountsOfTick ? (next.at(-1) ?? 0) : 0;
    const looked = [...new Set([...this.#busy, ...next])].filter((id) => !resting.has(id));
    const ids = await this.db.transaction((tx) => accountsToKeep(tx, looked));
    this.#busy = new Set([...ids, ...resting]);
    for (const id of ids) if (!this.isStopped) await this.safely(() => this.#keep(id));
    return ids.length;
  }

  async #keep(id: number): Promise<void> {
    const begin = Date.now();
    while (!this.isStopped && Date.now() < begin + longestMs) {
      if ((await this.gently(() => this.db.tenant(id, (tx) => keepCounts(tx, id)))) !== 'some') break;
    }
    this.#restsUntil.set(id, Date.now() + Math.min(longestRestMs, restTimes * (Date.now() - begin)));
  }
}
