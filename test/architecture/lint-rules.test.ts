import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const forbidden: Record<string, string[]> = {
  'src/features/venues/units/schema.ts': [
    './store.ts',
    '../../../platform/db/database.ts',
    '../../../platform/http/route.ts',
  ],
  'src/features/venues/units/store.ts': ['../groups/store.ts', './manage.ts', '../../../platform/http/route.ts'],
  'src/features/venues/units/tree-store.ts': ['../groups/store.ts', './manage.ts', '../../../platform/http/route.ts'],
  'src/features/venues/units/routes.ts': [
    './store.ts',
    './tree-store.ts',
    '../groups/manage.ts',
    '../../../platform/db/database.ts',
    '../../../platform/internals/node.ts',
  ],
  'src/features/guests/write/merge-routes.ts': ['./store.ts', '../contacts/read.ts'],
  'src/features/venues/units/manage.ts': ['../groups/manage.ts', '../../../platform/http/errors.ts', 'fastify'],
  'src/features/activity/stays/section.ts': [
    './read.ts',
    '../wifi/section.ts',
    '../bookings/write.ts',
    '../../../platform/http/route.ts',
  ],
  'src/features/vouchers/redeem.ts': ['../activity/purchases/write.ts', '../../platform/http/route.ts', './routes.ts'],
  'src/features/vouchers/store.ts': ['../identity/matching/store.ts', './redeem.ts'],
  'src/features/vouchers/group-schema.ts': ['./group-store.ts', './manage.ts', '../../platform/http/route.ts'],
  'src/platform/http/request-auth.ts': [
    '../../features/access/tokens/manage.ts',
    '../../app/service.ts',
    '../../cli/run.ts',
  ],
  'src/platform/internals/pg.ts': ['./node.ts', '../db/database.ts', '../http/params.ts'],
  'src/platform/db/database.ts': ['../http/params.ts', '../../features/venues/units/store.ts', 'fastify'],
  'src/shared/read.ts': ['../platform/http/params.ts', '../platform/db/database.ts'],
  'tools/demo/load.ts': [
    '../../src/features/guests/contacts/store.ts',
    '../../src/features/vouchers/staff-store.ts',
    '../../src/features/guests/write/write.ts',
    '../../src/platform/db/sql.ts',
  ],
};
const allowed: Record<string, string[]> = {
  'src/features/venues/units/schema.ts': ['../../../shared/fields.ts', '../groups/schema.ts', 'typebox'],
  'src/features/venues/units/store.ts': [
    '../../../platform/db/database.ts',
    './schema.ts',
    '../../../shared/fields.ts',
  ],
  'src/features/venues/units/tree-store.ts': ['../../../platform/db/database.ts', './store.ts', './schema.ts'],
  'src/features/venues/units/routes.ts': ['../../../platform/http/route.ts', './manage.ts', './schema.ts'],
  'src/features/venues/units/manage.ts': [
    '../groups/store.ts',
    '../../vouchers/group-store.ts',
    '../groups/schema.ts',
    '../../../platform/db/database.ts',
    '../../../platform/batching/batcher.ts',
  ],
  'src/features/activity/stays/section.ts': [
    './store.ts',
    '../../venues/lookups/store.ts',
    '../../identity/sections/section.ts',
    '../../../platform/db/database.ts',
  ],
  'src/features/guests/write/sections.ts': ['../notes/section.ts', '../../activity/stays/section.ts'],
  'src/features/vouchers/redeem.ts': ['../../platform/batching/batcher.ts', '../identity/matching/store.ts'],
  'src/features/vouchers/store.ts': ['../../platform/db/sql.ts', '../../shared/fields.ts', './schema.ts'],
  'src/features/vouchers/group-schema.ts': ['../../shared/fields.ts', './schema.ts'],
  'src/features/vouchers/group-routes.ts': ['./group-schema.ts', './examples.ts', './manage.ts'],
  'src/features/insight/venues/routes.ts': ['../../vouchers/group-schema.ts'],
  'src/features/insight/venues/store.ts': ['../../vouchers/group-schema.ts'],
  'src/platform/http/request-auth.ts': ['../db/database.ts', '../../shared/roles.ts'],
  'src/platform/internals/pg.ts': ['pg', '../../shared/problem.ts'],
  'src/platform/db/database.ts': ['../internals/pg.ts'],
  'tools/demo/load.ts': [
    '../../src/app/http-app.ts',
    '../../src/features/guests/contacts/schema.ts',
    '../../src/platform/db/open/open.ts',
  ],
};
/** Every folder below this one that has files. */
const featureFolders = (folder: string): string[] => {
  const entries = readdirSync(folder, { withFileTypes: true });
  const below = entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => featureFolders(`${folder}/${name}`));
  return entries.some((entry) => entry.isFile()) ? [folder, ...below] : below;
};
for (const folder of featureFolders('src/features')) {
  const path = `${folder}/store.ts`;
  const route = `${'../'.repeat(folder.split('/').length - 1)}platform/http/route.ts`;
  forbidden[path] = [...new Set([...(forbidden[path] ?? []), route])];
}

