import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { allowSecondRelease, beginWith, ignoreListen } from '../internals/graphile-worker.ts';
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

interface SettingsOptions extends ConnectOptions {
  statementTimeoutMs?: number;
  /** For work that takes as long as it takes. */
  withoutTimeouts?: boolean;
}

/** The timeouts that a role, a database or a pooler may have set. They would cut a migration or a backup. */
const timeouts = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout'];

/** The settings of PostgreSQL for our statements, as startup options. Later ones override earlier ones. */
function serverOptions({ url, role, statementTimeoutMs, withoutTimeouts = false }: SettingsOptions): string {
  const options = [
    // The options of the URL come after this one, so they override it.
    statementTimeoutMs === undefined ? '' : `-c statement_timeout=${statementTimeoutMs}`,
    // With custom plans, an account newer than the statistics is planned as if it were empty, and any index seems equally good.
    '-c plan_cache_mode=force_generic_plan',
    // On a distributed server, the settings of a transaction, such as its account, reach the shards. Others ignore it.
    '-c citus.propagate_set_commands=local',
    new URL(url).searchParams.get('options') ?? '-c TimeZone=UTC',
    ...(withoutTimeouts ? timeouts.map((name) => `-c ${name}=0`) : []),
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

/** The settings in the options of a URL: `-c name=value` and `--name=value`. */
function pairsOf(options: string): { name: string; value: string }[] {
  const pairs = options.matchAll(/(?:^|\s)(?:-c\s*|--)([\w.-]+)=((?:\\.|[^\s\\])*)/g);
  return Array.from(pairs, ([, name = '', value = '']) => ({
    name: name.replaceAll('-', '_'),
    value: value.replace(/\\(.)/g, '$1'),
  }));
}

/**
 * Throws if the URL has a setting that does not work behind a pooler. SET takes a quoted list of schemas for one name, and
 * the schema also matters outside of transactions. A setting of the role works everywhere.
 */
export function mustWorkPooled(url: string): void {
  const options = pairsOf(new URL(url).searchParams.get('options') ?? '');
  const path = options.find(({ name }) => name.toLowerCase() === 'search_path');
  if (path)
    throw new Error(
      `search_path in the options of the URL does not work through a connection pooler; remove it there and run \`alter role … in database … set search_path = ${path.value}\` once`,
    );
}

function beginning(options: SettingsOptions): string[] {
  const plans = options.isDistributed ? ['set local plan_cache_mode = force_custom_plan'] : [];
  // Repeated here, because a distributed server passes on to its nodes what is set in a transaction, and no startup options.
  const limits = options.withoutTimeouts ? timeouts.map((name) => `set local ${name} = 0`) : [];
  if (!options.isPooled) return ['begin', ...limits, ...plans];
  const pairs = pairsOf(serverOptions(options));
  const statements = pairs.map(({ name, value }) => `set local ${name} = ${pg.escapeLiteral(value)}`);
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
  /** Starts a transaction that ends with the connection. */
  begin(): Promise<void>;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Opens one connection outside the pool, for migrations and locks. It has no timeouts, whatever the role has. Behind a
 * pooler, this holds in transactions only.
 */
export async function openConnection(options: ConnectOptions & { onLost?: () => void }): Promise<Connection> {
  const unlimited = { ...options, withoutTimeouts: true };
  return connect(new pg.Client(settings(unlimited)), unlimited, options.onLost);
}

/** Reads and writes tables as streams of text, one line per row. Statements are not pipelined. Closing interrupts a running statement. */
export interface CopyConnection extends Connection {
  /** If the reader stops before the end, the connection is closed. */
  copyOut(statement: string): AsyncGenerator<Buffer>;
  /** Returns the number of rows. */
  copyIn(statement: string, lines: AsyncIterable<Buffer>): Promise<number>;
}

export async function openCopyConnection(options: ConnectOptions): Promise<CopyConnection> {
  const unlimited = { ...options, withoutTimeouts: true };
  const client = new pg.Client({ ...settings(unlimited), pipeline: false });
  const connection = await connect(client, unlimited);
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

async function connect(client: pg.Client, options: SettingsOptions, onLost?: () => void): Promise<Connection> {
  let closing = false;
  const run = runner(client, !options.isPooled);
  // Without a listener a lost connection would end the process. Waiting statements fail anyway.
  client.on('error', () => {});
  await client.connect();
  client.on('end', () => {
    if (!closing) onLost?.();
  });
  const close = async () => {
    closing = true;
    await client.end().catch(() => {});
  };
  const newer = await newerTimeouts(client, options).catch(async (error) => {
    await close();
    throw error;
  });
  const begin = async () => {
    // Each statement is a message of its own, because the database may be distributed now.
    for (const statement of beginning(options)) await client.query(statement);
    for (const name of newer) await client.query(`set local ${name} = 0`);
  };
  return {
    run,
    seesPooler: async () => {
      const { pid } = only(await run<{ pid: number }>`select pg_backend_pid() as pid`);
      return pid !== announcedPid(client);
    },
    script: async (text) => {
      await client.query(text);
    },
    begin,
    transaction: async (work) => {
      await begin();
      try {
        const result = await work(transactionOver(run, { now: databaseTime, isOneServer: !options.isDistributed }));
        await commit(client);
        return result;
      } catch (error) {
        await client.query('rollback').catch(() => {});
        throw error;
      }
    },
    close,
  };
}

/** PostgreSQL 17 and newer have one more. A startup option with a name that the server does not know is refused. */
async function newerTimeouts(client: pg.Client, { isPooled }: ConnectOptions): Promise<string[]> {
  const { rowCount } = await client.query(`select where current_setting('transaction_timeout', true) is not null`);
  if (!rowCount) return [];
  if (!isPooled) await client.query('set transaction_timeout = 0');
  return ['transaction_timeout'];
}

/** The same for a client whose server is not known. It may not be the first statement of a snapshot. */
const withoutNewerTimeouts = `
  select set_config('transaction_timeout', '0', true) where current_setting('transaction_timeout', true) is not null`;

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
export function openClients(options: SettingsOptions & { connections: number }): pg.Pool {
  const pool = new pg.Pool({
    ...settings(options),
    ...{ pipeline: false, max: options.connections, Client: PlainClient },
  });
  allowSecondRelease(pool);
  // Without these a lost connection would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    // A notification would arrive at any client of the pooler.
    if (options.isPooled) ignoreListen(client);
    if (options.withoutTimeouts) beginWith(client, [...beginning(options), withoutNewerTimeouts]);
  });
  return pool;
}

/** If a statement of the transaction failed, PostgreSQL responds to the commit with a rollback and without an error. */
export async function commit(client: pg.ClientBase): Promise<void> {
  sendTogether(client);
  const { command } = await client.query('commit');
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back, because a statement had failed.');
}
