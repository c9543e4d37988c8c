import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = dirname(createRequire(import.meta.url).resolve('#package.json'));

/** The path of a file of this package, from its root. The code runs from `src/` and from several folders of `dist/`. */
export function packageFile(...path: string[]): string {
  return join(root, ...path);
}
