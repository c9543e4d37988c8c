import { csvCell } from '../../shared/csv.ts';
import { join, type Sql, sql } from './sql.ts';

/*
 * The database makes one text of many rows. Reading and writing each cell in the service would take several times longer.
 * The text of a record is almost a line of a CSV file, and PostgreSQL makes it faster than any function for texts.
 */

/** A row as text, for `csvLines`. Cells are of any type whose text is the same in CSV, or made by a function below. */
export const csvRow = (cells: Sql[]): Sql => sql`row(${join(cells)})::text`;

/** `true` or `false`. */
export const flagCell = (flag: Sql): Sql => sql`${flag}::text`;

/** An instant in UTC. */
export const timeCell = (time: Sql): Sql => sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * What differs from CSV: a quoted cell, the parentheses of a row, and a cell that may be a formula. PostgreSQL quotes cells
 * with white space, commas, quotes, backslashes and parentheses, and doubles the quotes and backslashes in them.
 */
const differences = /"((?:[^"\\]+|""|\\\\)*)"|[()]|[=+@-](?<=[(,].)[^,)]*/g;

/** Rows that the database made, one after the other, as lines of a CSV file. */
export function csvLines(rows: string): string {
  return rows.replace(differences, (found: string, quoted?: string) => {
    if (quoted !== undefined) return csvCell(quoted.replace(/(["\\])\1/g, '$1'));
    return found === '(' ? '' : found === ')' ? '\r\n' : csvCell(found);
  });
}
