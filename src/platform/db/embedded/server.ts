import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SetupProblem } from '../../../shared/problem.ts';
import { type Connection, isDatabaseUnavailable, openConnection } from '../database.ts';
import { lockClass } from '../migrate.ts';
import { locateBinaries } from './binaries.ts';
import { checkVersion, createCluster, prepareFolder, readSecret, serviceRole } from './cluster.ts';
import { PortTaken, ServerControl } from './control.ts';
import { freePort } from './process.ts';
import { chooseRunner } from './runner.ts';

export interface EmbeddedOptions {
  dataDir: string;
  /** A service has the folder to itself; commands may join it, or each other. */
  as: 'service' | 'command';
  settings?: Record<string, string>;
  /** Another PostgreSQL's `bin` folder than the packaged one. */
  binFolder?: string | undefined;
  onEvent?: (message: string, level?: 'info' | 'warn') => void;
  /** Whether a new database may be made where there is none; it may unless this says no. */
  mayCreate?: boolean;
  /** Gives up waiting for the server. */
  signal?: AbortSignal;
}

/**
 * Who uses the server is kept in the server itself, as advisory locks on one idle connection a process: a killed
 * process lets go of them by dying, whatever else it left behind, and there is no lock file to go stale.
 */
const inUse = 1;
const service = 2;

/** A server that neither comes up nor recovers within this time is not going to. */
const patienceMs = 15_000;

/** A real PostgreSQL in a folder: made on first use, started when nobody has, stopped when the last user leaves. */
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
        // The port may have been taken in the meantime: another is as good.
        if (attempt === 3 || !(error instanceof PortTaken)) throw error;
      }
    }
  }

  /** Leaves the server; whoever is last also stops it. */
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

  /** Starts the server if it is not running, and takes our place on it. */
  async #bringUp(): Promise<void> {
    let deadline = Date.now() + patienceMs;
    let refused = false;
    let told = Date.now();
    for (;;) {
      if (this.#stopping || this.#options.signal?.aborted)
        throw new Interrupted('Interrupted while PostgreSQL was starting.');
      try {
        const running = this.#control.running();
        if (running && running.port !== this.#port) throw new PortTaken('The server came up on another port.');
        if (!running || refused || (await this.#stoppedAsAbandoned())) {
          this.#startedByUs = true;
          await this.#control.start(this.#port);
        }
        if (await this.#takePlace()) return;
      } catch (error) {
        const { code, message } = error as { code?: string; message: string };
        if (error instanceof SetupProblem || error instanceof PortTaken) throw error;
        refused = code === 'ECONNREFUSED';
        // Recovery after a crash takes as long as it takes.
        if (code === '57P03') deadline = Date.now() + patienceMs;
        if (Date.now() > deadline) {
          throw new SetupProblem(`The embedded PostgreSQL does not come up: ${message}\n${this.#control.logTail()}`);
        }
      }
      if (Date.now() - told > 5000) {
        told = Date.now();
        this.#options.onEvent?.('still waiting for PostgreSQL, which may be recovering from a crash');
      }
      await pause(100);
    }
  }

  /**
   * A server that outlived its killed owner and that nobody uses is stopped: its programs may have been replaced
   * since, and its settings are those of then. One that a command still uses is taken over as it is.
   */
  async #stoppedAsAbandoned(): Promise<boolean> {
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

  /** A server that lets nobody in yet is used by nobody. */
  async #stopIfUnused(): Promise<void> {
    let connection: Connection | undefined;
    try {
      connection = await openConnection({ url: this.url });
      if (await isAlone(connection)) await this.#control.stop();
    } catch (error) {
      if ((error as { code?: string }).code === '57P03') await this.#control.stop();
      else throw error;
    } finally {
      await connection?.close();
    }
  }

  /** False: the server is just being stopped by its last user, so try again. */
  async #takePlace(): Promise<boolean> {
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
    this.#hold = undefined;
    this.#options.onEvent?.('PostgreSQL went away; bringing it back', 'warn');
    while (!this.#hold) {
      try {
        await this.#bringUp();
        this.#options.onEvent?.('PostgreSQL is back', 'warn');
      } catch (error) {
        if (error instanceof Interrupted) return;
        this.#options.onEvent?.(`PostgreSQL is still away: ${(error as Error).message}`, 'warn');
        await pause(1000);
      }
    }
  }
}

class Interrupted extends SetupProblem {}

/** Whether nobody else uses the server. If so, nobody begins to while this connection lasts. */
async function isAlone({ run }: Connection): Promise<boolean> {
  const [row] = await run<{ alone: boolean }>`select pg_try_advisory_lock(${lockClass}, ${inUse}) as alone`;
  return row?.alone === true;
}
