import type pg from 'pg';

/** Every table of the service, but for the log of requests: that tells of each request, also of a refused one. */
export async function tablesOf(behind: pg.Client): Promise<string[]> {
  const { rows } = await behind.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind = 'r' and c.relname <> 'request_log' order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** What stands in each table, as a number. `columns` says what counts of a table's row, where that is not all of it. */
export async function fingerprint(
  behind: pg.Client,
  columns: Record<string, string> = {},
): Promise<Record<string, string>> {
  const prints: Record<string, string> = {};
  for (const name of await tablesOf(behind)) {
    // When a token was used last is told by every request.
    const counts = columns[name] ?? `to_jsonb(r) - 'last_used_at'`;
    const { rows } = await behind.query<{ print: string }>(
      `select count(*) || ' ' || coalesce(sum(hashtextextended((${counts})::text, 0)::numeric), 0) as print from ${name} as r`,
    );
    prints[name] = rows[0]?.print ?? '';
  }
  return prints;
}
