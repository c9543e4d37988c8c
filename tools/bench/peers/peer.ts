import { randomBytes } from 'node:crypto';
import pg from 'pg';

export type Say = (text: string) => void;

export interface Peer {
  name: string;
  version: string;
  /** Does nothing where it is installed already. Throws a sentence where it can't be. */
  install(say: Say): Promise<void>;
  /** On a database of its own, in the server that the superuser's connection string leads to. */
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
  /** The nth request's body. No n comes twice to a running peer. */
  body(n: number): string;
  /** Throws when the answer to the nth request is wrong. */
  check(n: number, status: number, body: string): void;
}

/** What is to be undone at the end, the last first; each is tried, whatever becomes of the others. */
export type Undo = (() => Promise<unknown>)[];

/** Whatever was begun is undone when it stops, and as well when it fails half-way. */
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
  /** As the peer's own role, which owns the database. */
  url: string;
  host: string;
  port: string;
  user: string;
  password: string;
  /** Runs SQL as that role. */
  run(sql: string): Promise<void>;
}

/**
 * An empty database with an ordinary role that owns it, as anybody would give to a program; and roles that it can act
 * as, which can't log in themselves.
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
  // One that an interrupted run left behind.
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

/** One after the other, each on its own: a database can't be made or dropped within a transaction. */
async function run(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Codes to redeem. */
export const codes = 500_000;
/** Shares no divisor with that, so that steps of it come to every code, and to none twice. */
const stride = 377_441;
export const codeOf = (n: number) => `W${1 + ((n * stride) % codes)}`;

/** A guest that nobody has seen before, as the benchmark of ours sends one. */
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
