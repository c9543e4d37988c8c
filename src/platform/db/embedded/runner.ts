import { execFile, spawnSync } from 'node:child_process';
import { chownSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SetupProblem } from '../../../shared/problem.ts';

/** Runs PostgreSQL's programs as a user that PostgreSQL accepts: ourselves, or an unprivileged user where we are root. */
export interface Runner {
  /** Who that is, where it is not ourselves. */
  otherUser: string | undefined;
  /** Hands a folder that we made to that user. */
  give(folder: string): void;
  /**
   * Writes a file in that user's folder, as that user: root must not follow what somebody may have put in its place.
   */
  write(folder: string, name: string, text: string, how?: 'replace' | 'append'): Promise<void>;
  /** Runs a program on a folder; `folderAs` is that folder in the program's arguments. */
  run(
    program: string,
    folder: string,
    args: (folderAs: string) => string[],
    input?: string,
  ): Promise<{ code: number | string; output: string }>;
  mayRun(program: string): boolean;
}

interface Identity {
  uid: number;
  gid: number;
  user: string;
}

export function chooseRunner(clusterFolder: string): Runner {
  const identity = process.getuid?.() === 0 ? unprivileged(clusterFolder) : undefined;
  const as = identity ? { uid: identity.uid, gid: identity.gid } : {};
  // Nothing of our environment: a stray PGDATA or PGPORT would mislead the server, and our secrets are not its business.
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };
  const may = (path: string) => spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], as).status === 0;

  const run: Runner['run'] = (program, folder, args, input) =>
    new Promise((done) => {
      // Root's folders are often closed to everybody else, and then so is the path to the cluster, though the cluster
      // is the other user's own. The program is put into the folder while we are still root, and finds it again
      // under a name that leads there without passing through the closed ones.
      const folderAs = identity && process.platform === 'linux' && !may(folder) ? '/proc/self/cwd' : folder;
      const options = { ...as, env, cwd: folder, maxBuffer: 16 << 20 };
      const child = execFile(program, args(folderAs), options, (error, stdout, stderr) => {
        done({ code: error?.code ?? (error ? 1 : 0), output: `${stdout}${stderr}`.trim() || (error?.message ?? '') });
      });
      // Input that nobody reads is no reason to fall over.
      child.stdin?.on('error', () => {});
      child.stdin?.end(input ?? '');
    });

  return {
    otherUser: identity?.user,
    give: (folder) => {
      if (identity) chownSync(folder, identity.uid, identity.gid);
    },
    write: async (folder, name, text, how = 'replace') => {
      const script = `umask 077; cat ${how === 'append' ? '>>' : '>'} "$1"`;
      const { code, output } = await run(
        '/bin/sh',
        folder,
        (folderAs) => ['-c', script, 'sh', join(folderAs, name)],
        text,
      );
      if (code !== 0) throw new Error(`${join(folder, name)} can't be written: ${output}`);
    },
    mayRun: may,
    run,
  };
}

/** PostgreSQL refuses to run as root. The owner of what is there goes on; else the customary users are looked for. */
function unprivileged(clusterFolder: string): Identity {
  const owner = ownerOf(clusterFolder);
  if (owner) return owner;
  if (existsSync(clusterFolder)) {
    throw new SetupProblem(
      `The data in ${clusterFolder} belongs to root, and PostgreSQL does not run as root. Give it back to its user: chown -R postgres ${clusterFolder} ` +
        '(or nobody; copy such folders with `cp -a`, which keeps the owner).',
    );
  }
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const entry = users.find(([name]) => name === wanted);
    if (entry && Number(entry[2]) > 0) return { user: wanted, uid: Number(entry[2]), gid: Number(entry[3]) };
  }
  throw new SetupProblem(
    'PostgreSQL does not run as root, and this machine has no user "postgres" or "nobody" to run it as. Start Regulars as an ordinary user, or set DATABASE_URL.',
  );
}

function ownerOf(folder: string): Identity | undefined {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat && stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid, user: `user ${stat.uid}` } : undefined;
}
