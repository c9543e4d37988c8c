import { createHash } from 'node:crypto';
import { messageOf } from '../../../shared/errors.ts';
import { SetupProblem } from '../../../shared/problem.ts';
import { isRecord, propertiesOf } from '../../../shared/record.ts';

/**
 * A backup is gzipped text. The first line is a JSON header. For each table and account with rows follow a JSON line with
 * their names, the rows in the format of COPY, and `\.`. The last line has the counts and a checksum, which reveal an
 * incomplete or damaged file.
 */
export interface Header {
  format: typeof format;
  /** The version of the format. */
  edition: number;
  /** The version of Regulars that made it. */
  regulars: string;
  taken_at: string;
  /** The names of the applied migrations. */
  migrations: string[];
  /** The columns per table, in the order of the values. */
  columns: Record<string, string[]>;
  /** The estimated number of rows. */
  about_rows: number;
}

interface Section {
  table: string;
  account?: number;
}

export interface End {
  rows: Record<string, number>;
  /** The last value of each sequence. */
  sequences: Record<string, number>;
}

const format = 'regulars backup';
const edition = 1;
const newline = 10;
const lastLine = '\\.\n';

export type Counts = Record<string, number>;
export const total = (counts: Counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Receives the number of done rows and the estimated total. */
export type Progress = (done: number, of: number) => void;

/** Writes the text of a backup. */
export async function* write(
  header: Omit<Header, 'format' | 'edition'>,
  sections: AsyncIterable<Section & { lines: AsyncIterable<Buffer> }>,
  end: () => Promise<Pick<End, 'sequences'>>,
  progress: Progress,
): AsyncGenerator<Buffer | string> {
  const hash = createHash('sha256');
  const hashed = <T extends Buffer | string>(piece: T): T => {
    hash.update(piece);
    return piece;
  };
  yield hashed(lineOf({ format, edition, ...header }));
  const rows: Counts = Object.fromEntries(Object.keys(header.columns).map((table) => [table, 0]));
  for await (const { lines, ...section } of sections) {
    let before = lineOf(section);
    for await (const chunk of lines) {
      // A section without rows is left out.
      if (before !== '') yield hashed(before);
      before = '';
      yield hashed(chunk);
      rows[section.table] = (rows[section.table] ?? 0) + countLines(chunk);
      progress(total(rows), header.about_rows);
    }
    if (before === '') yield hashed(lastLine);
  }
  const { sequences } = await end();
  yield lineOf({ end: { rows, sequences }, sha256: hash.digest('hex') });
}

const lineOf = (value: object) => `${JSON.stringify(value)}\n`;

export function countLines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) count++;
  return count;
}

/** The file is not a backup, or not a complete one. */
export class Unreadable extends SetupProblem {}

/** Reads the text of a backup. Throws if it differs from what was written. */
export class Reader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #hash = createHash('sha256');
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async header(): Promise<Header> {
    const header = await this.#line().catch((error: unknown) => {
      if (messageOf(error) !== damaged) throw error;
      return propertiesOf(undefined);
    });
    const { regulars, taken_at, migrations, columns, about_rows } = header;
    if (header.format !== format) throw new Unreadable('it is not a backup of Regulars');
    if (!isTexts(migrations) || !isObject(columns)) throw new Unreadable(damaged);
    if (Number(header.edition) > edition)
      throw new Unreadable(`Regulars ${regulars} wrote it in a form that this version does not know`);
    if (!isRecordOf(columns, isTexts)) throw new Unreadable(damaged);
    return {
      format,
      edition: Number(header.edition),
      regulars: String(regulars),
      taken_at: String(taken_at),
      migrations,
      columns,
      about_rows: Number(about_rows),
    };
  }

  /** The sections, each to be read before the next, and the last line after its check. */
  async *sections(): AsyncGenerator<Section & { lines: AsyncIterable<Buffer> }, End> {
    for (;;) {
      const checksum = this.#hash.copy().digest('hex');
      const { end, sha256, table, account } = await this.#line();
      if (end !== undefined) {
        if (sha256 !== checksum || this.#rest.length > 0 || (await this.#more())) throw new Unreadable(damaged);
        const { rows, sequences } = propertiesOf(end);
        if (!isRecordOf(rows, isNumber) || !isRecordOf(sequences, isNumber)) throw new Unreadable(damaged);
        return { rows, sequences };
      }
      yield { table: String(table), ...(isNumber(account) && { account }), lines: this.#lines() };
    }
  }

  async #line(): Promise<Record<string, unknown>> {
    let length = 0;
    while (length === 0) {
      length = this.#rest.indexOf(newline) + 1;
      if (length === 0 && this.#rest.length > longestLine) throw new Unreadable(damaged);
      if (length === 0 && !(await this.#more())) throw new Unreadable('it is not whole');
    }
    let value: unknown;
    try {
      value = JSON.parse(this.#take(length).toString());
    } catch {
      throw new Unreadable(damaged);
    }
    if (!isObject(value)) throw new Unreadable(damaged);
    return value;
  }

  /** Complete lines, up to the end of the section. */
  async *#lines(): AsyncGenerator<Buffer> {
    for (;;) {
      const last = this.#lastLine();
      const length = last ?? this.#rest.lastIndexOf(newline) + 1;
      if (length > 0) yield this.#take(length);
      if (last !== undefined) {
        this.#take(lastLine.length);
        return;
      }
      if (!(await this.#more())) throw new Unreadable('it is not whole');
    }
  }

  /** The position of the end of the section, if it was read already. */
  #lastLine(): number | undefined {
    if (this.#rest.indexOf(lastLine) === 0) return 0;
    const at = this.#rest.indexOf(`\n${lastLine}`);
    return at < 0 ? undefined : at + 1;
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    this.#hash.update(taken);
    return taken;
  }

  /** Reads the next chunk. False: the end of the file. */
  async #more(): Promise<boolean> {
    const next = await this.#chunks.next().catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'Z_BUF_ERROR') throw new Unreadable('it is not whole');
      if (error.code?.startsWith('Z_')) throw new Unreadable(damaged);
      throw error;
    });
    if (next.done) return false;
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
    return true;
  }
}

const damaged = 'it is damaged';
/** The limit for JSON lines, which have the names of tables and columns. Rows have no limit. */
const longestLine = 16_000_000;

const isObject = (value: unknown): value is Record<string, unknown> => isRecord(value) && !Array.isArray(value);

const isNumber = (value: unknown) => typeof value === 'number';

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function isRecordOf<T>(value: unknown, isValue: (one: unknown) => one is T): value is Record<string, T> {
  return isObject(value) && Object.values(value).every(isValue);
}
