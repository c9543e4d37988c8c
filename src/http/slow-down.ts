import { TooMany } from '../shared/problem.ts';

const firstWaitMs = 4000;
const longestMs = 60_000;
const forgottenAfterMs = 15 * 60_000;
/** Whoever makes up more keys than this only has the oldest forgotten. */
const mostKeys = 10_000;

/**
 * Makes guessing slow, by key: so many tries in a row are free, and each one more has to wait twice as long as the one
 * before it, up to the longest.
 */
export class SlowDown {
  readonly #reason: string;
  readonly #free: number;
  readonly #now: () => number;
  readonly #tries = new Map<string, { count: number; at: number }>();

  constructor(reason: string, { free = 5, now = Date.now }: { free?: number; now?: () => number } = {}) {
    this.#reason = reason;
    this.#free = free;
    this.#now = now;
  }

  /** Counts a try, and throws when it comes too early. */
  take(key: string): void {
    const now = this.#now();
    const known = this.#tries.get(key);
    const { count, at } = known && now - known.at < forgottenAfterMs ? known : { count: 0, at: now };
    const waitMs = count < this.#free ? 0 : Math.min(longestMs, firstWaitMs * 2 ** (count - this.#free));
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
