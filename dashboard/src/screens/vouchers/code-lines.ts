/** Codes from a file or a paste, one per line. */
export interface CodeLines {
  codes: string[];
  /** The line number of each code, from 1. */
  lines: number[];
  /** The number of repeated lines. */
  repeated: number;
  /** The reason why the text is not a list of codes. */
  problem: string | null;
}

/** Whether the content is text. Images, archives and spreadsheets contain control characters. */
export const isText = (text: string) => !/[^\P{Cc}\t\r\n]/u.test(text);

export function readCodeLines(text: string): CodeLines {
  const read: CodeLines = { codes: [], lines: [], repeated: 0, problem: null };
  const seen = new Set<string>();
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    const code = line.trim();
    if (code === '') continue;
    // Codes ignore the case of A to Z.
    const key = code.replace(/[a-z]/g, (letter) => letter.toUpperCase());
    if (seen.has(key)) {
      read.repeated++;
      continue;
    }
    seen.add(key);
    read.codes.push(code);
    read.lines.push(index + 1);
  }
  if (/(^|,)"?unique_code"?(,|$)/.test(read.codes[0] ?? ''))
    read.problem = 'This looks like a table with column names. Use one code per line, without other columns.';
  return read;
}

/** The limits of one request: the number of codes, and the default body limit in bytes. */
const maxCodes = 10_000;
const maxBytes = 900_000;
/** Quotes and comma around each code. */
const overhead = 3;

/** The start index of each request, and the end of the last one. */
export function requestStarts(codes: readonly string[]): number[] {
  const encoder = new TextEncoder();
  const starts = [0];
  let [count, bytes] = [0, 0];
  for (const [index, code] of codes.entries()) {
    const size = encoder.encode(JSON.stringify(code)).length + overhead;
    if (count === maxCodes || bytes + size > maxBytes) {
      starts.push(index);
      [count, bytes] = [0, 0];
    }
    count++;
    bytes += size;
  }
  return [...starts, codes.length];
}
