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
import { messageOf } from '../../../shared/errors.ts';
import { SetupProblem } from '../../../shared/problem.ts';
import type { Binaries } from './binaries.ts';
import { isAlive } from './process.ts';
import type { Runner } from './runner.ts';

/** The name of the database and the role of the service. The role is ordinary, so row-level security applies to it. */
export const serviceRole = 'regulars';
const secretFile = 'regulars.secret';
/** The service does not use it. It is for the operator. */
const superuserSecretFile = 'superuser.secret';

/** Creates the folder if needed. Throws with the reason if it cannot be written to. */
export function prepareFolder(dataDir: string): void {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new SetupProblem(
      `DATA_DIR ${dataDir} can't be written to (${messageOf(error)}). Choose another folder, or change its owner.`,
    );
  }
}

/** Node's recursive mkdir never returns on a file system that responds ENOENT to every new name, such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(path)) throw error;
  }
}

/** Throws unless the programs have the major version that made the cluster. */
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
 * Creates a cluster in a temporary folder and renames it when it is complete, so that a crash or a second process never
 * leaves an incomplete one. The secrets are inside, so they always match the cluster.
 */
export async function createCluster(cluster: string, binaries: Binaries, runner: Runner): Promise<void> {
  deleteLeftovers(cluster);
  if (existsSync(cluster) && readdirSync(cluster).length > 0) {
    throw new SetupProblem(`${cluster} is not empty and holds no database. Move it away, or choose another DATA_DIR.`);
  }
  const draft = mkdtempSync(`${cluster}.new-${process.pid}-`);
  const secret = randomBytes(32).toString('base64url');
  const superuserSecret = randomBytes(32).toString('base64url');
  try {
    runner.give(draft);
    const major = await majorVersion(draft, binaries, runner);
    // The built-in locale sorts the same on every machine. The locale of the operating system can change with an upgrade.
    const locale =
      major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'] : ['--locale=C.UTF-8'];
    const initdb = (folder: string) => ['-D', folder, '-U', 'postgres', '-E', 'UTF8', '-A', 'reject', ...locale];
    await mustSucceed(runner.run(binaries.initdb, draft, initdb));
    // Single-user mode: the roles have their secrets before anyone can connect.
    const statements = [
      `alter role postgres password '${superuserSecret}'`,
      `create role ${serviceRole} login password '${secret}'`,
      `create database ${serviceRole} owner ${serviceRole}`,
    ];
    const single = (folder: string) => ['--single', '-D', folder, '-c', 'exit_on_error=true', 'postgres'];
    await mustSucceed(runner.run(binaries.postgres, draft, single, `${statements.join('\n')}\n`));
    await runner.write(draft, superuserSecretFile, superuserSecret);
    await runner.write(draft, secretFile, secret);
    await runner.write(draft, 'pg_hba.conf', 'host all all 127.0.0.1/32 scram-sha-256\n');
    await runner.write(draft, 'postgresql.conf', `\ninclude_if_exists = '${settingsFile}'\n`, 'append');
    for (const name of [superuserSecretFile, secretFile, 'pg_hba.conf', 'postgresql.conf', '.'])
      sync(join(draft, name));
    renameSync(draft, cluster);
    sync(dirname(cluster));
  } catch (error) {
    // Another process created the cluster meanwhile.
    if (existsSync(join(cluster, 'PG_VERSION'))) return;
    if (error instanceof SetupProblem) throw error;
    throw new SetupProblem(`A database can't be made in ${dirname(cluster)}: ${messageOf(error)}`);
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
    // The detail and the statement of an error can contain a guest's data, so they are not logged.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...extra,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
  await runner.write(cluster, settingsFile, `# Written by Regulars at each start.\n${lines.join('\n')}\n`);
}

/** The memory of the machine, or of the container if that is less (0: unknown), in bytes. */
const availableMemory = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** An eighth: PostgreSQL also uses the file cache of the system, and other programs need memory. */
export function sharedBuffers(memory = availableMemory()): string {
  return `${Math.min(Math.max(Math.round(memory / 2 ** 23), 128), 4096)}MB`;
}

export function readSecret(cluster: string): string {
  try {
    return readFileSync(join(cluster, secretFile), 'utf8').trim();
  } catch (error) {
    throw new SetupProblem(
      `The database's secret can't be read: ${messageOf(error)}. Run this as the user who runs the service (or as root).`,
    );
  }
}

async function mustSucceed(running: ReturnType<Runner['run']>): Promise<void> {
  const { code, output } = await running;
  if (code !== 0) throw new Error(output.split('\n').slice(-8).join('\n'));
}

/** Flushes a file or folder to the disk. */
function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Deletes the temporary folders of killed starts. In a container this process can have the same pid as a killed one. */
function deleteLeftovers(cluster: string): void {
  const folder = dirname(cluster);
  for (const name of readdirSync(folder)) {
    const pid = Number(/^postgres\.new-(\d+)-/.exec(name)?.[1]);
    if (pid > 0 && (pid === process.pid || !isAlive(pid))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
