import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, messageOf } from '../../../shared/errors.ts';
import { SetupProblem } from '../../../shared/problem.ts';
import { type Connection, openConnection } from '../connection.ts';
import { isDatabaseUnavailable } from '../database.ts';
import { lockClass } from '../migrate.ts';
import { locateBinaries } from './binaries.ts';
import { checkVersion, createCluster, prepareFolder, readSecret, serviceRole } from './cluster.ts';
import { PortTaken, ServerControl } from './control.ts';
import { freePort } from './process.ts';
import { chooseRunner } from './runner.ts';

export interface EmbeddedOptions {
  dataDir: string;
  /** Only one service can use the folder. Commands can use it at the same time. */
  as: 'service' | 'command';
  settings?: Record<string, string>;
  /** The `bin` folder of another PostgreSQL than the packaged one. */
  binFolder?: string | undefined;
  onEvent?: (message: string, level?: 'info' | 'warn') => void;
  /** Whether a new database may be created. Default: true. */
  mayCreate?: boolean;
  /** Ends the wait for the server. */
  signal?: AbortSignal;
}

/**
 * Each process that uses the server holds advisory locks on one idle connection. A killed process releases its locks by
 * dying, so there is no stale lock file.
 */
const inUse = 1;
const service = 2;

/** A server that neither starts nor recovers in this time has failed. */
const timeoutMs = 15_000;

/** A PostgreSQL server in a folder: created on first use, started if it is not running, stopped by the last process that uses it. */
export class EmbeddedServer {
  readonly url: string;
  readonly #options: EmbeddedOptions;
  readonly #control: ServerControl;
  readonly #port: number;
  #hold: Connection | undefined;
  #startedByUs = false;
  #stopping = false;
  #recovering: Promise<void> = Promise.resolve();

  private constructor(options: EmbeddedOptions, control: ServerControl, secret: string, port: number) {
    this.#options = options;
    this.#control = control;
    this.#port = port;
    this.url = `postgres://${serviceRole}:${secret}@127.0.0.1:${port}/${serviceRole}`;
  }

  static async open(options: EmbeddedOptions): Promise<EmbeddedServer> {
    const cluster = join(options.dataDir, 'postgres');
    const isNew = !existsSync(join(cluster, 'PG_VERSION'));
    if (isNew && options.mayCreate === false) {
      throw new SetupProblem(
        `There is no database in DATA_DIR ${options.dataDir} yet. Is it the right folder? Starting the service makes one.`,
      );
    }
    prepareFolder(options.dataDir);
    const runner = chooseRunner(cluster);
    const binaries = locateBinaries(runner, options.binFolder);
    if (isNew) {
      options.onEvent?.(`making a new database in ${cluster}`);
      await createCluster(cluster, binaries, runner);
    }
    await checkVersion(cluster, binaries, runner);
    const control = new ServerControl(cluster, binaries, runner, options.settings ?? {});
    for (let attempt = 1; ; attempt++) {
      const port = control.running()?.port ?? (await freePort());
      const server = new EmbeddedServer(options, control, readSecret(cluster), port);
      try {
        await server.#bringUp();
        return server;
      } catch (error) {
        await server.close();
        // Another program may have taken the port meanwhile. Tries another port.
        if (attempt === 3 || !(error instanceof PortTaken)) throw error;
      }
    }
  }

  /** Releases the server. The last process stops it. */
  async close(): Promise<void> {
    this.#stopping = true;
    await this.#recovering;
    const hold = this.#hold;
    try {
      if (hold) {
        await hold.run`select pg_advisory_unlock_shared(${lockClass}, ${inUse})`;
        if (await isAlone(hold)) await this.#control.stop();
      } else if (this.#startedByUs && this.#control.running()) {
        await this.#stopIfUnused();
      }
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
    } finally {
      await hold?.close();
    }
  }

