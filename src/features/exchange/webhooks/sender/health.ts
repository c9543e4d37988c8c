import { disabledAfterDays } from '../schema.ts';

/** The requests in flight of one webhook: at the start, and at least and at most. */
const [firstLimit, leastLimit, mostInFlight] = [8, 2, 32];
/** A webhook counts as down after this number of failures without a success. */
const downAfter = 20;

/** How a receiver does: how many requests it gets at a time, and whether it is down. */
export class Health {
  #failuresInRow = 0;
  #failingSince: Date | null;
  #limit = firstLimit;

  constructor(failingSince: Date | null) {
    this.#failingSince = failingSince;
  }

  /** The requests that may be in flight. */
  get limit(): number {
    return this.#limit;
  }

  get isDown(): boolean {
    return this.#failuresInRow >= downAfter;
  }

  /** Null: the last attempt succeeded. */
  get failingSince(): Date | null {
    return this.#failingSince;
  }

  /** Whether it has failed for so long that the webhook must be disabled. */
  get hasFailedTooLong(): boolean {
    return this.#failingSince !== null && Date.now() - this.#failingSince.getTime() > disabledAfterDays * 86_400_000;
  }

  noteSuccess(): void {
    this.reset();
    this.#limit = Math.min(mostInFlight, this.#limit + 1);
  }

  noteFailure(): void {
    this.#failuresInRow++;
    this.#failingSince ??= new Date();
    this.#limit = Math.max(leastLimit, Math.floor(this.#limit / 2));
  }

  /** Earlier failures no longer count. */
  reset(): void {
    this.#failuresInRow = 0;
    this.#failingSince = null;
  }
}
