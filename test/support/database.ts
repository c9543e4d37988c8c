import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { type Database, openPool, type Tx, transactionOver } from '../../src/platform/db/database.ts';
import { type Run, runner, types } from '../../src/platform/db/sql.ts';

export interface TestDatabase {
  name: string;
  url: string;
  superuserUrl: string;
}

/** A separate connection, closed after the tests of the file. */
export async function connectTo(url: string): Promise<Run & { end(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url, types, pipeline: true });
  client.on('error', () => {});
  await client.connect();
  const end = () => client.end().catch(() => {});
  afterAll(end);
  return Object.assign(runner(client), { end });
}

/** Whether the tests run on a distributed server. */
export const isDistributed = () => inject('workerUrls').length > 0;

/**
 * A database for the calling file: a clone of the migrated template, or an empty one. It is dropped after the tests of the
 * file. On a distributed server, each node has a database of that name; an empty one is not distributed.
 */
export async function createDatabase(kind: 'migrated' | 'empty' = 'migrated'): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const template = kind === 'migrated' ? `template ${inject('templateDatabase')}` : '';
  const superuserUrl = inject('superuserUrl');
  const nodes = kind === 'migrated' ? [...inject('workerUrls'), superuserUrl] : [superuserUrl];
  for (const node of nodes) await whenUnused(node, `create database ${name} ${template} owner regulars`);
  afterAll(async () => {
    for (const node of nodes.toReversed()) await whenUnused(node, `drop database ${name} with (force)`);
  });
  return { name, url: `${inject('serverUrl')}/${name}`, superuserUrl: `${superuserUrl}/${name}` };
}

/** A template cannot be cloned twice at the same time, and Citus opens connections by itself. Then the statement is repeated. */
async function whenUnused(node: string, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await onServer(node, statement);
    } catch (error) {
      if ((error as { code?: string }).code !== '55006' || attempt === 100) throw error;
      await pause(50);
    }
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export async function openTestDatabase(): Promise<TestDatabase & { db: Database }> {
  const database = await createDatabase();
  const db = openPool({ url: database.url, connections: 5 });
  afterAll(() => db.close());
  return { ...database, db };
}

/** A superuser connection, which sees all rows. */
export function superuser(database: TestDatabase): Promise<Run & { end(): Promise<void> }> {
  return connectTo(database.superuserUrl);
}

/** A superuser connection to each node of the database's server. */
export async function everyNode({ name, superuserUrl }: TestDatabase): Promise<Run[]> {
  const urls = [superuserUrl, ...inject('workerUrls').map((url) => `${url}/${name}`)];
  const nodes = await Promise.all(urls.map(connectTo));
  // Citus hides the shards from other programs.
  for (const sql of nodes) await sql`set citus.override_table_visibility = off`;
  return nodes;
}

/** The number of statements in this database that wait for a lock. Those of a distributed server wait on its nodes. */
export async function countLockWaits(nodes: Run[]): Promise<number> {
  const waits = nodes.map(
    (sql) => sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return (await Promise.all(waits)).reduce((sum, rows) => sum + rows.length, 0);
}

/** Calls `count` for each transaction in an account. */
export function countTransactions(db: Database, count: () => void): Database {
  return {
    ...db,
    tenant: (accountId, work) => {
      count();
      return db.tenant(accountId, work);
    },
  };
}

/** Calls `count` for each statement of the transaction. */
export function countStatements(tx: Tx, count: () => void): Tx {
  const run: Run = (strings, ...values) => {
    count();
    return tx(strings, ...values);
  };
  return transactionOver(run, tx);
}
