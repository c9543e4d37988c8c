import type pg from 'pg';

/** Every table of the service, but for the log of requests: that tells of each request, also of a refused one. */
export async function tablesOf(behind: pg.Client): Promise<string[]> {
  const { rows } = await behind.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind = 'r' and c.relname <> 'request_log' order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** A hash of each table. `columns` limits the columns that count. */
export async function fingerprint(
  behind: pg.Client,
  columns: Record<string, string> = {},
): Promise<Record<string, string>> {
  const prints: Record<string, string> = {};
  for (const name of await tablesOf(behind)) {
    // Every request changes the last use of its token.
    const counts = columns[name] ?? `to_jsonb(r) - 'last_used_at'`;
    const { rows } = await behind.query<{ print: string }>(
      `select count(*) || ' ' || coalesce(sum(hashtextextended((${counts})::text, 0)::numeric), 0) as print from ${name} as r`,
    );
    prints[name] = rows[0]?.print ?? '';
  }
  return prints;
}
