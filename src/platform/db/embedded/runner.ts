import { execFile, spawnSync } from 'node:child_process';
import { chownSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SetupProblem } from '../../../shared/problem.ts';

/** Runs the PostgreSQL programs as the current user, or as an unprivileged user if that is root. */
export interface Runner {
  /** The name of that user, if it is not the current one. */
  otherUser: string | undefined;
  /** Changes the owner of a folder to that user. */
  give(folder: string): void;
  /** Writes a file as that user. Root must not follow a symbolic link that the user may have put there. */
  write(folder: string, name: string, text: string, how?: 'replace' | 'append'): Promise<void>;
  /** Runs a program on a folder. `folderAs` is the path of the folder for its arguments. */
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
  // The environment is not inherited: PGDATA or PGPORT would change the server, and secrets do not belong there.
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };
  const may = (path: string) => spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], as).status === 0;

  const run: Runner['run'] = (program, folder, args, input) =>
    new Promise((done) => {
      // The cluster belongs to the other user, but a folder above it may be readable by root only. The working directory is
      // set while the process is still root, and /proc/self/cwd leads there without the folders above.
      const folderAs = identity && process.platform === 'linux' && !may(folder) ? '/proc/self/cwd' : folder;
      const options = { ...as, env, cwd: folder, maxBuffer: 16 << 20 };
      const child = execFile(program, args(folderAs), options, (error, stdout, stderr) => {
        done({ code: error?.code ?? (error ? 1 : 0), output: `${stdout}${stderr}`.trim() || (error?.message ?? '') });
      });
      // A program may end without reading its input.
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

/** PostgreSQL refuses to run as root. Uses the owner of an existing cluster, or else one of the usual users. */
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
