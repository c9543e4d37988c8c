import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { SetupProblem } from '../../../shared/problem.ts';
import type { Binaries } from './binaries.ts';
import { isAlive } from './process.ts';
import type { Runner } from './runner.ts';

/** The database and the role that the service uses; the role is ordinary, so row-level security binds it. */
export const serviceRole = 'regulars';
const secretFile = 'regulars.secret';
/** The service has no use for this one; it is the operator's, for the day it is needed. */
const superuserSecretFile = 'superuser.secret';

/** Makes sure that the folder exists and can be written to, or says what is in the way. */
export function prepareFolder(dataDir: string): void {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new SetupProblem(
      `DATA_DIR ${dataDir} can't be written to (${(error as Error).message}). Choose another folder, or change its owner.`,
    );
  }
}

/** Node's own recursive mkdir never comes back where a file system says "no such file" to every new name, as /proc does. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have been quicker.
    if (!existsSync(path)) throw error;
  }
}

/** The major version of the programs must be the one that made the cluster. */
export async function checkVersion(cluster: string, binaries: Binaries, runner: Runner): Promise<void> {
  const made = Number(readFileSync(join(cluster, 'PG_VERSION'), 'utf8'));
  const ours = await majorVersion(cluster, binaries, runner);
  if (made !== ours) {
    throw new SetupProblem(
      `The data in ${cluster} was made by PostgreSQL ${made}, and this Regulars brings PostgreSQL ${ours}. Nothing was changed. ` +
        `Start the Regulars version that made it, or point DATABASE_URL at a PostgreSQL ${made} that serves this data.`,
    );
  }
}

async function majorVersion(folder: string, binaries: Binaries, runner: Runner): Promise<number> {
  const { code, output } = await runner.run(binaries.postgres, folder, () => ['--version']);
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(output)?.[1]);
  if (code === 0 && major > 0) return major;
  throw new SetupProblem(
    `The embedded PostgreSQL does not run on this machine: ${output}\nSet DATABASE_URL to a PostgreSQL 15 or newer instead.`,
  );
}

/**
 * Makes a new cluster beside its final place and moves it there in one step, so that a crash half-way, or a second
 * process doing the same, never leaves a half-made one. The secrets lie inside, so they can't come apart from it.
 */
export async function createCluster(cluster: string, binaries: Binaries, runner: Runner): Promise<void> {
  sweepLeftovers(cluster);
  if (existsSync(cluster) && readdirSync(cluster).length > 0) {
    throw new SetupProblem(`${cluster} is not empty and holds no database. Move it away, or choose another DATA_DIR.`);
  }
  const draft = mkdtempSync(`${cluster}.new-${process.pid}-`);
  const secret = randomBytes(32).toString('base64url');
  const superuserSecret = randomBytes(32).toString('base64url');
  try {
    runner.give(draft);
    const major = await majorVersion(draft, binaries, runner);
    // The built-in locale sorts alike on every machine; the operating system's would change under an upgrade.
    const locale =
      major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'] : ['--locale=C.UTF-8'];
    const initdb = (folder: string) => ['-D', folder, '-U', 'postgres', '-E', 'UTF8', '-A', 'reject', ...locale];
    await succeed(runner.run(binaries.initdb, draft, initdb));
    // Single-user mode: the roles have their secrets and the database is there before anybody can connect.
    const statements = [
      `alter role postgres password '${superuserSecret}'`,
      `create role ${serviceRole} login password '${secret}'`,
      `create database ${serviceRole} owner ${serviceRole}`,
    ];
    const single = (folder: string) => ['--single', '-D', folder, '-c', 'exit_on_error=true', 'postgres'];
    await succeed(runner.run(binaries.postgres, draft, single, `${statements.join('\n')}\n`));
    await runner.write(draft, superuserSecretFile, superuserSecret);
    await runner.write(draft, secretFile, secret);
    await runner.write(draft, 'pg_hba.conf', 'host all all 127.0.0.1/32 scram-sha-256\n');
    await runner.write(draft, 'postgresql.conf', `\ninclude_if_exists = '${settingsFile}'\n`, 'append');
    for (const name of [superuserSecretFile, secretFile, 'pg_hba.conf', 'postgresql.conf', '.'])
      sync(join(draft, name));
    renameSync(draft, cluster);
    sync(dirname(cluster));
  } catch (error) {
    // Somebody else was quicker: theirs is as good as ours.
    if (existsSync(join(cluster, 'PG_VERSION'))) return;
    if (error instanceof SetupProblem) throw error;
    throw new SetupProblem(`A database can't be made in ${dirname(cluster)}: ${(error as Error).message}`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const settingsFile = 'regulars.conf';

/** Written before each start, so that the settings are those of this version and not of the one that made the cluster. */
export async function writeSettings(
  cluster: string,
  runner: Runner,
  port: number,
  extra: Record<string, string>,
): Promise<void> {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(port),
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    max_connections: '100',
    shared_buffers: sharedBuffers(),
    max_wal_size: '2GB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    // An error's detail and statement may hold a guest's data; the log is not the place for it.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...extra,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
  await runner.write(cluster, settingsFile, `# Written by Regulars at each start.\n${lines.join('\n')}\n`);
}

/** The machine's memory, or the container's where that is less (0: unknown), in bytes. */
const memoryForUs = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** An eighth: PostgreSQL goes by the system's cache of files as well, and is not alone on the machine. */
export function sharedBuffers(memory = memoryForUs()): string {
  return `${Math.min(Math.max(Math.round(memory / 2 ** 23), 128), 4096)}MB`;
}

export function readSecret(cluster: string): string {
  try {
    return readFileSync(join(cluster, secretFile), 'utf8').trim();
  } catch (error) {
    throw new SetupProblem(
      `The database's secret can't be read: ${(error as Error).message}. Run this as the user who runs the service (or as root).`,
    );
  }
}

async function succeed(running: ReturnType<Runner['run']>): Promise<void> {
  const { code, output } = await running;
  if (code !== 0) throw new Error(output.split('\n').slice(-8).join('\n'));
}

/** On the disk, not only on its way there. */
function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** What earlier starts that were killed half-way left behind. In a container our own pid may be theirs. */
function sweepLeftovers(cluster: string): void {
  const folder = dirname(cluster);
  for (const name of readdirSync(folder)) {
    const pid = Number(/^postgres\.new-(\d+)-/.exec(name)?.[1]);
    if (pid > 0 && (pid === process.pid || !isAlive(pid))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
