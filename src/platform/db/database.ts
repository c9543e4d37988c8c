import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { FairQueue } from '../../shared/fair-queue.ts';
import { isConnectionError, sendTogether } from '../internals/pg.ts';
import { type Ordered, ordered, settled } from './ordered.ts';
import { type Run, raw, runner, type Sql, sql, types } from './sql.ts';

/** A transaction: the required first argument of every store function. */
export interface Tx extends Run, Ordered {
  /** What the time is, for what is dated by when it is written. Of a statement, so that one that waited for another is not dated before it. */
  readonly now: Sql;
}

/** A transaction whose statements run through this function. */
export function transactionOver(run: Run, now: Sql): Tx {
  return Object.assign(run, ordered, { now });
}

/** PostgreSQL's own: processes may differ, and it is one for all of them. */
const databaseTime = sql`statement_timestamp()`;

/**
 * Hands over a statement that the work does not wait for: the commit travels right behind it, and the transaction has
 * succeeded when both have. Nothing may be asked afterwards.
 */
export type Last = (statement: Promise<unknown>) => void;

/** Transactions of a lane wait for each other only: callers that are not known yet must not delay known ones. */
type Lane = 'directory' | 'tokens' | 'sessions';

export interface Database {
  /** A transaction on the directory (accounts, users). Tenant tables look empty in it. */
  transaction<T>(work: (tx: Tx) => Promise<T>, lane?: Lane): Promise<T>;
  /** A transaction in which row-level security shows one account's rows and no others. */
  tenant<T>(accountId: number, work: (tx: Tx, last: Last) => Promise<T>): Promise<T>;
  /** One round trip; throws when the database is away. */
  ping(): Promise<void>;
  pool(): { size: number; busy: number; waiting: number };
  close(): Promise<void>;
}

export interface ConnectOptions {
  url: string;
  /** A role to take on at connect, where the login role could bypass row-level security. */
  role?: string | undefined;
  applicationName?: string;
}

/** The one place that says how we speak to PostgreSQL. */
function settings({
  url,
  role,
  applicationName = 'regulars',
  statementTimeoutMs,
}: ConnectOptions & { statementTimeoutMs?: number }): pg.ClientConfig {
  const address = new URL(url);
  // The driver lets the address overrule what is said beside it, and the environment what is not said at all.
  const options = [
    // What the address says itself comes after it, and counts.
    statementTimeoutMs === undefined ? '' : `-c statement_timeout=${statementTimeoutMs}`,
    // A plan for the account at hand takes one that is newer than the statistics for empty, and any index for as good as another.
    '-c plan_cache_mode=force_generic_plan',
    address.searchParams.get('options') ?? '-c TimeZone=UTC',
    role === undefined ? '' : `-c role=${role}`,
  ];
  for (const name of ['options', 'application_name']) address.searchParams.delete(name);
  return {
    connectionString: address.href,
    application_name: applicationName,
    options: options.join(' ').trim(),
    // Unless the address asks for it (sslmode=…).
    ssl: false,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // Statements that don't wait for each other's results travel together.
    pipeline: true,
    types,
  };
}

