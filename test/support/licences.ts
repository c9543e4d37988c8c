import { readFileSync } from 'node:fs';

interface Locked {
  version: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

export interface Licensed {
  name: string;
  version: string;
  licence: string;
}

/** Packages that are used only to build the dashboard. */
const tools = /^(@types\/|@vitejs\/)/;

/** The locked packages that an installation runs or that browsers load. */
export function licences(): Licensed[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
  const found = new Map<string, Licensed>();
  const add = (path: string, { version, license }: Locked) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    found.set(`${name} ${version}`, { name, version, licence: license ?? 'none given' });
  };
  for (const [path, one] of Object.entries(packages))
    if (path.startsWith('node_modules/') && !one.link && !one.dev && !one.devOptional) add(path, one);

  /** As Node finds it: beside, or in any folder above. */
  const locate = (name: string, from: string): string | undefined => {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
      if (packages[path]) return path;
      if (folder === '') return undefined;
    }
  };
  const seen = new Set<string>();
  const follow = (names: string[], from: string) => {
    for (const name of names) {
      const path = locate(name, from);
      if (path === undefined || seen.has(path) || tools.test(name)) continue;
      seen.add(path);
      const one = packages[path] as Locked;
      add(path, one);
      follow(Object.keys({ ...one.dependencies, ...one.peerDependencies }), path);
    }
  };
  follow(Object.keys(packages.dashboard?.devDependencies ?? {}), 'dashboard');
  // Its script is served at /docs.
  add('node_modules/@scalar/fastify-api-reference', packages['node_modules/@scalar/fastify-api-reference'] as Locked);
  return [...found.values()].sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

export function licencesPage(): string {
  const rows = licences().map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);
  return `# Licences of others' work

Regulars itself is under the Apache License 2.0. These packages may be installed with it, some of them for other platforms, or are sent to the browser. Each
has its text beside it in \`node_modules\`; those of the latter are also in \`dist/dashboard/licences.md\` once it is built. The embedded PostgreSQL is under the PostgreSQL License.
Made by \`npm run generate\` from package-lock.json.

| package | version | licence |
|---|---|---|
${rows.join('\n')}
`;
}
