import postgres from 'postgres';

/** A transaction: the required first argument of every store function. */
export type Tx = postgres.TransactionSql<Parsed>;

type Parsed = { bigint: number };

export interface Database {
  /** A transaction on the directory (accounts, users). Tenant tables look empty in it. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** A transaction in which row-level security shows one account's rows and no others. */
  tenant<T>(accountId: number, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** One round trip; throws when the database is away. */
  ping(): Promise<void>;
  pool(): { size: number; busy: number; waiting: number };
  close(): Promise<void>;
}

export interface ConnectOptions {
  url: string;
  /** A role to take on at connect, where the login role could bypass row-level security. */
  role?: string | undefined;
  connections?: number;
  applicationName?: string;
  onClose?: () => void;
}

/** The one place that says how we speak to PostgreSQL. */
export function connect(options: ConnectOptions): postgres.Sql<Parsed> {
  return postgres(options.url, {
    max: options.connections ?? 1,
    connect_timeout: 10,
    // A database that comes back is used again within a fraction of a second, not after a growing pause.
    backoff: () => 0.1 + Math.random() * 0.1,
    onnotice: () => {},
    ...(options.onClose ? { onclose: options.onClose, max_lifetime: null } : {}),
    connection: {
      application_name: options.applicationName ?? 'regulars',
      TimeZone: 'UTC',
      ...(options.role === undefined ? {} : { role: options.role }),
    },
    types: {
      // Our ids stay far below 2^53.
      bigint: { to: 20, from: [20], serialize: String, parse: Number },
      // Wall-clock values have no zone, and a Date would invent one.
      wallClock: { to: 1114, from: [1114, 1082], serialize: String, parse: String },
    },
  }) as unknown as postgres.Sql<Parsed>;
}

export function openPool(options: ConnectOptions & { connections: number }): Database {
  const sql = connect(options);
  let inFlight = 0;

  async function transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    inFlight++;
    try {
      return (await sql.begin((tx) => work(tx))) as T;
    } finally {
      inFlight--;
    }
  }

  return {
    transaction,
    tenant: (accountId, work) =>
      transaction(async (tx) => {
        // Not awaited first: it travels with the work's own first statement, in order, in one packet.
        const [, result] = await Promise.all([enterAccount(tx, accountId), work(tx)]);
        return result;
      }),
    ping: async () => {
      await sql`select 1`;
    },
    pool: () => ({
      size: options.connections,
      busy: Math.min(inFlight, options.connections),
      waiting: Math.max(0, inFlight - options.connections),
    }),
    close: () => sql.end({ timeout: 5 }),
  };
}

/**
 * From here to the end of the transaction, row-level security shows this account's rows alone.
 * A plain SET LOCAL and not set_config(): only the former reaches the shards of a distributed PostgreSQL.
 */
export async function enterAccount(tx: Tx, accountId: number): Promise<void> {
  if (!Number.isSafeInteger(accountId)) throw new TypeError('An account id is an integer.');
  await tx.unsafe(`set local app.account_id = ${accountId}`);
}

const awayCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '53300', // too many connections
  '57P01', // shut down by an administrator
  '57P02', // crashed
  '57P03', // starting up or shutting down
]);

/** Whether an error says that the database can't be reached just now, rather than that something is wrong with the request. */
export function isDatabaseAway(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && (awayCodes.has(code) || code.startsWith('08'));
}

/** The name of the unique or foreign-key constraint that an error is about. */
export function violated(error: unknown, kind: 'unique' | 'foreign key'): boolean {
  return (error as { code?: unknown } | null)?.code === (kind === 'unique' ? '23505' : '23503');
}
