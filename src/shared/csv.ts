import type { After } from './fields.ts';

/** A line of a CSV file (RFC 4180), with its end. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return value instanceof Date ? value.toISOString() : cell(String(value));
  // One look is enough for most cells.
  if (!/^[=+\-@\t\r]|[",\r\n]/.test(value)) return value;
  const text = escapeFormula(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet would run a text that starts like a formula. With an apostrophe before it, it stays text. */
function escapeFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
}

/** The number of rows that are read at a time. */
const rowsAtOnce = 1000;

/**
 * A whole list as the parts of a CSV file, for any length. The first rows are read before the file starts, because the
 * list may not exist.
 */
export async function csvFile<Row extends { id: number }>(
  columns: readonly (keyof Row & string)[],
  next: (after: After) => Promise<Row[]>,
  onRows: (count: number) => void = () => {},
): Promise<AsyncGenerator<string>> {
  let rows = await next({ after: 0, limit: rowsAtOnce });
  async function* parts() {
    yield csvLine(columns);
    while (rows.length > 0) {
      // The database reads the next rows while these are written.
      const following = rows.length < rowsAtOnce ? undefined : next({ after: rows.at(-1)?.id ?? 0, limit: rowsAtOnce });
      const isRead = following?.catch(() => {});
      try {
        yield rows.map((row) => csvLine(columns.map((column) => row[column]))).join('');
        onRows(rows.length);
      } finally {
        // Also for a reader who has left: the transaction of the rows must not end during the read.
        await isRead;
      }
      rows = (await following) ?? [];
    }
  }
  return parts();
}
