import { Unavailable } from './problem.ts';

/** Runs a few pieces of work at a time; the others wait in line, and whoever would stand too far back is sent away. */
export class Few {
  readonly #atOnce: number;
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number, mostWaiting: number) {
    this.#atOnce = atOnce;
    this.#mostWaiting = mostWaiting;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= this.#mostWaiting) throw new Unavailable('Too many long calls are waiting already.');
      // Its place is handed on to it.
      await new Promise<void>((turn) => this.#waiting.push(turn));
    } else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
