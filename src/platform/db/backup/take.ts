import { SetupProblem } from '../../../shared/problem.ts';
import { selectWaitingJobs } from '../../internals/graphile-worker.ts';
import { version } from '../../version.ts';
import { kindOf } from '../citus.ts';
import { type ConnectOptions, type CopyConnection, openConnection } from '../connection.ts';
import { enterAccount, type Tx } from '../database.ts';
import { waitingJobs } from '../jobs.ts';
import { identifier, join, only, sql } from '../sql.ts';
import { findTables, prepareSession, type Table } from './catalogue.ts';
import { type Progress, write } from './format.ts';

export interface Summary {
  rows: number;
  accounts: number;
}

/**
 * Reads the whole database in one snapshot. Other transactions can write meanwhile. Tenant tables are read account by
 * account, because row-level security applies here too.
 */
export async function takeBackup(
  connection: CopyConnection,
  options: ConnectOptions,
  store: (text: AsyncIterable<Buffer | string>) => Promise<void>,
  progress: Progress,
): Promise<Summary> {
  const known = await findTables(connection.run);
  const kind = await kindOf(connection.run);
  return connection.transaction(async (tx) => {
    await tx`set transaction isolation level repeatable read, read only`;
    // Before the snapshot is taken. A table that is rewritten after it would look empty.
    const lockTables = async () => {
      if (known.length > 0)
        await tx`lock table ${join(known.map(({ name }) => identifier(name)))} in access share mode`;
    };
    await (kind === 'distributed' ? openSnapshots(tx, options, lockTables) : lockTables());
    await prepareSession(tx);
    const migrations = await schemaOf(tx);
    const { now } = only(await tx<{ now: Date }>`select now()`);
    const accounts = await tx<{ id: number }>`select id from accounts order by id`;
    const tables = await findTables(tx);
    if (shapeOf(tables) !== shapeOf(known))
      throw new SetupProblem('The database was being upgraded just now. Take the backup when that is done.');
    const copy = (query: string) => connection.copyOut(`copy (${query}) to stdout`);
    const copyTable = ({ name, columns }: Table, where = '') =>
      copy(`select ${join(columns.map(identifier)).sql} from ${identifier(name).sql} ${where}`);

    async function* sections() {
      yield { table: waitingJobs.name, lines: copy(selectWaitingJobs) };
      for (const table of tables) if (!table.ofAccounts) yield { table: table.name, lines: copyTable(table) };
      const tenants = tables.filter(({ ofAccounts }) => ofAccounts);
      for (const { id } of accounts) {
        await enterAccount(tx, id);
        for (const table of await withRows(tx, tenants, id))
          yield { table: table.name, account: id, lines: copyTable(table, `where account_id = ${id}`) };
      }
    }
    const header = {
      regulars: version,
      taken_at: now.toISOString(),
      migrations,
      columns: Object.fromEntries([waitingJobs, ...tables].map(({ name, columns }) => [name, columns])),
      about_rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    };
    let rows = 0;
    const text = write(
      header,
      sections(),
      async () => ({ sequences: await lastNumbers(tx) }),
      (done, of) => {
        rows = done;
        // The estimate can be too low.
        progress(done, Math.max(of, done + 1));
      },
    );
    await store(text);
    progress(rows, rows);
    return { rows, accounts: accounts.length };
  });
}

/**
 * Each node of a distributed server has a snapshot of its own. Meanwhile nobody may change the directory: a token could be
 * in one snapshot, and its user not in the other.
 */
async function openSnapshots(tx: Tx, options: ConnectOptions, lockTables: () => Promise<void>): Promise<void> {
  const holder = await openConnection(options);
  try {
    await holder.transaction(async (holding) => {
      await holding`lock table accounts, users in share mode`;
      // One connection to each node has one snapshot. The statements go to every node.
      await tx`set local citus.max_adaptive_executor_pool_size = 1`;
      await lockTables();
      await tx`select count(*) from tokens`;
    });
  } finally {
    await holder.close();
  }
}

const shapeOf = (tables: Table[]) => JSON.stringify(tables.map(({ name, columns }) => [name, columns]));

/** The names of the applied migrations. */
export async function schemaOf(tx: Tx): Promise<string[]> {
  const { there } = only(await tx<{ there: boolean }>`select to_regclass('schema_migrations') is not null as there`);
  if (!there)
    throw new SetupProblem('There is nothing to back up: the service has never been started on this database.');
  const done = await tx<{ name: string }>`select name from schema_migrations order by version`;
  return done.map(({ name }) => name);
}

/** The tables with rows of the account. Most tables of a small account are empty, and a check is faster than a COPY. */
async function withRows(tx: Tx, tables: Table[], accountId: number): Promise<Table[]> {
  const looks = tables.map(({ name }) => sql`exists (select from ${identifier(name)} where account_id = ${accountId})`);
  const { filled } = only(await tx<{ filled: boolean[] }>`select array[${join(looks)}] as filled`);
  return tables.filter((_, index) => filled[index]);
}

/** Read at the end: sequences ignore the snapshot, and a value that was used meanwhile must not be used again. */
async function lastNumbers(tx: Tx): Promise<Record<string, number>> {
  const sequences = await tx<{ name: string; last: number }>`
    select sequencename::text as name, last_value as last from pg_sequences
    where schemaname = current_schema() and last_value is not null order by 1`;
  return Object.fromEntries(sequences.map(({ name, last }) => [name, last]));
}
