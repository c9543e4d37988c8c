import { join, type Result, raw, type Sql, sql, type Tx } from './sql.ts';

/** The type of a column, in SQL. */
export type ColumnType =
  | 'bigint'
  | 'bigint[]'
  | 'boolean'
  | 'bytea'
  | 'date'
  | 'date[]'
  | 'integer'
  | 'jsonb'
  | 'numeric'
  | 'smallint'
  | 'real'
  | 'text'
  | 'text[]'
  | 'timestamp'
  | 'timestamptz';

interface Inserted {
  table: string;
  /** The columns that are fields of the rows. `account_id` is added. */
  columns: Record<string, ColumnType>;
  rows: readonly object[];
  /** Further columns, as expressions. `of` is a column of the row. */
  computed?: Record<string, (of: (name: string) => Sql) => Sql>;
  /** ON CONFLICT and RETURNING. */
  clauses?: Sql;
}

/**
 * Inserts rows of an account in their order, so that new ids follow it.
 *
 * A single server gets one JSON parameter: the text of the statement is always the same, and it is planned once. A
 * distributed server would run such an INSERT … SELECT in several steps and plan it for every shard. It gets a list of
 * values, which goes to one shard as it is.
 */
export async function insertRows<Row>(tx: Tx, accountId: number, inserted: Inserted): Promise<Result<Row>> {
  if (tx.isOneServer) return tx<Row>`${asRecords(accountId, inserted)}`;
  const { rows, columns } = inserted;
  const perStatement = Math.floor(mostParameters / (Object.keys(columns).length + 1));
  const parts = Array.from({ length: Math.ceil(rows.length / perStatement) }, (_, n) =>
    rows.slice(n * perStatement, (n + 1) * perStatement),
  );
  const results = await tx.each(parts, (part) => tx<Row>`${asValues(accountId, { ...inserted, rows: part })}`);
  const count = results.reduce((sum, result) => sum + result.count, 0);
  return Object.assign(results.flat(), { count });
}

interface Selected extends Omit<Inserted, 'rows' | 'computed'> {
  /** A query with these columns, in this order. */
  select: Sql;
}

/**
 * Inserts what a query returns. A distributed server runs such an INSERT … SELECT in several steps, and then needs two
 * phases to commit. There the rows are read first, as text, and inserted by a second statement.
 */
export async function insertSelected(tx: Tx, accountId: number, { select, ...inserted }: Selected): Promise<void> {
  const { columns, clauses = sql`` } = inserted;
  const names = Object.keys(columns);
  const selected = sql`(${select}) as selected (${quoted(names)})`;
  if (tx.isOneServer) {
    await tx`${into(inserted)} select ${accountId}::bigint, selected.* from ${selected} ${clauses}`;
    return;
  }
  const texts = raw(names.map((name) => `"${name}"::text`).join(', '));
  const rows = await tx<object>`select ${texts} from ${selected}`;
  if (rows.length > 0) await insertRows(tx, accountId, { ...inserted, rows });
}

/** The protocol allows 65,535. A computed column can use a column again. */
const mostParameters = 30_000;

const quoted = (names: string[]) => raw(names.map((name) => `"${name}"`).join(', '));

function into({ table, columns, computed = {} }: Omit<Inserted, 'rows'>): Sql {
  return sql`insert into ${raw(table)} (${quoted(['account_id', ...Object.keys(columns), ...Object.keys(computed)])})`;
}

function asRecords(accountId: number, inserted: Inserted): Sql {
  const { columns, rows, computed = {}, clauses = sql`` } = inserted;
  const names = Object.keys(columns);
  const types = raw(names.map((name) => `"${name}" ${columns[name]}`).join(', '));
  const of = (name: string) => raw(`sent."${name}"`);
  const values = [
    sql`${accountId}::bigint`,
    ...names.map(of),
    ...Object.values(computed).map((compute) => compute(of)),
  ];
  return sql`
    ${into(inserted)} select ${join(values)}
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (${types})) with ordinality as sent (${quoted([...names, 'row_number'])})
    order by row_number ${clauses}`;
}

function asValues(accountId: number, inserted: Inserted): Sql {
  const { columns, rows, computed = {}, clauses = sql`` } = inserted;
  const lists = rows.map((row) => {
    const fields = new Map<string, unknown>(Object.entries(row));
    const of = (name: string) => sql`${toParameter(fields.get(name), columns[name])}::${raw(columns[name] ?? '')}`;
    return [
      sql`${accountId}::bigint`,
      ...Object.keys(columns).map(of),
      ...Object.values(computed).map((compute) => compute(of)),
    ];
  });
  return sql`${into(inserted)} values ${join(lists.map((list) => sql`(${join(list)})`))} ${clauses}`;
}

function toParameter(value: unknown, type: ColumnType | undefined): unknown {
  if (value === undefined || value === null) return null;
  return type === 'jsonb' ? JSON.stringify(value) : value;
}
