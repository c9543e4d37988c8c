import { performance } from 'node:perf_hooks';

/** The requests in flight of all webhooks together: at most, and at least. */
const [most, least] = [256, 2];
const everyMs = 100;
/** A request that takes longer waits for its receiver. It takes no time of the process, so it no longer counts. */
const slowMs = 1000;
/** The requests that take longer, at most. */
const mostSlow = 2000;
/** Above this share of time in which the process is busy, requests to the service have precedence. */
const busy = 0.9;

/**
 * Limits the requests in flight. While the process is busy, the limit falls, so that sending takes little time from the
 * requests to the service. Events then wait, and are sent when there is time.
 */
export class Budget {
  #limit = 32;
  #inFlight = 0;
  #slow = 0;
  #last = performance.eventLoopUtilization();
  readonly #timer: NodeJS.Timeout;
  readonly #onFree: () => void;

  constructor(onFree: () => void) {
    this.#onFree = onFree;
    this.#timer = setInterval(() => this.#adjust(), everyMs);
    this.#timer.unref();
  }

  get isFree(): boolean {
    return this.#inFlight < this.#limit && this.#slow < mostSlow;
  }

  /** A request begins. Returns a function that ends it. */
  enter(): () => void {
    let isSlow = false;
    this.#inFlight++;
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

  #adjust(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#last);
    this.#last = now;
    const was = this.#limit;
    this.#limit = utilization > busy ? Math.max(least, Math.floor(was / 2)) : Math.min(most, was + 8);
    if (this.#limit > was) this.#onFree();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
