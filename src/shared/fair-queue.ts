import { Unavailable } from './problem.ts';

interface Options<Key> {
  /** The maximum number of concurrent tasks. */
  atOnce: number;
  /** The maximum number of concurrent tasks with one key. */
  perKey?(key: Key): number;
  /** The maximum number of waiting tasks in total and per key. Further ones are rejected. */
  mostWaiting: number;
  mostWaitingPerKey?: number;
  /** Tasks that waited longer are rejected, because their caller has often left. */
  longestWaitMs?: number;
  /** The error of a rejected task. */
  full: string;
}

interface Entry {
  since: number;
  turn(): void;
  refuse(error: Error): void;
}

/**
 * Limits the number of concurrent tasks. Waiting tasks are taken from the keys in turn, so that a key with a long queue
 * delays only itself.
 */
export class FairQueue<Key> {
  readonly #options: Required<Options<Key>>;
  readonly #running = new Map<Key, number>();
  /** The keys in the order of their turns. Each queue has at least one entry. */
  readonly #waiting = new Map<Key, Entry[]>();
  #runningInAll = 0;
  #waitingInAll = 0;
  #watching: NodeJS.Timeout | undefined;

  constructor(options: Options<Key>) {
    this.#options = {
      ...{ perKey: () => options.atOnce, mostWaitingPerKey: options.mostWaiting, longestWaitMs: 20_000 },
      ...options,
    };
  }

  get running(): number {
    return this.#runningInAll;
  }

  get waiting(): number {
    return this.#waitingInAll;
  }

  async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const turn = this.enter(key);
    if (turn) await turn;
    try {
      return await work();
    } finally {
      this.leave(key);
    }
  }

  /** Resolves when the task may start. Undefined: it may start now. Each `enter` needs a `leave`. */
  enter(key: Key): Promise<void> | undefined {
    if (this.#mayRun(key)) {
      this.#begin(key);
      return undefined;
    }
    const queue = this.#waiting.get(key) ?? [];
    const { mostWaiting, mostWaitingPerKey, full } = this.#options;
    if (this.#waitingInAll >= mostWaiting || queue.length >= mostWaitingPerKey) throw new Unavailable(full);
    this.#waiting.set(key, queue);
    this.#waitingInAll++;
    this.#watch();
    return new Promise((turn, refuse) => queue.push({ since: Date.now(), turn, refuse }));
  }

  leave(key: Key): void {
    const running = (this.#running.get(key) ?? 1) - 1;
    if (running > 0) this.#running.set(key, running);
    else this.#running.delete(key);
    this.#runningInAll--;
    this.#startNext();
  }

  #mayRun(key: Key): boolean {
    return this.#runningInAll < this.#options.atOnce && (this.#running.get(key) ?? 0) < this.#options.perKey(key);
  }

  #begin(key: Key): void {
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    this.#runningInAll++;
  }

  #startNext(): void {
    for (const [key, queue] of this.#waiting) {
      if (!this.#mayRun(key)) continue;
      const next = queue.shift();
      this.#waitingInAll--;
      // Move the key behind all others.
      this.#waiting.delete(key);
      if (queue.length > 0) this.#waiting.set(key, queue);
      this.#begin(key);
      next?.turn();
      return;
    }
  }

  /** Rejects late tasks at intervals while any wait, because a running task can take minutes. */
  #watch(): void {
    const { longestWaitMs } = this.#options;
    if (this.#watching || longestWaitMs === Infinity) return;
    this.#watching = setTimeout(
      () => {
        this.#watching = undefined;
        this.#refuseLate();
        if (this.#waitingInAll > 0) this.#watch();
      },
      Math.min(longestWaitMs, 1000),
    ).unref();
  }

  #refuseLate(): void {
    const { longestWaitMs, full } = this.#options;
    const earliest = Date.now() - longestWaitMs;
    for (const [key, queue] of this.#waiting) {
      const inTime = queue.findIndex(({ since }) => since > earliest);
      const late = queue.splice(0, inTime < 0 ? queue.length : inTime);
      this.#waitingInAll -= late.length;
      if (queue.length === 0) this.#waiting.delete(key);
      for (const { refuse } of late) refuse(new Unavailable(full));
    }
  }
}
