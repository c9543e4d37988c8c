import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Messages of Node's HTTP servers. */
const [started, finished] = ['http.server.request.start', 'http.server.response.finish'];
/** A request counts with this time at most: one that takes longer waits for events or for its client. */
const mostMs = 200;
/** The weight of the latest measurement. */
const weight = 0.5;

/** The requests to this process that are in progress, on average. */
export class RequestsInProgress {
  readonly #startedAt = new WeakMap<object, number>();
  #ms = 0;
  #since = performance.now();
  #average = 0;

  readonly #noteStart = (message: unknown) => {
    this.#startedAt.set((message as { request: object }).request, performance.now());
  };
  readonly #noteEnd = (message: unknown) => {
    const at = this.#startedAt.get((message as { request: object }).request);
    if (at !== undefined) this.#ms += Math.min(mostMs, performance.now() - at);
  };

  constructor() {
    subscribe(started, this.#noteStart);
    subscribe(finished, this.#noteEnd);
  }

  /** Includes the time since the last call. */
  measure(): number {
    const now = performance.now();
    if (now > this.#since) this.#average += weight * (this.#ms / (now - this.#since) - this.#average);
    [this.#ms, this.#since] = [0, now];
    return this.#average;
  }

  close(): void {
    unsubscribe(started, this.#noteStart);
    unsubscribe(finished, this.#noteEnd);
  }
}
