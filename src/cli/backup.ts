import { createReadStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Command } from 'commander';
import { Reader, Unreadable } from '../platform/db/backup/format.ts';
import { divideMigrations, restore } from '../platform/db/backup/restore.ts';
import { type Summary, schemaOf, takeBackup } from '../platform/db/backup/take.ts';
import { type CopyConnection, openCopyConnection } from '../platform/db/connection.ts';
import { isDatabaseUnavailable } from '../platform/db/database.ts';
import { knownMigrations } from '../platform/db/migrate.ts';
import type { OpenDatabase } from '../platform/db/open/open.ts';
import { messageOf } from '../shared/errors.ts';
import { SetupProblem } from '../shared/problem.ts';
import { textIn } from '../shared/record.ts';
import { recordCommand } from './audit-trail.ts';
import { writeFileAtomically } from './files.ts';
import { endBar, Progress } from './progress.ts';
import { print, withDatabase } from './run.ts';

/** The file name for standard output or input. */
const standard = '-';
/** A backup contains every guest's data, so only its owner may read it. */
const ownerOnly = 0o600;
/** Level 6 takes twice as long for a file that is a tenth smaller. */
const compression = { level: 3 };

/** The commands backup and restore. */
export function backupCommands(program: Command): void {
  program
    .command('backup <file>')
    .description(
      'write the whole database to a file, also while the service runs; - writes to standard output. Keep the file safe: it contains every guest’s data',
    )
    .option('--json', 'print JSON')
    .action(async (file: string, options: { json?: boolean }) => {
      if (file === standard && process.stdout.isTTY)
        throw new SetupProblem(
          'A backup can’t be written to a terminal. Name a file, or use a pipe: regulars backup - | …',
        );
      const begin = Date.now();
      let bytes = 0;
      const count = (size: number) => {
        bytes += size;
      };
      const summary = await withDatabase({ migrate: 'none', mayCreate: false }, async (database, interrupted) => {
        await recordBackup(database);
        return withCopyConnection(database, interrupted, (connection) =>
          takeBackup(
            connection,
            database.connect,
            (text) => writeBackup(file, text, count, interrupted),
            showProgress(),
          ),
        );
      });
      const seconds = (Date.now() - begin) / 1000;
      const sentence = `${describe(summary)} are in ${file === standard ? 'the backup' : file} (${size(bytes)}, ${seconds.toFixed(1)} s).`;
      // Standard output can be the backup itself, so the message goes to stderr.
      if (file === standard) printToStderr(sentence);
      else print(options.json ? { file, bytes, seconds, ...summary } : sentence, options);
    });

  program
    .command('restore <file>')
    .description('fill an empty database from a backup, before the service’s first start on it; - reads standard input')
    .option('--json', 'print JSON')
    .action(async (file: string, options: { json?: boolean }) => {
      const begin = Date.now();
      const { header, summary } = await openBackup(file, async (reader, stopReading) => {
        const header = await reader.header();
        // Check the file before a database is created.
        divideMigrations(header);
        const summary = await withDatabase({ migrate: 'none', mayCreate: true }, (database, interrupted) => {
          interrupted.addEventListener('abort', stopReading);
          return withCopyConnection(database, interrupted, (connection) =>
            restore(
              connection,
              database.connect,
              { header, reader },
              { progress: showProgress(), say: printToStderr, finish: (tx) => recordCommand(tx, null, {}) },
            ),
          );
        });
        return { header, summary };
      });
      const seconds = (Date.now() - begin) / 1000;
      const { taken_at, regulars } = header;
      const sentence = `${describe(summary)} were restored, as they were at ${taken_at} (${seconds.toFixed(1)} s). Start the service with the same settings.`;
      print(options.json ? { taken_at, regulars, seconds, ...summary } : sentence, options);
    });
}

/** Records the backup in the audit trail, which is also in the backup. Skipped for an older schema of the trail. */
async function recordBackup({ db }: OpenDatabase): Promise<void> {
  await db.transaction(async (tx) => {
    const schema = await schemaOf(tx);
    if (knownMigrations().every(({ name }) => schema.includes(name))) await recordCommand(tx, null, {});
  });
}

/** An interrupt closes the connection, and PostgreSQL rolls the transaction back. */
async function withCopyConnection<T>(
  { connect }: OpenDatabase,
  interrupted: AbortSignal,
  work: (connection: CopyConnection) => Promise<T>,
): Promise<T> {
  const connection = await openCopyConnection({ ...connect, applicationName: 'regulars command' });
  const cut = () => void connection.close();
  interrupted.addEventListener('abort', cut);
  try {
    if (interrupted.aborted) cut();
    return await work(connection);
  } catch (error) {
    endBar();
    if (interrupted.aborted) throw new SetupProblem('Interrupted: nothing was changed.');
    if (isDatabaseUnavailable(error))
      throw new SetupProblem(`PostgreSQL failed: ${messageOf(error)}. Nothing was changed.`);
    throw error;
  } finally {
    interrupted.removeEventListener('abort', cut);
    await connection.close();
  }
}

async function writeBackup(
  file: string,
  text: AsyncIterable<Buffer | string>,
  count: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  async function* countBytes(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      count(chunk.length);
      yield chunk;
    }
  }
  const end = file !== standard;
  const write = (out: Writable) => pipeline(text, createGzip(compression), countBytes, out, { signal, end });
  if (file !== standard) return writeFileAtomically(file, write, ownerOnly);
  await write(process.stdout).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE')
      throw new SetupProblem('The reader of the backup closed the pipe. The backup is incomplete.');
    throw error.syscall === 'write' ? new SetupProblem(`The backup is incomplete: ${error.message}.`) : error;
  });
}

async function openBackup<T>(file: string, work: (reader: Reader, stop: () => void) => Promise<T>): Promise<T> {
  const source = file === standard ? process.stdin : createReadStream(file);
  const text = source.pipe(createGunzip());
  source.on('error', (error: Error) => text.destroy(error));
  try {
    return await work(new Reader(text), () => source.destroy(new Error('interrupted')));
  } catch (error) {
    if (error instanceof Unreadable)
      throw new SetupProblem(`${file} can’t be restored: ${error.message}. Nothing was changed.`);
    if (textIn(error, 'syscall') === 'read' || textIn(error, 'path') === file)
      throw new SetupProblem(`${file} can’t be read: ${messageOf(error)}.`);
    throw error;
  } finally {
    source.destroy();
  }
}

const printToStderr = (text: string) => void process.stderr.write(`${text}\n`);

function showProgress(): (done: number, of: number) => void {
  const progress = new Progress('rows');
  return (done, of) => {
    if (of > 0) progress.show(done, of);
  };
}

const describe = ({ rows, accounts }: Summary) =>
  `${rows.toLocaleString('en')} rows of ${accounts === 1 ? '1 account' : `${accounts.toLocaleString('en')} accounts`}`;

const size = (bytes: number) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
