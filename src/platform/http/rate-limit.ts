import { LRUCache } from 'lru-cache';
import { TooMany } from '../../shared/problem.ts';

const windowMs = 60_000;
/** Above this number of keys in a window the key that was counted least recently is removed. */
const mostKeys = 100_000;

/** The state of one key. */
export interface Rate {
  limit: number;
  remaining: number;
  /** Seconds until the window ends. */
  reset: number;
}

export function rateHeaders({ limit, remaining, reset }: Rate): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(reset),
  };
}

/** Limits requests per minute and key, in fixed windows of one minute. It stores one number per key of the present window. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #reason: string | undefined;
  readonly #now: () => number;
  /** Created with the first key, because it allocates memory for all keys at once. */
  #counts: LRUCache<string, number> | undefined;
  #window = 0;

  /** With a reason, the error does not contain the limit. */
  constructor(perMinute: number, reason?: string, now: () => number = Date.now) {
    this.#perMinute = perMinute;
    this.#reason = reason;
    this.#now = now;
  }

  /** Counts a request. Throws above the limit. */
  take(key: string): Rate | undefined {
    const limit = this.#perMinute;
    if (limit === 0) return undefined;
    const now = this.#now();
    const window = Math.floor(now / windowMs);
    if (window !== this.#window) {
      this.#window = window;
      this.#counts?.clear();
    }
    this.#counts ??= new LRUCache({ max: mostKeys });
    const reset = Math.max(1, Math.ceil(((window + 1) * windowMs - now) / 1000));
    const count = (this.#counts.peek(key) ?? 0) + 1;
    if (count > limit) {
      const reason = this.#reason ?? `Over the limit of ${limit} a minute.`;
      throw new TooMany(`${reason} Try again in ${reset} s.`, reset, this.#reason === undefined ? limit : undefined);
    }
    this.#counts.set(key, count);
    return { limit, remaining: limit - count, reset };
  }

  /** The keys that used at least this share of their limit in the present window. */
  busy(share: number): { windowStart: Date; keys: string[] } {
    const windowStart = new Date(this.#window * windowMs);
    if (this.#perMinute === 0 || this.#now() - windowStart.getTime() >= windowMs) return { windowStart, keys: [] };
    const keys = Array.from(this.#counts?.entries() ?? [], ([key, count]) => ({ key, count }));
    return { windowStart, keys: keys.flatMap(({ key, count }) => (count >= this.#perMinute * share ? [key] : [])) };
  }

  /** Raises the count of a key, for a window that has not ended. */
  raise(key: string, windowStart: Date, count: number): void {
    const own = this.#counts?.peek(key);
    if (own === undefined || windowStart.getTime() !== this.#window * windowMs) return;
    this.#counts?.set(key, Math.max(own, count));
  }

  /** Removes a request that does not count. */
  giveBack(key: string): void {
    const count = this.#counts?.peek(key);
    if (count) this.#counts?.set(key, count - 1);
  }
}
