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
    .option('-a, --account <id>', 'the account; optional if there is only one')
    .option('--json', 'print JSON');
}

/** A command about one item in an account. */
export function itemCommand<T extends object | string>(
  parent: Command,
  usage: string,
  description: string,
  work: (tx: Tx, accountId: number, ...args: string[]) => Promise<T>,
  describe?: (result: T) => object | string,
): void {
  const command = withAccount(parent.command(usage)).description(description);
  command.action(async () => {
    const options = command.opts<Options>();
    const result = await inAccount(options.account, (tx, accountId) => work(tx, accountId, ...command.args));
    print(describe && !options.json ? describe(result) : result, options);
  });
}

/** A command that lists items of an account, 100 per page. */
export function listCommand<T extends object>(
  parent: Command,
  usage: string,
  description: string,
  list: (tx: Tx, accountId: number, slice: Slice) => Promise<Rows<T>>,
  inWords: (row: T) => object = (row) => row,
): void {
  const command = withAccount(parent.command(usage)).description(description);
  command.option('--page <number>', 'the page, of 100 rows each').action(async (options: Options) => {
    const slice = toSlice(options);
    const { rows, total } = await inAccount(options.account, (tx, accountId) => list(tx, accountId, slice));
    printRows({ rows: options.json ? rows : rows.map(inWords), total }, slice, options);
  });
}
