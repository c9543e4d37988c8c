import { codeOf } from '../../../shared/errors.ts';
import { SetupProblem } from '../../../shared/problem.ts';
import { kindOf, prepareForShards } from '../citus.ts';
import { type Connection, type ConnectOptions, openConnection } from '../connection.ts';
import { tenantTables } from '../deletion.ts';
import { migrate, takeMigrationLock } from '../migrate.ts';
import { identifier, only, type Run, raw } from '../sql.ts';
import { mustBeCoordinator } from './nodes.ts';

/** The tables that every node has a copy of: rows of other tables refer to them on every node. */
const referenceTables = ['accounts', 'users'];

const localTables = ['sessions', 'user_accounts'];

export interface Distributed {
  /** The tables that were distributed now; none if they were before. */
  tables: number;
  shards: number;
  workers: number;
  rows: number;
}

/**
 * Distributes the tenant tables by account, and copies the directory to every node. It is one transaction: requests wait
 * for it, and an interruption leaves the database as it was.
 */
export async function distribute(
  options: ConnectOptions,
  work: { shards: number; say: (text: string) => void; interrupted?: AbortSignal },
): Promise<Distributed> {
  const connection = await openConnection(options);
  const { run } = connection;
  try {
    if ((await kindOf(run)) === 'without Citus') throw withoutCitus(await isInstallable(run));
    const { workers, places } = only(
      await run<{ workers: number; places: number }>`
        select count(*) filter (where groupid > 0) as workers, count(*) filter (where shouldhaveshards) as places
        from pg_dist_node where isactive and noderole = 'primary'`,
    );
    if (places === 0)
      throw new SetupProblem(
        "The cluster has no workers. Nothing was changed. On the coordinator, add each one as a superuser: select citus_add_node('HOST', PORT).",
      );
    // Without nodes, Citus calls no server a coordinator.
    await mustBeCoordinator(run);
    // An empty database gets its tables now, not before the checks.
    await migrate(options, true);
    const done = await repeatAfterDeadlock(() => move(connection, work));
    const { count } = only(
      await run<{ count: number }>`
      select count(*) as count from pg_dist_shard where logicalrelid = 'contacts'::regclass`,
    );
    return { ...done, shards: count, workers };
  } finally {
    await connection.close();
  }
}

/**
 * The locks are taken table by table. A request that waits for one of them can hold another one. PostgreSQL then ends one of
 * both transactions.
 */
async function repeatAfterDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== deadlock || attempt === mostAttempts) throw error;
    }
  }
}

const [deadlock, mostAttempts] = ['40P01', 10];

const none = { tables: 0, rows: 0 };

function withoutCitus(isInstallable: boolean): SetupProblem {
  const way = isInstallable
    ? 'It is installed on the server: let a superuser run `create extension citus` in this database on every node, and add the nodes with `citus_add_node`.'
    : 'Install it on every server, and put it into shared_preload_libraries.';
  return new SetupProblem(`This database has no Citus, so it can't be distributed. Nothing was changed. ${way}`);
}

async function isInstallable(run: Run): Promise<boolean> {
  return (await run`select from pg_available_extensions where name = 'citus'`).length > 0;
}

async function move(
  { transaction }: Connection,
  { shards, say, interrupted }: Parameters<typeof distribute>[1],
): Promise<{ tables: number; rows: number }> {
  return transaction(async (tx) => {
    // Of two commands, the second one waits here and finds nothing to do.
    await takeMigrationLock(tx);
    if ((await kindOf(tx)) === 'distributed') return none;
    const tables = await tenantTables(tx);
    await prepareForShards(tx);
    await tx`set local client_min_messages = warning`;
    await tx`set local app.show_deleted = 'on'`;
    const names = tables.map(({ name }) => name);
    const all = [...referenceTables, ...names];
    await tx`lock table ${raw(all.map((name) => identifier(name).sql).join())} in access exclusive mode`;
    // Row-level security would hide every row from the copy, and a trigger would refuse to empty the old table.
    const forced = await forcedTables(tx);
    for (const name of forced) await tx`alter table ${identifier(name)} no force row level security`;
    for (const name of all) await tx`alter table ${identifier(name)} disable trigger user`;
    const before = await countAll(tx, all);
    const keys = await dropForeignKeys(tx);
    for (const name of referenceTables) {
      await tx`select create_reference_table(${name})`;
      await tx`select truncate_local_data_after_distributing_table(${name})`;
    }
    let first: string | undefined;
    for (const [index, name] of names.entries()) {
      if (interrupted?.aborted) throw new SetupProblem('Interrupted: nothing was changed.');
      say(`${index + 1} of ${names.length}: ${name}, ${(before.get(name) ?? 0).toLocaleString('en')} rows`);
      await (first === undefined
        ? tx`select create_distributed_table(${name}, 'account_id', shard_count := ${shards}::int)`
        : tx`select create_distributed_table(${name}, 'account_id', colocate_with := ${first})`);
      // The rows in the old place are not visible any more, but still on the disk.
      await tx`select truncate_local_data_after_distributing_table(${name})`;
      first ??= name;
    }
    await tx`
      select create_distributed_function(oid::regprocedure) from pg_proc where pronamespace = current_schema()::regnamespace
        and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`;
    // Tables on the coordinator whose rows refer to reference tables. Added by name, they stay known to Citus when a
    // restore drops their foreign keys.
    for (const name of localTables) await tx`select citus_add_local_table_to_metadata(${name})`;
    say(`checking ${keys.length} foreign keys`);
    for (const key of keys) await tx`${raw(key)}`;
    const after = await countAll(tx, all);
    for (const name of all)
      if (after.get(name) !== before.get(name))
        throw new SetupProblem(
          `${name} had ${before.get(name)} rows and has ${after.get(name)} on the nodes. Nothing was changed.`,
        );
    for (const name of all) await tx`alter table ${identifier(name)} enable trigger user`;
    for (const name of forced) await tx`alter table ${identifier(name)} force row level security`;
    return { tables: names.length, rows: [...after.values()].reduce((sum, count) => sum + count, 0) };
  });
}

async function forcedTables(run: Run): Promise<string[]> {
  const rows = await run<{ name: string }>`
    select relname::text as name from pg_class where relnamespace = current_schema()::regnamespace and relforcerowsecurity order by 1`;
  return rows.map(({ name }) => name);
}

async function countAll(run: Run, names: string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const name of names)
    counts.set(name, only(await run<{ count: number }>`select count(*) as count from ${identifier(name)}`).count);
  return counts;
}

/** Tables are distributed without their foreign keys. Returns the statements that add them again. */
async function dropForeignKeys(run: Run): Promise<string[]> {
  const keys = await run<{ table: string; name: string; definition: string }>`
    select conrelid::regclass::text as table, conname::text as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where connamespace = current_schema()::regnamespace and contype = 'f' order by 1, 2`;
  for (const { table, name } of keys) await run`alter table ${raw(table)} drop constraint ${identifier(name)}`;
  return keys.map(
    ({ table, name, definition }) => `alter table ${table} add constraint ${identifier(name).sql} ${definition}`,
  );
}
