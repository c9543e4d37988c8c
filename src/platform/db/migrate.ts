import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupProblem } from '../../shared/problem.ts';
import { packageFile } from '../package-files.ts';
import { type Connection, type ConnectOptions, openConnection } from './database.ts';
import { migrateJobs } from './jobs.ts';
import type { Run } from './sql.ts';

export interface Migration {
  version: number;
  name: string;
  sql: string;
}

const folder = packageFile('migrations');

/** Advisory locks of ours are (class, number); the class keeps them apart from other software's. */
export const lockClass = 0x5245;
const migrationLock = 3;

export function knownMigrations(): Migration[] {
  return readdirSync(folder)
    .filter((file) => /^\d{4}_.+\.sql$/.test(file))
    .sort()
    .map((file) => ({
      version: Number(file.slice(0, 4)),
      name: file,
      sql: readFileSync(join(folder, file), 'utf8'),
    }));
}

/**
 * Brings the database up to this code, one transaction a migration. Processes that start at once take turns, and
 * the later ones find nothing left to do. A database that is ahead of the code is left alone.
 */
export async function migrate(
  options: ConnectOptions,
  onlyIfEmpty = false,
  migrations = knownMigrations(),
): Promise<{ applied: string[]; version: number }> {
  const connection = await openConnection(options);
  const { run } = connection;
  const latest = migrations.at(-1)?.version ?? 0;
  try {
    await takeTurn(run);
    const done = await doneMigrations(run);
    const newest = done.at(-1)?.version ?? 0;
    if (newest > latest) {
      throw new SetupProblem(
        `The database is newer than this Regulars: it has had migration ${newest}, and this version knows them up to ${latest}. ` +
          'Nothing was changed. Start the version that the database was last used with, or a later one.',
      );
    }
    mustBeUnchanged(done, migrations);
    const pending = migrations.filter(({ version }) => !done.some((one) => one.version === version));
    if (onlyIfEmpty && newest > 0 && pending.length > 0) {
      throw new SetupProblem(
        `The database waits for ${pending.length} migration(s). Run \`regulars migrate\`, or restart the service.`,
      );
    }
    await keepChecksums(run);
    for (const migration of pending) await connection.transaction(() => applyMigration(connection, migration));
    await fillChecksums(run, migrations);
    await migrateJobs(options);
    return { applied: pending.map((migration) => migration.name), version: latest };
  } catch (error) {
    throw explained(error);
  } finally {
    await connection.close();
  }
}

/** Whether the database has had the migrations that this code knows, with the same texts, and no others. */
export async function mustBeMigrated(run: Run): Promise<void> {
  const had = (await selectDone(run)).map(({ version, checksum }) => `${version} ${checksum}`);
  const known = knownMigrations().map((one) => `${one.version} ${checksumOf(one)}`);
  if (had.join() === known.join()) return;
  throw new SetupProblem('The database is not as this version of Regulars expects it. Restart the whole service.');
}

/** A migration that the database has had. */
interface Done {
  version: number;
  name: string;
  /** Null: it was applied by a version that did not keep checksums. */
  checksum: string | null;
}

export function checksumOf({ sql }: Pick<Migration, 'sql'>): string {
  return createHash('sha256').update(sql).digest('hex');
}

/** A migration that was edited after it was applied would leave a schema that the code does not expect. */
export function mustBeUnchanged(done: Done[], known: Migration[]): void {
  for (const { version, name, checksum } of done) {
    const ours = known.find((one) => one.version === version);
    if (!ours || checksum === null || checksum === checksumOf(ours)) continue;
    throw new SetupProblem(
      `The database has had migration ${name} with another text than this version of Regulars has in ${ours.name}. ` +
        'Its schema may differ from what this version expects. Nothing was changed. ' +
        'Start the version that the database was last used with. If the file in migrations/ was edited, put back its original text.',
    );
  }
}

/** Whoever changes the schema is alone with it for as long as the connection lasts; others wait. */
export async function takeTurn(run: Run): Promise<void> {
  await run`select pg_advisory_lock(${lockClass}, ${migrationLock})`;
}

/** Those that the database has had. */
export async function doneMigrations(run: Run): Promise<Done[]> {
  await run`create table if not exists schema_migrations (
    version integer primary key, name text not null, applied_at timestamptz not null default now(), checksum text)`;
  return selectDone(run);
}

/** Earlier versions made the table without the column. */
function selectDone(run: Run): Promise<Done[]> {
  return run<Done>`
    select version, name, to_jsonb(done) ->> 'checksum' as checksum from schema_migrations as done order by version`;
}

/** Adds the column where it is missing. Otherwise this takes no lock: a backup that is under way would block it. */
export async function keepChecksums(run: Run): Promise<void> {
  const columns = await run`
    select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'checksum'`;
  if (columns.length === 0) await run`alter table schema_migrations add column if not exists checksum text`;
}

/**
 * Records a checksum for each migration that was applied without one. The text that it had then is not known. Migration
 * 10 made the schema equal to what the present texts make, so the present checksum is the right one.
 */
async function fillChecksums(run: Run, migrations: Migration[]): Promise<void> {
  await run`
    update schema_migrations as done set checksum = known.checksum
    from unnest(${migrations.map(({ version }) => version)}::integer[], ${migrations.map(checksumOf)}::text[]) as known (version, checksum)
    where done.version = known.version and done.checksum is null`;
}

/** In a transaction that the caller began. */
export async function applyMigration({ run, script }: Connection, migration: Migration): Promise<void> {
  const { version, name, sql } = migration;
  await script(sql);
  await run`insert into schema_migrations (version, name, checksum) values (${version}, ${name}, ${checksumOf(migration)})`;
}

/** The two things that are commonly wrong with a database that somebody else made. */
export function explained(error: unknown): unknown {
  const { code, message } = error as { code?: string; message: string };
  if (code === '42501') {
    return new SetupProblem(
      `The database's schema can't be made: ${message}. The role in DATABASE_URL must own its database.`,
    );
  }
  if (code === '42P07') {
    return new SetupProblem(
      `The database holds something else already: ${message}. Give Regulars a database of its own.`,
    );
  }
  return error;
}
