import type pg from 'pg';

/** All tables except the request log, which also has rejected requests. */
export async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind = 'r' and c.relname <> 'request_log' order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** A hash of each table. `columns` limits the columns that count. */
export async function fingerprint(
  client: pg.Client,
  columns: Record<string, string> = {},
): Promise<Record<string, string>> {
  const prints: Record<string, string> = {};
  for (const name of await tablesOf(client)) {
    // Every request changes the last use of its token.
    const counts = columns[name] ?? `to_jsonb(r) - 'last_used_at'`;
    const { rows } = await client.query<{ print: string }>(
      `select count(*) || ' ' || coalesce(sum(hashtextextended((${counts})::text, 0)::numeric), 0) as print from ${name} as r`,
    );
    prints[name] = rows[0]?.print ?? '';
  }
  return prints;
}
