import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';

/** Messages of Node's HTTP servers. */
const [started, finished] = ['http.server.request.start', 'http.server.response.finish'];
/** A request that waits for events takes no time. */
const waiting = /[?&]wait=/;
/** A request counts with this time at most: one that takes longer waits for its client. */
const mostMs = 200;
/** The weight of the latest measurement. A sudden load counts soon, a short pause hardly: the averages are nearer to the highest. */
const [weightOfMore, weightOfLess] = [0.5, 0.2];

interface Message {
  request: IncomingMessage;
}

export interface Measured {
  /** The requests in progress. */
  inProgress: number;
  /** The share of time in which the process works. */
  share: number;
}

/** Measures how much the requests to this process have to wait for each other. */
export class RequestLoad {
  readonly #startedAt = new WeakMap<object, number>();
  #ms = 0;
  #since = performance.now();
  #loop = performance.eventLoopUtilization();
  readonly #measured: Measured = { inProgress: 0, share: 0 };

  readonly #noteStart = (message: unknown) => {
    const { request } = message as Message;
    if (!waiting.test(request.url ?? '')) this.#startedAt.set(request, performance.now());
  };
  readonly #noteEnd = (message: unknown) => {
    const at = this.#startedAt.get((message as Message).request);
    if (at !== undefined) this.#ms += Math.min(mostMs, performance.now() - at);
  };

  constructor() {
    subscribe(started, this.#noteStart);
    subscribe(finished, this.#noteEnd);
  }

  /** Averages, in which the time since the last call counts most. */
  measure(): Readonly<Measured> {
    const [now, loop] = [performance.now(), performance.eventLoopUtilization()];
    if (now > this.#since) {
      this.#note('inProgress', this.#ms / (now - this.#since));
      this.#note('share', performance.eventLoopUtilization(loop, this.#loop).utilization);
    }
    [this.#ms, this.#since, this.#loop] = [0, now, loop];
    return this.#measured;
  }

  #note(what: keyof Measured, latest: number): void {
    const more = latest - this.#measured[what];
    this.#measured[what] += (more > 0 ? weightOfMore : weightOfLess) * more;
  }

  close(): void {
    unsubscribe(started, this.#noteStart);
    unsubscribe(finished, this.#noteEnd);
  }
}
