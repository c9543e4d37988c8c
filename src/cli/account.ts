import type { Command } from 'commander';
import { finishDeletion, removeAccount, rowsOfAccount } from '../features/access/accounts/delete.ts';
import { changeAccount, createAccount, listAccounts, showAccount } from '../features/access/accounts/manage.ts';
import { NewAccount } from '../features/access/accounts/schema.ts';
import type { Database } from '../platform/db/database.ts';
import { Changes } from '../shared/fields.ts';
import { SetupProblem } from '../shared/problem.ts';
import { Progress } from './progress.ts';
import { inDirectory, print, printRows, readInput, toId, toSlice } from './run.ts';

interface Options {
  json?: boolean;
  page?: string;
  timeZone?: string;
  name?: string;
  yes?: boolean;
}

export function accountCommand(program: Command): void {
  const account = program.command('account').description('accounts');
  const sub = (usage: string, description: string) =>
    account.command(usage).description(description).option('--json', 'print JSON');

  sub('create <name>', 'create an account with its root unit')
    .option('--time-zone <zone>', 'such as Europe/London (default: UTC)')
    .action(async (name: string, options: Options) => {
      const input = readInput(NewAccount, { name, time_zone: options.timeZone });
      print(await inDirectory((tx) => createAccount(tx, input), true), options);
    });
  sub('list', 'list accounts')
    .option('--page <n>', 'the page, of 100 rows each')
    .action(async (options: Options) => {
      const slice = toSlice(options);
      printRows(await inDirectory((tx) => listAccounts(tx, null, slice)), slice, options);
    });
  sub('show <id>', 'show an account').action(async (id: string, options: Options) => {
    print(await inDirectory((tx) => showAccount(tx, toId(id, 'account'))), options);
  });
  sub('rename <id> <name>', 'rename an account').action(async (id: string, name: string, options: Options) => {
    const input = readInput(NewAccount, { name });
    print(await inDirectory((tx) => changeAccount(tx, toId(id, 'account'), input)), options);
  });
  sub('time-zone <id> <time-zone>', 'change the time zone of an account').action(
    async (id: string, zone: string, options: Options) => {
      const input = readInput(Changes(NewAccount), { time_zone: zone });
      print(await inDirectory((tx) => changeAccount(tx, toId(id, 'account'), input)), options);
    },
  );
  sub('delete <id>', 'delete an account and all its data permanently')
    .option('--yes', 'really')
    .action(async (id: string, options: Options) => {
      if (!options.yes)
        throw new SetupProblem('This deletes all guests of the account permanently. Add --yes to confirm.');
      const accountId = toId(id, 'account');
      await inDirectory(
        async (tx) => {
          const shown = await showAccount(tx, accountId);
          await removeAccount(tx, accountId);
          return shown;
        },
        false,
        (db, interrupted) => deleteRows(db, accountId, interrupted),
      );
      print(`The account ${id} is deleted.`, options);
    });
}

/** The command deletes the rows itself, because the service may not be running. A running service shares the work. */
async function deleteRows(db: Database, id: number, signal: AbortSignal): Promise<void> {
  const rows = await rowsOfAccount(db, id);
  const progress = new Progress('rows');
  let done = 0;
  const onBatch = (count: number) => {
    done += count;
    progress.show(done, Math.max(done, rows));
  };
  if (await finishDeletion(db, id, { signal, onBatch })) {
    // Cascades and the service delete some of the rows, so the sum of the batches can be lower than the count.
    progress.show(rows, rows);
    return;
  }
  throw new SetupProblem(
    'Interrupted: the account is deleted, but some of its rows are left. The service deletes them when it runs.',
  );
}
