import { randomInt } from 'node:crypto';
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { codeOf } from '../../../shared/errors.ts';
import { SetupProblem } from '../../../shared/problem.ts';

export interface Postmaster {
  pid: number;
  port: number;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * The running server of this cluster, from its pid file. After a crash the pid can belong to another program (often in a
 * container) or to a zombie. PostgreSQL would refuse to start, so the file is removed.
 */
export function runningPostmaster(cluster: string): Postmaster | undefined {
  const file = join(cluster, 'postmaster.pid');
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined;
  if (isOtherProgram(pid, cluster)) {
    rmSync(file, { force: true });
    return undefined;
  }
  return Number.isInteger(port) && port > 0 ? { pid, port } : undefined;
}

/** Whether the process is another program, the server of another cluster, or a zombie (without an init process). */
function isOtherProgram(pid: number, cluster: string): boolean {
  try {
    // "123 (postgres) S 1 …": the name is in brackets, the state follows.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const state = stat.slice(stat.lastIndexOf(')') + 2)[0];
    if (state === 'Z' || !stat.includes('(postgres')) return true;
    // The working directory of a server is its cluster.
    return readlinkSync(`/proc/${pid}/cwd`) !== realpathSync(cluster);
  } catch {
    // There is no /proc, or it is not readable. The first connection will show it.
    return false;
  }
}

/** Below the range of ports for outgoing connections, so that the port is free when the server restarts. */
const lowestPort = 20_000;
const highestPort = 29_999;

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(lowestPort, highestPort + 1);
    if (await isFree(port)) return port;
  }
  throw new SetupProblem(
    `No port between ${lowestPort} and ${highestPort} is free on 127.0.0.1 for the embedded PostgreSQL.`,
  );
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', () => done(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)));
  });
}
