import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import { kindOf } from './citus.ts';
import type { Database, Tx } from './database.ts';
import { raw } from './sql.ts';

const everyMs = 5000;
/** With fewer rows, every plan is fast. */
const fewestRows = 500;

/**
 * Analyzes the tables that have at least doubled since their last ANALYZE. A plan for an empty table reads a whole account
 * to find one row. Autovacuum runs once a minute, which is too late for a client that starts with a bulk import. Returns
 * the names of the tables.
 */
export async function refreshStatistics(tx: Tx): Promise<string[]> {
  if ((await kindOf(tx)) === 'distributed') {
    await tx`select run_command_on_workers(${analyzeGrownShards})`;
    return [];
  }
  const grown = await tx<{ name: string }>`
    select c.oid::regclass::text as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname = current_schema() and s.n_mod_since_analyze >= greatest(${fewestRows}, c.reltuples) order by 1`;
  for (const { name } of grown) await tx`analyze (skip_locked) ${raw(name)}`;
  return grown.map(({ name }) => name);
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
  async function work(): Promise<void> {
    while (!signal.aborted) {
      await pause(everyMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      // If the database is unavailable, the next run is soon enough.
      const tables = await db.transaction(refreshStatistics).catch(() => []);
      if (tables.length > 0) log.debug({ tables }, 'statistics refreshed');
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
