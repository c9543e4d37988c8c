import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { codeOf, messageOf } from '../../shared/errors.ts';
import { FairQueue } from '../../shared/fair-queue.ts';
import { isConnectionError, sendTogether } from '../internals/pg.ts';
import { kindOf } from './citus.ts';
import { beginStatements, type ConnectOptions, commit, settings } from './connection.ts';
import { settled } from './ordered.ts';
import { databaseTime, type Run, raw, runner, sql, type Tx, transactionOver } from './sql.ts';

export { type Tx, transactionOver };

/**
 * Passes the last statement of a transaction. The commit is sent directly after it, in the same round trip, and the
 * transaction succeeds when both do. No statement may follow.
 */
export type Last = (statement: Promise<unknown>) => void;

/** Transactions of a lane wait only for each other. Callers that are not authenticated yet must not delay the others. */
type Lane = 'directory' | 'tokens' | 'sessions';

export interface Database {
  /** A transaction on the directory (accounts, users). Tenant tables look empty in it. */
  transaction<T>(work: (tx: Tx) => Promise<T>, lane?: Lane): Promise<T>;
  /** A transaction in which row-level security shows one account's rows and no others. */
  tenant<T>(accountId: number, work: (tx: Tx, last: Last) => Promise<T>): Promise<T>;
  /** One round trip. Throws if the database is unavailable. */
  ping(): Promise<void>;
  pool(): { size: number; busy: number; waiting: number };
  close(): Promise<void>;
}

/** Ping timeout. A slower database counts as unavailable. */
const pingTimeoutMs = 2000;

/** The statement timeout. PostgreSQL cancels a longer statement and releases its locks. */
const statementTimeoutMs = 29_000;

/** Limits on the transactions that wait for a connection. Above them a request gets a 503. */
const [mostWaiting, mostWaitingOfAccount] = [2000, 250];

/** The keys of transactions that belong to no account. Account ids are positive. */
const keyOfLane: Record<Lane, number> = { directory: 0, tokens: -1, sessions: -2 };

export interface PoolOptions extends ConnectOptions {
  connections: number;
  /** Longer statements are cancelled. */
  longestStatementMs?: number;
  /** Replaces the clock of PostgreSQL. The demo uses this to write a history. */
  now?: (() => Date) | undefined;
}

