import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const folders: string[] = [];
const processes = new Set<ChildProcess>();

/** Ends the processes and deletes the folders that the tests of a file left. */
export async function cleanUp(): Promise<void> {
  for (const child of processes) child.kill('SIGTERM');
  const deadline = Date.now() + 10_000;
  while (processes.size > 0 && Date.now() < deadline) await pause(50);
  for (const child of processes) child.kill('SIGKILL');
  // A PostgreSQL server ends by itself when its folder is deleted.
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A world-readable folder, deleted after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'regulars-process-'));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** Ends the process after the tests of the file, unless it has ended. */
export function endAfterwards(child: ChildProcess): void {
  processes.add(child);
  child.once('close', () => processes.delete(child));
}
