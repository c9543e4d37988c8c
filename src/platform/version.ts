import { readFileSync } from 'node:fs';
import { packageFile } from './package-files.ts';

const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };

export { version };
