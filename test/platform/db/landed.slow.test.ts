import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openConnection } from '../../../src/platform/db/connection.ts';
import { migrateJobs } from '../../../src/platform/db/jobs.ts';
import {
  checksumOf,
  knownMigrations,
  type Migration,
  migrate,
  mustBeMigrated,
} from '../../../src/platform/db/migrate.ts';
import { connectTo, createDatabase, superuser, type TestDatabase } from '../../support/database.ts';
import { type Earlier, earlierTexts } from '../../support/earlier-texts.ts';
import { dumpSchema } from '../../support/schema-dump.ts';

const known = knownMigrations();
const beforeChecksums = 9;

/** A database as a version without checksums left it, with these texts in place of the present ones. */
async function earlierDatabase(texts: Migration[], upTo = beforeChecksums): Promise<TestDatabase> {
  const database = await createDatabase('empty');
  const { run, script, close } = await openConnection({ url: database.url });
  await run`create table schema_migrations (
    version integer primary key, name text not null, applied_at timestamptz not null default now())`;
  for (const present of known.slice(0, upTo)) {
    const { version, name, sql } = texts.find((one) => one.version === present.version) ?? present;
    await script(`begin; ${sql}; commit`);
    await run`insert into schema_migrations (version, name) values (${version}, ${name})`;
  }
  await close();
  await migrateJobs({ url: database.url });
  return database;
}

/** The order of columns does not matter: every statement names them. */
const unordered = (schema: string) =>
  schema.replace(/^create table \w+ \(\n(.*?)\n\);$/gms, (table, lines: string) =>
    table.replace(lines, lines.replaceAll(/,$/gm, '').split('\n').sort().join('\n')),
  );
const schemaOf = async (database: TestDatabase) => unordered(await dumpSchema(await superuser(database)));
const fresh = await schemaOf(await createDatabase());

async function expectUpgraded(database: TestDatabase): Promise<void> {
  await migrate({ url: database.url });
  expect(await schemaOf(database)).toBe(fresh);
  const sql = await superuser(database);
  const rows = await sql<{ checksum: string }>`select checksum from schema_migrations order by version`;
  expect(rows.map(({ checksum }) => checksum)).toEqual(known.map(checksumOf));
}

describe('a database from an earlier version is migrated to the current schema', () => {
  const earlier = earlierTexts();
  it.each(earlier)('with $name as it was in $commit', async ({ migration }: Earlier) => {
    const database = await earlierDatabase([migration]);
    expect(await schemaOf(database)).not.toBe(fresh);
    await expectUpgraded(database);
  });
  it('with the first text of every migration', async () => {
    const first = known.flatMap(({ name }) => earlier.find((one) => one.name === name)?.migration ?? []);
    expect(first.length).toBe(5);
    await expectUpgraded(await earlierDatabase(first));
  });
  it.each(known.slice(0, beforeChecksums))('that stopped at $name', async ({ version }) => {
    await expectUpgraded(await earlierDatabase([], version));
  });

  it('with name keys as they are computed today', async () => {
    const first = earlier.find(({ name }) => name === '0006_finding_guests.sql') as Earlier;
    const database = await earlierDatabase([first.migration]);
    const sql = await superuser(database);
    await sql`insert into accounts (id, name, root_unit_id) values (1, 'One', 1), (2, 'Two', 2)`;
    // As the first text folded them: migration 9 has replaced the function since.
    const folding = /create function name_key.*?;\n/s.exec(first.migration.sql)?.[0] as string;
    const [present] = await sql<{ text: string }>`select pg_get_functiondef('name_key'::regproc) as text`;
    await sql([folding.replace('create function', 'create or replace function')] as unknown as TemplateStringsArray);
    await sql`insert into contacts (account_id, id, first_name, last_name) values (1, 1, 'Ænne', 'Groß'), (2, 2, 'Zoë', 'Lee')`;
    await sql([present?.text] as unknown as TemplateStringsArray);
    const keys = () => sql`select first_name_key as first, last_name_key as last from contacts order by id`;
    expect([...(await keys())]).not.toEqual([
      { first: 'aenne', last: 'gross' },
      { first: 'zoe', last: 'lee' },
    ]);
    await migrate({ url: database.url });
    expect([...(await keys())]).toEqual([
      { first: 'aenne', last: 'gross' },
      { first: 'zoe', last: 'lee' },
    ]);
  });
});

describe('a migration that was edited after it was applied', () => {
  const edited = known.map((one) => (one.version === 9 ? { ...one, sql: `${one.sql}\nselect 1;` } : one));

  it('prevents every process from starting, with the name and a remedy', async () => {
    const database = await createDatabase();
    const before = await schemaOf(database);
    for (const onlyIfEmpty of [false, true])
      await expect(migrate({ url: database.url }, onlyIfEmpty, edited)).rejects.toThrow(
        /migration 0009_quicker_writes\.sql with another text.*Nothing was changed.*Start the version.*put back its original text/,
      );
    expect(await schemaOf(database)).toBe(before);
    const run = await connectTo(database.url);
    await expect(mustBeMigrated(run)).resolves.toBeUndefined();
    await run`update schema_migrations set checksum = 'another' where version = 9`;
    await expect(mustBeMigrated(run)).rejects.toThrow('not as this version of Regulars expects it');
  });

  it('is not confused with one that was applied before checksums were recorded', async () => {
    const database = await earlierDatabase([]);
    await migrate({ url: database.url });
    await expect(migrate({ url: database.url }, false, edited)).rejects.toThrow('with another text');
  });
});

describe('migrations/checksums.txt', () => {
  const listed = readFileSync('migrations/checksums.txt', 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('  '));

  it('has each migration once, with its checksum: a landed migration never changes', () => {
    expect(listed.map(([, name]) => name)).toEqual(known.map(({ name }) => name));
    for (const [checksum, name] of listed)
      expect(checksum, `${name} was edited: put back its text, and write a new migration`).toBe(
        checksumOf(known.find((one) => one.name === name) as Migration),
      );
  });
  it('lists exactly the existing files', () => {
    expect(readdirSync('migrations').sort()).toEqual([...known.map(({ name }) => name), 'checksums.txt']);
  });
});
