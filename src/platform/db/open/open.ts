import { SetupProblem } from '../../../shared/problem.ts';
import type { Config } from '../../config.ts';
import { type ConnectOptions, type Database, openPool, type PoolOptions, type Tx } from '../database.ts';
import { EmbeddedServer } from '../embedded/server.ts';
import { migrate, mustBeMigrated } from '../migrate.ts';
import { checkServer, retryWhileUnavailable } from './external.ts';

export interface OpenOptions {
  as: 'service' | 'command';
  connections: number;
  /** `empty`: a command fills a new database, but leaves upgrading one to the service or `regulars migrate`. `none`: it is left as it is. */
  migrate: 'all' | 'empty' | 'none';
  onEvent?: (message: string, level?: 'info' | 'warn') => void;
  /** What the time is taken to be: PostgreSQL's own unless given. */
  now?: () => Date;
  /** Whether a new embedded database may be made where there is none. */
  mayCreate?: boolean;
  /** Gives up waiting for a server that is not there yet. */
  signal?: AbortSignal;
  /** The most that will be open at a time, by whomever; an embedded server lets them all in. */
  connectionsInAll?: number;
}

export interface OpenDatabase {
  db: Database;
  /** How to reach it, for whoever needs connections of its own. */
  connect: ConnectOptions;
  applied: string[];
  version: number;
  /** Closes the connections, and the embedded server if nobody else uses it. */
  close(): Promise<void>;
}

async function mustObeyRowLevelSecurity(tx: Tx): Promise<void> {
  const [role] = await tx<{
    bypasses: boolean;
  }>`select rolsuper or rolbypassrls as bypasses from pg_roles where rolname = current_user`;
  if (role?.bypasses === false) return;
  throw new SetupProblem('The role that DATABASE_URL leads to can look past row-level security. Use an ordinary one.');
}

async function openChecked(options: PoolOptions, check: (tx: Tx) => Promise<void>): Promise<Database> {
  const db = openPool(options);
  try {
    await db.transaction(check);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** One that another process has opened, and migrated. */
export function joinDatabase(
  connect: ConnectOptions,
  { connections, ...patience }: Pick<OpenOptions, 'connections' | 'onEvent' | 'signal'>,
): Promise<Database> {
  const options = { ...connect, connections, applicationName: 'regulars service' };
  const check = async (tx: Tx) => {
    await mustBeMigrated(tx);
    await mustObeyRowLevelSecurity(tx);
  };
  return retryWhileUnavailable(connect.url, () => openChecked(options, check), patience);
}

/** How many connections the server lets in. */
export async function mostConnections(tx: Tx): Promise<number> {
  const [row] = await tx<{ most: number }>`select current_setting('max_connections')::int as most`;
  return row?.most ?? 0;
}

/** A command may work on all rows of an account at once, and nobody waits for it but its operator. */
const longestOfCommands = 10 * 60_000;

/** Others come beside the service: commands, backups, whoever looks inside. */
const connectionsToSpare = 50;

/** A database, migrated unless told otherwise, wherever it is: the embedded server's, or the one that DATABASE_URL names. */
export async function openDatabase(config: Config, options: OpenOptions): Promise<OpenDatabase> {
  const { connectionsInAll = options.connections } = options;
  const settings = { max_connections: String(Math.max(100, connectionsInAll + connectionsToSpare)) };
  const embedded =
    config.databaseUrl === undefined
      ? await EmbeddedServer.open({ dataDir: config.dataDir, settings, ...options })
      : undefined;
  const url = embedded?.url ?? (config.databaseUrl as string);
  const prepare = async () => {
    const { role } = embedded ? { role: undefined } : await checkServer(url);
    const migrated =
      options.migrate === 'none'
        ? { applied: [], version: 0 }
        : await migrate({ url, role }, options.migrate === 'empty');
    const { connections, as, now } = options;
    const pool = {
      ...{ url, role, connections, now, applicationName: `regulars ${as}` },
      ...(as === 'command' ? { longestStatementMs: longestOfCommands } : {}),
    };
    const db = await openChecked(pool, mustObeyRowLevelSecurity);
    return { db, role, ...migrated };
  };
  try {
    const { db, role, applied, version } = await retryWhileUnavailable(url, prepare, options);
    return {
      db,
      connect: { url, role },
      applied,
      version,
      close: async () => {
        await db.close();
        await embedded?.close();
      },
    };
  } catch (error) {
    await embedded?.close();
    throw error;
  }
}
