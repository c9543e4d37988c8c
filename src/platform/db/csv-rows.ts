import { endOfCell, endOfRow } from '../../shared/csv.ts';
import { join, raw, type Sql, sql } from './sql.ts';

/*
 * The database makes one text of many rows. Reading and writing each cell in the service would take several times longer.
 */

const quoted = (text: string) => raw(`U&'${[...text].map((one) => `\\${hex(one)}`).join('')}'`);
const hex = (text: string) => text.charCodeAt(0).toString(16).padStart(4, '0');

/** A row as text, for `csvLines`. Cells are of any type whose text is the same in CSV, or made by a function below. */
export const csvRow = (cells: Sql[]): Sql =>
  sql`concat(${join(
    cells.flatMap((cell, n) => [cell, quoted(n + 1 < cells.length ? endOfCell : endOfRow)]),
    ', ',
  )})`;

/** A text that users wrote. */
export const textCell = (text: Sql): Sql => sql`translate(${text}, ${quoted(endOfCell + endOfRow)}, '')`;

/** `true` or `false`. */
export const flagCell = (flag: Sql): Sql => sql`${flag}::text`;

/** An instant in UTC. */
export const timeCell = (time: Sql): Sql => sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
