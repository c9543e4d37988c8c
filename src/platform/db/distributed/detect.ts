import type { Run } from '../sql.ts';

export type Kind = 'without Citus' | 'single server' | 'distributed';

/** A database on a server with Citus is a single server until `regulars db distribute`. */
export async function kindOf(run: Run): Promise<Kind> {
  const extension = await run`select from pg_extension where extname = 'citus'`;
  if (extension.length === 0) return 'without Citus';
  const tables = await run`select from pg_dist_partition where logicalrelid = to_regclass('contacts')`;
  return tables.length > 0 ? 'distributed' : 'single server';
}
