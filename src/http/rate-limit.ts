import { TooMany } from '../shared/problem.ts';

const windowMs = 60_000;

/** At most so many a minute for each key, in fixed windows of a minute; what is kept is one number a key of this minute. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #reason: string;
  readonly #now: () => number;
  #counts = new Map<string, number>();
  #window = 0;

  constructor(perMinute: number, reason = `Over the limit of ${perMinute} a minute.`, now: () => number = Date.now) {
    this.#perMinute = perMinute;
    this.#reason = reason;
    this.#now = now;
  }

  /** Counts one, and throws when it is one too many. */
  take(key: string): void {
    if (this.#perMinute === 0) return;
    this.#check(key);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Takes one back that turned out not to count. */
  giveBack(key: string): void {
    const count = this.#counts.get(key);
    if (count) this.#counts.set(key, count - 1);
  }

  #check(key: string): void {
    const now = this.#now();
    const window = Math.floor(now / windowMs);
    if (window !== this.#window) {
      this.#window = window;
      this.#counts = new Map();
    }
    if ((this.#counts.get(key) ?? 0) < this.#perMinute) return;
    const retryAfter = Math.max(1, Math.ceil(((window + 1) * windowMs - now) / 1000));
    throw new TooMany(`${this.#reason} Try again in ${retryAfter} s.`, retryAfter);
  }
}
