import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { SetupProblem } from '../shared/problem.ts';

/**
 * Writes beside the file until it is whole, and on the disk, so that what is broken off leaves what was there; a pipe or
 * a device stays what it is.
 */
export async function writeWhole(
  file: string,
  write: (out: Writable) => Promise<void>,
  mode: number = 0o666,
): Promise<void> {
  const there = await stat(file).catch(() => undefined);
  // Of its own, should another be writing to the same name.
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
    const { syscall, code, message } = error as NodeJS.ErrnoException;
    // Not the file's, but the database's.
    if (syscall === undefined || code === 'ECONNRESET') throw error;
    throw new SetupProblem(`${file} can’t be written: ${message}.`);
  }
}

/** A new name is on the disk when its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
