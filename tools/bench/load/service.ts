import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './port.ts';
import type { Machine } from './usage.ts';

/** The used fields of admin API responses. Each response has some of them. */
interface AdminAnswer {
  id: number;
  token: string;
  waiting: number;
  created: number;
  redeemed: number;
}

export interface Service {
  url: string;
  /** The URL of the embedded server with the service's role. pgbench uses the same database. */
  database: string;
  /** The same with the superuser. */
  superuser: string;
  /** The log file of the embedded server. */
  serverLog: string;
  /** The process ids for memory and CPU time. */
  machine: Machine;
  admin(method: string, path: string, body?: unknown): Promise<AdminAnswer>;
  stop(): Promise<void>;
}

export const adminToken = 'the-admin-token-of-the-benchmark';

/** Starts a process in its own group, which Ctrl-C does not reach. The caller must stop it. */
export const ownProcessGroup = { detached: true };

/** Starts a service with the embedded PostgreSQL in an empty folder, with `fsync` on. */
export async function startService(env: Record<string, string> = {}, where: How = {}): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'regulars-bench-'));
  const own = await startProcess({ DATA_DIR: join(folder, 'data'), ...env }, where);
  const file = (name: string) => readFileSync(join(folder, 'data', 'postgres', name), 'utf8').trim();
  const as = (role: string, secret: string) =>
    `postgres://${role}:${file(secret)}@127.0.0.1:${file('postmaster.pid').split('\n')[3]}/regulars`;
  return {
    url: own.url,
    database: as('regulars', 'regulars.secret'),
    superuser: as('postgres', 'superuser.secret'),
    serverLog: join(folder, 'data', 'postgres', 'server.log'),
    machine: { servicePids: [own.pid], postmaster: Number(file('postmaster.pid').split('\n')[0]) },
    admin: (method, path, body) => askAdmin(own.url, method, path, body),
    stop: async () => {
      await own.end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function askAdmin(url: string, method: string, path: string, body?: unknown): Promise<AdminAnswer> {
  const response = await fetch(`${url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  // A deletion has no body.
  return JSON.parse((await response.text()) || '{}') as AdminAnswer;
}

export interface Process {
  url: string;
  pid: number;
  /** Waits for the exit of the process. Returns the exit code, or null after a signal. */
  ended: Promise<number | null>;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** The start options: see `ownProcessGroup`, the arguments of `node`, and the folder of another build. */
export interface How {
  detached?: boolean;
  nodeArguments?: string[];
  folder?: string;
}

/** Starts one process of the service and waits until it is healthy. */
export async function startProcess(
  env: Record<string, string>,
  { detached = false, nodeArguments = [], folder = '.' }: How = {},
): Promise<Process> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child: ChildProcess = spawn('node', [...nodeArguments, 'dist/main.js'], {
    env: {
      ...{ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/' },
      ...{
        PORT: String(port),
        ADMIN_TOKEN: adminToken,
        EMAIL_DOMAIN_CHECK: 'list',
        RATE_LIMIT_PER_MINUTE: '0',
        ...env,
      },
    },
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: folder,
    detached,
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  for (let tries = 0; !(await healthy(url)); tries++) {
    if (tries > 600 || child.exitCode !== null) {
      child.kill('SIGKILL');
      throw new Error('The service did not start.');
    }
    await pause(100);
  }
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

async function healthy(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    (response) => response.ok,
    () => false,
  );
}

/** For work without an API: filling tables and counting rows. */
export async function asSuperuser<T>(
  { superuser }: { superuser: string },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: superuser });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
