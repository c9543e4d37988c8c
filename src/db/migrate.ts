import { readdirSync, readFileSync } from 'node:fs';
import { SetupProblem } from '../shared/problem.ts';
import { type Connection, type ConnectOptions, openConnection } from './database.ts';
import { migrateJobs } from './jobs.ts';
import type { Run } from './sql.ts';

export interface Migration {
  version: number;
  name: string;
  sql: string;
}

const folder = new URL('../../migrations/', import.meta.url);

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
      sql: readFileSync(new URL(file, folder), 'utf8'),
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
    const newest = done.at(-1) ?? 0;
    if (newest > latest) {
      throw new SetupProblem(
        `The database is newer than this Regulars: it has had migration ${newest}, and this version knows them up to ${latest}. ` +
          'Nothing was changed. Start the version that the database was last used with, or a later one.',
      );
    }
    const pending = migrations.filter(({ version }) => !done.includes(version));
    if (onlyIfEmpty && newest > 0 && pending.length > 0) {
      throw new SetupProblem(
        `The database waits for ${pending.length} migration(s). Run \`regulars migrate\`, or restart the service.`,
      );
    }
    for (const migration of pending) await connection.transaction(() => applyMigration(connection, migration));
    await migrateJobs(options);
    return { applied: pending.map((migration) => migration.name), version: latest };
  } catch (error) {
    throw explained(error);
  } finally {
    await connection.close();
  }
}

/** Whether the database has had the migrations that this code knows, and no others. */
export async function mustBeMigrated(run: Run): Promise<void> {
  const done = await run<{ version: number }>`select version from schema_migrations order by version`;
  const [had, known] = [done, knownMigrations()].map((all) => all.map(({ version }) => version).join());
  if (had === known) return;
  throw new SetupProblem('The database is not as this version of Regulars expects it. Restart the whole service.');
}

/** Whoever changes the schema is alone with it for as long as the connection lasts; others wait. */
export async function takeTurn(run: Run): Promise<void> {
  await run`select pg_advisory_lock(${lockClass}, ${migrationLock})`;
}

/** The versions of those that the database has had. */
export async function doneMigrations(run: Run): Promise<number[]> {
  await run`create table if not exists schema_migrations (
    version integer primary key, name text not null, applied_at timestamptz not null default now())`;
  const done = await run<{ version: number }>`select version from schema_migrations order by version`;
  return done.map(({ version }) => version);
}

/** In a transaction that the caller began. */
export async function applyMigration({ run, script }: Connection, { version, name, sql }: Migration): Promise<void> {
  await script(sql);
  await run`insert into schema_migrations (version, name) values (${version}, ${name})`;
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
