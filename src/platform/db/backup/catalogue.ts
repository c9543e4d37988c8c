import type { Run } from '../sql.ts';

export interface Table {
  name: string;
  /** Those that PostgreSQL does not fill in by itself. */
  columns: string[];
  /** Whether row-level security keeps its rows apart by account. */
  ofAccounts: boolean;
  /** PostgreSQL's estimate. */
  rows: number;
}

/** What a backup is not for: sessions, as a copy must not revive cookies that were given up since; and the schema's own state. */
const leftOut = ['sessions', 'schema_migrations'];

/** Every table that there is, from the catalogue: a new one can't be forgotten. */
export async function findTables(run: Run): Promise<Table[]> {
  const tables = await run<Table>`
    select c.relname::text as name, exists (select from pg_policy where polrelid = c.oid and polname = 'own_account') as "ofAccounts",
      array(
        select attname::text from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
      greatest(0, c.reltuples, s.n_live_tup)::bigint as rows
    from pg_class c left join pg_stat_user_tables s on s.relid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`;
  return tables.filter(({ name }) => !leftOut.includes(name));
}

/**
 * So that values are written and read alike, however the server or the role is set up; and take as long as they take.
 * Accounts that are being deleted are shown too: a restored one must stay deleted.
 */
export async function settle(run: Run): Promise<void> {
  await run`
    select set_config(name, value, true) from (values
      ('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'), ('extra_float_digits', '3'), ('statement_timeout', '0'),
      ('lock_timeout', '0'), ('idle_in_transaction_session_timeout', '0'), ('app.show_deleted', 'on')) as setting (name, value)`;
}
