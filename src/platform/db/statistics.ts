import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import { kindOf } from './citus.ts';
import type { Database, Tx } from './database.ts';
import { raw } from './sql.ts';

const everyMs = 5000;
/** With fewer rows, every plan is fast. */
const fewestRows = 500;

interface Refreshed {
  /** The names of the tables on this server. */
  tables: string[];
  /** The nodes of a distributed server that failed, and why. */
  failures: string[];
}

/**
 * Analyzes the tables that have at least doubled since their last ANALYZE. A plan for an empty table reads a whole account
 * to find one row. Autovacuum runs once a minute, which is too late for a client that starts with a bulk import. On a
 * distributed server, the workers have the shards, and the coordinator has the other tables.
 */
export async function refreshStatistics(tx: Tx): Promise<Refreshed> {
  const isDistributed = (await kindOf(tx)) === 'distributed';
  const failures = isDistributed ? await refreshWorkers(tx) : [];
  // Otherwise the tables that Citus manages on the coordinator are hidden.
  if (isDistributed) await tx`select set_config('citus.override_table_visibility', 'off', true)`;
  // ANALYZE of a distributed table goes to all its shards.
  const isHere = isDistributed ? 'not exists (select from pg_dist_partition where logicalrelid = c.oid)' : 'true';
  const grown = await tx<{ name: string }>`
    select c.oid::regclass::text as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname = current_schema() and s.n_mod_since_analyze >= greatest(${fewestRows}, c.reltuples) and ${raw(isHere)} order by 1`;
  for (const { name } of grown) await tx`analyze (skip_locked) ${raw(name)}`;
  return { tables: grown.map(({ name }) => name), failures };
}

/** Returns the workers that failed. The others are refreshed nevertheless. */
async function refreshWorkers(tx: Tx): Promise<string[]> {
  const workers = await tx<{ node: string; success: boolean; result: string }>`
    select format('%s:%s', nodename, nodeport) as node, success, result from run_command_on_workers(${analyzeGrownShards}) order by 1`;
  return workers.flatMap(({ node, success, result }) => (success ? [] : `${node}: ${result}`));
}

/** The statement that each worker of a distributed server runs on its shards. */
const analyzeGrownShards = `do $$ declare grown regclass; begin
  -- Otherwise the shards are hidden.
  perform set_config('citus.override_table_visibility', 'off', true);
  for grown in select c.oid::regclass from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname = current_schema() and s.n_mod_since_analyze >= greatest(${fewestRows}, c.reltuples)
  loop execute format('analyze (skip_locked) %s', grown); end loop;
end $$`;

/** A job, because the statistics contain values of an erased guest until the next ANALYZE. */
export const replaceStatisticsTask = 'replace_statistics';

/**
 * The statistics of PostgreSQL contain samples of values. This analyzes every table with statistics, so that no value of a
 * deleted row remains. ANALYZE keeps the old statistics of an empty table; PostgreSQL 18 and newer can clear them.
 */
export async function replaceStatistics(db: Database): Promise<void> {
  const tables = await db.transaction(async (tx) => {
    // The coordinator of a distributed server has no statistics of the shards. It passes ANALYZE on to them.
    const isDistributed = (await kindOf(tx)) === 'distributed';
    return tx<{ id: number; name: string }>`
      select c.oid::bigint as id, c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in (current_schema(), 'graphile_worker') and c.relkind = 'r' and (c.reltuples >= 0 or ${isDistributed}) order by 2`;
  });
  // One table per transaction, because each holds a lock until the end.
  for (const { id, name } of tables)
    await db.transaction(async (tx) => {
      await tx`analyze ${raw(name)}`;
      const [{ canClear } = {}] = await tx<{ canClear: boolean }>`
        select reltuples = 0 and to_regproc('pg_clear_attribute_stats') is not null as "canClear" from pg_class where oid = ${id}`;
      if (canClear)
        await tx`
          select pg_clear_attribute_stats(c.relnamespace::regnamespace::text, c.relname, a.attname, false)
          from pg_class c join pg_attribute a on a.attrelid = c.oid
          where c.oid = ${id} and a.attnum > 0 and not a.attisdropped`;
    });
}

/** Refreshes statistics every few seconds, until it is stopped. */
export function startStatisticsRefresh(db: Database, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let reported = '';
  async function work(): Promise<void> {
    while (!signal.aborted) {
      await pause(everyMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      // If the database is unavailable, the next run is soon enough.
      const refreshed = await db.transaction(refreshStatistics).catch(() => undefined);
      if (!refreshed) continue;
      const { tables, failures } = refreshed;
      if (tables.length > 0) log.debug({ tables }, 'statistics refreshed');
      // Once, not every few seconds.
      const failed = failures.join('; ');
      if (failed !== '' && failed !== reported) log.warn({ reason: failed }, 'refreshing statistics failed on a node');
      reported = failed;
    }
  }
  const working = work();
  return {
    stop: async () => {
      stopping.abort();
      await working;
    },
  };
}
