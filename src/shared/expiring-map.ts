/** A map whose values expire. It has a maximum size; a new value replaces the oldest. */
export class ExpiringMap<V> {
  readonly #most: number;
  /** Oldest first. */
  readonly #entries = new Map<string, { value: V; until: number }>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.until > performance.now() ? entry.value : undefined;
  }

  set(key: string, value: V, forMs: number): void {
    this.#entries.delete(key);
    const [oldest] = this.#entries.size < this.#most ? [] : this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { value, until: performance.now() + forMs });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