export interface Connection {
  run: Run;
  /** Statements without values, several at once if need be. */
  script(text: string): Promise<void>;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A single connection of its own, for what must not share one: migrations, locks. */
export async function openConnection(options: ConnectOptions & { onLost?: () => void }): Promise<Connection> {
  return connect(new pg.Client(settings(options)), options.onLost);
}

/** Tables as streams of text, a row a line. Statements wait for each other here, and closing cuts off the one under way. */
export interface CopyConnection extends Connection {
  /** Whoever stops reading half-way has no connection any more. */
  copyOut(statement: string): AsyncGenerator<Buffer>;
  /** Gives how many rows there were. */
  copyIn(statement: string, lines: AsyncIterable<Buffer>): Promise<number>;
}

export async function openCopyConnection(options: ConnectOptions): Promise<CopyConnection> {
  const client = new pg.Client({ ...settings(options), pipeline: false });
  const connection = await connect(client);
  return {
    ...connection,
    copyOut: async function* (statement) {
      let whole = false;
      try {
        for await (const chunk of client.query(copyTo(statement))) yield chunk as Buffer;
        whole = true;
      } finally {
        if (!whole) await connection.close();
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
  // Without a listener a lost connection would end the process; those waiting on a statement hear of it anyway.
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
 * A server that is starting up is, to the software that keeps the job queue, one that is not there: it asks again soon.
 * By its own code for it, it would sleep for seconds and then minutes, and could not be stopped meanwhile.
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

/** Plain clients, for the software that keeps the job queue. */
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

/** A database that takes longer than this for nothing at all is as good as away. */
const pingTimeoutMs = 2000;

/** Nothing of ours takes this long. PostgreSQL itself gives up on it, so that it does not go on holding its locks. */
const longestOfOurs = 29_000;

/** Bounds on the transactions that wait for a connection. Above them a client is told to come back. */
const [mostWaiting, mostWaitingOfAccount] = [2000, 250];

/** The keys of transactions that belong to no account. Account ids are positive. */
const keyOfLane: Record<Lane, number> = { directory: 0, tokens: -1, sessions: -2 };

export interface PoolOptions extends ConnectOptions {
  connections: number;
  /** Whatever takes longer is given up. */
  longestStatementMs?: number;
  /** What the time is taken to be, for a history that is written down afterwards. PostgreSQL's own unless given. */
  now?: (() => Date) | undefined;
}

export function openPool(options: PoolOptions): Database {
  const { longestStatementMs = longestOfOurs } = options;
  const pool = new pg.Pool({
    ...settings({ ...options, statementTimeoutMs: longestStatementMs }),
    max: options.connections,
    idleTimeoutMillis: 60_000,
    // A database that hangs is as good as away.
    query_timeout: longestStatementMs + 1000,
  });
  // An idle connection that breaks is replaced when the next one is needed. One that breaks in the very moment in which
  // it is handed over has nobody else to hear of it, and that would end the process; its first statement will fail.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));

  // An account may use half of the connections. The other half serves the other accounts, whatever that one does.
  const ofOneAccount = Math.max(1, Math.floor(options.connections / 2));
  const turns = new FairQueue<number>({
    atOnce: options.connections,
    perKey: (key) => (key <= 0 ? options.connections : ofOneAccount),
    mostWaiting,
    mostWaitingPerKey: mostWaitingOfAccount,
    // A job may wait for as long as it takes. Requests have limits of their own.
    longestWaitMs: Infinity,
    full: 'Too many calls wait for the database already.',
  });

  /** A connection is taken when the first statement needs one: what comes before it keeps nobody waiting. */
  async function transaction<T>(key: number, begin: string, work: (tx: Tx, last: Last) => Promise<T>): Promise<T> {
    let hasTurn = false;
    let client: pg.PoolClient | undefined;
    let connecting: Promise<pg.PoolClient> | undefined;
    let broken: unknown;
    const notice = (error: Error) => {
      broken = error;
    };
    const start = async () => {
      await turns.enter(key);
      hasTurn = true;
      client = await pool.connect();
      client.on('error', notice);
      // It travels with the first statements, and can only fail together with the connection.
      sendTogether(client);
      client.query(begin).catch(notice);
      return client;
    };
    let cause: unknown;
    const ask = (connected: pg.PoolClient, strings: TemplateStringsArray, values: unknown[]) => {
      sendTogether(connected);
      const answer = runner(connected)(strings, ...values);
      // Answers come in the order of the statements, so the first that fails is why those behind it do.
      answer.catch((error) => {
        cause ??= error;
      });
      return answer;
    };
    const run = ((strings: TemplateStringsArray, ...values: unknown[]) => {
      if (client) return ask(client, strings, values);
      connecting ??= start();
      return connecting.then((connected) => ask(connected, strings, values));
    }) as Run;
    const tx = transactionOver(run, options.now ? sql`${options.now()}::timestamptz` : databaseTime);
    const unfinished: Promise<unknown>[] = [];
    const last: Last = (statement) => {
      // Heard of below, or not at all where the work fails for another reason.
      statement.catch(() => {});
      unfinished.push(statement);
    };
    try {
      const result = await work(tx, last).catch((error) => {
        throw (error as { code?: unknown } | null)?.code === failedBefore ? (cause ?? error) : error;
      });
      // Work that waited for none of its statements is done before they are sent.
      const connected = client ?? (await connecting);
      // Nothing is answered before the commit is: what it gives is what PostgreSQL has promised to keep.
      // The first that failed is the cause; the commit behind it only says that nothing was stored.
      if (connected) await settled([...unfinished, commit(connected)]);
      // Once the commit is acknowledged, a connection that breaks takes nothing back.
      return result;
    } catch (error) {
      // A connection that is only just coming must not be forgotten.
      await connecting?.catch(() => {});
      if (isDatabaseUnavailable(error)) broken = error;
      else await client?.query('rollback').catch(notice);
      throw error;
    } finally {
      client?.off('error', notice);
      client?.release(broken !== undefined);
      if (hasTurn) turns.leave(key);
    }
  }

  return {
    transaction: (work, lane = 'directory') => transaction(keyOfLane[lane], 'begin', work),
    tenant: (accountId, work) => transaction(accountId, `begin; ${enter(accountId)}`, work),
    ping: async () => {
      const late = pause(pingTimeoutMs, undefined, { ref: false }).then(() => {
        throw new Error('The database does not answer.');
      });
      await Promise.race([pool.query('select 1'), late]);
    },
    pool: () => ({ size: options.connections, busy: turns.running, waiting: turns.waiting }),
    close: () => pool.end(),
  };
}

/** A statement's error where another of the transaction had failed before it. */
const failedBefore = '25P02';

/** PostgreSQL answers the commit of a transaction in which a statement failed, as if all were well, with a rollback. */
async function commit(client: pg.ClientBase): Promise<void> {
  sendTogether(client);
  const { command } = await client.query('commit');
  if (command !== 'COMMIT') throw new Error('A statement had failed, so nothing of the transaction was kept.');
}

/**
 * From here to the end of the transaction, row-level security shows this account's rows alone.
 * A plain SET LOCAL and not set_config(): only the former reaches the shards of a distributed PostgreSQL.
 */
function enter(accountId: number): string {
  if (!Number.isSafeInteger(accountId)) throw new TypeError('An account id is an integer.');
  return `set local app.account_id = ${accountId}`;
}

/** From here on the transaction is in this account: one that it has just made, or the next of several. */
export async function enterAccount(tx: Tx, accountId: number): Promise<void> {
  await tx`${raw(enter(accountId))}`;
}

const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '25006', // a standby, or set to read only
  '58030', // the disk can't be read or written
  '57P01', // shut down by an administrator
  '57P02', // crashed
  '57P03', // starting up or shutting down
  '57014', // given up on after too long
]);
/** Of connections, and of room on the disk, memory, connections or files that there is too little of. */
const awayClasses = /^(08|53)/;
/** PostgreSQL has no codes of their own for these. */
const refusingDisk = /: (Disk quota exceeded|Read-only file system)$/;

/** Whether an error says that the database can't be reached just now, rather than that something is wrong with the request. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return isConnectionError(error);
  return awayCodes.has(code) || awayClasses.test(code) || refusingDisk.test(error.message);
}

/** What was read has changed before it could be locked: the transaction is to be tried again from its beginning. */
export class Conflict extends Error {
  override name = 'Raced';
}

const raceCodes = new Set([
  '23503', // something referred to was deleted meanwhile
  '23505', // something was made by somebody else meanwhile
  '40001', // serialization failure
  '40P01', // deadlock
]);

/** Whether PostgreSQL itself has said why nothing was kept; otherwise nobody knows whether a commit went through. */
export function isRolledBack(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return (
    error instanceof Conflict ||
    (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !isDatabaseUnavailable(error))
  );
}

/** Whether a connection failed, and nobody knows whether a commit went through: by a code that is none of PostgreSQL's own. */
export function isOutcomeUnknown(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return isDatabaseUnavailable(error) || (typeof code === 'string' && !/^[0-9A-Z]{5}$/.test(code));
}

/** Whether two transactions got into each other's way, and neither is to blame. */
export function isConflict(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return error instanceof Conflict || code === '40001' || code === '40P01' || code === '23503';
}

/** Whether the same transaction may well succeed if it is tried again. */
export function isRetryable(error: unknown): boolean {
  return error instanceof Conflict || raceCodes.has(String((error as { code?: unknown } | null)?.code));
}

/** Whether a statement was refused because of a key that is taken, or one that is still referred to. */
export function isViolation(error: unknown, kind: 'unique' | 'foreign key'): boolean {
  return (error as { code?: unknown } | null)?.code === (kind === 'unique' ? '23505' : '23503');
}
