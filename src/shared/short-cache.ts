import { LRUCache } from 'lru-cache';
import type { MaybePromise } from './maybe-promise.ts';

/**
 * Caches results for a short time. A result is never used if its query started more than `ttlMs` ago. Concurrent
 * look-ups of one key share one query. `LRUCache.fetch` is not used: it starts the time when the query ends, and it
 * does not store `undefined`.
 */
export class ShortCache<V> {
  readonly #load: (key: string) => Promise<V>;
  readonly #entries: LRUCache<string, { answer: MaybePromise<V> }>;

  constructor(ttlMs: number, load: (key: string) => Promise<V>, most = 10_000) {
    this.#load = load;
    // With a resolution, the cache would use an old time while the event loop is busy.
    this.#entries = new LRUCache({ max: most, ttl: ttlMs, ttlResolution: 0 });
  }

  get(key: string): MaybePromise<V> {
    const known = this.#entries.get(key);
    if (known) return known.answer;
    const start = performance.now();
    const asking = this.#load(key);
    const entry: { answer: MaybePromise<V> } = { answer: asking };
    this.#entries.set(key, entry, { start });
    asking.then(
      (answer) => {
        entry.answer = answer;
      },
      // Errors are not cached.
      () => {
        if (this.#entries.peek(key) === entry) this.#entries.delete(key);
      },
    );
    return asking;
  }

  clear(): void {
    this.#entries.clear();
  }
}
