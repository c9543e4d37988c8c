import { randomBytes } from 'node:crypto';
import pg from 'pg';

export type Say = (text: string) => void;

export interface Peer {
  name: string;
  version: string;
  /** Installs the peer if necessary. Throws an error with a message if that fails. */
  install(say: Say): Promise<void>;
  /** Starts the peer with its own database on the given server. */
  start(database: { superuser: string }, say: Say): Promise<RunningPeer>;
}

export interface RunningPeer {
  contact: Ask;
  redeem: Ask;
  pids(): number[];
  /** Ends its processes and drops its database. */
  stop(): Promise<void>;
}

export interface Ask {
  url: string;
  method?: 'POST' | 'PATCH';
  path: string | ((n: number) => string);
  headers: Record<string, string>;
  /** The body of the nth request. Each `n` is used once. */
  body(n: number): string;
  /** Throws if the response to the nth request is wrong. */
  check(n: number, status: number, body: string): void;
}

/** The clean-up steps, run in reverse order. A failed step does not stop the others. */
export type Undo = (() => Promise<unknown>)[];

/** Runs the clean-up at the end and after a failure. */
export async function starting(work: (undo: Undo) => Promise<Omit<RunningPeer, 'stop'>>): Promise<RunningPeer> {
  const undo: Undo = [];
  const stop = async () => {
    const failures: unknown[] = [];
    for (const step of undo.splice(0).reverse()) await step().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  try {
    return { ...(await work(undo)), stop };
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
}

export interface PeerDatabase {
  name: string;
  /** The URL with the peer's role, which owns the database. */
  url: string;
  host: string;
  port: string;
  user: string;
  password: string;
  /** Runs SQL as that role. */
  run(sql: string): Promise<void>;
}

/**
 * Creates an empty database, a role that owns it, and roles without login that it can switch to.
 */
export async function newDatabase(
  superuser: string,
  name: string,
  undo: Undo,
  roles: string[] = [],
): Promise<PeerDatabase> {
  const password = randomBytes(16).toString('hex');
  const gone = [name, ...roles].map((role) => `drop role if exists ${role}`);
  const drop = () => run(superuser, [`drop database if exists ${name} with (force)`, ...gone]);
  // Drop the leftovers of an interrupted run.
  await drop();
  undo.push(drop);
  await run(superuser, [
    `create role ${name} login password '${password}'`,
    ...roles.flatMap((role) => [`create role ${role} nologin`, `grant ${role} to ${name}`]),
    `create database ${name} owner ${name}`,
  ]);
  const url = new URL(superuser);
  Object.assign(url, { username: name, password, pathname: `/${name}` });
  return {
    ...{ name, url: url.href, host: url.hostname, port: url.port, user: name, password },
    run: (sql) => run(url.href, [sql]),
  };
}

/** Runs the statements without a transaction, because CREATE and DROP DATABASE require it. */
async function run(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The number of codes. */
export const codes = 500_000;
/** Coprime to the number of codes, so that steps of it reach each code once. */
const stride = 377_441;
export const codeOf = (n: number) => `W${1 + ((n * stride) % codes)}`;

/** A new contact, as in our rows. */
export const guest = (n: number) => ({
  email: `guest${n}@gmail.com`,
  mobile_number: `4477${String(n).padStart(8, '0')}`,
  first_name: 'Ana',
  last_name: 'Silva',
  source_id: 1,
  allow_email: true,
  unit_id: 1,
  group_id: 1,
});
