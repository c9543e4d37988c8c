import type { Run } from './sql.ts';

export type Kind = 'without Citus' | 'single server' | 'distributed';

/** A database on a server with Citus is a single server until `regulars db distribute`. */
export async function kindOf(run: Run): Promise<Kind> {
  const extension = await run`select from pg_extension where extname = 'citus'`;
  if (extension.length === 0) return 'without Citus';
  const tables = await run`select from pg_dist_partition where logicalrelid = to_regclass('contacts')`;
  return tables.length > 0 ? 'distributed' : 'single server';
}

/** The settings of a transaction that changes the schema of distributed tables. A single server ignores them. */
export async function prepareForShards(run: Run): Promise<void> {
  // Foreign keys to the reference tables do not allow parallel connections to one node.
  await run`set local citus.multi_shard_modify_mode = 'sequential'`;
  // Our triggers only refuse changes of the row at hand, so they work on each shard alone.
  await run`set local citus.enable_unsafe_triggers = on`;
}

/**
 * For a transaction that writes on the coordinator and in an account: both commit or neither, also when a node is lost
 * meanwhile. Citus commits in two phases only if it knows the table on the coordinator. It knows `sessions`, but not the
 * tables of the jobs. The statement changes no row.
 */
export async function commitInTwoPhases(run: Run): Promise<void> {
  await run`update sessions set user_id = user_id where id = 0`;
}
