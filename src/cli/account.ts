import type { Command } from 'commander';
import { changeAccount, createAccount, listAccounts, removeAccount, showAccount } from '../accounts/manage.ts';
import { NewAccount } from '../accounts/schema.ts';
import { Changes } from '../shared/fields.ts';
import { Invalid } from '../shared/problem.ts';
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

  sub('create <name>', 'create an account, with its root unit')
    .option('--time-zone <zone>', 'such as Europe/London; UTC unless given')
    .action(async (name: string, options: Options) => {
      const input = readInput(NewAccount, { name, time_zone: options.timeZone });
      print(await inDirectory((tx) => createAccount(tx, input), true), options);
    });
  sub('list', 'list accounts')
    .option('--page <n>', 'which page of 100')
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
  sub('time-zone <id> <zone>', 'move an account to another time zone').action(
    async (id: string, zone: string, options: Options) => {
      const input = readInput(Changes(NewAccount), { time_zone: zone });
      print(await inDirectory((tx) => changeAccount(tx, toId(id, 'account'), input)), options);
    },
  );
  sub('delete <id>', 'delete an account and everything in it, for good')
    .option('--yes', 'really')
    .action(async (id: string, options: Options) => {
      if (!options.yes)
        throw new Invalid({ yes: ['This deletes all guests of the account for good. Say --yes if you mean it.'] });
      await inDirectory((tx) => removeAccount(tx, toId(id, 'account')));
      print(`The account ${id} is deleted.`, options);
    });
}
