import { TooMany } from '../shared/problem.ts';

/** So many tries are free; each one more has to wait twice as long as the one before it, up to the longest. */
const free = 5;
const firstWaitMs = 4000;
const longestMs = 60_000;
const forgottenAfterMs = 15 * 60_000;
/** Whoever makes up more keys than this only has the oldest forgotten. */
const mostKeys = 10_000;

/** Makes guessing slow, by key: the more tries in a row, the longer the wait for the next. */
export class SlowDown {
  readonly #reason: string;
  readonly #now: () => number;
  readonly #tries = new Map<string, { count: number; at: number }>();

  constructor(reason: string, now: () => number = Date.now) {
    this.#reason = reason;
    this.#now = now;
  }

  /** Counts a try, and throws when it comes too early. */
  take(key: string): void {
    const now = this.#now();
    const known = this.#tries.get(key);
    const { count, at } = known && now - known.at < forgottenAfterMs ? known : { count: 0, at: now };
    const waitMs = count < free ? 0 : Math.min(longestMs, firstWaitMs * 2 ** (count - free));
    const leftMs = at + waitMs - now;
    if (leftMs > 0) {
      const retryAfter = Math.ceil(leftMs / 1000);
      throw new TooMany(`${this.#reason} Try again in ${retryAfter} s.`, retryAfter);
    }
    // Behind all others: the first is the oldest.
    this.#tries.delete(key);
    this.#tries.set(key, { count: count + 1, at: now });
    if (this.#tries.size > mostKeys) this.#tries.delete(this.#tries.keys().next().value as string);
  }

  /** It was the right one. */
  forgive(key: string): void {
    this.#tries.delete(key);
  }
}
