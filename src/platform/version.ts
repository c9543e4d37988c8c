import { packageFile, versionIn } from './package-files.ts';

export const version = versionIn(packageFile('package.json'));
