import { TooMany } from '../../shared/problem.ts';

const firstWaitMs = 4000;
const longestMs = 60_000;
const forgottenAfterMs = 15 * 60_000;
/** With more keys than this, the oldest is forgotten. */
const mostKeys = 10_000;

interface Count {
  count: number;
  at: number;
  /** The time of the event before, for when the last one is taken back. */
  before: number;
}

/** Counts events by key. A key is forgotten a quarter of an hour after its last event. */
export class RecentCounts {
  readonly #now: () => number;
  readonly #counts = new Map<string, Count>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get(key: string): Count {
    const now = this.#now();
    const known = this.#counts.get(key);
    return known && now - known.at < forgottenAfterMs ? known : { count: 0, at: now, before: now };
  }

  add(key: string): void {
    const { count, at } = this.get(key);
    // Behind all others: the first is the oldest.
    this.#counts.delete(key);
    this.#counts.set(key, { count: count + 1, at: this.#now(), before: at });
    if (this.#counts.size > mostKeys) this.#counts.delete(this.#counts.keys().next().value as string);
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
 * Makes guessing slow, by key: some tries in a row are free, and each one more has to wait twice as long as the one
 * before it, up to the longest. In strict mode one try is free, and each one more waits for the longest time.
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

  /** Counts a try, and throws when it comes too early. */
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

  /** Takes a try back that turned out not to count. */
  takeBack(key: string): void {
    this.#tries.takeBack(key);
  }

  /** It was the right one. */
  forgive(key: string): void {
    this.#tries.forget(key);
  }
}
