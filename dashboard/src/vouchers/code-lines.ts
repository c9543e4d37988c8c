/** Codes as they stand in a file or were pasted: one on each line. */
export interface CodeLines {
  codes: string[];
  /** On which line each of them stands, counted from 1. */
  lines: number[];
  /** How many stand there more than once. */
  repeated: number;
  /** Why it can't be a list of codes. */
  problem: string | null;
}

/** Whether it can be text at all: pictures, archives and spreadsheets hold characters that nobody writes. */
export const isText = (text: string) => !/[^\P{Cc}\t\r\n]/u.test(text);

export function readCodeLines(text: string): CodeLines {
  const read: CodeLines = { codes: [], lines: [], repeated: 0, problem: null };
  const seen = new Set<string>();
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    const code = line.trim();
    if (code === '') continue;
    // Codes are the same whatever the case of A to Z.
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
    read.problem =
      'This is a table: its first line names columns. Codes are read one from each line, with nothing beside.';
  return read;
}

/** The service takes so many in one request, and a body of this many bytes without being told otherwise. */
const mostCodes = 10_000;
const mostBytes = 900_000;
/** The quotes and the comma around each. */
const around = 3;

/** Where each part begins that is sent in a request of its own; and last, where the codes end. */
export function partsOf(codes: readonly string[]): number[] {
  const encoder = new TextEncoder();
  const starts = [0];
  let [count, bytes] = [0, 0];
  for (const [index, code] of codes.entries()) {
    const size = encoder.encode(JSON.stringify(code)).length + around;
    if (count === mostCodes || bytes + size > mostBytes) {
      starts.push(index);
      [count, bytes] = [0, 0];
    }
    count++;
    bytes += size;
  }
  return [...starts, codes.length];
}
