import { setImmediate } from 'node:timers/promises';
import type { After } from './fields.ts';

/** A line of a CSV file (RFC 4180), with its end. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return value instanceof Date ? value.toISOString() : csvCell(String(value));
  // One look is enough for most cells.
  if (!/^[=+\-@\t\r]|[",\r\n]/.test(value)) return value;
  const text = escapeFormula(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet would run a text that starts like a formula. With an apostrophe before it, it stays text. */
function escapeFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
}

/** Some lines of a CSV file. */
export interface CsvPart {
  /** Makes the lines. It is called while the database reads the next rows. */
  text(): string;
  /** The number of its rows. */
  count: number;
  /** The rows after this id are in the next part. */
  lastId: number;
}

/** Undefined: there are no rows. */
export function csvPart<Row extends { id: number }>(
  columns: readonly (keyof Row & string)[],
  rows: Row[],
): CsvPart | undefined {
  const last = rows.at(-1);
  const text = () => rows.map((row) => csvLine(columns.map((column) => row[column]))).join('');
  return last && { text, count: rows.length, lastId: last.id };
}

/** The number of rows that are read at a time. */
const rowsAtOnce = 2000;

/**
 * A whole list as the parts of a CSV file, for any length. `next` returns undefined at the end of the list. The first part
 * is read before the file starts, because the list may not exist.
 */
export async function csvFile(
  columns: readonly string[],
  next: (after: After) => Promise<CsvPart | undefined>,
  onRows: (count: number) => void = () => {},
): Promise<AsyncGenerator<string>> {
  let part = await next({ after: 0, limit: rowsAtOnce });
  async function* parts() {
    yield csvLine(columns);
    while (part) {
      // The database reads the next rows while these are made and written.
      const following = next({ after: part.lastId, limit: rowsAtOnce });
      const isRead = following.catch(() => {});
      try {
        // Making the lines keeps this thread busy, so the statement is sent first.
        await setImmediate();
        const text = part.text();
        if (text !== '') yield text;
        onRows(part.count);
      } finally {
        // Also for a reader who has left: the transaction of the rows must not end during the read.
        await isRead;
      }
      part = await following;
    }
  }
  return parts();
}
