import { pipeline } from 'node:stream/promises';
import { csvFile } from '../shared/csv.ts';
import { writeFileAtomically } from './files.ts';

/** Writes a whole list as CSV, to a file or to standard output. Returns the number of rows. */
export async function writeCsv(
  file: string | undefined,
  columns: readonly string[],
  next: Parameters<typeof csvFile>[1],
): Promise<number> {
  let count = 0;
  const parts = await csvFile(columns, next, (rows) => {
    count += rows;
  });
  if (file !== undefined) {
    await writeFileAtomically(file, (out) => pipeline(parts, out));
    return count;
  }
  await pipeline(parts, process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    // The reader closed the pipe.
    if (error.code !== 'EPIPE') throw error;
  });
  return count;
}
