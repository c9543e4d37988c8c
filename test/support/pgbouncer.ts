import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { endAfterwards, temporaryFolder } from './leftovers.ts';
import { freePort } from './port.ts';
import { isRoot, nobody } from './process.ts';

/** Debian installs it where only root looks for programs. */
export const pgbouncerPath = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync);

export interface PgBouncer {
  /** The same database, through the pooler. */
  through(url: string): string;
  output(): string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** PgBouncer in transaction mode in front of the server of this URL. `more` are further lines of its settings. */
export async function startPgbouncer(serverUrl: string, more: string[] = []): Promise<PgBouncer> {
  const folder = temporaryFolder();
  const server = new URL(serverUrl);
  const port = await freePort();
  const users = join(folder, 'users.txt');
  // The passwords with which PgBouncer itself connects to the server.
  writeFileSync(users, `"${server.username}" "${decodeURIComponent(server.password)}"\n`);
  const settings = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = plain'],
    ...[`auth_file = ${users}`, 'pool_mode = transaction', 'default_pool_size = 5', 'max_client_conn = 200'],
    ...more,
  ];
  writeFileSync(settings, lines.join('\n'));
  let child: ChildProcess;
  let output = '';
  const start = async () => {
    const ids = isRoot ? { uid: nobody, gid: nobody } : {};
    child = spawn(pgbouncerPath ?? '', [settings], { ...ids, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    endAfterwards(child);
    while (!(await accepts(port))) {
      if (child.exitCode !== null) expect.fail(`PgBouncer ended. It printed:\n${output}`);
      await pause(20);
    }
  };
  await start();
  return {
    start,
    output: () => output,
    through: (url) => {
      const address = new URL(url);
      address.host = `127.0.0.1:${port}`;
      return address.href;
    },
    kill: async () => {
      const ended = new Promise((done) => child.once('close', done));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.end() && done(true));
    socket.once('error', () => done(false));
  });
}
