import type { MaybePromise } from './maybe-promise.ts';

/**
 * Remembers answers for so short a time that nobody is misled: an answer is never used if its question was put to the
 * database more than `ttlMs` ago. Concurrent questions are put once.
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
      // A failure is the asker's to see, and not remembered.
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
