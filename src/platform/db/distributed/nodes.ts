import pg from 'pg';
import { SetupProblem } from '../../../shared/problem.ts';
import { type Run, raw } from '../sql.ts';

export interface Node {
  /** HOST:PORT, as the coordinator knows it. */
  node: string;
  role: 'coordinator' | 'worker';
  active: boolean;
  /** Whether the coordinator can connect to it. */
  reachable: boolean;
  takes_shards: boolean;
  shards: number;
  /** Null if not all nodes are reachable: each one knows its own sizes. */
  bytes: number | null;
}

/** Shards of tables that are distributed together have the same place, so one table stands for all of them. */
const oneTable = 'contacts';

export async function selectNodes(run: Run): Promise<Node[]> {
  const nodes = await run<Node>`
    select format('%s:%s', nodename, nodeport) as node, case groupid when 0 then 'coordinator' else 'worker' end as role,
      isactive as active, citus_check_connection_to_node(nodename, nodeport) as reachable, shouldhaveshards as takes_shards,
      (select count(*) from pg_dist_placement join pg_dist_shard using (shardid)
        where pg_dist_placement.groupid = pg_dist_node.groupid and logicalrelid = ${oneTable}::regclass) as shards,
      null as bytes
    from pg_dist_node where noderole = 'primary' order by groupid`;
  if (!nodes.every(({ reachable }) => reachable)) return nodes;
  const sizes = await run<{ node: string; bytes: number }>`
    select format('%s:%s', nodename, nodeport) as node, sum(shard_size)::bigint as bytes
    from citus_shards where citus_table_type = 'distributed' group by 1`;
  const bytesOf = new Map(sizes.map(({ node, bytes }) => [node, bytes]));
  return nodes.map((one) => ({ ...one, bytes: bytesOf.get(one.node) ?? 0 }));
}

export interface Place {
  shard: number;
  host: string;
  port: number;
}

/** The shard of an account, and its node. */
export async function findPlace(run: Run, accountId: number): Promise<Place> {
  const [row] = await run<Place>`
    select shardid as shard, nodename as host, nodeport as port from pg_dist_shard_placement
    where shardid = get_shard_id_for_distribution_column(${oneTable}, ${accountId}::bigint)`;
  if (!row) throw new Error('The shard of the account has no place.');
  return row;
}

/** Splits an account from its shard, so that it has one of its own. Returns whether that was needed. */
export async function isolate(run: Run, accountId: number): Promise<boolean> {
  const [range] = await run<{ alone: boolean }>`
    select shardminvalue = shardmaxvalue as alone from pg_dist_shard
    where shardid = get_shard_id_for_distribution_column(${oneTable}, ${accountId}::bigint)`;
  if (range?.alone) return false;
  await call(run, 'isolate_tenant_to_new_shard', oneTable, accountId, 'CASCADE', transfer);
  return true;
}

/** Moves a shard, and those of the other tables that belong to it, to a node (HOST:PORT). */
export async function moveShard(run: Run, { shard, host, port }: Place, to: string): Promise<void> {
  const at = to.lastIndexOf(':');
  const target = { host: to.slice(0, at), port: Number(to.slice(at + 1)) };
  await call(run, 'citus_move_shard_placement', shard, host, port, target.host, target.port, transfer);
}

/** The writers of the shard wait while it is copied. */
const transfer = 'block_writes';

/** The values are part of the statement: with parameters, Citus 13.2 waits for ever. */
async function call(run: Run, name: string, ...values: (string | number)[]): Promise<void> {
  await mustSeeAllRows(run);
  const list = values.map((value) => (typeof value === 'number' ? String(value) : pg.escapeLiteral(value)));
  await run`select ${raw(`${name}(${list.join(', ')})`)}`;
}

/** A copy has the rows that the role sees, and Citus then drops the original. */
async function mustSeeAllRows(run: Run): Promise<void> {
  const hidden = await run`
    select from pg_policy where polname = 'own_account' and row_security_active(polrelid)
      and polrelid in (select oid from pg_class where relnamespace = current_schema()::regnamespace) limit 1`;
  if (hidden.length > 0)
    throw new SetupProblem(
      'Another command forced row-level security again, so no more shards are copied. Run this again.',
    );
}

export interface Move extends Place {
  to: string;
}

/**
 * The moves after which every node has about the same share. Accounts with shards of their own stay where an operator
 * moved them.
 */
export async function planMoves(run: Run): Promise<Move[]> {
  await mustHaveReferenceTables(run);
  return run<Move>`
    select shardid as shard, sourcename as host, sourceport as port, format('%s:%s', targetname, targetport) as to
    from get_rebalance_table_shards_plan(${oneTable}::regclass, excluded_shard_list := array(
      select shardid from pg_dist_shard where shardminvalue = shardmaxvalue))
    where table_name = ${oneTable}::regclass`;
}

/** Citus moves no shard to a new node without the tables that every node has. Only a superuser may copy them. */
async function mustHaveReferenceTables(run: Run): Promise<void> {
  const [lacking] = await run<{ node: string }>`
    select format('%s:%s', nodename, nodeport) as node from pg_dist_node as node
    where isactive and noderole = 'primary' and exists (
      select from pg_dist_partition join pg_dist_shard using (logicalrelid)
      where repmodel = 't' and not exists (
        select from pg_dist_placement where shardid = pg_dist_shard.shardid and groupid = node.groupid)) limit 1`;
  if (lacking)
    throw new SetupProblem(
      `The node ${lacking.node} has no copy of accounts and users yet. Nothing was changed. On the coordinator, run as a superuser: select replicate_reference_tables('block_writes').`,
    );
}

/** Citus distributes and moves tables on the coordinator only. */
export async function mustBeCoordinator(run: Run): Promise<void> {
  const [row] = await run<{ is_coordinator: boolean }>`select citus_is_coordinator() as is_coordinator`;
  if (!row?.is_coordinator)
    throw new SetupProblem('This server is not the coordinator of the cluster. Set DATABASE_URL to the coordinator.');
}
