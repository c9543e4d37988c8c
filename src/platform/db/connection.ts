import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { sendTogether } from '../internals/pg.ts';
import { databaseTime, type Run, runner, type Tx, transactionOver, types } from './sql.ts';

export interface ConnectOptions {
  url: string;
  /** The role to switch to after the login, if the login role could bypass row-level security. */
  role?: string | undefined;
  applicationName?: string;
  /** Whether the database is distributed. */
  distributed?: boolean | undefined;
}

/** The settings of every connection to PostgreSQL. */
export function settings({
  url,
  role,
  applicationName = 'regulars',
  distributed = false,
  statementTimeoutMs,
}: ConnectOptions & { statementTimeoutMs?: number }): pg.ClientConfig {
  const address = new URL(url);
  // In the driver, the URL overrides the other settings, and environment variables are the defaults.
  const options = [
    // The options of the URL come after this one, so they override it.
    statementTimeoutMs === undefined ? '' : `-c statement_timeout=${statementTimeoutMs}`,
    planning(distributed),
    address.searchParams.get('options') ?? '-c TimeZone=UTC',
    role === undefined ? '' : `-c role=${role}`,
  ];
  for (const name of ['options', 'application_name']) address.searchParams.delete(name);
  return {
    connectionString: address.href,
    application_name: applicationName,
    options: options.join(' ').trim(),
    // Unless the URL has sslmode=….
    ssl: false,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // Statements are sent without waiting for the results of earlier ones.
    pipeline: true,
    types,
  };
}

/**
 * With custom plans, an account newer than the statistics is planned as if it were empty, and any index seems equally good.
 * A distributed server chooses the shard by the value of the account, so it has no generic plans. There, the settings of a
 * transaction, such as its account, must reach the shards.
 */
function planning(distributed: boolean): string {
  return distributed
    ? '-c plan_cache_mode=force_custom_plan -c citus.propagate_set_commands=local'
    : '-c plan_cache_mode=force_generic_plan';
}

export interface Connection {
  run: Run;
  /** Runs one or several statements without values. */
  script(text: string): Promise<void>;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens one connection outside the pool, for migrations and locks. */
export async function openConnection(options: ConnectOptions & { onLost?: () => void }): Promise<Connection> {
  return connect(new pg.Client(settings(options)), options.onLost);
}

/** Reads and writes tables as streams of text, one line per row. Statements are not pipelined. Closing interrupts a running statement. */
export interface CopyConnection extends Connection {
  /** If the reader stops before the end, the connection is closed. */
  copyOut(statement: string): AsyncGenerator<Buffer>;
  /** Returns the number of rows. */
  copyIn(statement: string, lines: AsyncIterable<Buffer>): Promise<number>;
}

export async function openCopyConnection(options: ConnectOptions): Promise<CopyConnection> {
  const client = new pg.Client({ ...settings(options), pipeline: false });
  const connection = await connect(client);
  return {
    ...connection,
    copyOut: async function* (statement) {
      let isComplete = false;
      try {
        for await (const chunk of client.query(copyTo(statement))) yield chunk;
        isComplete = true;
      } finally {
        if (!isComplete) await connection.close();
      }
    },
    copyIn: async (statement, lines) => {
      const copy = client.query(copyFrom(statement));
      await pipeline(lines, copy);
      return copy.rowCount;
    },
  };
}

async function connect(client: pg.Client, onLost?: () => void): Promise<Connection> {
  let closing = false;
  // Without a listener a lost connection would end the process. Waiting statements fail anyway.
  client.on('error', () => {});
  await client.connect();
  client.on('end', () => {
    if (!closing) onLost?.();
  });
  return {
    run: runner(client),
    script: async (text) => {
      await client.query(text);
    },
    transaction: async (work) => {
      await client.query('begin');
      try {
        const result = await work(transactionOver(runner(client), databaseTime));
        await commit(client);
        return result;
      } catch (error) {
        await client.query('rollback').catch(() => {});
        throw error;
      }
    },
    close: async () => {
      closing = true;
      await client.end().catch(() => {});
    },
  };
}

/**
 * Reports a server that is starting up (57P03) as a refused connection. graphile-worker retries a refused connection soon.
 * After a 57P03 it sleeps for seconds and then minutes, and cannot be stopped meanwhile.
 */
class PlainClient extends pg.Client {
  override connect(): Promise<pg.Client>;
  override connect(done: (error: Error) => void): void;
  override connect(done?: (error: Error) => void): Promise<pg.Client> | undefined {
    if (!done) return super.connect();
    super.connect((error: Error & { code?: string }) =>
      done(error?.code === '57P03' ? Object.assign(error, { code: 'ECONNREFUSED' }) : error),
    );
    return undefined;
  }
}

/** A pool of plain clients for graphile-worker. */
export function openClients(options: ConnectOptions & { connections: number }): pg.Pool {
  const pool = new pg.Pool({
    ...settings(options),
    ...{ pipeline: false, max: options.connections, Client: PlainClient },
  });
  // Without these a lost connection would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** If a statement of the transaction failed, PostgreSQL responds to the commit with a rollback and without an error. */
export async function commit(client: pg.ClientBase): Promise<void> {
  sendTogether(client);
  const { command } = await client.query('commit');
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back, because a statement had failed.');
}
