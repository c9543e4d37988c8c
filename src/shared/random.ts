/** A random number generator with a seed. The same seed gives the same numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 to below 1. */
  next(): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A new generator, seeded by this one. Its use does not affect this one. */
  fork(): Random {
    return new Random(this.below(2 ** 32));
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  once(inSoMany: number): boolean {
    return this.below(inSoMany) === 0;
  }

  /** True with this probability in percent. */
  percent(share: number): boolean {
    return this.next() * 100 < share;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** Picks one element by weight. */
  weighted<T>(list: readonly T[], weight: (one: T) => number): T {
    let left = this.next() * list.reduce((sum, one) => sum + weight(one), 0);
    for (const one of list) {
      left -= weight(one);
      if (left < 0) return one;
    }
    return list.at(-1) as T;
  }
}
