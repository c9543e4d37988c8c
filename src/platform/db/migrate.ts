import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, messageOf } from '../../shared/errors.ts';
import { SetupProblem } from '../../shared/problem.ts';
import { packageFile } from '../package-files.ts';
import { prepareForShards } from './citus.ts';
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
/** Held by a command that copies shards. A migration waits for it: a table that is new meanwhile would be copied without its rows. */
export const copyingLock = 5;

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
 * The oldest code that works with a database after this migration, as the latest migration of that code. The name says
 * it, because the database records the name, and earlier code must read it:
 * - `0015_add_x.expand.sql`: all earlier code works.
 * - `0020_drop_x.contract-0018.sql`: code works that has migration 18, because it no longer uses what this one removes.
 * - any other name: only code that has the migration itself.
 */
function oldestCode({ version, name }: Pick<Migration, 'version' | 'name'>): number {
  const [, kind, since] = /\.(expand|contract-(\d{4}))\.sql$/.exec(name) ?? [];
  if (kind === 'expand') return 0;
  return since === undefined ? version : Math.min(version, Number(since));
}

/** The applied migrations that are unknown here and that this code does not work with. */
function incompatible(done: AppliedMigration[], migrations: Migration[]): AppliedMigration[] {
  const latest = migrations.at(-1)?.version ?? 0;
  return done.filter((one) => one.version > latest && oldestCode(one) > latest);
}

/**
 * Applies the pending migrations, each in its own transaction. Of processes that start at once, one migrates and the
 * others wait. A database with newer migrations is not changed, and is rejected if this code does not work with them.
 */
export async function migrate(
  options: ConnectOptions,
  onlyIfEmpty = false,
  migrations = knownMigrations(),
): Promise<{ applied: string[]; version: number }> {
  const connection = await openConnection(options);
  const latest = migrations.at(-1)?.version ?? 0;
  let lock: Connection | undefined;
  try {
    lock = await holdMigrationLock(options, () => void connection.close());
    const done = await connection.transaction(appliedMigrations);
    const tooNew = incompatible(done, migrations).at(-1);
    if (tooNew) {
      throw new SetupProblem(
        `The database is newer than this Regulars: it has had migration ${tooNew.version}, and this version knows them up to ${latest}. ` +
          'Nothing was changed. Start the version that the database was last used with, or a later one.',
      );
    }
    mustBeUnchanged(done, migrations);
    const pending = migrations.filter(({ version }) => !done.some((one) => one.version === version));
    if (onlyIfEmpty && done.length > 0 && pending.length > 0) {
      throw new SetupProblem(
        `The database waits for ${pending.length} migration(s). Run \`regulars migrate\`, or restart the service.`,
      );
    }
    await connection.transaction(addChecksumColumn);
    for (const migration of pending) await applyInTransaction(connection, migration);
    await connection.transaction((tx) => fillChecksums(tx, migrations));
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
    await connection.begin();
    await takeMigrationLock(connection.run);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Throws unless the database has the migrations of this code, with the same texts, and no others that this code does not work with. */
export async function mustBeMigrated(run: Run): Promise<void> {
  const [done, known] = [await selectApplied(run), knownMigrations()];
  const has = (one: Migration) =>
    done.some(({ version, checksum }) => version === one.version && checksum === checksumOf(one));
  if (known.every(has) && incompatible(done, known).length === 0) return;
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

/** How long requests may wait for a migration that waits for a lock, and the pause before it tries again. */
const [lockTimeout, lockPauseMs] = ['2s', 1000];

/**
 * If earlier code works with the migration, processes may be serving requests. A migration that waits for the lock on a
 * table makes all later requests on that table wait too, so it gives up soon and tries again. It also tries again if it
 * locked one table and a request another one, and each waited for the other.
 */
async function applyInTransaction(connection: Connection, migration: Migration): Promise<void> {
  const isRolling = oldestCode(migration) < migration.version;
  for (;;) {
    try {
      return await connection.transaction(async () => {
        if (isRolling) await connection.script(`set local lock_timeout = '${lockTimeout}'`);
        await applyMigration(connection, migration);
      });
    } catch (error) {
      if (!isRolling || !lockErrors.includes(codeOf(error) ?? '')) throw error;
      await pause(lockPauseMs);
    }
  }
}

/** The lock timeout, and a deadlock. */
const lockErrors = ['55P03', '40P01'];

/** The caller must have started a transaction. */
export async function applyMigration({ run, script }: Connection, migration: Migration): Promise<void> {
  const { version, name, sql } = migration;
  await prepareForShards(run);
  await run`select pg_advisory_xact_lock_shared(${lockClass}, ${copyingLock})`;
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
