import { SetupProblem } from '../../../shared/problem.ts';
import { textIn } from '../../../shared/record.ts';
import { kindOf, prepareForShards } from '../citus.ts';
import type { ConnectOptions, CopyConnection } from '../connection.ts';
import type { Tx } from '../database.ts';
import { addWaitingJobs, migrateJobs, waitingJobs } from '../jobs.ts';
import {
  addChecksumColumn,
  appliedMigrations,
  applyMigration,
  explainError,
  knownMigrations,
  type Migration,
  mustBeUnchanged,
  takeMigrationLock,
} from '../migrate.ts';
import { identifier, join, only, raw } from '../sql.ts';
import { findTables, prepareSession, type Table } from './catalogue.ts';
import {
  type Counts,
  countLines,
  type End,
  type Header,
  type Progress,
  type Reader,
  total,
  Unreadable,
} from './format.ts';
import type { Summary } from './take.ts';

/** Splits the known migrations into those of the backup and later ones. Throws if the backup has an unknown one. */
export function divideMigrations({ regulars, migrations }: Header): { before: Migration[]; after: Migration[] } {
  const known = knownMigrations();
  const unknown = migrations.find((name) => !known.some((one) => one.name === name));
  if (unknown !== undefined) {
    throw new Unreadable(
      `Regulars ${regulars} wrote it, with migration ${unknown}, and this version knows them up to ${known.at(-1)?.name}; restore it with that version or a later one`,
    );
  }
  const isBefore = ({ name }: Migration) => migrations.includes(name);
  return { before: known.filter(isBefore), after: known.filter((one) => !isBefore(one)) };
}

/** Fills an empty database in one transaction, so an interrupted restore leaves nothing. A service that starts meanwhile waits for the migration lock. */
export async function restore(
  connection: CopyConnection,
  options: ConnectOptions,
  { header, reader }: { header: Header; reader: Reader },
  { progress, say, finish }: { progress: Progress; say: (text: string) => void; finish: (tx: Tx) => Promise<void> },
): Promise<Summary> {
  const { before, after } = divideMigrations(header);
  try {
    return await connection.transaction(async (tx) => {
      await prepareSession(tx);
      await takeMigrationLock(tx);
      // Checked without a lock first: a restore into a database in use must not disturb its service.
      await mustBeEmpty(
        tx,
        (await findTables(tx)).filter(({ ofAccounts }) => !ofAccounts),
      );
      const done = await appliedMigrations(tx);
      mustBeUnchanged(done, before);
      if (done.some(({ version }) => !before.some((one) => one.version === version)))
        throw notEmpty('it was made for a later version than the backup');
      await addChecksumColumn(tx);
      for (const migration of before)
        if (!done.some(({ version }) => version === migration.version)) await applyMigration(connection, migration);
      await migrateJobs(options);

      const tables = await findTables(tx);
      mustFit(header, tables);
      await prepareForShards(tx);
      const restoring = await dropConstraints(tx);
      await mustBeEmpty(tx, tables);
      await tx`create temporary table waiting_jobs (${raw(waitingJobs.definition)}) on commit drop`;
      const { rows, sequences } = await fill(connection, header, reader, progress);
      say('building indexes and checking foreign keys');
      for (const statement of restoring) await tx`${raw(statement)}`;
      await addWaitingJobs(tx);
      for (const [name, last] of Object.entries(sequences))
        await tx`select setval(${identifier(name).sql}::regclass, ${last})`;
      for (const migration of after) await applyMigration(connection, migration);
      // Read again, because a later migration may have renamed a table.
      // Not all at once on a distributed server. Its service does it within seconds.
      if ((await kindOf(tx)) !== 'distributed')
        await tx`analyze ${join((await findTables(tx)).map(({ name }) => identifier(name)))}`;
      await finish(tx);
      return { rows: total(rows), accounts: rows.accounts ?? 0 };
    });
  } catch (error) {
    const [code, table, constraint] = ['code', 'table', 'constraint'].map((name) => textIn(error, name));
    // Data errors (22) and constraint violations (23). The message of PostgreSQL can contain a guest's data.
    if (code?.startsWith('22') || code?.startsWith('23'))
      throw new Unreadable(['PostgreSQL refuses a row', table, constraint, code].filter(Boolean).join(', '));
    throw explainError(error);
  }
}