export function openPool(options: PoolOptions): Database {
  const { longestStatementMs = statementTimeoutMs } = options;
  const connect = { ...options, statementTimeoutMs: longestStatementMs };
  let { isDistributed = false } = options;
  const begin = (further: string[]) => beginStatements({ ...connect, isDistributed }, further);
  const pool = new pg.Pool({
    ...settings(connect),
    max: options.connections,
    idleTimeoutMillis: 60_000,
    // A database that does not respond counts as unavailable.
    query_timeout: longestStatementMs + 1000,
  });
  // Without these listeners, a connection that breaks while idle or while it is handed over would end the process. The
  // pool replaces an idle one; on the other, the first statement fails.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));

  // An account may use half of the connections, so half of them are always left for the other accounts.
  const ofOneAccount = Math.max(1, Math.floor(options.connections / 2));
  const turns = new FairQueue<number>({
    atOnce: options.connections,
    perKey: (key) => (key <= 0 ? options.connections : ofOneAccount),
    mostWaiting,
    mostWaitingPerKey: mostWaitingOfAccount,
    // A job may wait for any time. Requests have their own limits.
    longestWaitMs: Infinity,
    full: 'Too many transactions are waiting for the database already.',
  });

  /** A connection is taken for the first statement, so work before it does not occupy one. */
  async function attempt<T>(key: number, beginning: string[], work: (tx: Tx, last: Last) => Promise<T>): Promise<T> {
    let hasTurn = false;
    let client: pg.PoolClient | undefined;
    let connecting: Promise<pg.PoolClient> | undefined;
    let broken: unknown;
    const noteBroken = (error: Error) => {
      broken = error;
    };
    const start = async () => {
      await turns.enter(key);
      hasTurn = true;
      client = await pool.connect();
      client.on('error', noteBroken);
      // Sent together with the first statement. It fails only if the connection does.
      sendTogether(client);
      for (const statement of beginning) client.query(statement).catch(noteBroken);
      return client;
    };
    let cause: unknown;
    const send = <Row>(connected: pg.PoolClient, strings: TemplateStringsArray, values: unknown[]) => {
      sendTogether(connected);
      const result = runner(connected, !options.isPooled)<Row>(strings, ...values);
      // Results arrive in the order of the statements, so the first error is the cause of those after it.
      result.catch((error) => {
        cause ??= error;
      });
      return result;
    };
    const run: Run = <Row>(strings: TemplateStringsArray, ...values: unknown[]) => {
      if (client) return send<Row>(client, strings, values);
      connecting ??= start();
      return connecting.then((connected) => send<Row>(connected, strings, values));
    };
    const tx = transactionOver(run, {
      now: options.now ? sql`${options.now()}::timestamptz` : databaseTime,
      isOneServer: !isDistributed,
    });
    const unfinished: Promise<unknown>[] = [];
    const last: Last = (statement) => {
      // Awaited below, unless the work fails for another reason.
      statement.catch(() => {});
      unfinished.push(statement);
    };
    try {
      const result = await work(tx, last).catch((error) => {
        throw codeOf(error) === failedBefore ? (cause ?? error) : error;
      });
      // Work that did not wait for its statements can end before the connection is open.
      const connected = client ?? (await connecting);
      // The result is returned after the commit only. The first failed statement is the cause of the error of the commit.
      if (connected) await settled([...unfinished, commit(connected)]);
      // After the commit, a broken connection does not matter.
      return result;
    } catch (error) {
      // A connection that is still opening must be released too.
      await connecting?.catch(() => {});
      if (isDatabaseUnavailable(error)) broken = error;
      else await client?.query('rollback').catch(noteBroken);
      throw error;
    } finally {
      client?.off('error', noteBroken);
      client?.release(broken !== undefined);
      if (hasTurn) turns.leave(key);
    }
  }

  /** If the database was distributed while this process ran, the first transaction with other plans fails. */
  async function transaction<T>(key: number, enter: string[], work: (tx: Tx, last: Last) => Promise<T>): Promise<T> {
    const known = isDistributed;
    try {
      return await attempt(key, begin(enter), work);
    } catch (error) {
      if (known || codeOf(error) !== noSuchPlan) throw error;
      isDistributed ||= (await attempt(keyOfLane.directory, begin([]), kindOf)) === 'distributed';
      if (!isDistributed) throw error;
      return attempt(key, begin(enter), work);
    }
  }

  return {
    transaction: (work, lane = 'directory') => transaction(keyOfLane[lane], [], work),
    tenant: (accountId, work) => transaction(accountId, [enter(accountId)], work),
    ping: async () => {
      const late = pause(pingTimeoutMs, undefined, { ref: false }).then(() => {
        throw new Error('The database does not respond.');
      });
      await Promise.race([pool.query('select 1'), late]);
    },
    pool: () => ({ size: options.connections, busy: turns.running, waiting: turns.waiting }),
    close: () => pool.end(),
  };
}

/** PostgreSQL has no such plan or feature. */
const noSuchPlan = '0A000';

/** The error of a statement after another one of its transaction failed. */
const failedBefore = '25P02';

/**
 * Limits row-level security to this account until the end of the transaction. SET LOCAL is used instead of set_config(),
 * because only SET LOCAL reaches the shards of a distributed PostgreSQL.
 */
function enter(accountId: number): string {
  if (!Number.isSafeInteger(accountId)) throw new TypeError('An account id is an integer.');
  return `set local app.account_id = ${accountId}`;
}

