import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { senderMetrics } from '../../features/exchange/webhooks/sender/metrics.ts';
import { RequestLoad } from '../../features/exchange/webhooks/sender/request-load.ts';
import { accountsWithWebhooks } from '../../features/exchange/webhooks/store.ts';
import type { Config } from '../../platform/config.ts';
import type { ConnectOptions } from '../../platform/db/connection.ts';
import type { Database } from '../../platform/db/database.ts';
import { type MetricValues, metricsOf, sumMetrics } from '../../platform/internals/prom-client.ts';
import type { Logger } from '../../platform/log.ts';
import { ofSender } from '../workers/connections.ts';
import { forwardSignals } from '../workers/forward-signals.ts';
import { type Ask, connectIpc } from '../workers/ipc.ts';
import { WorkerMetrics } from '../workers/metrics-sum.ts';
import { portChannel } from './port-channel.ts';
import type { MainThread, SendingThread, ThreadStart } from './thread.ts';

/** How often it looks whether an account has a webhook. */
const lookEveryMs = 500;
/** The pause before a thread that failed is replaced. It doubles until a thread runs for `stableAfterMs`. */
const [shortestPauseMs, longestPauseMs, stableAfterMs] = [500, 30_000, 60_000];
/** How often the thread is told how busy this one is. */
const measureEveryMs = 50;
/** The sender gives the requests in flight less time than this. */
const stopTimeoutMs = 4000;

interface Running {
  id: number;
  worker: Worker;
  ask: Ask<SendingThread>;
  /** A thread that starts does not respond yet. */
  isReady: boolean;
}

/**
 * Runs the sender of webhooks in a thread, so that requests do not wait for deliveries. The thread starts when the first
 * account has a webhook, because it takes memory.
 */
export class Sending {
  readonly #config: Config;
  readonly #log: Logger;
  readonly #metrics = new WorkerMetrics();
  readonly #stopping = new AbortController();
  #running: Running | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(config: Config, log: Logger) {
    [this.#config, this.#log] = [config, log];
  }

  start(db: Database, connect: ConnectOptions): this {
    this.#working = this.#work(db, connect);
    return this;
  }

  /** Of all threads so far. */
  async metrics(): Promise<MetricValues[]> {
    const running = this.#running;
    const threads = running?.isReady ? [{ id: running.id, metrics: () => running.ask('metrics') }] : [];
    // Those of this thread are zero. Prometheus does not see the first increase of a series that starts above zero.
    return sumMetrics([await metricsOf(senderMetrics), await this.#metrics.collect(threads)]);
  }

  async #work(db: Database, connect: ConnectOptions): Promise<void> {
    const { signal } = this.#stopping;
    const wait = (ms: number) => pause(ms, undefined, { signal, ref: false }).catch(() => {});
    while (!signal.aborted && !(await hasWebhooks(db))) await wait(lookEveryMs);
    let pauseMs = shortestPauseMs;
    for (let id = 1; !signal.aborted; id++) {
      const since = Date.now();
      const error = await this.#runThread(id, connect);
      if (signal.aborted) return;
      if (Date.now() - since > stableAfterMs) pauseMs = shortestPauseMs;
      this.#log.error({ err: error, again_in_ms: pauseMs }, 'the thread that sends to webhooks ended');
      await wait(pauseMs);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
  }

  /** Resolves when the thread has ended, to its error. */
  async #runThread(id: number, connect: ConnectOptions): Promise<unknown> {
    const { webhookPrivateAddresses, dnsServers, workers } = this.#config;
    const load = new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT);
    const workerData: ThreadStart = {
      ...{ config: { webhookPrivateAddresses, dnsServers }, connect, connections: ofSender, load },
    };
    const worker = new Worker(new URL('./thread.js', import.meta.url), { workerData });
    let failure: unknown;
    worker.on('error', (error) => {
      failure = error;
    });
    const ended = once(worker, 'exit').catch(() => {});
    const ask = connectIpc<SendingThread, MainThread>(portChannel(worker, 'exit'), {
      ready: () => {
        running.isReady = true;
      },
      failed: (err) => this.#log.warn({ err }, 'sending to webhooks failed'),
      disabled: (account_id, webhook_id, reason) =>
        this.#log.warn({ account_id, webhook_id, reason }, 'webhook disabled'),
    });
    this.#metrics.add(id);
    const running: Running = { id, worker, ask, isReady: false };
    this.#running = running;
    const endSignals = forwardSignals((accountIds) => void ask('eventsAppended', accountIds).catch(() => {}));
    // With workers, this process has no requests.
    const endMeasuring = workers === 1 ? shareLoad(load) : () => {};
    await ended;
    endMeasuring();
    endSignals();
    this.#running = undefined;
    this.#metrics.remove(id);
    return failure;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const running = this.#running;
    if (running) {
      await Promise.race([running.ask('stop').catch(() => {}), pause(stopTimeoutMs, undefined, { ref: false })]);
      await running.worker.terminate();
    }
    await this.#working;
  }
}

/** A database that is unavailable is asked again. */
async function hasWebhooks(db: Database): Promise<boolean> {
  const found = await db.transaction((tx) => accountsWithWebhooks(tx, 0, 1)).catch(() => []);
  return found.length > 0;
}

/** Tells another thread how busy this one is. Returns a function that ends this. */
function shareLoad(load: SharedArrayBuffer): () => void {
  const requests = new RequestLoad();
  const shared = new Float64Array(load);
  const timer = setInterval(() => {
    const { inProgress, share } = requests.measure();
    shared.set([inProgress, share]);
  }, measureEveryMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    requests.close();
  };
}