const notEmpty = (why: string) =>
  new SetupProblem(
    `The database is not empty: ${why}. Nothing was changed. A backup is restored into a new one: set DATA_DIR to a folder that does not exist yet ` +
      '(or DATABASE_URL to an empty database), restore, and start the service with the same setting.',
  );

async function mustBeEmpty(tx: Tx, tables: Table[]): Promise<void> {
  for (const { name } of tables) {
    const { filled } = only(await tx<{ filled: boolean }>`select exists (select 1 from ${identifier(name)}) as filled`);
    if (filled) throw notEmpty(`the table ${name} has rows`);
  }
}

/** Throws if the columns of the backup and of the migrated database differ. Then one of them was changed by hand. */
function mustFit({ columns }: Header, tables: Table[]): void {
  // The order of columns depends on when they were added.
  const sorted = (names: string[] | undefined) => Array.isArray(names) && names.toSorted().join();
  const fits = tables.every(({ name, columns: ours }) => sorted(columns[name]) === sorted(ours));
  if (!fits || Object.keys(columns).length !== tables.length + 1)
    throw new Unreadable('its tables are not as its migrations make them');
}

/**
 * Drops foreign keys and indexes and disables triggers and row-level security, and returns the statements that restore
 * them. Checking all rows at the end is many times faster, and rows may come in any order. Other transactions never see
 * this state.
 */
async function dropConstraints(tx: Tx): Promise<string[]> {
  const parts = await tx<{ take: string; put: string }>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as take,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(f.oid)) as put, 2 as step, f.oid
    -- A distributed server hides shards in pg_class, and changes them together with their table.
    from pg_constraint f join pg_class c on c.oid = f.conrelid
    where connamespace = current_schema()::regnamespace and contype = 'f' and conparentid = 0
    union all
    select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 1, indexrelid
    from pg_index join pg_class c on c.oid = indexrelid
    where relnamespace = current_schema()::regnamespace and not relispartition
      and not exists (select from pg_constraint where conindid = indexrelid)
    union all
    select format('alter table %s no force row level security', oid::regclass),
      format('alter table %s %s force row level security', oid::regclass, case when relforcerowsecurity then '' else 'no' end), 3, oid
    from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
    union all
    select format('alter table %s disable trigger user', oid::regclass), format('alter table %s enable trigger user', oid::regclass), 4, oid
    from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
    order by step, oid`;
  for (const { take } of parts.toReversed()) await tx`${raw(take)}`;
  return parts.map(({ put }) => put);
}

async function fill(connection: CopyConnection, header: Header, reader: Reader, progress: Progress): Promise<End> {
  const rows: Counts = Object.fromEntries(Object.keys(header.columns).map((table) => [table, 0]));
  let read = 0;
  async function* withProgress(lines: AsyncIterable<Buffer>) {
    for await (const some of lines) {
      yield some;
      read += countLines(some);
      progress(read, Math.max(header.about_rows, read + 1));
    }
  }
  const sections = reader.sections();
  for (;;) {
    const { value, done } = await sections.next();
    if (done) {
      if (JSON.stringify(value.rows) !== JSON.stringify(rows)) throw new Unreadable('it holds other rows than it says');
      progress(read, read);
      return value;
    }
    const columns = Object.hasOwn(header.columns, value.table) ? header.columns[value.table] : undefined;
    if (!columns) throw new Unreadable(`it names a table that there is not, ${value.table}`);
    const table = value.table === waitingJobs.name ? 'waiting_jobs' : identifier(value.table).sql;
    const copy = `copy ${table} (${join(columns.map(identifier)).sql}) from stdin`;
    rows[value.table] = (rows[value.table] ?? 0) + (await connection.copyIn(copy, withProgress(value.lines)));
  }
}
