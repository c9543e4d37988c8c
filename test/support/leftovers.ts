import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const folders: string[] = [];
const processes = new Set<ChildProcess>();

/** Ends and deletes what the tests of a file left behind. */
export async function cleanUp(): Promise<void> {
  for (const child of processes) child.kill('SIGTERM');
  const deadline = Date.now() + 10_000;
  while (processes.size > 0 && Date.now() < deadline) await pause(50);
  for (const child of processes) child.kill('SIGKILL');
  // A PostgreSQL whose folder is gone ends by itself.
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A folder that anybody may enter, gone after the file's tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'regulars-process-'));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** Ended after the file's tests, unless it ends before. */
export function endAfterwards(child: ChildProcess): void {
  processes.add(child);
  child.once('close', () => processes.delete(child));
}
