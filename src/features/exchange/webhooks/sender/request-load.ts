import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { cpus } from 'node:os';
import { performance } from 'node:perf_hooks';

/** Messages of Node's HTTP servers. */
const [started, finished] = ['http.server.request.start', 'http.server.response.finish'];
/** A request that waits for events takes no time. */
const waiting = /[?&]wait=/;
/** A request counts with this time at most: one that takes longer waits for its client. */
const mostMs = 200;
/** The weight of the latest measurement: a sudden load counts soon, and a short pause hardly. */
const [weightOfMore, weightOfLess] = [0.5, 0.2];

interface Message {
  request: IncomingMessage;
}

export interface Measured {
  /** The requests in progress. */
  inProgress: number;
  /** The share of time in which the process works. */
  share: number;
  /** The share of the machine's processors that work, for this process or for others. */
  ofMachine: number;
}

/** Measures how much the requests to this process have to wait for each other. */
export class RequestLoad {
  readonly #startedAt = new WeakMap<object, number>();
  #ms = 0;
  #since = performance.now();
  #loop = performance.eventLoopUtilization();
  #machine = machineTimes();
  readonly #measured: Measured = { inProgress: 0, share: 0, ofMachine: 0 };

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
    const [now, loop, machine] = [performance.now(), performance.eventLoopUtilization(), machineTimes()];
    if (now > this.#since) {
      const { utilization } = performance.eventLoopUtilization(loop, this.#loop);
      this.#note('inProgress', this.#ms / (now - this.#since));
      this.#note('share', utilization);
      const all = machine.all - this.#machine.all;
      if (all > 0) this.#note('ofMachine', 1 - (machine.idle - this.#machine.idle) / all);
    }
    [this.#ms, this.#since, this.#loop, this.#machine] = [0, now, loop, machine];
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

/** The time of all processors since the machine started. */
function machineTimes(): { all: number; idle: number } {
  const sum = { all: 0, idle: 0 };
  for (const { times } of cpus()) {
    sum.all += times.user + times.nice + times.sys + times.irq + times.idle;
    sum.idle += times.idle;
  }
  return sum;
}
