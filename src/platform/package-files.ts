import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = dirname(createRequire(import.meta.url).resolve('#package.json'));

/** The path of a file of this package, relative to its root. The code runs from `src/` and from folders of `dist/`. */
export function packageFile(...path: string[]): string {
  return join(root, ...path);
}
