import { appendFileSync, existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SetupProblem } from '../../shared/problem.ts';
import { type Connection, isDatabaseAway, openConnection } from '../database.ts';
import { lockClass } from '../migrate.ts';
import { type Binaries, locateBinaries } from './binaries.ts';
import { checkVersion, createCluster, prepareFolder, readSecret, serviceRole, writeSettings } from './cluster.ts';
import { freePort, runningPostmaster } from './process.ts';
import { chooseRunner, type Runner } from './runner.ts';

export interface EmbeddedOptions {
  dataDir: string;
  /** A service has the folder to itself; commands may join it, or each other. */
  as: 'service' | 'command';
  settings?: Record<string, string>;
  /** Another PostgreSQL's `bin` folder than the packaged one. */
  binFolder?: string | undefined;
  onEvent?: (message: string) => void;
}

const logName = 'server.log';

/**
 * Who uses the server is kept in the server itself, as advisory locks on one idle connection a process: a killed
 * process lets go of them by dying, whatever else it left behind, and there is no lock file to go stale.
 */
const inUse = 1;
const service = 2;

/** A real PostgreSQL in a folder: made on first use, started when nobody has, stopped when the last user leaves. */
export class EmbeddedServer {
  readonly url: string;
  readonly #options: EmbeddedOptions;
  readonly #cluster: string;
  readonly #binaries: Binaries;
  readonly #runner: Runner;
  readonly #port: number;
  #hold: Connection | undefined;
  #isOurs = false;
  #logStart = 0;
  #stopping = false;

  private constructor(options: EmbeddedOptions, cluster: string, binaries: Binaries, runner: Runner, port: number) {
    this.#options = options;
    this.#cluster = cluster;
    this.#binaries = binaries;
    this.#runner = runner;
    this.#port = port;
    this.url = `postgres://${serviceRole}:${readSecret(cluster)}@127.0.0.1:${port}/${serviceRole}`;
  }

  static async open(options: EmbeddedOptions): Promise<EmbeddedServer> {
    const cluster = join(options.dataDir, 'postgres');
    prepareFolder(options.dataDir);
    const runner = chooseRunner(cluster);
    const binaries = locateBinaries(runner, options.binFolder);
    if (!existsSync(join(cluster, 'PG_VERSION'))) {
      options.onEvent?.(`making a new database in ${cluster}`);
      await createCluster(cluster, binaries, runner);
    }
    await checkVersion(cluster, binaries, runner);
    for (let attempt = 1; ; attempt++) {
      const port = runningPostmaster(cluster)?.port ?? (await freePort());
      const server = new EmbeddedServer(options, cluster, binaries, runner, port);
      try {
        await server.#bringUp(15);
        return server;
      } catch (error) {
        // The port may have been taken in the meantime: another is as good.
        if (attempt === 3 || !(error instanceof PortTaken)) throw error;
      }
    }
  }

  /** Leaves the server; whoever is last also stops it. */
  async close(): Promise<void> {
    this.#stopping = true;
    const hold = this.#hold;
    if (!hold) return;
    let last = false;
    try {
      const [row] = await hold.run<{ last: boolean }>`
        select pg_advisory_unlock_shared(${lockClass}, ${inUse}), pg_try_advisory_lock(${lockClass}, ${inUse}) as last`;
      last = row?.last === true;
      if (last) await this.#stopServer();
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
    } finally {
      await hold.close();
    }
  }

