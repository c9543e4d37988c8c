import type { Command } from 'commander';
import type { Tx } from '../platform/db/database.ts';
import type { Rows, Slice } from '../shared/fields.ts';
import { inAccount, print, printRows, toSlice } from './run.ts';

interface Options {
  account?: string;
  json?: boolean;
  page?: string;
}

export function withAccount(command: Command): Command {
  return command
    .option('-a, --account <id>', 'the account; may be left out where there is only one')
    .option('--json', 'print JSON');
}

/** A command about one thing in an account. */
export function one<T extends object | string>(
  parent: Command,
  usage: string,
  description: string,
  work: (tx: Tx, accountId: number, ...args: string[]) => Promise<T>,
  inWords?: (result: T) => object | string,
): void {
  const command = withAccount(parent.command(usage)).description(description);
  command.action(async () => {
    const options = command.opts<Options>();
    const result = await inAccount(options.account, (tx, accountId) => work(tx, accountId, ...command.args));
    print(inWords && !options.json ? inWords(result) : result, options);
  });
}

/** A command that lists things of an account, a hundred at a time. */
export function many<T extends object>(
  parent: Command,
  usage: string,
  description: string,
  list: (tx: Tx, accountId: number, slice: Slice) => Promise<Rows<T>>,
  inWords: (row: T) => object = (row) => row,
): void {
  const command = withAccount(parent.command(usage)).description(description);
  command.option('--page <number>', 'which hundred').action(async (options: Options) => {
    const slice = toSlice(options);
    const { rows, total } = await inAccount(options.account, (tx, accountId) => list(tx, accountId, slice));
    printRows({ rows: options.json ? rows : rows.map(inWords), total }, slice, options);
  });
}
