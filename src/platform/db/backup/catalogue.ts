import type { Run } from '../sql.ts';

export interface Table {
  name: string;
  /** Without generated columns. */
  columns: string[];
  /** Whether it is a tenant table. */
  ofAccounts: boolean;
  /** PostgreSQL's estimate. */
  rows: number;
}

/** Tables that are not in a backup: sessions, because a restore must not revive ended ones, and the applied migrations. */
const excluded = ['sessions', 'schema_migrations'];

/** All tables, from the catalogue, so a new table is included. */
export async function findTables(run: Run): Promise<Table[]> {
  const tables = await run<Table>`
    select c.relname::text as name, exists (select from pg_policy where polrelid = c.oid and polname = 'own_account') as "ofAccounts",
      array(
        select attname::text from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
      greatest(0, c.reltuples, s.n_live_tup)::bigint as rows
    from pg_class c left join pg_stat_user_tables s on s.relid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`;
  return tables.filter(({ name }) => !excluded.includes(name));
}

/**
 * Makes the text of values independent of the settings of server and role. Shows accounts that are being deleted, because
 * a restored account must stay deleted.
 */
export async function prepareSession(run: Run): Promise<void> {
  await run`
    select set_config(name, value, true) from (values
      ('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'), ('extra_float_digits', '3'),
      ('app.show_deleted', 'on')) as setting (name, value)`;
}
