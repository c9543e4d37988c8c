import cluster, { type Worker as Fork } from 'node:cluster';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../platform/config.ts';
import type { ConnectOptions } from '../../platform/db/database.ts';
import { createLimits } from '../../platform/http/limits.ts';
import { mustBeFree } from '../../platform/http/listen.ts';
import type { MetricValues } from '../../platform/http/metric-values.ts';
import { type Logger, passOn } from '../../platform/log.ts';
import { SetupProblem } from '../../shared/problem.ts';
import { closeLostConnections } from './close-lost-connections.ts';
import { connectionsOfEach } from './connections.ts';
import { forwardLines } from './forward-lines.ts';
import { type Ask, connectIpc, Gone } from './ipc.ts';
import type { Main, Worker } from './messages.ts';
import { WorkerMetrics } from './metrics-sum.ts';

interface Member {
  fork: Fork;
  since: number;
  ask: Ask<Worker>;
  /** All that it wrote has arrived. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** How soon another takes the place of one that ended: ever later, as long as none lasts. */
const [shortestPauseMs, longestPauseMs, lastingMs] = [100, 30_000, 60_000];
/** A worker that leaves this many pings in a row unanswered hangs, and is replaced. */
const [pingEveryMs, mostMissedPings] = [2000, 5];
/** Less than the main process has itself, so that it can still stop PostgreSQL. */
const stopPatienceMs = 8000;

/** Starts the processes that answer requests behind the one port, and has another take the place of whichever ends. */
export async function startWorkers(config: Config, connect: ConnectOptions, log: Logger, signal?: AbortSignal) {
  await mustBeFree(config);
  const crew = new Crew(config, connect, log);
  const stop = () => void crew.stop();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const address = await crew.start();
    return { address, open: () => crew.open(), stop: () => crew.stop() };
  } catch (error) {
    await crew.stop();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

class Crew {
  readonly #config: Config;
  readonly #connect: ConnectOptions;
  readonly #log: Logger;
  readonly #members = new Set<Member>();
  readonly #tallies = new WorkerMetrics();
  readonly #stopping = new AbortController();
  readonly #limits;
  #isOpen = false;
  #replaced = 0;

  constructor(config: Config, connect: ConnectOptions, log: Logger) {
    this.#config = config;
    this.#connect = connect;
    this.#log = log;
    this.#limits = createLimits(config.rateLimitPerMinute);
    const exec = fileURLToPath(new URL('../worker.js', import.meta.url));
    // What they log comes by way of us: written by each alone, lines would end up inside each other.
    cluster.setupPrimary({ exec, args: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  }

  async start(): Promise<AddressInfo> {
    const begun = await Promise.all(Array.from({ length: this.#config.workers }, () => this.#hire()));
    for (const { member } of begun) void this.#keep(member);
    const pids = begun.map(({ member }) => member.fork.process.pid);
    this.#log.info({ workers: pids }, 'the workers serve');
    return (begun[0] as { address: AddressInfo }).address;
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
    const late = setTimeout(() => end('SIGKILL'), stopPatienceMs);
    await Promise.all(Array.from(this.#members, ({ ended }) => ended));
    clearTimeout(late);
  }

  /** Starts one, and gives it once it serves. */
  async #hire(): Promise<{ member: Member; address: AddressInfo }> {
    const fork = cluster.fork();
    const ended: Member['ended'] = new Promise((done) =>
      fork.process.once('close', (code, signal) => done({ code, signal: signal as NodeJS.Signals | null })),
    );
    let here = () => {};
    const arrived = new Promise<void>((done) => {
      here = done;
    });
    const ask = connectIpc<Worker, Main>(fork.process, { here, ...this.#answersTo(fork.id) });
    const member = { fork, since: Date.now(), ask, ended };
    this.#members.add(member);
    this.#tallies.add(fork.id);
    closeLostConnections(fork.process);
    forwardLines(fork.process.stdout, (lines) => passOn(this.#log, lines));
    // Nobody hears one that is dying; how it ended is told by its end.
    fork.on('error', (err) =>
      this.#log.debug({ worker: fork.process.pid, err }, 'a worker could not be told something'),
    );
    void ended.then(() => {
      this.#members.delete(member);
      this.#tallies.remove(fork.id);
    });
    try {
      await Promise.race([arrived, ended]);
      const connections = connectionsOfEach(this.#config.workers).worker;
      const beginning = { config: this.#config, connect: this.#connect, connections, isOpen: this.#isOpen };
      const address = await member.ask('begin', beginning);
      this.#watch(member);
      return { member, address };
    } catch (error) {
      fork.process.kill('SIGKILL');
      const how = await ended;
      throw error instanceof Gone ? new SetupProblem(`A worker ended while it started: ${told(how)}.`) : error;
    }
  }

  /** Ends the worker when it no longer answers. Missed pings are counted, not time: the main process may have been suspended itself. */
  #watch({ fork, ask, ended }: Member): void {
    let missed = 0;
    const watching = setInterval(() => {
      if (missed >= mostMissedPings) {
        clearInterval(watching);
        const notAnsweredForMs = missed * pingEveryMs;
        this.#log.error({ worker: fork.process.pid, not_answered_for_ms: notAnsweredForMs }, 'a worker hangs: killed');
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

  /** Another takes its place whenever it ends, until we stop. */
  async #keep(first: Member): Promise<void> {
    const { signal } = this.#stopping;
    let pauseMs = shortestPauseMs;
    for (let member: Member | undefined = first; ; ) {
      const how = await member?.ended;
      if (signal.aborted) return;
      if (member && how) {
        if (Date.now() - member.since > lastingMs) pauseMs = shortestPauseMs;
        const worker = member.fork.process.pid;
        this.#log.warn({ worker, ...how, again_in_ms: pauseMs }, `a worker ended: ${told(how)}`);
      }
      await pause(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      member = await this.#replace(pauseMs);
    }
  }

  async #replace(againInMs: number): Promise<Member | undefined> {
    try {
      const { member } = await this.#hire();
      this.#replaced++;
      this.#log.info({ worker: member.fork.process.pid }, 'another worker took its place');
      return member;
    } catch (error) {
      const { message: reason } = error as Error;
      if (!this.#stopping.signal.aborted)
        this.#log.error({ reason, again_in_ms: againInMs }, 'a worker could not take its place');
      return undefined;
    }
  }

  #answersTo(id: number): Omit<Main, 'here'> {
    return {
      ...this.#limits,
      changed: () => {
        for (const { fork, ask } of this.#members) if (fork.id !== id) ask('changed').catch(() => {});
      },
      figures: async () => {
        const workers = Array.from(this.#members, ({ fork, ask }) => ({ id: fork.id, figures: () => ask('figures') }));
        return [...(await this.#tallies.collect(workers)), ...this.#figures()];
      },
    };
  }

  #figures(): MetricValues[] {
    const figure = (name: string, type: string, help: string, value: number) => ({
      ...{ name, help, type, aggregator: 'sum', values: [{ value, labels: {} }] },
    });
    return [
      figure('regulars_workers', 'gauge', 'Processes that answer requests, or are about to.', this.#members.size),
      figure('regulars_workers_replaced_total', 'counter', 'Those that ended, and were replaced.', this.#replaced),
    ];
  }
}

function told({ code, signal }: { code: number | null; signal: string | null }): string {
  return signal ? `by ${signal}` : `exit code ${code}`;
}
