import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { distribute } from '../../src/platform/db/distributed/distribute.ts';
import { EmbeddedServer } from '../../src/platform/db/embedded/server.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { CitusCluster } from '../../tools/servers/citus.ts';
import type { Postgres } from '../../tools/servers/postgres.ts';
import { browserPath } from './browser.ts';
import { findOtherStatements } from './one-shard.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The ordinary role that owns the databases; the database name is the caller's to add. */
    serverUrl: string;
    superuserUrl: string;
    templateDatabase: string;
    /** The superuser's addresses of the other nodes, if the server is distributed. */
    workerUrls: string[];
    /** Where the statements of the service are collected, if the server is distributed. */
    statementsFile: string;
  }
}

/** One real PostgreSQL for the whole run, with a migrated template that each test file clones. */
export default async function setup(project: TestProject) {
  // The tests of real processes run what `npm start` runs. Mutation tests start none.
  if (process.env.MUTATION_TESTS === undefined)
    execFileSync('npm', ['run', '--silent', 'build:tools'], { stdio: 'inherit' });
  const folder = mkdtempSync(join(tmpdir(), 'regulars-test-'));
  const server = await (process.env.TEST_CITUS === undefined ? startServer(folder) : startCluster(folder));
  const template = 'template_regulars';
  await prepareTemplate(server, template);
  project.provide('serverUrl', server.url);
  project.provide('superuserUrl', server.superuserUrl);
  project.provide('workerUrls', server.workerUrls);
  project.provide('templateDatabase', template);
  const statementsFile = join(folder, 'statements.jsonl');
  project.provide('statementsFile', statementsFile);
  return async () => {
    if (server.workerUrls.length > 0) await mustGoToOneShard(statementsFile, server, template);
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
    if (!browserPath) console.error(skippedText());
  };
}

interface TestServer {
  /** Without the name of a database. */
  url: string;
  superuserUrl: string;
  workerUrls: string[];
  prepareDatabase(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** Nothing of it outlives the run, so it need not reach the disk. The tests of durability start servers of their own. */
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' };

async function startServer(folder: string): Promise<TestServer> {
  const dataDir = join(folder, 'data');
  const server = await EmbeddedServer.open({
    ...{ dataDir, as: 'service', binFolder: process.env.TEST_POSTGRES_BIN, settings },
  });
  const url = server.url.replace(/\/regulars$/, '');
  const secret = readFileSync(join(dataDir, 'postgres', 'superuser.secret'), 'utf8');
  return {
    url,
    superuserUrl: url.replace(/\/\/regulars:[^@]+@/, `//postgres:${secret}@`),
    workerUrls: [],
    prepareDatabase: (name) => migrate({ url: `${url}/${name}` }).then(() => {}),
    stop: () => server.close(),
  };
}

/** A distributed server, whose programs are in the folder TEST_CITUS. Few shards, because each test file copies them. */
async function startCluster(folder: string): Promise<TestServer> {
  // Under root, another user runs PostgreSQL.
  chmodSync(folder, 0o755);
  const cluster = await CitusCluster.start(folder, { binFolder: process.env.TEST_CITUS ?? '', settings });
  const withoutDatabase = (node: Postgres, role: 'regulars' | 'postgres') => node.address(role, '').slice(0, -1);
  const url = withoutDatabase(cluster.coordinator, 'regulars');
  return {
    url,
    superuserUrl: withoutDatabase(cluster.coordinator, 'postgres'),
    workerUrls: cluster.workers.map((worker) => withoutDatabase(worker, 'postgres')),
    prepareDatabase: async (name) => {
      await cluster.connectNodes(name);
      await migrate({ url: `${url}/${name}` });
      await distribute({ url: `${url}/${name}` }, { shards: 4, say: () => {} });
      // The background process of Citus uses the database, and PostgreSQL copies only unused ones.
      await cluster.onEachNode(`alter database ${name} with allow_connections false`);
      await cluster.onEachNode(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    },
    stop: () => cluster.stop(),
  };
}

async function prepareTemplate(server: TestServer, name: string): Promise<void> {
  for (const url of [server.superuserUrl, ...server.workerUrls])
    await runAs(`${url}/postgres`, `create database ${name} owner regulars`);
  await server.prepareDatabase(name);
}

/** Fails the run if a statement about an account goes to several shards. */
async function mustGoToOneShard(file: string, server: TestServer, template: string): Promise<void> {
  for (const url of [server.superuserUrl, ...server.workerUrls])
    await runAs(`${url}/postgres`, `create database explaining template ${template} owner regulars`);
  const others = await findOtherStatements(file, `${server.superuserUrl}/explaining`);
  for (const other of others) console.error(`\n*** NOT ONE SHARD: ${other}`);
  if (others.length > 0) process.exitCode = 1;
}

async function runAs(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Printed last, so that it is noticed. */
function skippedText(): string {
  const files = readdirSync('test/browser').filter((name) => name.endsWith('.test.ts'));
  const names = files.map((name) => name.replace('.test.ts', '')).join(', ');
  return `\n*** LEFT OUT: the tests in a browser (${names}). No Chromium was found: install one (on Debian, "apt-get install chromium") or set CHROMIUM_PATH to it. ***\n`;
}