  /** Starts the server if it is not running, and takes the locks. */
  async #bringUp(): Promise<void> {
    let deadline = Date.now() + timeoutMs;
    let refused = false;
    let reportedAt = Date.now();
    for (;;) {
      if (this.#stopping || this.#options.signal?.aborted)
        throw new Interrupted('Interrupted while PostgreSQL was starting.');
      try {
        const running = this.#control.running();
        if (running && running.port !== this.#port) throw new PortTaken('The server came up on another port.');
        if (!running || refused || (await this.#stopAbandoned())) {
          this.#startedByUs = true;
          await this.#control.start(this.#port);
        }
        if (await this.#takeLock()) return;
      } catch (error) {
        const code = codeOf(error);
        if (error instanceof SetupProblem || error instanceof PortTaken) throw error;
        refused = code === 'ECONNREFUSED';
        // The recovery after a crash can take any time.
        if (code === '57P03') deadline = Date.now() + timeoutMs;
        if (Date.now() > deadline) {
          throw new SetupProblem(
            `The embedded PostgreSQL does not come up: ${messageOf(error)}\n${this.#control.logTail()}`,
          );
        }
      }
      if (Date.now() - reportedAt > 5000) {
        reportedAt = Date.now();
        this.#options.onEvent?.('still waiting for PostgreSQL, which may be recovering from a crash');
      }
      await pause(100);
    }
  }

  /**
   * Stops a server that outlived its killed service and that no process uses: its programs and settings may be outdated.
   * A server that a command still uses is adopted as it is.
   */
  async #stopAbandoned(): Promise<boolean> {
    if (this.#startedByUs || this.#options.as === 'command') return false;
    const connection = await openConnection({ url: this.url });
    try {
      const abandoned = await isAlone(connection);
      if (abandoned) await this.#control.stop();
      return abandoned;
    } finally {
      await connection.close();
    }
  }

  /** A server that is still starting (57P03) is not used by any process. */
  async #stopIfUnused(): Promise<void> {
    let connection: Connection | undefined;
    try {
      connection = await openConnection({ url: this.url });
      if (await isAlone(connection)) await this.#control.stop();
    } catch (error) {
      if (codeOf(error) === '57P03') await this.#control.stop();
      else throw error;
    } finally {
      await connection?.close();
    }
  }

  /** False: the last process is stopping the server. Try again. */
  async #takeLock(): Promise<boolean> {
    const hold = await openConnection({
      url: this.url,
      applicationName: `regulars ${this.#options.as}, process ${process.pid}`,
      onLost: () => {
        if (!this.#stopping && this.#hold) this.#recovering = this.#recover();
      },
    });
    try {
      const [row] = await hold.run<{ got: boolean }>`select pg_try_advisory_lock_shared(${lockClass}, ${inUse}) as got`;
      if (!row?.got) return false;
      if (this.#options.as === 'service') await this.#takeServiceLock(hold);
      this.#hold = hold;
      return true;
    } finally {
      if (this.#hold !== hold) await hold.close();
    }
  }

  async #takeServiceLock({ run }: Connection): Promise<void> {
    // The lock of a service that was killed a moment ago is released soon.
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

  /** The connection with the locks broke, so the server died. Restarts it. Requests get a 503 meanwhile. */
  async #recover(): Promise<void> {
    this.#hold = undefined;
    this.#options.onEvent?.('PostgreSQL ended unexpectedly; restarting it', 'warn');
    while (!this.#hold) {
      try {
        await this.#bringUp();
        this.#options.onEvent?.('PostgreSQL is running again', 'warn');
      } catch (error) {
        if (error instanceof Interrupted) return;
        this.#options.onEvent?.(`restarting PostgreSQL failed: ${messageOf(error)}`, 'warn');
        await pause(1000);
      }
    }
  }
}

class Interrupted extends SetupProblem {}

/** Whether no other process uses the server. If so, none can start to use it while this connection lasts. */
async function isAlone({ run }: Connection): Promise<boolean> {
  const [row] = await run<{ alone: boolean }>`select pg_try_advisory_lock(${lockClass}, ${inUse}) as alone`;
  return row?.alone === true;
}
