import type { Measured } from './request-load.ts';

/** The requests in flight of all webhooks together, at most. */
const mostInFlight = 256;
/** A request that takes longer waits for its receiver. It takes no time of the process, so it no longer counts. */
const slowMs = 1000;
/** The requests that take longer, at most. */
const mostSlow = 2000;

/** The limits are set anew in steps of this length. */
const stepMs = 50;
/**
 * The process is busy if at least this number of requests to it are in progress, and it works for at least this share of
 * time. With less, the requests wait for a database that is far away.
 */
const [busyRequests, busyShare] = [12, 0.6];
/** The limit stays for this long after a busy step, so that it does not come and go. */
const calmMs = 200;
/** The new requests of a step while the process is busy. */
const mostWhileBusy = 3;
/**
 * The same while it is not busy, and this number of requests to it are in progress. What waited is sent at this rate: faster
 * it would make the process busy.
 */
const [mostBeside, besideRequests] = [75, 4];

/** The requests of one account that are slow. */
export interface SlowRequests {
  count: number;
}

/** Something that sends. */
export interface Sending {
  /** Begins up to this number of requests. */
  pump(most: number): void;
}

/**
 * Limits the requests of all webhooks: those in flight, and while the process is busy, the new ones. Requests to the service
 * then have precedence, and events wait.
 */
export class Budget {
  readonly #measure: () => Readonly<Measured>;
  readonly #timer: NodeJS.Timeout;
  #inFlight = 0;
  #slow = 0;
  #isLimited = false;
  #lastBusy = -Infinity;
  /** The new requests that this step may still have. */
  #left = Infinity;
  /** Those that wait for their turn. Each one begins one request in its turn. */
  readonly #waiting = new Set<Sending>();
  #served: Sending | undefined;

  /** `measure`: how busy the process is. By default it has no requests. */
  constructor(measure: () => Readonly<Measured> = () => ({ inProgress: 0, share: 0 })) {
    this.#measure = measure;
    this.#timer = setInterval(() => this.#step(), stepMs);
    this.#timer.unref();
  }

  /** Whether requests to the service have precedence at the moment. */
  get isLimited(): boolean {
    return this.#isLimited;
  }

  get #isFree(): boolean {
    return this.#left > 0 && this.#inFlight < mostInFlight && this.#slow < mostSlow;
  }

  /** Whether a request may begin. If not, its `pump` is called when it may. */
  mayBegin(sending: Sending): boolean {
    if (this.#isFree && (this.#waiting.size === 0 || this.#served === sending)) return true;
    this.#waiting.add(sending);
    return false;
  }

  /** It waits for its next turn. */
  wait(sending: Sending): void {
    this.#waiting.add(sending);
  }

  /** A request begins. Returns a function that ends it. */
  enter(slow: SlowRequests): () => void {
    let isSlow = false;
    this.#inFlight++;
    this.#left--;
    const timer = setTimeout(() => {
      isSlow = true;
      this.#inFlight--;
      this.#slow++;
      slow.count++;
      this.#serve();
    }, slowMs);
    timer.unref();
    return () => {
      clearTimeout(timer);
      if (isSlow) {
        this.#slow--;
        slow.count--;
      } else this.#inFlight--;
      this.#serve();
    };
  }

  #step(): void {
    const { inProgress, share } = this.#measure();
    const now = performance.now();
    if (inProgress >= busyRequests && share >= busyShare) this.#lastBusy = now;
    this.#isLimited = now - this.#lastBusy < calmMs;
    if (this.#isLimited) this.#left = mostWhileBusy;
    else this.#left = inProgress >= besideRequests ? mostBeside : Infinity;
    this.#serve();
  }

  #serve(): void {
    if (this.#served) return;
    while (this.#isFree) {
      const [first] = this.#waiting;
      if (!first) return;
      this.#waiting.delete(first);
      this.#served = first;
      first.pump(1);
      this.#served = undefined;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
