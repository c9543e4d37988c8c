import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { apiDocuments } from '../src/app/api-documents.ts';
import { routes } from '../src/app/http-app.ts';
import { checksumOf, knownMigrations } from '../src/platform/db/migrate.ts';
import { compactJson } from './support/compact-json.ts';
import { createDatabase, superuser } from './support/database.ts';
import { eventTable, verifyExamples, withSection } from './support/generated-sections.ts';
import { licences, licencesPage } from './support/licences.ts';
import { dumpSchema } from './support/schema-dump.ts';

/** Files that `npm run generate` makes from the code, and that are committed. */
describe('generated files', () => {
  it('openapi.json is what the service serves', async () => {
    const text = compactJson(apiDocuments(routes).whole);
    await expect(`${text}\n`).toMatchFileSnapshot('../openapi.json');
  });

  it('docs/schema.sql matches the migrations', async () => {
    await expect(await dumpSchema(await superuser(await createDatabase()))).toMatchFileSnapshot('../docs/schema.sql');
  });

  it('migrations/checksums.txt has every migration, and existing lines do not change', async () => {
    const path = 'migrations/checksums.txt';
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
    const missing = knownMigrations().filter(({ name }) => !lines.some((line) => line.endsWith(`  ${name}`)));
    const added = missing.map((one) => `${checksumOf(one)}  ${one.name}`);
    const byName = (one: string, other: string) => (one.slice(66) < other.slice(66) ? -1 : 1);
    await expect(
      [...lines, ...added]
        .sort(byName)
        .map((line) => `${line}\n`)
        .join(''),
    ).toMatchFileSnapshot(`../${path}`);
  });

  it('docs/licences.md matches package-lock.json', async () => {
    await expect(licencesPage()).toMatchFileSnapshot('../docs/licences.md');
  });

  it('docs/partner-guide.md has all types of events, and the code of the dashboard that checks a signature', async () => {
    const page = readFileSync('docs/partner-guide.md', 'utf8');
    const written = withSection(withSection(page, 'events', eventTable()), 'verify', verifyExamples());
    await expect(written).toMatchFileSnapshot('../docs/partner-guide.md');
  });
});

it('docs/security.md names existing tests, proofs and decisions', () => {
  const page = readFileSync('docs/security.md', 'utf8');
  const named = [...page.matchAll(/`((?:test|docs)\/[\w./-]+)`/g)].map(([, path]) => path as string);
  expect(named.length).toBeGreaterThan(20);
  for (const path of named) expect(existsSync(path), path).toBe(true);
  const proofs = [...page.matchAll(/npm run prove -- (\w+)/g)].map(([, name]) => name as string);
  expect(new Set(proofs).size).toBeGreaterThanOrEqual(3);
  for (const name of proofs)
    expect(readFileSync('tools/prove/main.ts', 'utf8')).toMatch(new RegExp(`^  ${name}: \\{`, 'm'));
});

describe('the dependencies', () => {
  /** Each lets its work be used, changed and passed on by anybody, also within something that is sold. */
  const permissive = [
    'MIT',
    'ISC',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    '0BSD',
    'BlueOak-1.0.0',
    'Python-2.0',
    'Unlicense',
  ];

  it('have permissive licences that require only attribution', () => {
    const may = (licence: string) =>
      licence
        .replace(/[()]/g, '')
        .split(' AND ')
        .every((all) => all.split(' OR ').some((one) => permissive.includes(one)));
    const others = licences().filter(({ licence }) => !may(licence));
    expect(others).toEqual([]);
  });

  it('are pinned, and each package in the lockfile has the required checksum', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    const withoutChecksum = Object.entries<{ link?: boolean; integrity?: string }>(packages).filter(
      ([path, one]) => path.startsWith('node_modules/') && !one.link && !/^sha512-/.test(one.integrity ?? ''),
    );
    expect(withoutChecksum).toEqual([]);
    for (const file of ['package.json', 'dashboard/package.json']) {
      const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync(file, 'utf8'));
      for (const version of Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies }))
        expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    }
  });
});
