import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { codeOf, messageOf } from '../shared/errors.ts';
import { SetupProblem } from '../shared/problem.ts';
import { textIn } from '../shared/record.ts';

/**
 * Writes to a temporary file and renames it when it is complete and synced to disk. An interrupted write keeps the old
 * file. A pipe or a device is written directly.
 */
export async function writeFileAtomically(
  file: string,
  write: (out: Writable) => Promise<void>,
  mode: number = 0o666,
): Promise<void> {
  const there = await stat(file).catch(() => undefined);
  // A unique name, in case another process writes to the same file.
  const part = there && !there.isFile() ? undefined : `${file}.${process.pid}.part`;
  try {
    if (part === undefined) {
      await write(createWriteStream(file));
      return;
    }
    await rm(part, { force: true });
    await write(createWriteStream(part, { flags: 'wx', mode, flush: true }));
    await rename(part, file);
    await syncFolder(dirname(file));
  } catch (error) {
    if (part !== undefined) await rm(part, { force: true }).catch(() => {});
    // The error comes from the database, not from the file.
    if (textIn(error, 'syscall') === undefined || codeOf(error) === 'ECONNRESET') throw error;
    throw new SetupProblem(`${file} can’t be written: ${messageOf(error)}.`);
  }
}

/** A rename is on disk only after its folder is synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
