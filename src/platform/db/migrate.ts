import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, messageOf } from '../../shared/errors.ts';
import { SetupProblem } from '../../shared/problem.ts';
import { packageFile } from '../package-files.ts';
import { type Connection, type ConnectOptions, openConnection } from './connection.ts';
import { migrateJobs } from './jobs.ts';
import type { Run } from './sql.ts';

export interface Migration {
  version: number;
  name: string;
  sql: string;
}

const folder = packageFile('migrations');

/** Our advisory locks are (class, number). The class separates them from locks of other software. */
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
 * Applies the pending migrations, each in its own transaction. Of processes that start at once, one migrates and the
 * others wait. A database with newer migrations is rejected and not changed.
 */
export async function migrate(
  options: ConnectOptions,
  onlyIfEmpty = false,
  migrations = knownMigrations(),
): Promise<{ applied: string[]; version: number }> {
  const connection = await openConnection(options);
  const { run } = connection;
  const latest = migrations.at(-1)?.version ?? 0;
  let lock: Connection | undefined;
  try {
    lock = await holdMigrationLock(options, () => void connection.close());
    const done = await appliedMigrations(run);
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
    await addChecksumColumn(run);
    for (const migration of pending) await connection.transaction(() => applyMigration(connection, migration));
    await fillChecksums(run, migrations);
    await migrateJobs(options);
    return { applied: pending.map((migration) => migration.name), version: latest };
  } catch (error) {
    throw explainError(error);
  } finally {
    await lock?.close();
    await connection.close();
  }
}

/**
 * Holds the migration lock until the connection is closed. It is the lock of an open transaction, because a pooler does
 * not preserve locks of a session. If the connection is lost, so is the lock.
 */
async function holdMigrationLock(options: ConnectOptions, onLost: () => void): Promise<Connection> {
  const connection = await openConnection({ ...options, onLost });
  try {
    await connection.script('begin; set local idle_in_transaction_session_timeout = 0');
    await takeMigrationLock(connection.run);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Throws unless the database has exactly the migrations of this code, with the same texts. */
export async function mustBeMigrated(run: Run): Promise<void> {
  const had = (await selectApplied(run)).map(({ version, checksum }) => `${version} ${checksum}`);
  const known = knownMigrations().map((one) => `${one.version} ${checksumOf(one)}`);
  if (had.join() === known.join()) return;
  throw new SetupProblem('The database is not as this version of Regulars expects it. Restart the whole service.');
}

/** An applied migration. */
interface AppliedMigration {
  version: number;
  name: string;
  /** Null: applied by a version that did not record checksums. */
  checksum: string | null;
}

export function checksumOf({ sql }: Pick<Migration, 'sql'>): string {
  return createHash('sha256').update(sql).digest('hex');
}

/** Throws if an applied migration was edited: the schema would not be what the code expects. */
export function mustBeUnchanged(done: AppliedMigration[], known: Migration[]): void {
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

/** Takes the migration lock until the end of the transaction. */
export async function takeMigrationLock(run: Run): Promise<void> {
  await run`select pg_advisory_xact_lock(${lockClass}, ${migrationLock})`;
}

/** The applied migrations. Creates the table if it is missing. */
export async function appliedMigrations(run: Run): Promise<AppliedMigration[]> {
  await run`create table if not exists schema_migrations (
    version integer primary key, name text not null, applied_at timestamptz not null default now(), checksum text)`;
  return selectApplied(run);
}

/** The table of earlier versions has no column `checksum`. */
function selectApplied(run: Run): Promise<AppliedMigration[]> {
  return run<AppliedMigration>`
    select version, name, to_jsonb(done) ->> 'checksum' as checksum from schema_migrations as done order by version`;
}

/** Adds the column if it is missing. It checks first, because ALTER TABLE would always wait for a running backup. */
export async function addChecksumColumn(run: Run): Promise<void> {
  const columns = await run`
    select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'checksum'`;
  if (columns.length === 0) await run`alter table schema_migrations add column if not exists checksum text`;
}

/**
 * Records a checksum for each migration that was applied without one. Its text at that time is not known. Migration 10
 * made the schema equal to the result of the present texts, so the present checksum is right.
 */
async function fillChecksums(run: Run, migrations: Migration[]): Promise<void> {
  await run`
    update schema_migrations as done set checksum = known.checksum
    from unnest(${migrations.map(({ version }) => version)}::integer[], ${migrations.map(checksumOf)}::text[]) as known (version, checksum)
    where done.version = known.version and done.checksum is null`;
}

/** The caller must have started a transaction. */
export async function applyMigration({ run, script }: Connection, migration: Migration): Promise<void> {
  const { version, name, sql } = migration;
  await script(sql);
  await run`insert into schema_migrations (version, name, checksum) values (${version}, ${name}, ${checksumOf(migration)})`;
}

/** Explains the two common errors with a database that was not made by the service. */
export function explainError(error: unknown): unknown {
  const [code, message] = [codeOf(error), messageOf(error)];
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
