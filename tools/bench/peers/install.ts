import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Say } from './peer.ts';

interface Package {
  name: string;
  version: string;
  overrides?: Record<string, string>;
  /** Further files by path. */
  files?: Record<string, string>;
}

/** The folder for peers, which is not published, committed or linted. */
export const folderOf = ({ name, version }: Pick<Package, 'name' | 'version'>) =>
  resolve('node_modules/.cache/regulars-peers', `${name}-${version}`);

/** Installs exactly this version from npm into its own folder. */
export async function installPackage({ name, version, overrides = {}, files = {} }: Package, say: Say): Promise<void> {
  const folder = folderOf({ name, version });
  const done = join(folder, 'installed');
  if (existsSync(done)) return;
  say(`Installing ${name} ${version} from npm, once. This may take some minutes.`);
  rmSync(folder, { recursive: true, force: true });
  const manifest = JSON.stringify({ private: true, dependencies: { [name]: version }, overrides });
  for (const [path, text] of Object.entries({ 'package.json': manifest, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  // Package scripts only fetch or compile native code, which the measured parts do not need. Without them, no compiler
  // and no other download is needed.
  await npm(folder, [
    'install',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel',
    'error',
  ]);
  writeFileSync(done, '');
  say(`${name} ${version} is installed.`);
}

function npm(cwd: string, args: string[]): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn('npm', args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.on('data', (chunk) => {
      complaint += chunk;
    });
    child.once('error', failed);
    child.once('close', (code) =>
      code === 0 ? done() : failed(new Error(`npm install ended with ${code}:\n${complaint.trim().slice(-2000)}`)),
    );
  });
}
