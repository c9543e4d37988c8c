import { SetupProblem } from '../../../shared/problem.ts';
import type { ConnectOptions, CopyConnection, Tx } from '../database.ts';
import { addWaitingJobs, migrateJobs, waitingJobs } from '../jobs.ts';
import {
  applyMigration,
  doneMigrations,
  explained,
  keepChecksums,
  knownMigrations,
  type Migration,
  mustBeUnchanged,
  takeTurn,
} from '../migrate.ts';
import { identifier, join, only, raw } from '../sql.ts';
import { findTables, settle, type Table } from './catalogue.ts';
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

/** Those of the backup's own schema, and those that came later; an error if it is from the future. */
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

/**
 * Fills an empty database, in one transaction: until the very end there is nothing, and whatever interrupts it leaves
 * nothing. A service that starts meanwhile waits, as it would for migrations.
 */
export async function restore(
  connection: CopyConnection,
  options: ConnectOptions,
  { header, reader }: { header: Header; reader: Reader },
  { progress, say, finish }: { progress: Progress; say: (text: string) => void; finish: (tx: Tx) => Promise<void> },
): Promise<Summary> {
  const { before, after } = divideMigrations(header);
  await takeTurn(connection.run);
  try {
    return await connection.transaction(async (tx) => {
      await settle(tx);
      // What can be seen without a lock: a service that is at work must not notice that somebody tried.
      await mustBeEmpty(
        tx,
        (await findTables(tx)).filter(({ ofAccounts }) => !ofAccounts),
      );
      const done = await doneMigrations(tx);
      mustBeUnchanged(done, before);
      if (done.some(({ version }) => !before.some((one) => one.version === version)))
        throw notEmpty('it was made for a later version than the backup');
      await keepChecksums(tx);
      for (const migration of before)
        if (!done.some(({ version }) => version === migration.version)) await applyMigration(connection, migration);
      await migrateJobs(options);

      const tables = await findTables(tx);
      mustFit(header, tables);
      const putBack = await dropConstraints(tx);
      await mustBeEmpty(tx, tables);
      await tx`create temporary table waiting_jobs (${raw(waitingJobs.definition)}) on commit drop`;
      const { rows, sequences } = await fill(connection, header, reader, progress);
      say('making indexes, and checking what refers to what');
      for (const statement of putBack) await tx`${raw(statement)}`;
      await addWaitingJobs(tx);
      for (const [name, last] of Object.entries(sequences))
        await tx`select setval(${identifier(name).sql}::regclass, ${last})`;
      for (const migration of after) await applyMigration(connection, migration);
      // Again, as a later migration may have renamed one.
      await tx`analyze ${join((await findTables(tx)).map(({ name }) => identifier(name)))}`;
      await finish(tx);
      return { rows: total(rows), accounts: rows.accounts ?? 0 };
    });
  } catch (error) {
    const { code, table, constraint } = error as { code?: string; table?: string; constraint?: string };
    // What PostgreSQL does not take as a value, or not together with the others. Its own words may quote a guest's data.
    if (code?.startsWith('22') || code?.startsWith('23'))
      throw new Unreadable(['PostgreSQL refuses a row', table, constraint, code].filter(Boolean).join(', '));
    throw explained(error);
  }
}

const notEmpty = (why: string) =>
  new SetupProblem(
    `The database is not empty: ${why}. Nothing was changed. A backup is restored into a new one: set DATA_DIR to a folder that does not exist yet ` +
      '(or DATABASE_URL to an empty database), restore, and start the service with the same setting.',
  );

async function mustBeEmpty(tx: Tx, tables: Table[]): Promise<void> {
  for (const { name } of tables) {
    const { filled } = only(await tx<{ filled: boolean }>`select exists (select from ${identifier(name)}) as filled`);
    if (filled) throw notEmpty(`the table ${name} has rows`);
  }
}

/** The tables are made by the backup's own migrations, so they differ only where somebody has changed either. */
function mustFit({ columns }: Header, tables: Table[]): void {
  // In whatever order: it depends on when a column was added.
  const sorted = (names: string[] | undefined) => Array.isArray(names) && names.toSorted().join();
  const fits = tables.every(({ name, columns: ours }) => sorted(columns[name]) === sorted(ours));
  if (!fits || Object.keys(columns).length !== tables.length + 1)
    throw new Unreadable('its tables are not as its migrations make them');
}

/**
 * Takes from the tables what would check, file or change each row by itself, and gives the statements that put it back,
 * for all rows together: many times faster, and what refers to each other may come in any order. Nobody else sees the
 * tables like this, as the transaction has them to itself.
 */
async function dropConstraints(tx: Tx): Promise<string[]> {
  const parts = await tx<{ take: string; put: string }>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as take,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as put, 2 as step, oid
    from pg_constraint where connamespace = current_schema()::regnamespace and contype = 'f' and conparentid = 0
    union all
    select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 1, indexrelid
    from pg_index join pg_class c on c.oid = indexrelid
    where relnamespace = current_schema()::regnamespace and not relispartition
      and not exists (select from pg_constraint where conindid = indexrelid)
    union all
    select format('alter table %s no force row level security, disable trigger user', oid::regclass),
      format('alter table %s %s force row level security, enable trigger user', oid::regclass, case when relforcerowsecurity then '' else 'no' end),
      3, oid
    from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
    order by step, oid`;
  for (const { take } of parts.toReversed()) await tx`${raw(take)}`;
  return parts.map(({ put }) => put);
}

async function fill(connection: CopyConnection, header: Header, reader: Reader, progress: Progress): Promise<End> {
  const rows: Counts = Object.fromEntries(Object.keys(header.columns).map((table) => [table, 0]));
  let read = 0;
  async function* watched(lines: AsyncIterable<Buffer>) {
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
    rows[value.table] = (rows[value.table] ?? 0) + (await connection.copyIn(copy, watched(value.lines)));
  }
}
