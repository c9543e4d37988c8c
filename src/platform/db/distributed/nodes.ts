import pg from 'pg';
import { type Run, raw } from '../sql.ts';

export interface Node {
  /** HOST:PORT, as the coordinator knows it. */
  node: string;
  role: 'coordinator' | 'worker';
  active: boolean;
  shards: number;
  bytes: number;
}

/** Shards of tables that are distributed together have the same place, so one table stands for all of them. */
const oneTable = 'contacts';

export function selectNodes(run: Run): Promise<Node[]> {
  return run<Node>`
    select format('%s:%s', nodename, nodeport) as node, case groupid when 0 then 'coordinator' else 'worker' end as role,
      isactive as active, coalesce(held.shards, 0) as shards, coalesce(held.bytes, 0)::bigint as bytes
    from pg_dist_node
    left join (
      select nodename, nodeport, count(*) filter (where table_name = ${oneTable}::regclass) as shards, sum(shard_size) as bytes
      from citus_shards where citus_table_type = 'distributed' group by 1, 2) as held using (nodename, nodeport)
    where noderole = 'primary' order by groupid`;
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
  const list = values.map((value) => (typeof value === 'number' ? String(value) : pg.escapeLiteral(value)));
  await run`select ${raw(`${name}(${list.join(', ')})`)}`;
}

export interface Move extends Place {
  to: string;
}

/** The moves after which every node has about the same share. */
export function planMoves(run: Run): Promise<Move[]> {
  return run<Move>`
    select shardid as shard, sourcename as host, sourceport as port, format('%s:%s', targetname, targetport) as to
    from get_rebalance_table_shards_plan(${oneTable}::regclass)
    where table_name = ${oneTable}::regclass`;
}
