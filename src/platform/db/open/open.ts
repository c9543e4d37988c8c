import { present } from '../../../shared/present.ts';
import { SetupProblem } from '../../../shared/problem.ts';
import type { Config } from '../../config.ts';
import type { ConnectOptions } from '../connection.ts';
import { type Database, openPool, type PoolOptions, type Tx } from '../database.ts';
import { EmbeddedServer } from '../embedded/server.ts';
import { migrate, mustBeMigrated } from '../migrate.ts';
import { checkServer, retryWhileUnavailable } from './external.ts';

export interface OpenOptions {
  as: 'service' | 'command';
  connections: number;
  /** `empty`: migrates only a new database; the service or `regulars migrate` upgrades others. `none`: migrates nothing. */
  migrate: 'all' | 'empty' | 'none';
  onEvent?: (message: string, level?: 'info' | 'warn') => void;
  /** Replaces the clock of PostgreSQL. */
  now?: () => Date;
  /** Whether a new embedded database may be created. */
  mayCreate?: boolean;
  /** Ends the wait for an unavailable server. */
  signal?: AbortSignal;
  /** The most connections of all processes. An embedded server is configured for them. */
  connectionsInAll?: number;
}

export interface OpenDatabase {
  db: Database;
  /** For further connections. */
  connect: ConnectOptions;
  applied: string[];
  version: number;
  /** Closes the connections, and stops the embedded server if no other process uses it. */
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

/** Opens a database that the main process has opened and migrated. */
export function joinDatabase(
  connect: ConnectOptions,
  { connections, ...wait }: Pick<OpenOptions, 'connections' | 'onEvent' | 'signal'>,
): Promise<Database> {
  const options = { ...connect, connections, applicationName: 'regulars service' };
  const check = async (tx: Tx) => {
    await mustBeMigrated(tx);
    await mustObeyRowLevelSecurity(tx);
  };
  return retryWhileUnavailable(connect.url, () => openChecked(options, check), wait);
}

/** The connection limit of the server. */
export async function maxConnections(tx: Tx): Promise<number> {
  const [row] = await tx<{ most: number }>`select current_setting('max_connections')::int as most`;
  return row?.most ?? 0;
}

/** The statement timeout of commands, which may change all rows of an account at once. */
const commandTimeoutMs = 10 * 60_000;

/** Connections for commands, backups and operators. */
const spareConnections = 50;

/** Opens the embedded database, or the one in DATABASE_URL, and migrates it if asked to. */
export async function openDatabase(config: Config, options: OpenOptions): Promise<OpenDatabase> {
  const { connectionsInAll = options.connections } = options;
  const settings = { max_connections: String(Math.max(100, connectionsInAll + spareConnections)) };
  const embedded =
    config.databaseUrl === undefined
      ? await EmbeddedServer.open({ dataDir: config.dataDir, settings, ...options })
      : undefined;
  const url = embedded?.url ?? present(config.databaseUrl, 'URL of the database');
  const prepare = async () => {
    const connect = { url, ...(embedded ? {} : await checkServer(url, options.onEvent)) };
    const migrated =
      options.migrate === 'none' ? { applied: [], version: 0 } : await migrate(connect, options.migrate === 'empty');
    const { connections, as, now } = options;
    const pool = {
      ...{ ...connect, connections, now, applicationName: `regulars ${as}` },
      ...(as === 'command' ? { longestStatementMs: commandTimeoutMs } : {}),
    };
    const db = await openChecked(pool, mustObeyRowLevelSecurity);
    return { db, connect, ...migrated };
  };
  try {
    const { db, ...opened } = await retryWhileUnavailable(url, prepare, options);
    return {
      db,
      ...opened,
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
