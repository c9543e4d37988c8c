import cluster, { type Worker as Fork } from 'node:cluster';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../platform/config.ts';
import type { ConnectOptions } from '../../platform/db/connection.ts';
import type { Limits } from '../../platform/http/limits.ts';
import { mustBeFree } from '../../platform/http/listen.ts';
import { closeLostConnections } from '../../platform/internals/node.ts';
import { writeRaw } from '../../platform/internals/pino.ts';
import type { MetricValues } from '../../platform/internals/prom-client.ts';
import type { Logger } from '../../platform/log.ts';
import { signalAppended } from '../../platform/outbox/signal.ts';
import { messageOf } from '../../shared/errors.ts';
import { present } from '../../shared/present.ts';
import { SetupProblem } from '../../shared/problem.ts';
import { connectionsOfEach } from './connections.ts';
import { forwardLines } from './forward-lines.ts';
import { type Ask, connectIpc, Gone } from './ipc.ts';
import type { Main, Worker } from './messages.ts';
import { WorkerMetrics } from './metrics-sum.ts';

interface Member {
  fork: Fork;
  since: number;
  ask: Ask<Worker>;
  /** Resolves after the end of the process and of its output. */
  ended: Promise<{ code: number | null; signal: string | null }>;
}

/** The pause before an ended worker is replaced. It doubles until a worker runs for `stableAfterMs`. */
const [shortestPauseMs, longestPauseMs, stableAfterMs] = [100, 30_000, 60_000];
/** A worker that misses this many pings in a row hangs, and is replaced. */
const [pingEveryMs, mostMissedPings] = [2000, 5];
/** Less than the shutdown time of the main process, so that it can still stop PostgreSQL. */
const stopTimeoutMs = 8000;

