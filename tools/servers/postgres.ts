import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, openConnection } from '../../src/platform/db/connection.ts';
import { locateBinaries } from '../../src/platform/db/embedded/binaries.ts';
import { createCluster } from '../../src/platform/db/embedded/cluster.ts';
import { ServerControl } from '../../src/platform/db/embedded/control.ts';
import { freePort, runningPostmaster } from '../../src/platform/db/embedded/process.ts';
import { chooseRunner } from '../../src/platform/db/embedded/runner.ts';

/** The maximum time for PostgreSQL to come back. */
const timeoutMs = 60_000;

interface ServerOptions {
  /** The folder of the PostgreSQL programs, if not those from npm. */
  binFolder?: string | undefined;
  settings?: Record<string, string>;
  /** Whether roles log in without passwords. The nodes of a distributed server log in to each other. */
  trust?: boolean;
}

/** A PostgreSQL for tests and proofs, on this machine. */
export class Postgres {
  readonly #cluster: string;
  readonly #control: ServerControl;
  #port = 0;

  private constructor(cluster: string, control: ServerControl) {
    this.#cluster = cluster;
    this.#control = control;
  }

  /** An external server. Only the caller starts and stops it. */
  static async create(folder: string, options: ServerOptions = {}): Promise<Postgres> {
    const cluster = join(folder, 'postgres');
    const runner = chooseRunner(cluster);
    await createCluster(cluster, locateBinaries(runner, options.binFolder), runner);
    if (options.trust) await runner.write(cluster, 'pg_hba.conf', 'host all all 127.0.0.1/32 trust\n');
    return Postgres.in(folder, options);
  }

  /** The embedded server, which the service restarts. */
  static in(folder: string, { binFolder, settings = {} }: ServerOptions = {}): Postgres {
    const cluster = join(folder, 'postgres');
    const runner = chooseRunner(cluster);
    return new Postgres(cluster, new ServerControl(cluster, locateBinaries(runner, binFolder), runner, settings));
  }

  /** Starts on the same port, so that the URL stays valid. */
  async start(): Promise<void> {
    if (this.#port === 0) this.#port = await freePort();
    await this.#control.start(this.#port);
  }

  stop(): Promise<void> {
    return this.#control.stop();
  }

  isRunning(): boolean {
    return this.#control.running() !== undefined;
  }

  port(): number {
    return this.#port || Number(this.#file('postmaster.pid').split('\n')[3]);
  }

  address(role: 'regulars' | 'postgres', database = 'regulars'): string {
    const secret = this.#file(role === 'regulars' ? 'regulars.secret' : 'superuser.secret');
    return `postgres://${role}:${secret}@127.0.0.1:${this.port()}/${database}`;
  }

  /** The process id of the postmaster. */
  pid(): number {
    return Number(this.#file('postmaster.pid').split('\n')[0]);
  }

  /** A superuser's connection, which bypasses row-level security. */
  async connect(): Promise<Connection> {
    const connection = await openConnection({ url: this.address('postgres') });
    // A distributed server has no generic plans.
    await connection.script('set plan_cache_mode = force_custom_plan');
    return connection;
  }

  /** Kills the whole server, or only the postmaster, whose children then exit. */
  async kill(whole: boolean): Promise<void> {
    const pids = this.#pids();
    this.#signal(whole ? pids : pids.slice(0, 1), 'SIGKILL');
    while (this.isRunning()) await pause(10);
  }

  /** Kills one backend. The postmaster then restarts all others. */
  async killOneBackend(): Promise<void> {
    const connection = await this.connect();
    try {
      const [victim] = await connection.run<{ pid: number }>`
        select pid from pg_stat_activity where application_name = 'regulars service' order by state = 'idle', random() limit 1`;
      this.#signal(victim ? [victim.pid] : [], 'SIGKILL');
    } finally {
      await connection.close();
    }
  }

  /** Pauses the server (SIGSTOP). */
  async pause(milliseconds: number): Promise<void> {
    const pids = this.#pids();
    this.#signal(pids, 'SIGSTOP');
    try {
      await pause(milliseconds);
    } finally {
      this.#signal(pids, 'SIGCONT');
    }
  }

  /** Switches WAL files until no preallocated one is left. */
  async useUpWal(): Promise<void> {
    const connection = await this.connect();
    try {
      for (let n = 0; n < 40; n++) {
        await connection.run`select pg_logical_emit_message(true, 'faults', 'x')`;
        await connection.run`select pg_switch_wal()`;
      }
    } finally {
      await connection.close();
    }
  }

  /** Waits until the server accepts writes. Returns the time. */
  async waitUntilBack(): Promise<number> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      let connection: Connection | undefined;
      try {
        connection = await this.connect();
        await connection.run`select pg_logical_emit_message(true, 'faults', 'x')`;
        return performance.now();
      } catch (error) {
        if (performance.now() > deadline) throw new Error('PostgreSQL does not come back.', { cause: error });
        await pause(20);
      } finally {
        await connection?.close();
      }
    }
  }

  /** The process ids, postmaster first. */
  #pids(): number[] {
    const parent = runningPostmaster(this.#cluster)?.pid;
    if (parent === undefined) return [];
    const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    const lines = processes.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
    return [parent, ...lines.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []))];
  }

  #signal(pids: number[], signal: NodeJS.Signals): void {
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has left already.
      }
    }
  }

  #file(name: string): string {
    return readFileSync(join(this.#cluster, name), 'utf8').trim();
  }
}
