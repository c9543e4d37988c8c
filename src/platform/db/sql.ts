import pg from 'pg';
import sql, { raw, Sql } from 'sql-template-tag';

export { default as sql, join, raw, type Sql } from 'sql-template-tag';

/** The rows, and how many rows a statement touched where it returns none. */
export type Result<Row> = Row[] & { count: number };

/**
 * Runs a statement: tx`select … where id = ${id}`. Values travel apart from the text, always; a fragment made with
 * sql`…` (or raw() around a name of our own) becomes part of it.
 */
export type Run = <Row = Record<string, unknown>>(
  strings: TemplateStringsArray,
  ...values: unknown[]
) => Promise<Result<Row>>;

const INT8_ARRAY = 1016;

/** The type parsers that differ from the driver's own. */
const parsers = new Map<number, (text: string) => unknown>([
  // Our ids and counts stay far below 2^53.
  [pg.types.builtins.INT8, Number],
  [INT8_ARRAY, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number))],
  // Wall-clock values have no zone, and a Date would invent one.
  [pg.types.builtins.TIMESTAMP, String],
  [pg.types.builtins.DATE, String],
]);

export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    parsers.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** Statements get a name each, so that every connection has PostgreSQL parse and plan them once. */
const names = new Map<string, string>();
const mostNames = 1000;

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= mostNames) return known;
  const name = `regulars_${names.size + 1}`;
  names.set(text, name);
  return name;
}

export function runner(client: pg.ClientBase): Run {
  return async <Row>(strings: TemplateStringsArray, ...values: unknown[]) => {
    const { text, values: parameters } = new Sql(strings, values as never[]);
    const name = parameters.length > 0 ? nameOf(text) : undefined;
    const query: pg.QueryConfig = { text, values: parameters };
    if (name !== undefined) query.name = name;
    const { rows, rowCount } = await client.query(query);
    return Object.assign(rows as Row[], { count: rowCount ?? 0 });
  };
}

/** A quoted name, where it is not one of ours. */
export function identifier(name: string): Sql {
  return raw(pg.escapeIdentifier(name));
}

/**
 * `column = value`, where another condition is the one to look by. PostgreSQL takes a unit within an account
 * for rare, as it does not know that its rows are all of that account, and might read everything a unit ever had
 * for the sake of one row. A range it takes for common. An index that has the column behind others still goes by it.
 */
export function alsoEquals(column: Sql, value: Sql): Sql {
  return sql`${column} between ${value} and ${value}`;
}

/** The row of a statement that always has one. */
export function only<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('A statement that always gives a row gave none.');
  return row;
}
