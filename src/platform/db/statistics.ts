import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import type { Database, Tx } from './database.ts';
import { raw } from './sql.ts';

const everyMs = 5000;
/** Fewer are read as fast in any way. */
const fewestRows = 500;

/**
 * Has PostgreSQL look again at tables that have at least doubled since it last did. A plan that it made while a table
 * was empty reads a whole account for one row, and autovacuum comes by once a minute: too late for whoever begins by
 * loading everything they have. Later growth is left to autovacuum. Gives the tables' names.
 */
export async function refreshStatistics(tx: Tx): Promise<string[]> {
  const outgrown = await tx<{ name: string }>`
    select c.oid::regclass::text as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname = current_schema() and s.n_mod_since_analyze >= greatest(${fewestRows}, c.reltuples) order by 1`;
  for (const { name } of outgrown) await tx`analyze (skip_locked) ${raw(name)}`;
  return outgrown.map(({ name }) => name);
}

/** A job, as the values of a guest who is erased are still in the statistics after the commit. */
export const replaceStatisticsTask = 'replace_statistics';

/**
 * PostgreSQL's statistics hold samples of a table's values. Has it make them anew for every table that has any, so that
 * none of a deleted row is left. It keeps the old ones of a table that is empty now; since PostgreSQL 18, these can be cleared.
 */
export async function replaceStatistics(db: Database): Promise<void> {
  const tables = await db.transaction(
    (tx) => tx<{ id: number; name: string }>`
      select c.oid::bigint as id, c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in (current_schema(), 'graphile_worker') and c.relkind = 'r' and c.reltuples >= 0 order by 2`,
  );
  // One at a time: each holds a lock until its transaction ends.
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
export function keepStatistics(db: Database, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  async function work(): Promise<void> {
    while (!signal.aborted) {
      await pause(everyMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      // A database that is away is known from elsewhere; the next time will do.
      const tables = await db.transaction(refreshStatistics).catch(() => []);
      if (tables.length > 0) log.debug({ tables }, 'statistics were refreshed');
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