/** A tree with nothing in it but these imports, under the project's own lint rules. */
const tree = mkdtempSync(join(tmpdir(), 'regulars-lint-'));
afterAll(() => rmSync(tree, { recursive: true }));
cpSync('biome.json', join(tree, 'biome.json'));
cpSync('scripts/lint', join(tree, 'scripts/lint'), { recursive: true });
for (const path of new Set([...Object.keys(forbidden), ...Object.keys(allowed)])) {
  const imports = [...(forbidden[path] ?? []), ...(allowed[path] ?? [])];
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), imports.map((specifier) => `import '${specifier}';\n`).join(''));
}
mkdirSync(join(tree, 'src/app'), { recursive: true });
writeFileSync(join(tree, 'src/platform/config.ts'), 'export const home = process.env.HOME;\n');
const concurrent = [
  'export const all = () => Promise.all([a(), b()]);',
  'export const settled = () => Promise.allSettled([a(), b()]);',
  'export const ordered = () => tx.inOrder({ a: () => a(), b: () => b() });',
  'export const done = () => Promise.resolve([]);',
];
for (const path of [
  'src/features/venues/concurrent-store.ts',
  'src/features/venues/concurrent.ts',
  'src/app/concurrent.ts',
]) {
  writeFileSync(join(tree, path), `${concurrent.join('\n')}\n`);
}
writeFileSync(join(tree, 'src/main.ts'), 'export const home = process.env.HOME;\n');

const { stdout } = spawnSync(
  resolve('node_modules/.bin/biome'),
  ['lint', '--vcs-enabled=false', '--max-diagnostics=none', '--reporter=github', 'src', 'tools'],
  {
    cwd: tree,
    encoding: 'utf8',
  },
);
/** "src/features/venues/units/store.ts:2" for each line that a rule complains of. */
const complaints = (rule: string) =>
  stdout
    .split('\n')
    .filter((line) => line.includes(rule))
    .map((line) => `${/file=(?:.*\/)?((?:src|tools)\/[^,]+)/.exec(line)?.[1]}:${/line=(\d+)/.exec(line)?.[1]}`);

describe('the import rules', () => {
  it('reject forbidden imports in every feature folder, and allow the others', () => {
    const expected = Object.entries(forbidden).flatMap(([path, specifiers]) =>
      specifiers.map((_, index) => `${path}:${index + 1}`),
    );
    expect(complaints('noRestrictedImports').sort()).toEqual(expected.sort());
  });
  it('let only config.ts read the environment', () => {
    expect(complaints('noProcessEnv')).toEqual(['src/main.ts:1']);
  });
});

describe('the rule on statements', () => {
  it('rejects Promise.all in features, where tx.inOrder makes the order visible', () => {
    expect(complaints('title=plugin').sort()).toEqual([
      'src/features/venues/concurrent-store.ts:1',
      'src/features/venues/concurrent-store.ts:2',
      'src/features/venues/concurrent.ts:1',
      'src/features/venues/concurrent.ts:2',
    ]);
  });
});
