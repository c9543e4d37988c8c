import { ApiError, api } from '../../api/client.ts';
import { type CodeLines, requestStarts } from './code-lines.ts';

export interface Imported {
  /** The number of new codes. */
  created: number;
  /** The number of accepted codes, new or not. */
  taken: number;
}

/** The invalid lines, and what was imported before them. */
export class LinesRefused extends Error {
  readonly lines: { line: number; text: string }[];
  readonly before: Imported;

  constructor(lines: { line: number; text: string }[], before: Imported) {
    super('Some lines are invalid.');
    this.lines = lines;
    this.before = before;
  }
}

/** Imports in several requests. Each is accepted or rejected as a whole. Repeating codes changes nothing. */
export async function importCodes(
  path: string,
  { codes, lines }: CodeLines,
  onProgress: (taken: number) => void,
): Promise<Imported> {
  const imported: Imported = { created: 0, taken: 0 };
  const ends = requestStarts(codes);
  for (const [index, start] of ends.slice(0, -1).entries()) {
    const end = ends[index + 1] as number;
    try {
      const { created } = await api.post<{ created: number }>(`${path}/codes`, { codes: codes.slice(start, end) });
      imported.created += created;
      imported.taken = end;
      onProgress(end);
    } catch (error) {
      throw errorsByLine(error as Error, start, lines, imported);
    }
  }
  return imported;
}

/** Maps "codes.3", the fourth code of this request, to its line number. */
function errorsByLine(error: Error, start: number, lines: readonly number[], before: Imported): Error {
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
