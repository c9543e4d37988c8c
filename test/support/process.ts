import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { adminToken, type CallOptions, type TestApp } from './app.ts';
import { connectTo } from './database.ts';
import { endAfterwards, temporaryFolder } from './leftovers.ts';
import { freePort } from './port.ts';

export const isRoot = process.getuid?.() === 0;
/** An ordinary user, for the tests that root runs as one. */
export const nobody = 65_534;

export interface Running {
  child: ChildProcess;
  url: string;
  dataDir: string;
  env: Record<string, string>;
  output(): string;
  /** Waits for the end, and gives the exit code. */
  ended: Promise<number | string>;
  stop(signal?: NodeJS.Signals): Promise<number | string>;
  admin(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }>;
}

export interface StartOptions {
  dataDir?: string;
  env?: Record<string, string>;
  command?: string[];
  cwd?: string;
  uid?: number;
}

/** Starts a real service process; does not wait for anything. */
export async function launch(options: StartOptions = {}): Promise<Running> {
  const dataDir = options.dataDir ?? join(temporaryFolder(), 'data');
  const port = await freePort();
  const env = { DATA_DIR: dataDir, PORT: String(port), ADMIN_TOKEN: adminToken, ...options.env };
  const [program = 'node', ...args] = options.command ?? ['node', 'dist/main.js'];
  const child = spawn(program, args, {
    cwd: options.cwd ?? process.cwd(),
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', ...env },
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  endAfterwards(child);
  const ended = new Promise<number | string>((done) =>
    child.once('close', (code, signal) => done(code ?? signal ?? 'unknown')),
  );
  const url = `http://127.0.0.1:${env.PORT}`;
  return {
    child,
    url,
    dataDir,
    env,
    output: () => output,
    ended,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
    admin: async (method, path, body) => {
      const response = await fetch(`${url}/admin/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${adminToken}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return {
        status: response.status,
        headers: response.headers,
        body: response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>),
      };
    },
  };
}

/** Starts a service process and waits until it is healthy. */
export async function start(options: StartOptions = {}): Promise<Running> {
  const service = await launch(options);
  await healthy(service);
  return service;
}

export async function healthy(service: Running, seconds = 90): Promise<void> {
  let over = false;
  void service.ended.then(() => (over = true));
  const deadline = Date.now() + seconds * 1000;
  while (!(await isHealthy(service))) {
    if (over || Date.now() > deadline) expect.fail(`The service is not healthy. It printed:\n${service.output()}`);
    await pause(50);
  }
}

export async function isHealthy(service: Running): Promise<boolean> {
  try {
    return (await fetch(`${service.url}/health`)).status === 200;
  } catch {
    return false;
  }
}

/** The requests of `TestApp`, sent to a service in another process. */
export function clientOf(service: Running): Pick<TestApp, 'account' | 'admin' | 'call'> {
  const call = async (method: string, path: string, { token, body, headers = {} }: CallOptions = {}) => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      body: isJson ? JSON.parse(text) : text,
      headers: Object.fromEntries(response.headers),
    };
  };
  const admin = (method: string, path: string, body?: unknown) =>
    call(method, `/admin/v1${path}`, { token: adminToken, ...(body === undefined ? {} : { body }) });
  const account = async (name: string) => {
    const { body: made } = await admin('POST', '/accounts', { name });
    const { body: token } = await admin('POST', `/accounts/${made.id}/tokens`, { name: 'test' });
    return { ...made, token: token.token, token_id: token.id };
  };
  return { account: account as TestApp['account'], admin, call };
}

/** The address of the service's embedded server, for its superuser. */
export function superuserUrl({ dataDir }: Running): string {
  const file = (name: string) => readFileSync(join(dataDir, 'postgres', name), 'utf8');
  return `postgres://postgres:${file('superuser.secret')}@127.0.0.1:${file('postmaster.pid').split('\n')[3]}/regulars`;
}

/** A superuser connection to the service's embedded server. */
export function connectAsSuperuser(service: Running) {
  return connectTo(superuserUrl(service));
}

export function postmasterPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

export function postgresRuns(dataDir: string): boolean {
  return existsSync(join(dataDir, 'postgres', 'postmaster.pid'));
}

export function regulars(
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn('node', ['dist/cli/regulars.js', ...args], { env: { PATH: process.env.PATH ?? '', ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((done) => child.once('close', (code) => done({ code, stdout, stderr })));
}

/** The temporary files beside a file that is being written. */
export function partsOf(file: string): string[] {
  const isPart = (name: string) => name.startsWith(`${basename(file)}.`) && name.endsWith('.part');
  return readdirSync(dirname(file))
    .filter(isPart)
    .map((name) => join(dirname(file), name));
}

/** Copies an installation: the compiled code, the migrations and the production packages. */
export function copyProject(to: string): string {
  mkdirSync(to, { recursive: true });
  for (const name of ['package.json', 'dist', 'migrations']) cpSync(resolve(name), join(to, name), { recursive: true });
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { dev?: boolean }> };
  for (const [path, { dev }] of Object.entries(lock.packages)) {
    if (path === '' || dev || !existsSync(path)) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(resolve(path), join(to, path), { recursive: true, verbatimSymlinks: true });
  }
  return to;
}
