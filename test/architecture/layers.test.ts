import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** From top to bottom. A folder may import those below it. */
const layers = [
  'tools',
  'src/cli',
  'src/main.ts',
  'src/app',
  'src/features/exchange',
  'src/features/insight',
  'src/features/guests',
  'src/features/activity',
  'src/features/vouchers',
  'src/features/identity',
  'src/features/figures',
  'src/features/access',
  'src/features/venues',
  'src/platform',
  'src/shared',
];

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

type Import = [from: string, to: string];
const imports: Import[] = ['src', 'tools'].flatMap(filesIn).flatMap((file) => {
  const specifiers = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return Array.from(specifiers, ([, path = '']): Import => [file, relative('.', resolve(dirname(file), path))]);
});
const ofProduct = imports.filter(([, to]) => to.startsWith('src') || to.startsWith('tools'));

const layerOf = (path: string) => layers.findIndex((layer) => path === layer || path.startsWith(`${layer}/`));

/** The nodes that can be reached from themselves. */
function nodesInCycles(edges: Import[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) if (from !== to) next.set(from, (next.get(from) ?? new Set()).add(to));
  const reaches = (start: string) => {
    const seen = new Set<string>();
    const open = [...(next.get(start) ?? [])];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (seen.has(node)) continue;
      seen.add(node);
      open.push(...(next.get(node) ?? []));
    }
    return seen.has(start);
  };
  return [...next.keys()].filter(reaches);
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}

const allFolders = (folder: string): string[] => [folder, ...foldersIn(folder).flatMap(allFolders)];

it('only the routes of sign-in and users read the session of a request', () => {
  const readers = ofProduct.filter(([, to]) => to === 'src/platform/http/session.ts').map(([from]) => from);
  expect(readers).toEqual(['src/features/access/sign-in/routes.ts', 'src/features/access/users/routes.ts']);
});

it('private internals of dependencies are used in src/platform/internals only', () => {
  const privates = /_httpMessage|internalMessage|\._private|symbols\.|connection: \{ stream/;
  const users = filesIn('src').filter((file) => privates.test(readFileSync(file, 'utf8')));
  expect(users.filter((file) => !file.startsWith('src/platform/internals/'))).toEqual([]);
  expect(users).toHaveLength(4);
});

describe('the folders', () => {
  it('each have a layer', () => {
    expect(ofProduct.length).toBeGreaterThan(1000);
    expect([...new Set(ofProduct.flat())].filter((path) => layerOf(path) === -1)).toEqual([]);
  });
  it('import only the layers below them', () => {
    const upwards = ofProduct.filter(([from, to]) => layerOf(to) < layerOf(from));
    expect(upwards.map(([from, to]) => `${from} imports ${to}`)).toEqual([]);
  });
  it('have no import cycles, and neither do the files', () => {
    expect(nodesInCycles(ofProduct)).toEqual([]);
    expect(nodesInCycles(ofProduct.map(([from, to]) => [dirname(from), dirname(to)]))).toEqual([]);
  });
  it('are at most nine at each level', () => {
    const crowded = ['src', 'tools', 'dashboard/src'].flatMap(allFolders).filter((path) => foldersIn(path).length > 9);
    expect(crowded).toEqual([]);
  });
});

it('a cycle is found if there is one', () => {
  expect(
    nodesInCycles([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'b'],
    ]),
  ).toEqual(['b', 'c']);
});
