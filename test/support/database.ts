import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, inject } from 'vitest';
import { type Database, openPool } from '../../src/db/database.ts';

export interface TestDatabase {
  name: string;
  url: string;
  superuserUrl: string;
}

/** A database of the calling file's own: a clone of the migrated template, or an empty one. Dropped when the file is done. */
export async function createDatabase(kind: 'migrated' | 'empty' = 'migrated'): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const sql = postgres(`${inject('superuserUrl')}/postgres`, { max: 1, onnotice: () => {} });
  const template = kind === 'migrated' ? `template ${inject('templateDatabase')}` : '';
  // Two clones of one template can't be made at the same moment: the second waits for its turn.
  for (let attempt = 1; ; attempt++) {
    try {
      await sql.unsafe(`create database ${name} ${template} owner regulars`);
      break;
    } catch (error) {
      if ((error as { code?: string }).code !== '55006' || attempt === 100) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
  afterAll(async () => {
    await sql.unsafe(`drop database ${name} with (force)`);
    await sql.end();
  });
  return { name, url: `${inject('serverUrl')}/${name}`, superuserUrl: `${inject('superuserUrl')}/${name}` };
}

export async function openTestDatabase(): Promise<TestDatabase & { db: Database }> {
  const database = await createDatabase();
  const db = openPool({ url: database.url, connections: 5 });
  afterAll(() => db.close());
  return { ...database, db };
}

/** A connection that sees everything, for looking behind the service's back. */
export function superuser(database: TestDatabase): postgres.Sql {
  const sql = postgres(database.superuserUrl, {
    max: 2,
    onnotice: () => {},
    types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
  });
  afterAll(() => sql.end());
  return sql as unknown as postgres.Sql;
}