  async #stopServer(): Promise<void> {
    for (const mode of ['fast', 'immediate']) {
      const stop = (folder: string) => ['stop', '-w', '-t', '5', '-m', mode, '-D', folder];
      const { code } = await this.#runner.run(this.#binaries.pg_ctl, this.#cluster, stop);
      if (code === 0) return;
    }
  }

  /** Starts the server if it is not running, and takes our place on it. */
  async #bringUp(seconds: number): Promise<void> {
    const deadline = Date.now() + seconds * 1000;
    for (;;) {
      try {
        const running = runningPostmaster(this.#cluster);
        if (running && running.port !== this.#port) throw new PortTaken('The server came up on another port.');
        if (!running || (await this.#stoppedAsAbandoned())) await this.#start();
        if (await this.#takePlace()) return;
      } catch (error) {
        if (error instanceof SetupProblem || error instanceof PortTaken || Date.now() > deadline) throw error;
      }
      if (Date.now() > deadline)
        throw new SetupProblem(`The embedded PostgreSQL in ${this.#cluster} does not come up.\n${this.#logTail()}`);
      await pause(100);
    }
  }

  /**
   * A server that outlived its killed owner and that nobody uses is stopped: its programs may have been replaced
   * since, and its settings are those of then. One that a command still uses is taken over as it is.
   */
  async #stoppedAsAbandoned(): Promise<boolean> {
    if (this.#isOurs || this.#options.as === 'command') return false;
    const connection = await openConnection({ url: this.url });
    try {
      const [row] = await connection.run<{
        alone: boolean;
      }>`select pg_try_advisory_lock(${lockClass}, ${inUse}) as alone`;
      if (row?.alone) await this.#stopServer();
      return row?.alone === true;
    } finally {
      await connection.close();
    }
  }

  async #start(): Promise<void> {
    this.#isOurs = true;
    writeSettings(this.#cluster, this.#runner, this.#port, this.#options.settings ?? {});
    const log = this.#logFile();
    if (this.#logSize() > 10_000_000) renameSync(log, `${log}.1`);
    appendFileSync(log, '', { mode: 0o600 });
    this.#runner.give(log);
    this.#logStart = this.#logSize();
    const start = (folder: string) => ['start', '-w', '-t', '60', '-D', folder, '-l', join(folder, logName)];
    const { code, output } = await this.#runner.run(this.#binaries.pg_ctl, this.#cluster, start);
    if (code === 0) return;
    const tail = this.#logTail();
    if (/could not bind|Address already in use/.test(tail)) throw new PortTaken(tail);
    // The killed server's last children are still leaving, or another process is starting the same server.
    if (/shared memory block|lock file ".*postmaster.pid" already exists/.test(tail)) return;
    throw new SetupProblem(
      `The embedded PostgreSQL in ${this.#cluster} does not start: ${output}\nIts log ends with:\n${tail}`,
    );
  }

  /** False: the server is just being stopped by its last user, so try again. */
  async #takePlace(): Promise<boolean> {
    const hold = await openConnection({
      url: this.url,
      applicationName: `regulars ${this.#options.as}, process ${process.pid}`,
      onLost: () => void this.#recover(),
    });
    try {
      const [row] = await hold.run<{ got: boolean }>`select pg_try_advisory_lock_shared(${lockClass}, ${inUse}) as got`;
      if (!row?.got) return false;
      if (this.#options.as === 'service') await this.#beTheService(hold);
      this.#hold = hold;
      return true;
    } finally {
      if (this.#hold !== hold) await hold.close();
    }
  }

  async #beTheService({ run }: Connection): Promise<void> {
    // One that was killed a moment ago may need that moment to be gone.
    for (let attempt = 0; attempt < 30; attempt++) {
      const [row] = await run<{ got: boolean }>`select pg_try_advisory_lock(${lockClass}, ${service}) as got`;
      if (row?.got) return;
      await pause(100);
    }
    const [other] = await run<{ name: string }>`
      select application_name as name from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and classid = ${lockClass} and objid = ${service} and granted limit 1`;
    throw new SetupProblem(
      `Another Regulars already runs on DATA_DIR ${this.#options.dataDir} (${other?.name ?? 'unknown process'}). ` +
        'Stop it first, or choose another DATA_DIR (and PORT). To run several on one database, use DATABASE_URL.',
    );
  }

  /** The connection that holds our place broke: the server died. Bring it back; requests get a 503 meanwhile. */
  async #recover(): Promise<void> {
    if (this.#stopping || !this.#hold) return;
    this.#hold = undefined;
    this.#options.onEvent?.('PostgreSQL went away; bringing it back');
    while (!this.#stopping && !this.#hold) {
      try {
        await this.#bringUp(15);
        this.#options.onEvent?.('PostgreSQL is back');
      } catch (error) {
        this.#options.onEvent?.(`PostgreSQL is still away: ${(error as Error).message}`);
        await pause(1000);
      }
    }
  }

  #logFile(): string {
    return join(this.#cluster, logName);
  }

  #logSize(): number {
    return statSync(this.#logFile(), { throwIfNoEntry: false })?.size ?? 0;
  }

  /** What the last start wrote there, its end. */
  #logTail(): string {
    try {
      const written = readFileSync(this.#logFile()).subarray(this.#logStart).toString();
      return written.trimEnd().split('\n').slice(-8).join('\n');
    } catch {
      return '(no log)';
    }
  }
}

class PortTaken extends Error {}
