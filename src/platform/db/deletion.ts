import { present } from '../../shared/present.ts';
import type { Tx } from './database.ts';
import { lockClass } from './migrate.ts';
import { identifier, join, only, type Run, raw, sql } from './sql.ts';

/** A tenant table. */
export interface TenantTable {
  name: string;
  /** The columns of the primary key after account_id, and their types. */
  key: string[];
  types: string[];
  /** Columns that refer to another row of the same table. */
  within: string[];
}

/** All tenant tables, from the catalogue, so a new table is included. A table comes before the tables that it refers to. */
export async function tenantTables(run: Run): Promise<TenantTable[]> {
  const tables = await run<TenantTable & { refersTo: string[] }>`
    select c.relname::text as name, key.names as key, key.types,
      array(
        select attname::text from pg_constraint f join pg_attribute a on a.attrelid = c.oid and a.attnum = any(f.conkey)
        where f.conrelid = c.oid and f.confrelid = c.oid and f.contype = 'f' and attname <> 'account_id') as within,
      array(
        select confrelid::regclass::text from pg_constraint
        where conrelid = c.oid and contype = 'f' and confrelid <> c.oid) as "refersTo"
    from pg_class c
      join pg_policy on polrelid = c.oid and polname = 'own_account'
      join pg_constraint p on p.conrelid = c.oid and p.contype = 'p'
      cross join lateral (
        select array_agg(attname::text order by place) as names, array_agg(format_type(atttypid, atttypmod) order by place) as types
        from unnest(p.conkey) with ordinality as part (number, place)
          join pg_attribute on attrelid = c.oid and attnum = part.number
        where attname <> 'account_id') as key
    where c.relnamespace = current_schema()::regnamespace
    order by 1`;
  const sorted: TenantTable[] = [];
  let left = [...tables];
  while (left.length > 0) {
    const free = left.filter(({ name }) => !left.some((one) => one.refersTo.includes(name)));
    if (free.length === 0) throw new Error(`Tables refer to each other: ${left.map(({ name }) => name).join(', ')}.`);
    for (const { refersTo: _, ...table } of free) sorted.push(table);
    left = left.filter((one) => !free.includes(one));
  }
  return sorted;
}

/** One pass over a table. Rows that refer to other rows of the table are deleted in an earlier pass. */
export interface Pass extends TenantTable {
  /** Only rows with a value in this column; undefined: all rows. */
  having?: string;
}

export function passes(table: TenantTable): Pass[] {
  return [...table.within.map((having) => ({ ...table, having })), table];
}

/** The position of a deletion in a table; undefined: the start. */
export type Place = string[] | undefined;

/**
 * Deletes the next rows of an account, at most `limit`, in the order of the primary key. It starts after the rows that
 * earlier calls deleted: skipping those dead rows each time would take longer and longer. `place` is null at the end.
 */
export async function deleteNext(
  tx: Tx,
  { name, key, types, having }: Pass,
  accountId: number,
  after: Place,
  limit: number,
): Promise<{ count: number; place: string[] | null }> {
  const keys = join(key.map(identifier));
  const at = (place: string[]) =>
    sql`(${join(place.map((value, index) => sql`${value}::text::${raw(present(types[index], 'type'))}`))})`;
  const rows = sql`${identifier(name)} where account_id = ${accountId}
    ${having === undefined ? sql`` : sql`and ${identifier(having)} is not null`}
    ${after === undefined ? sql`` : sql`and (${keys}) > ${at(after)}`}`;
  const texts = join(key.map((column) => sql`${identifier(column)}::text`));
  const [last] = await tx<{ place: string[] }>`
    select array[${texts}] as place from ${rows} order by ${keys} offset ${limit - 1} limit 1`;
  const { count } = last
    ? await tx`delete from ${rows} and (${keys}) <= ${at(last.place)}`
    : await tx`delete from ${rows}`;
  return { count, place: last?.place ?? null };
}

/** Allows this transaction to delete from the ledger and the merges, and makes the planner use the primary key. */
export async function beginDeleting(tx: Tx): Promise<void> {
  await tx`set local app.erasing = 'on'`;
  await tx`set local enable_seqscan = off`;
}

const deletionLock = 4;

/** Takes the lock on deletions until the end of the transaction. False: another transaction holds it. */
export async function tryDeletionLock(tx: Tx): Promise<boolean> {
  const { taken } = only(
    await tx<{ taken: boolean }>`select pg_try_advisory_xact_lock(${lockClass}, ${deletionLock}) as taken`,
  );
  return taken;
}

export async function hasRows(tx: Tx, tables: TenantTable[], accountId: number): Promise<boolean> {
  const checks = tables.map(
    ({ name }) => sql`exists (select from ${identifier(name)} where account_id = ${accountId})`,
  );
  return only(await tx<{ filled: boolean }>`select ${join(checks, ' or ')} as filled`).filled;
}

/** The number of rows of an account in all tables. Each table has its own statement, which ends before the statement timeout. */
export async function countRows(tx: Tx, tables: TenantTable[], accountId: number): Promise<number> {
  let sum = 0;
  for (const { name } of tables) {
    const rows = await tx<{ count: number }>`
      select count(*) as count from ${identifier(name)} where account_id = ${accountId}`;
    sum += only(rows).count;
  }
  return sum;
}
