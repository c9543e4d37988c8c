import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { EmbeddedServer } from '../../src/platform/db/embedded/server.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { browserPath } from './browser.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The ordinary role that owns the databases; the database name is the caller's to add. */
    serverUrl: string;
    superuserUrl: string;
    templateDatabase: string;
  }
}

/** One real PostgreSQL for the whole run, with a migrated template that each test file clones. */
export default async function setup(project: TestProject) {
  // The tests of real processes run what `npm start` runs. Mutation tests start none.
  if (process.env.MUTATION_TESTS === undefined)
    execFileSync('npm', ['run', '--silent', 'build:tools'], { stdio: 'inherit' });
  const folder = mkdtempSync(join(tmpdir(), 'regulars-test-'));
  const server = await EmbeddedServer.open({
    dataDir: join(folder, 'data'),
    as: 'service',
    binFolder: process.env.TEST_POSTGRES_BIN,
    // Nothing of it outlives the run, so it need not reach the disk. The tests of durability start servers of their own.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' },
  });
  const base = server.url.replace(/\/regulars$/, '');
  const secret = readFileSync(join(folder, 'data', 'postgres', 'superuser.secret'), 'utf8');
  const superuser = base.replace(/\/\/regulars:[^@]+@/, `//postgres:${secret}@`);
  const template = 'template_regulars';
  const client = new pg.Client({ connectionString: `${superuser}/postgres` });
  await client.connect();
  await client.query(`create database ${template} owner regulars`);
  await client.end();
  await migrate({ url: `${base}/${template}` });
  project.provide('serverUrl', base);
  project.provide('superuserUrl', superuser);
  project.provide('templateDatabase', template);
  return async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
    if (!browserPath) console.error(skippedText());
  };
}

/** Printed last, so that it is noticed. */
function skippedText(): string {
  const files = readdirSync('test/browser').filter((name) => name.endsWith('.test.ts'));
  const names = files.map((name) => name.replace('.test.ts', '')).join(', ');
  return `\n*** LEFT OUT: the tests in a browser (${names}). No Chromium was found: install one (on Debian, "apt-get install chromium") or set CHROMIUM_PATH to it. ***\n`;
}
