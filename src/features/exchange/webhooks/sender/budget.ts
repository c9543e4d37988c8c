import { performance } from 'node:perf_hooks';

/** The requests in flight of all webhooks together, at most. */
const mostInFlight = 256;
/** A request that takes longer waits for its receiver. It takes no time of the process, so it no longer counts. */
const slowMs = 1000;
/** The requests that take longer, at most. */
const mostSlow = 2000;

/** The rate is adjusted in steps of this length. */
const stepMs = 50;
/** Above this share of time in which the process is busy, requests to the service have precedence. */
const busy = 0.95;
/** How much the rate falls in a busy step, and grows in another one. */
const [fall, growth] = [0.7, 1.25];
/** The requests of a step: at least, and the number above which there is no limit. */
const [leastOfStep, unlimited] = [8, 400];

/**
 * Limits the requests of all webhooks: those in flight, and while the process is busy, the new ones. Requests to the service
 * then have precedence, and events wait until there is time.
 */
export class Budget {
  #inFlight = 0;
  #slow = 0;
  /** The new requests that a step may have, and those that this step still may have. */
  #ofStep = Infinity;
  #left = Infinity;
  /** The new requests of this step. */
  #begun = 0;
  #last = performance.eventLoopUtilization();
  readonly #timer: NodeJS.Timeout;
  readonly #onFree: () => void;

  constructor(onFree: () => void) {
    this.#onFree = onFree;
    this.#timer = setInterval(() => this.#step(), stepMs);
    this.#timer.unref();
  }

  get isFree(): boolean {
    return this.#left > 0 && this.#inFlight < mostInFlight && this.#slow < mostSlow;
  }

  /** Whether requests to the service have precedence at the moment. */
  get isLimited(): boolean {
    return this.#ofStep < Infinity;
  }

  /** A request begins. Returns a function that ends it. */
  enter(): () => void {
    let isSlow = false;
    this.#inFlight++;
    this.#begun++;
    this.#left--;
    const timer = setTimeout(() => {
      isSlow = true;
      this.#inFlight--;
      this.#slow++;
      this.#onFree();
    }, slowMs);
    timer.unref();
    return () => {
      clearTimeout(timer);
      if (isSlow) this.#slow--;
      else this.#inFlight--;
    };
  }

  #step(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#last);
    this.#last = now;
    if (utilization > busy) this.#ofStep = Math.max(leastOfStep, Math.min(this.#ofStep, this.#begun) * fall);
    else this.#ofStep *= growth;
    if (this.#ofStep > unlimited) this.#ofStep = Infinity;
    this.#left = this.#ofStep;
    this.#begun = 0;
    if (this.isFree) this.#onFree();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
