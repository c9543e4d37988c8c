import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { ignoreListen } from '../internals/graphile-worker.ts';
import { announcedPid, sendTogether } from '../internals/pg.ts';
import { databaseTime, only, type Run, runner, type Tx, transactionOver, types } from './sql.ts';

export interface ConnectOptions {
  url: string;
  /** The role to switch to after the login, if the login role could bypass row-level security. */
  role?: string | undefined;
  applicationName?: string;
  /**
   * Whether a pooler such as PgBouncer can run each transaction on another connection to PostgreSQL. Then nothing may
   * outlive a transaction: settings are sent with each BEGIN, and statements have no names.
   */
  isPooled?: boolean;
  /** Whether the database is distributed. */
  isDistributed?: boolean;
}

type SettingsOptions = ConnectOptions & { statementTimeoutMs?: number };

/** The settings of PostgreSQL for our statements, as startup options. Later ones override earlier ones. */
function serverOptions({ url, role, statementTimeoutMs }: SettingsOptions): string {
  const options = [
    // The options of the URL come after this one, so they override it.
    statementTimeoutMs === undefined ? '' : `-c statement_timeout=${statementTimeoutMs}`,
    // With custom plans, an account newer than the statistics is planned as if it were empty, and any index seems equally good.
    '-c plan_cache_mode=force_generic_plan',
    // On a distributed server, the settings of a transaction, such as its account, reach the shards. Others ignore it.
    '-c citus.propagate_set_commands=local',
    new URL(url).searchParams.get('options') ?? '-c TimeZone=UTC',
    role === undefined ? '' : `-c role=${role}`,
  ];
  return options.join(' ').trim();
}

/**
 * The start of a transaction, and further statements if given. Behind a pooler it contains the settings. A distributed
 * server chooses the shard by the value of the account, so it can't use generic plans; and it sends the whole message with
 * a setting to its nodes, so each statement is a message of its own.
 */
export function beginStatements(options: SettingsOptions, further: string[] = []): string[] {
  const all = [...beginning(options), ...further];
  return options.isDistributed ? all : [all.join('; ')];
}

function beginning(options: SettingsOptions): string[] {
  const plans = options.isDistributed ? ['set local plan_cache_mode = force_custom_plan'] : [];
  if (!options.isPooled) return ['begin', ...plans];
  const pairs = serverOptions(options).matchAll(/(?:^|\s)(?:-c\s*|--)([\w.-]+)=((?:\\.|[^\s\\])*)/g);
  const statements = Array.from(pairs, ([, name = '', value = '']) => {
    return `set local ${name.replaceAll('-', '_')} = ${pg.escapeLiteral(value.replace(/\\(.)/g, '$1'))}`;
  });
  return ['begin', ...statements, ...plans];
}

/** The settings of every connection to PostgreSQL. */
export function settings(options: SettingsOptions): pg.ClientConfig {
  const address = new URL(options.url);
  // In the driver, the URL overrides the other settings, and environment variables are the defaults.
  for (const name of ['options', 'application_name']) address.searchParams.delete(name);
  return {
    connectionString: address.href,
    application_name: options.applicationName ?? 'regulars',
    // PgBouncer refuses a connection with startup options.
    options: options.isPooled ? '' : serverOptions(options),
    // Unless the URL has sslmode=….
    ssl: false,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // Statements are sent without waiting for the results of earlier ones.
    pipeline: true,
    types,
  };
}

export interface Connection {
  run: Run;
  /** Whether a pooler is between this client and PostgreSQL. */
  seesPooler(): Promise<boolean>;
  /** Runs one or several statements without values. */
  script(text: string): Promise<void>;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens one connection outside the pool, for migrations and locks. */
export async function openConnection(options: ConnectOptions & { onLost?: () => void }): Promise<Connection> {
  return connect(new pg.Client(settings(options)), options, options.onLost);
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
  const connection = await connect(client, options);
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

async function connect(client: pg.Client, options: ConnectOptions, onLost?: () => void): Promise<Connection> {
  let closing = false;
  const run = runner(client, !options.isPooled);
  // Without a listener a lost connection would end the process. Waiting statements fail anyway.
  client.on('error', () => {});
  await client.connect();
  client.on('end', () => {
    if (!closing) onLost?.();
  });
  return {
    run,
    seesPooler: async () => {
      const { pid } = only(await run<{ pid: number }>`select pg_backend_pid() as pid`);
      return pid !== announcedPid(client);
    },
    script: async (text) => {
      await client.query(text);
    },
    transaction: async (work) => {
      for (const statement of beginStatements(options)) await client.query(statement);
      try {
        const result = await work(transactionOver(run, { now: databaseTime, isOneServer: !options.isDistributed }));
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
  pool.on('connect', (client) => {
    client.on('error', () => {});
    // A notification would arrive at any client of the pooler.
    if (options.isPooled) ignoreListen(client);
  });
  return pool;
}

/** If a statement of the transaction failed, PostgreSQL responds to the commit with a rollback and without an error. */
export async function commit(client: pg.ClientBase): Promise<void> {
  sendTogether(client);
  const { command } = await client.query('commit');
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back, because a statement had failed.');
}
