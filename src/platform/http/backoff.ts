import { LRUCache } from 'lru-cache';
import { TooMany } from '../../shared/problem.ts';

const firstWaitMs = 4000;
const longestMs = 60_000;
const forgottenAfterMs = 15 * 60_000;
/** Above this number of keys the key with the oldest event is removed. */
const mostKeys = 10_000;

interface Count {
  count: number;
  at: number;
  /** The time of the previous event, used if the last one is taken back. */
  before: number;
}

/** Counts events per key. A key is removed 15 minutes after its last event. */
export class RecentCounts {
  readonly #now: () => number;
  /** Read with `peek`: a rejected try does not change which key is the oldest. */
  readonly #counts = new LRUCache<string, Count>({ max: mostKeys });

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get(key: string): Count {
    const now = this.#now();
    const known = this.#counts.peek(key);
    return known && now - known.at < forgottenAfterMs ? known : { count: 0, at: now, before: now };
  }

  add(key: string): void {
    const { count, at } = this.get(key);
    this.#counts.set(key, { count: count + 1, at: this.#now(), before: at });
  }

  takeBack(key: string): void {
    const { count, before } = this.get(key);
    if (count > 1) this.#counts.set(key, { count: count - 1, at: before, before });
    else this.#counts.delete(key);
  }

  forget(key: string): void {
    this.#counts.delete(key);
  }
}

/**
 * Slows down tries per key. The first tries are free. Each further try must wait twice as long as the one before it, up to
 * the longest wait. In strict mode one try is free, and each further try must wait for the longest time.
 */
export class Backoff {
  readonly #reason: string;
  readonly #free: number;
  readonly #now: () => number;
  readonly #tries: RecentCounts;

  constructor(reason: string, { free = 5, now = Date.now }: { free?: number; now?: () => number } = {}) {
    this.#reason = reason;
    this.#free = free;
    this.#now = now;
    this.#tries = new RecentCounts(now);
  }

  /** Counts a try. Throws if it is too early. */
  take(key: string, isStrict = false): void {
    const { count, at } = this.#tries.get(key);
    const over = count - (isStrict ? 1 : this.#free);
    const waitMs = over < 0 ? 0 : isStrict ? longestMs : Math.min(longestMs, firstWaitMs * 2 ** over);
    const leftMs = at + waitMs - this.#now();
    if (leftMs > 0) {
      const retryAfter = Math.ceil(leftMs / 1000);
      throw new TooMany(`${this.#reason} Try again in ${retryAfter} s.`, retryAfter);
    }
    this.#tries.add(key);
  }

  /** Removes a try that does not count. */
  takeBack(key: string): void {
    this.#tries.takeBack(key);
  }

  /** The try succeeded. Removes all tries of the key. */
  forgive(key: string): void {
    this.#tries.forget(key);
  }
}
