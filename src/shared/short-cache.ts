import type { MaybePromise } from './maybe-promise.ts';

/**
 * Caches results for a short time. A result is never used if its query started more than `ttlMs` ago. Concurrent
 * look-ups of one key share one query.
 */
export class ShortCache<V> {
  readonly #ttlMs: number;
  readonly #load: (key: string) => Promise<V>;
  readonly #most: number;
  readonly #entries = new Map<string, { asked: number; answer: MaybePromise<V> }>();

  constructor(ttlMs: number, load: (key: string) => Promise<V>, most = 10_000) {
    this.#ttlMs = ttlMs;
    this.#load = load;
    this.#most = most;
  }

  get(key: string): MaybePromise<V> {
    const now = performance.now();
    const known = this.#entries.get(key);
    if (known && now - known.asked < this.#ttlMs) return known.answer;
    if (this.#entries.size >= this.#most) this.#entries.clear();
    const asking = this.#load(key);
    const entry: { asked: number; answer: MaybePromise<V> } = { asked: now, answer: asking };
    this.#entries.set(key, entry);
    asking.then(
      (answer) => {
        entry.answer = answer;
      },
      // Errors are not cached.
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return asking;
  }

  clear(): void {
    this.#entries.clear();
  }
}
