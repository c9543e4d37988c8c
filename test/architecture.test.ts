import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const forbidden: Record<string, string[]> = {
  'src/units/schema.ts': ['./store.ts', '../db/database.ts', '../http/operation.ts'],
  'src/units/store.ts': ['../groups/store.ts', './manage.ts', '../http/operation.ts'],
  'src/units/tree-store.ts': ['../groups/store.ts', './manage.ts', '../http/operation.ts'],
  'src/units/routes.ts': ['./store.ts', './tree-store.ts', '../groups/manage.ts', '../db/database.ts'],
  'src/units/manage.ts': ['../groups/manage.ts', '../http/errors.ts', 'fastify'],
  'src/http/gate.ts': ['../tokens/manage.ts', '../units/store.ts'],
  'src/shared/read.ts': ['../http/params.ts', '../db/database.ts'],
  'src/db/database.ts': ['../http/params.ts', '../units/store.ts'],
  'src/demo/load.ts': ['../contacts/store.ts', '../vouchers/staff-store.ts', '../contacts/write.ts', '../db/sql.ts'],
};
const allowed: Record<string, string[]> = {
  'src/units/schema.ts': ['../shared/fields.ts', '../groups/schema.ts', 'typebox'],
  'src/units/store.ts': ['../db/database.ts', './schema.ts', '../shared/fields.ts'],
  'src/units/tree-store.ts': ['../db/database.ts', './store.ts', './schema.ts'],
  'src/units/routes.ts': ['../http/operation.ts', './manage.ts', './schema.ts'],
  'src/units/manage.ts': [
    '../groups/store.ts',
    '../vouchers/group-store.ts',
    '../groups/schema.ts',
    '../db/database.ts',
  ],
  'src/demo/load.ts': ['../app.ts', '../contacts/schema.ts', '../db/open.ts'],
};
// A new feature folder must be under the rules too.
const notFeatures = ['http', 'db', 'cli', 'shared', 'batch', 'jobs', 'demo', 'workers'];
const features = readdirSync('src', { withFileTypes: true }).filter(
  (entry) => entry.isDirectory() && !notFeatures.includes(entry.name),
);
for (const { name } of features) {
  const path = `src/${name}/store.ts`;
  forbidden[path] = [...new Set([...(forbidden[path] ?? []), '../http/operation.ts'])];
}

/** A tree with nothing in it but these imports, under the project's own lint rules. */
const tree = mkdtempSync(join(tmpdir(), 'regulars-lint-'));
afterAll(() => rmSync(tree, { recursive: true }));
cpSync('biome.json', join(tree, 'biome.json'));
for (const path of new Set([...Object.keys(forbidden), ...Object.keys(allowed)])) {
  const imports = [...(forbidden[path] ?? []), ...(allowed[path] ?? [])];
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), imports.map((specifier) => `import '${specifier}';\n`).join(''));
}
writeFileSync(join(tree, 'src/config.ts'), 'export const home = process.env.HOME;\n');
writeFileSync(join(tree, 'src/main.ts'), 'export const home = process.env.HOME;\n');

const { stdout } = spawnSync(
  resolve('node_modules/.bin/biome'),
  ['lint', '--vcs-enabled=false', '--max-diagnostics=none', '--reporter=github', 'src'],
  {
    cwd: tree,
    encoding: 'utf8',
  },
);
/** "src/units/store.ts:2" for each line that a rule complains of. */
const complaints = (rule: string) =>
  stdout
    .split('\n')
    .filter((line) => line.includes(rule))
    .map((line) => `${/file=(?:.*\/)?(src\/[^,]+)/.exec(line)?.[1]}:${/line=(\d+)/.exec(line)?.[1]}`);

describe('the import rules', () => {
  it('forbid what would tie the rooms in a knot, in every feature folder, and allow the rest', () => {
    const expected = Object.entries(forbidden).flatMap(([path, specifiers]) =>
      specifiers.map((_, index) => `${path}:${index + 1}`),
    );
    expect(complaints('noRestrictedImports').sort()).toEqual(expected.sort());
  });
  it('let config.ts alone read the environment', () => {
    expect(complaints('noProcessEnv')).toEqual(['src/main.ts:1']);
  });
});