/** Starts the workers behind the shared port, and replaces each worker that ends. */
export async function startWorkers(
  config: Config,
  connect: ConnectOptions,
  limits: Limits,
  furtherMetrics: () => Promise<MetricValues[]>,
  log: Logger,
  signal?: AbortSignal,
) {
  await mustBeFree(config);
  const pool = new WorkerPool(config, connect, limits, furtherMetrics, log);
  const stop = () => void pool.stop();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const address = await pool.start();
    return { address, open: () => pool.open(), stop: () => pool.stop() };
  } catch (error) {
    await pool.stop();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

class WorkerPool {
  readonly #config: Config;
  readonly #connect: ConnectOptions;
  readonly #log: Logger;
  readonly #members = new Set<Member>();
  readonly #metrics = new WorkerMetrics();
  readonly #stopping = new AbortController();
  readonly #limits: Limits;
  readonly #furtherMetrics: () => Promise<MetricValues[]>;
  #isOpen = false;
  #replaced = 0;

  constructor(
    config: Config,
    connect: ConnectOptions,
    limits: Limits,
    furtherMetrics: () => Promise<MetricValues[]>,
    log: Logger,
  ) {
    this.#config = config;
    this.#connect = connect;
    this.#log = log;
    this.#limits = limits;
    this.#furtherMetrics = furtherMetrics;
    const exec = fileURLToPath(new URL('../worker.js', import.meta.url));
    // The main process writes the log of the workers. Otherwise lines of different processes would mix.
    cluster.setupPrimary({ exec, args: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  }

  async start(): Promise<AddressInfo> {
    const started = await Promise.all(Array.from({ length: this.#config.workers }, () => this.#startWorker()));
    for (const { member } of started) void this.#replaceWhenEnded(member);
    const pids = started.map(({ member }) => member.fork.process.pid);
    this.#log.info({ workers: pids }, 'workers are listening');
    return present(started[0], 'worker').address;
  }

  open(): void {
    this.#isOpen = true;
    for (const { ask } of this.#members) ask('open').catch(() => {});
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const end = (signal: NodeJS.Signals) => {
      for (const { fork } of this.#members) fork.process.kill(signal);
    };
    end('SIGTERM');
    const late = setTimeout(() => end('SIGKILL'), stopTimeoutMs);
    await Promise.all(Array.from(this.#members, ({ ended }) => ended));
    clearTimeout(late);
  }

  /** Resolves when the worker listens. */
  async #startWorker(): Promise<{ member: Member; address: AddressInfo }> {
    const fork = cluster.fork();
    const ended: Member['ended'] = new Promise((done) =>
      fork.process.once('close', (code, signal) => done({ code, signal })),
    );
    let ready = () => {};
    const isReady = new Promise<void>((done) => {
      ready = done;
    });
    const ask = connectIpc<Worker, Main>(fork.process, { ready, ...this.#functionsFor(fork.id) });
    const member = { fork, since: Date.now(), ask, ended };
    this.#members.add(member);
    this.#metrics.add(fork.id);
    closeLostConnections(fork.process);
    forwardLines(fork.process.stdout, (lines) => writeRaw(this.#log, lines));
    // Messages to an ending worker fail. Its end is logged with the exit code.
    fork.on('error', (err) =>
      this.#log.debug({ worker: fork.process.pid, err }, 'sending a message to a worker failed'),
    );
    void ended.then(() => {
      this.#members.delete(member);
      this.#metrics.remove(fork.id);
    });
    try {
      await Promise.race([isReady, ended]);
      const connections = connectionsOfEach(this.#config.workers).worker;
      const options = { config: this.#config, connect: this.#connect, connections, isOpen: this.#isOpen };
      const address = await member.ask('start', options);
      this.#watch(member);
      return { member, address };
    } catch (error) {
      fork.process.kill('SIGKILL');
      const exit = await ended;
      throw error instanceof Gone ? new SetupProblem(`A worker ended while it started: ${exitReason(exit)}.`) : error;
    }
  }

  /** Kills a worker that hangs. Missed pings are counted instead of time, because the main process may have been suspended itself. */
  #watch({ fork, ask, ended }: Member): void {
    let missed = 0;
    const watching = setInterval(() => {
      if (missed >= mostMissedPings) {
        clearInterval(watching);
        const silentForMs = missed * pingEveryMs;
        this.#log.error({ worker: fork.process.pid, not_answered_for_ms: silentForMs }, 'worker hangs and was killed');
        fork.process.kill('SIGKILL');
        return;
      }
      if (missed++ > 0) return;
      ask('ping').then(
        () => {
          missed = 0;
        },
        () => {},
      );
    }, pingEveryMs);
    void ended.then(() => clearInterval(watching));
  }

  /** Replaces the worker, and each replacement, until the shutdown. */
  async #replaceWhenEnded(first: Member): Promise<void> {
    const { signal } = this.#stopping;
    let pauseMs = shortestPauseMs;
    for (let member: Member | undefined = first; ; ) {
      const exit = await member?.ended;
      if (signal.aborted) return;
      if (member && exit) {
        if (Date.now() - member.since > stableAfterMs) pauseMs = shortestPauseMs;
        const worker = member.fork.process.pid;
        this.#log.warn({ worker, ...exit, again_in_ms: pauseMs }, `worker ended: ${exitReason(exit)}`);
      }
      await pause(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      member = await this.#replace(pauseMs);
    }
  }

  async #replace(againInMs: number): Promise<Member | undefined> {
    try {
      const { member } = await this.#startWorker();
      this.#replaced++;
      this.#log.info({ worker: member.fork.process.pid }, 'worker replaced');
      return member;
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        this.#log.error({ reason: messageOf(error), again_in_ms: againInMs }, 'replacing a worker failed');
      return undefined;
    }
  }

  #functionsFor(id: number): Omit<Main, 'ready'> {
    return {
      ...this.#limits,
      eventsAppended: (accountIds) => {
        for (const id of accountIds) signalAppended(id);
      },
      adminChanged: () => {
        for (const { fork, ask } of this.#members) if (fork.id !== id) ask('adminChanged').catch(() => {});
      },
      metrics: async () => {
        const workers = Array.from(this.#members, ({ fork, ask }) => ({ id: fork.id, metrics: () => ask('metrics') }));
        return [...(await this.#metrics.collect(workers)), ...this.#ownMetrics(), ...(await this.#furtherMetrics())];
      },
    };
  }

  #ownMetrics(): MetricValues[] {
    const metric = (name: string, type: string, help: string, value: number) => ({
      ...{ name, help, type, aggregator: 'sum', values: [{ value, labels: {} }] },
    });
    return [
      metric('regulars_workers', 'gauge', 'Worker processes, including those that start.', this.#members.size),
      metric('regulars_workers_replaced_total', 'counter', 'Workers that ended and were replaced.', this.#replaced),
    ];
  }
}

function exitReason({ code, signal }: { code: number | null; signal: string | null }): string {
  return signal ? `by ${signal}` : `exit code ${code}`;
}
