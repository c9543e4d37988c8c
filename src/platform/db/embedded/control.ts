import { readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SetupProblem } from '../../../shared/problem.ts';
import type { Binaries } from './binaries.ts';
import { writeSettings } from './cluster.ts';
import { type Postmaster, runningPostmaster } from './process.ts';
import type { Runner } from './runner.ts';

/** Another program uses the port. */
export class PortTaken extends Error {}

const logName = 'server.log';
const largestLog = 10_000_000;

/** Starts and stops the server of one cluster with `pg_ctl`. */
export class ServerControl {
  readonly #cluster: string;
  readonly #binaries: Binaries;
  readonly #runner: Runner;
  readonly #settings: Record<string, string>;
  #logStart = 0;

  constructor(cluster: string, binaries: Binaries, runner: Runner, settings: Record<string, string>) {
    this.#cluster = cluster;
    this.#binaries = binaries;
    this.#runner = runner;
    this.#settings = settings;
  }

  running(): Postmaster | undefined {
    return runningPostmaster(this.#cluster);
  }

  /** Returns when the server is running or recovering. The recovery after a crash can take any time. */
  async start(port: number): Promise<void> {
    await writeSettings(this.#cluster, this.#runner, port, this.#settings);
    if (this.#logSize() > largestLog) renameSync(this.#logFile(), `${this.#logFile()}.1`);
    this.#logStart = this.#logSize();
    const { code, output } = await this.#pgCtl((folder) => ['start', '-w', '-t', '5', '-l', join(folder, logName)]);
    if (code === 0 || this.running()) return;
    const [log, tail] = [this.#logSinceStart(), this.logTail()];
    if (/could not bind|Address already in use/.test(log)) throw new PortTaken(tail);
    // The last children of a killed server are still ending, or another process starts the same server.
    if (/shared memory block|lock file ".*postmaster.pid" already exists/.test(log)) return;
    throw new SetupProblem(
      `The embedded PostgreSQL in ${this.#cluster} does not start: ${output}\nIts log ends with:\n${tail}`,
    );
  }

  async stop(): Promise<void> {
    for (const mode of ['fast', 'immediate']) {
      const { code } = await this.#pgCtl(() => ['stop', '-w', '-t', '4', '-m', mode]);
      if (code === 0) return;
    }
  }

  /** The end of the log since the last start. */
  logTail(): string {
    return this.#logSinceStart().trimEnd().split('\n').slice(-8).join('\n');
  }

  /** A server that another process starts or stops at the same time writes to the same log. */
  #logSinceStart(): string {
    try {
      return readFileSync(this.#logFile()).subarray(this.#logStart).toString();
    } catch {
      return '(no log)';
    }
  }

  #pgCtl(args: (folder: string) => string[]) {
    return this.#runner.run(this.#binaries.pg_ctl, this.#cluster, (folder) => [...args(folder), '-D', folder]);
  }

  #logFile(): string {
    return join(this.#cluster, logName);
  }

  #logSize(): number {
    return statSync(this.#logFile(), { throwIfNoEntry: false })?.size ?? 0;
  }
}
