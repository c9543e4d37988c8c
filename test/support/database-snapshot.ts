import type { Run } from '../../src/platform/db/sql.ts';
import { raw } from '../../src/platform/db/sql.ts';
import { dumpSchema } from './schema-dump.ts';

export interface DatabaseSnapshot {
  schema: string;
  triggers: unknown[];
  /** By table: the number of rows and a hash of them. */
  tables: Record<string, string>;
  sequences: Record<string, number | null>;
  jobs: unknown[];
}

/** What a service that has just started changes in the background: its queues, and what it keeps for them. */
const backgroundTables =
  /^(chang|segment_(members|days|changes)|segments$|unit_days|unique_code_(days|sums)|counted_contacts|guest_days|group_guests)/;

/** A snapshot without the tables that background work changes. */
export function withoutBackground({ tables, sequences, ...rest }: DatabaseSnapshot): DatabaseSnapshot {
  const keep = <T>(all: Record<string, T>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !backgroundTables.test(name)));
  return { ...rest, tables: keep(tables), sequences: keep(sequences) };
}

/**
 * A digest of a database, to compare it with another one. It leaves out sessions and the times of migrations. The audit
 * trail of a restored database has one more entry, which `restored` leaves out.
 */
export async function snapshotDatabase(sql: Run, restored = false): Promise<DatabaseSnapshot> {
  await sql`set timezone = 'UTC'`;
  const names = await sql<{ name: string }>`
    select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`;
  const tables: Record<string, string> = {};
  for (const { name } of names) {
    if (name === 'sessions') continue;
    const row = name === 'schema_migrations' ? raw(`to_jsonb(t) - 'applied_at'`) : raw('to_jsonb(t)');
    const without = restored && name === 'audit_trail' ? raw('where id < (select max(id) from audit_trail)') : raw('');
    const [digest] = await sql<{ rows: number; md5: string | null }>`
      select count(*) as rows, md5(string_agg(md5((${row})::text), '' order by md5((${row})::text))) as md5
      from ${raw(name)} as t ${without}`;
    tables[name] = `${digest?.rows} rows, ${digest?.md5}`;
  }
  const sequences = await sql<{ name: string; last: number | null }>`
    select sequencename::text as name, last_value - ${restored ? 1 : 0} * (sequencename = 'audit_trail_id_seq')::int as last
    from pg_sequences where schemaname = 'public' order by 1`;
  return {
    schema: await dumpSchema(sql),
    triggers: await sql`
      select tgrelid::regclass::text as table, tgname, tgenabled from pg_trigger
      where not tgisinternal and tgrelid::regclass::text !~ 'graphile' order by 1, 2`,
    tables,
    sequences: Object.fromEntries(sequences.map(({ name, last }) => [name, last])),
    jobs: await sql`
      select identifier, payload, run_at, max_attempts, key, priority, job.flags
      from graphile_worker._private_jobs as job join graphile_worker._private_tasks as task on task.id = task_id order by key`,
  };
}
