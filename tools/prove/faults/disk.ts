import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const roomBytes = 2 ** 31;

/**
 * A folder for a database, on a separate tmpfs if mounting is allowed. Shrinking the file system to its used size makes
 * the disk full. Other file systems are not affected.
 */
export class Disk {
  readonly folder: string;
  /** The reason why this disk can't be filled. Undefined: it can. */
  readonly cantFill: string | undefined;
  readonly #base: string;

  constructor() {
    this.#base = mkdtempSync(join(tmpdir(), 'regulars-faults-'));
    chmodSync(this.#base, 0o755);
    this.folder = join(this.#base, 'disk');
    mkdirSync(this.folder);
    this.cantFill = mount('-t', 'tmpfs', '-o', `size=${roomBytes},mode=755`, 'regulars-faults', this.folder);
  }

  /** Shrinks the disk to this many free bytes. */
  fill(left: number): void {
    // Fails if more was written since the size was read.
    for (let tries = 0; ; tries++) {
      const { blocks, bfree, bsize } = statfsSync(this.folder);
      const problem = this.#resize((blocks - bfree) * bsize + left);
      if (problem === undefined) return;
      if (tries === 50) throw new Error(`The disk can't be shrunk: ${problem}`);
    }
  }

  empty(): void {
    const problem = this.#resize(roomBytes);
    if (problem !== undefined) throw new Error(`The disk can't be enlarged: ${problem}`);
  }

  #resize(bytes: number): string | undefined {
    return mount('-o', `remount,size=${bytes}`, this.folder);
  }

  remove(): void {
    if (this.cantFill === undefined) execFileSync('umount', ['--lazy', this.folder]);
    rmSync(this.#base, { recursive: true, force: true });
  }
}

/** The reason why mounting is not possible, if any. */
function mount(...args: string[]): string | undefined {
  try {
    execFileSync('mount', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as { stderr?: Buffer; message: string };
    return stderr?.toString().trim() || message;
  }
}
