import { ApiError, api } from '../api/client.ts';
import { type CodeLines, partsOf } from './code-lines.ts';

export interface Imported {
  /** How many are new. */
  created: number;
  /** How many were taken, new or not. */
  taken: number;
}

/** What is wrong with which lines; and what was taken before that. */
export class LinesRefused extends Error {
  readonly lines: { line: number; text: string }[];
  readonly before: Imported;

  constructor(lines: { line: number; text: string }[], before: Imported) {
    super('Some lines can’t be taken.');
    this.lines = lines;
    this.before = before;
  }
}

/** Part by part: each is taken as a whole, or refused as one. The same codes again change nothing. */
export async function importCodes(
  path: string,
  { codes, lines }: CodeLines,
  onProgress: (taken: number) => void,
): Promise<Imported> {
  const imported: Imported = { created: 0, taken: 0 };
  const ends = partsOf(codes);
  for (const [index, start] of ends.slice(0, -1).entries()) {
    const end = ends[index + 1] as number;
    try {
      const { created } = await api.post<{ created: number }>(`${path}/codes`, { codes: codes.slice(start, end) });
      imported.created += created;
      imported.taken = end;
      onProgress(end);
    } catch (error) {
      throw inLines(error as Error, start, lines, imported);
    }
  }
  return imported;
}

/** "codes.3" is the fourth of this part; whoever sent it knows it by its line. */
function inLines(error: Error, start: number, lines: readonly number[], before: Imported): Error {
  if (!(error instanceof ApiError)) return error;
  const refused = Object.entries(error.fields).flatMap(([field, text]) => {
    const place = /^codes\.(\d+)$/.exec(field)?.[1];
    const line = place === undefined ? undefined : lines[start + Number(place)];
    return line === undefined ? [] : [{ line, text: text.replace(/^The codes(\.\d+)?( field)?/, 'The code') }];
  });
  return refused.length > 0 || before.taken > 0
    ? new LinesRefused(refused.length > 0 ? refused : [{ line: lines[start] as number, text: error.message }], before)
    : error;
}
