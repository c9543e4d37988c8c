import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { raw } from '../../../../src/platform/db/sql.ts';
import { connectTo, type TestDatabase } from '../../../support/database.ts';
import { endAfterwards, temporaryFolder } from '../../../support/leftovers.ts';
import { regulars } from '../../../support/process.ts';

export const newFile = () => join(temporaryFolder(), 'backup.gz');
export const newFolder = () => join(temporaryFolder(), 'data');
export const onServer = ({ url }: TestDatabase) => ({ DATABASE_URL: url });

export async function succeed(args: string[], env: Record<string, string>) {
  const { code, stdout, stderr } = await regulars([...args, '--json'], env);
  expect([args, code], stderr).toEqual([args, 0]);
  return { ...(stdout === '' ? {} : JSON.parse(stdout)), stderr };
}

/** Starts a command. `stderr` returns its output so far; `ended` resolves when it exits. */
export function begin(args: string[], env: Record<string, string>) {
  const child = spawn('node', ['dist/cli/regulars.js', ...args], { env: { PATH: process.env.PATH ?? '', ...env } });
  endAfterwards(child);
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const ended = once(child, 'close').then(([code]) => ({ code, stderr }));
  return { child, ended, stderr: () => stderr };
}

/** Starts a restore with the first half of a file, and waits until some of it is restored. */
export async function restoreHalf(file: string, env: Record<string, string>) {
  const text = readFileSync(file);
  const restoring = begin(['restore', '-'], env);
  // A killed process closes the pipe.
  restoring.child.stdin.on('error', () => {});
  restoring.child.stdin.write(text.subarray(0, text.length / 2));
  await expect.poll(restoring.stderr).toMatch(/\d %:/);
  return { ...restoring, sendSecondHalf: () => restoring.child.stdin.end(text.subarray(text.length / 2)) };
}

/** Locks a table against reads, through one of its indexes. `waiting` counts the commands that wait for the lock. */
export async function hold(url: string, index: string) {
  const holder = await connectTo(url);
  await holder`begin`;
  await holder`reindex index ${raw(index)}`;
  const waiting = async () => {
    // The sessions are as of the first look in the transaction.
    await holder`select pg_stat_clear_snapshot()`;
    const sessions = await holder`
        select from pg_locks join pg_stat_activity using (pid)
        where relation = ${index}::regclass and not granted and application_name = 'regulars command'`;
    return sessions.length;
  };
  return { waiting, release: () => holder`commit` };
}
