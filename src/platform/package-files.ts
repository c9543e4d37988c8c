import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { present } from '../shared/present.ts';
import { textIn } from '../shared/record.ts';

const root = dirname(createRequire(import.meta.url).resolve('#package.json'));

/** The path of a file of this package, relative to its root. The code runs from `src/` and from folders of `dist/`. */
export function packageFile(...path: string[]): string {
  return join(root, ...path);
}

/** The version in a `package.json`. */
export function versionIn(file: string): string {
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return present(textIn(manifest, 'version'), 'version');
}