/** Moves the transaction to this account. For a new account, and for work on several accounts. */
export async function enterAccount(tx: Tx, accountId: number): Promise<void> {
  await tx`${raw(enter(accountId))}`;
}

const unavailableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '25006', // standby or read-only
  '58030', // disk error
  '57P01', // shut down by an administrator
  '57P02', // crashed
  '57P03', // starting up or shutting down
  '57014', // statement timeout
]);
/** Connection errors (08) and insufficient resources (53). */
const unavailableClasses = /^(08|53)/;
/** A distributed server lost a node, perhaps at the commit. Its codes are also those of other errors. */
const lostNodeCodes = new Set(['XX000', '58030', '08006']);
const lostNodeErrors =
  /^(connection to the remote node|failure on connection marked as essential|could not commit transaction|could not (receive data from|send data to) server|server closed the connection|no connection to the server|connection not open|postmaster was shut down|failed to COPY|SSL )/;
/** PostgreSQL has no own codes for these. */
const diskErrors = /: (No space left on device|Disk quota exceeded|Read-only file system)$/;

/** Whether a distributed server lost a node. The accounts on other nodes are not concerned. */
export function isNodeLost(error: unknown): boolean {
  return error instanceof Error && lostNodeCodes.has(codeOf(error) ?? '') && lostNodeErrors.test(error.message);
}

/** Whether an error means that the database is unavailable, not that the request is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code === undefined) return isConnectionError(error);
  return (
    unavailableCodes.has(code) || unavailableClasses.test(code) || diskErrors.test(error.message) || isNodeLost(error)
  );
}

/** Whether a statement took too long. Other accounts are not concerned. */
export function isStatementTimeout(error: unknown): boolean {
  return codeOf(error) === '57014' || messageOf(error) === 'Query read timeout';
}

/** Whether a statement waited longer for a lock than `lock_timeout` allows. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

/** Whether the database is unavailable for all accounts, so that background work cannot go on with the next one. */
export function isUnavailableToAll(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !isStatementTimeout(error) && !isNodeLost(error);
}

/** Rows changed between reading and locking. The transaction must be repeated. */
export class Conflict extends Error {
  override name = 'Conflict';
}

const retryableCodes = new Set([
  '23503', // a referenced row was deleted meanwhile
  '23505', // another transaction inserted the key meanwhile
  '40001', // serialization failure
  '40P01', // deadlock
]);

/** Whether PostgreSQL reported an error, so the transaction is rolled back. Otherwise the commit may have succeeded. */
export function isRolledBack(error: unknown): boolean {
  const code = codeOf(error);
  return (
    error instanceof Conflict || (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !isDatabaseUnavailable(error))
  );
}

/** Whether the connection failed, so the commit may or may not have succeeded. The code is not one of PostgreSQL. */
export function isOutcomeUnknown(error: unknown): boolean {
  const code = codeOf(error);
  return isDatabaseUnavailable(error) || (code !== undefined && !/^[0-9A-Z]{5}$/.test(code));
}

/** Whether a distributed server moved the shard while the statement was on its way. It has no own code for this. */
function hasShardMoved(error: unknown): boolean {
  return codeOf(error) === 'XX000' && /^could not find valid entry for shard \d+$/.test(messageOf(error));
}

/** Whether two transactions conflicted. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return error instanceof Conflict || code === '40001' || code === '40P01' || code === '23503' || hasShardMoved(error);
}

/** Whether the transaction can succeed if it is repeated. */
export function isRetryable(error: unknown): boolean {
  return error instanceof Conflict || retryableCodes.has(codeOf(error) ?? '') || hasShardMoved(error);
}

/** Whether a statement failed because a key exists already, or is still referenced. */
export function isViolation(error: unknown, kind: 'unique' | 'foreign key'): boolean {
  return codeOf(error) === (kind === 'unique' ? '23505' : '23503');
}
