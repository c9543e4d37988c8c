import pg from 'pg';
import sql, { raw, Sql } from 'sql-template-tag';
import { type Ordered, ordered } from './ordered.ts';

export { default as sql, join, raw, type Sql } from 'sql-template-tag';

/** The rows, and the number of changed rows for a statement that returns none. */
export type Result<Row> = Row[] & { count: number };

/**
 * Runs a statement: tx`select … where id = ${id}`. Values are always sent as parameters. A fragment made with sql`…`, or
 * with raw() for our own names, becomes part of the text.
 */
export type Run = <Row = Record<string, unknown>>(
  strings: TemplateStringsArray,
  ...values: unknown[]
) => Promise<Result<Row>>;

/** A transaction: the required first argument of every store function. */
export interface Tx extends Run, Ordered {
  /** The time for rows that are dated when they are written. It is the statement time: a transaction that waited for a lock is not dated before the one it waited for. */
  readonly now: Sql;
  /** False if the database is distributed. */
  readonly isOneServer: boolean;
}

/** A transaction whose statements run through this function. */
export function transactionOver(run: Run, { now, isOneServer }: Pick<Tx, 'now' | 'isOneServer'>): Tx {
  return Object.assign(run, ordered, { now, isOneServer });
}

/** The clock of PostgreSQL, because the clocks of processes can differ. */
export const databaseTime = sql`statement_timestamp()`;

const INT8_ARRAY = 1016;

/** The type parsers that differ from those of the driver. */
const parsers = new Map<number, (text: string) => unknown>([
  // Ids and counts are far below 2^53.
  [pg.types.builtins.INT8, Number],
  [INT8_ARRAY, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number))],
  // Wall-clock values have no time zone, and a Date would add one.
  [pg.types.builtins.TIMESTAMP, String],
  [pg.types.builtins.DATE, String],
]);

export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => parsers.get(oid) ?? pg.types.getTypeParser(oid, format),
};

/** Each statement has a name, so that PostgreSQL parses and plans it once per connection. */
const names = new Map<string, string>();
const mostNames = 1000;
/** A statement with more parameters contains a list of values. Its text depends on their number, so it is seldom sent again. */
const mostNamedParameters = 64;

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= mostNames) return known;
  const name = `regulars_${names.size + 1}`;
  names.set(text, name);
  return name;
}

/**
 * Marks the end of a statement whose text depends on the input of users. It gets no name: names are for statements that
 * are sent again, and there is room for a limited number of them.
 */
export const adHoc = raw('/* ad hoc */');

/** The text of a list of numbers. The driver would escape each of them. */
const arrayOfNumbers = (value: unknown) =>
  Array.isArray(value) && value.every(Number.isFinite) ? `{${value.join(',')}}` : value;

/** Without names, PostgreSQL parses and plans each statement anew. */
export function runner(client: pg.ClientBase, withNames = true): Run {
  return async <Row>(strings: TemplateStringsArray, ...values: unknown[]) => {
    const { text, values: parameters } = new Sql(strings, values);
    const isNamed =
      withNames && parameters.length > 0 && parameters.length <= mostNamedParameters && !text.endsWith(adHoc.sql);
    const name = isNamed ? nameOf(text) : undefined;
    const query: pg.QueryConfig = { text, values: parameters.map(arrayOfNumbers) };
    if (name !== undefined) query.name = name;
    const { rows, rowCount } = await client.query(query);
    return Object.assign(rows as Row[], { count: rowCount ?? 0 });
  };
}

/** Quotes a name that is not our own. */
export function identifier(name: string): Sql {
  return raw(pg.escapeIdentifier(name));
}

/**
 * `column = value`, for a condition that must not select the index. PostgreSQL does not know that all rows of a unit are in
 * one account, so it underestimates them, and might read all rows of a unit to find one. It estimates more rows for a
 * range. An index with the column after others still uses the condition.
 */
export function alsoEquals(column: Sql, value: Sql): Sql {
  return sql`${column} between ${value} and ${value}`;
}

/** The row of a statement that always returns one. */
export function only<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('A statement that always returns a row returned none.');
  return row;
}
