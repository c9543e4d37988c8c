import type { Command } from 'commander';
import stringWidth from 'string-width';
import type { Static, TObject } from 'typebox';
import { listAccounts, showAccount } from '../features/access/accounts/manage.ts';
import { readConfig } from '../platform/config.ts';
import { type Database, isDatabaseUnavailable, type Tx, transactionOver } from '../platform/db/database.ts';
import { type OpenDatabase, type OpenOptions, openDatabase } from '../platform/db/open/open.ts';
import { type Run, sql } from '../platform/db/sql.ts';
import { messageOf } from '../shared/errors.ts';
import type { Rows, Slice } from '../shared/fields.ts';
import { Invalid, NotFound, SetupProblem } from '../shared/problem.ts';
import { reader } from '../shared/read.ts';
import { propertiesOf } from '../shared/record.ts';
import { isAlwaysRecorded, recordCommand } from './audit-trail.ts';
import { endBar } from './progress.ts';

const perPage = 100;

export async function withDatabase<T>(
  choices: Pick<OpenOptions, 'migrate'> & { mayCreate: boolean },
  work: (database: OpenDatabase, interrupted: AbortSignal) => Promise<T>,
): Promise<T> {
  const onEvent = (event: string) => void process.stderr.write(`${event}\n`);
  const stopping = new AbortController();
  const options = { as: 'command', connections: 1, ...choices, onEvent, signal: stopping.signal } as const;
  const opening = openDatabase(readConfig(), options);
  // A PostgreSQL that this command started must stop with it. The first signal aborts the work at its next statement.
  // The second one ends the process at once.
  const interrupt = () => {
    if (stopping.signal.aborted) process.exit(interruptedCode);
    stopping.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  try {
    const database = await opening;
    try {
      return await work(database, stopping.signal);
    } finally {
      await database.close();
    }
  } catch (error) {
    // The work finished before the signal took effect, so it counts as done.
    if (stopping.signal.aborted) process.exitCode = interruptedCode;
    throw error;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
}

const interruptedCode = 130;

/** Runs work on the shared tables: accounts and users. */
export function inDirectory<T>(
  work: (tx: Tx) => Promise<T>,
  mayCreate = false,
  /** Runs after the commit. */
  finish?: (db: Database, interrupted: AbortSignal) => Promise<void>,
): Promise<T> {
  return withDatabase({ migrate: 'empty', mayCreate }, async ({ db }, interrupted) => {
    const result = await db.transaction((tx) => untilInterrupted(tx, interrupted, null, work));
    await finish?.(db, interrupted);
    return result;
  });
}

/** Runs work in an account: the given one, or the only one. */
export function inAccount<T>(
  wanted: string | undefined,
  work: (tx: Tx, accountId: number) => Promise<T>,
  /** Runs after the commit. Its result is returned. */
  finish?: (db: Database, accountId: number, result: T, interrupted: AbortSignal) => Promise<T>,
): Promise<T> {
  return withDatabase({ migrate: 'empty', mayCreate: false }, async ({ db }, interrupted) => {
    const { rows, total } = await db.transaction((tx) => listAccounts(tx, null, { limit: 1, offset: 0 }));
    const accountId = wanted === undefined ? rows[0]?.id : toId(wanted, 'account');
    if (accountId === undefined)
      throw new NotFound('There is no account yet. Create one with `regulars account create NAME`.');
    if (wanted === undefined && total > 1)
      throw new SetupProblem(`There are ${total} accounts. Choose one with --account ID.`);
    const result = await db.tenant(accountId, (connected) =>
      untilInterrupted(connected, interrupted, accountId, async (tx) => {
        await showAccount(tx, accountId);
        return work(tx, accountId);
      }),
    );
    return finish ? finish(db, accountId, result, interrupted) : result;
  });
}

/** Checks for an interrupt before each statement. An interrupt rolls the transaction back. */
async function untilInterrupted<T>(
  tx: Tx,
  interrupted: AbortSignal,
  accountId: number | null,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const interruptedError = () => new SetupProblem('Interrupted: nothing was changed.');
  let hasWritten = false;
  const checkedTx: Run = async <Row>(strings: TemplateStringsArray, ...values: unknown[]) => {
    if (interrupted.aborted) throw interruptedError();
    const rows = await tx<Row>(strings, ...values);
    hasWritten ||= rows.count > 0 && /^\s*(insert|update|delete)\s/.test(sql(strings, ...values).text);
    return rows;
  };
  const result = await work(transactionOver(checkedTx, tx));
  // The audit trail has no entries for commands that only read.
  if (hasWritten || isAlwaysRecorded()) await recordCommand(tx, accountId, result);
  if (interrupted.aborted) throw interruptedError();
  return result;
}

/** Validates with the shapes of the admin API, so that rules and messages are the same. */
export function readInput<S extends TObject>(schema: S, raw: Record<string, unknown>): Static<S> {
  const { valid, errors } = reader(schema)(raw);
  if (valid === undefined) throw new Invalid(errors.fields);
  return valid;
}

export function toId(text: string, noun = 'thing'): number {
  if (!/^\d{1,15}$/.test(text)) throw new NotFound(`"${text}" is not a valid id of a ${noun}.`);
  return Number(text);
}

/** "a, b" as a list. */
export function words(text: string | undefined): string[] | undefined {
  return text?.split(/[\s,]+/).filter(Boolean);
}

export function toSlice(options: { page?: string }): Slice {
  const page = options.page === undefined ? 1 : Math.max(1, toId(options.page, 'page'));
  return { limit: perPage, offset: (page - 1) * perPage };
}

export function print(value: object | string, options: { json?: boolean }): void {
  if (options.json) process.stdout.write(`${JSON.stringify(typeof value === 'string' ? { message: value } : value)}\n`);
  else if (typeof value === 'string') process.stdout.write(`${value}\n`);
  else process.stdout.write(Object.keys(value).length > maxColumns ? lines(value) : table([value]));
}

export function printRows({ rows, total }: Rows<object>, slice: Slice, options: { json?: boolean }): void {
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ data: rows, total })}\n`);
    return;
  }
  process.stdout.write(table(rows));
  const last = slice.offset + rows.length;
  if (last < total)
    process.stderr.write(
      `${slice.offset + 1} to ${last} of ${total}; --page ${slice.offset / perPage + 2} shows more.\n`,
    );
}

/** Columns with two spaces between them, so that a script can read them. A wide letter takes two columns of a terminal. */
function table(rows: object[]): string {
  const first = rows[0];
  if (!first) return 'none\n';
  const names = Object.keys(first);
  const lines = [names, ...rows.map(propertiesOf).map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => stringWidth(line[column] ?? ''))));
  return lines
    .map(
      (line) =>
        `${line
          .map((text, column) => text + ' '.repeat((widths[column] ?? 0) - stringWidth(text)))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Objects with more fields than this are printed as lines instead of a table. */
const maxColumns = 12;

function lines(value: object): string {
  const shown = Object.entries(value).filter(([, field]) => cell(field) !== '' && cell(field) !== '-');
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, field]) => `${name.padEnd(width)}  ${cell(field)}\n`).join('');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((one) => (typeof one === 'object' ? cell(one) : String(one))).join(', ');
  if (typeof value === 'object') return Object.values(value).map(cell).join(' ').trim();
  return String(value);
}

/** Ends a command: exit code 0 with a result, 1 with an error message. */
export async function finish(program: Command, args: string[]): Promise<void> {
  try {
    await program.parseAsync(args);
  } catch (error) {
    process.exitCode ??= 1;
    endBar();
    if (error instanceof Invalid) {
      const lines = Object.entries(error.errors).flatMap(([field, messages]) =>
        messages.map((message) => `${field}: ${message}`),
      );
      process.stderr.write(`${lines.join('\n')}\n`);
    } else if (error instanceof NotFound || error instanceof SetupProblem) process.stderr.write(`${error.message}\n`);
    else if (isDatabaseUnavailable(error))
      process.stderr.write(
        `The database is not available: ${messageOf(error)}. Check whether the command took effect before you run it again.\n`,
      );
    else throw error;
  }
}
