import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

export interface Postmaster {
  pid: number;
  port: number;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * The server that runs on this cluster, from its own pid file. After a crash the pid may meanwhile be another
 * program's (in a container it often is), or be a zombie's: PostgreSQL would then refuse to start, so such a file is removed.
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
  if (isNoServer(pid)) {
    rmSync(file, { force: true });
    return undefined;
  }
  return Number.isInteger(port) && port > 0 ? { pid, port } : undefined;
}

/** Another program, or a dead process that nobody has collected yet (where there is no init to do it). */
function isNoServer(pid: number): boolean {
  try {
    // "123 (postgres) S 1 …": the name is in brackets, the state follows.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const state = stat.slice(stat.lastIndexOf(')') + 2)[0];
    return state === 'Z' || !stat.includes('(postgres');
  } catch {
    // No /proc here: PostgreSQL's own check has the last word.
    return false;
  }
}

export function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => found(port));
    });
  });
}
