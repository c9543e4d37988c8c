import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { changeUser, createUser, listUsers, removeUser, showUser } from '../features/access/users/manage.ts';
import { NewUser } from '../features/access/users/schema.ts';
import { Changes } from '../shared/fields.ts';
import { inDirectory, print, printRows, readInput, toId, toSlice } from './run.ts';

interface Options {
  json?: boolean;
  page?: string;
  password?: string;
  accounts?: string;
  role?: string;
  email?: string;
}

/** Generates a password if none is given, because other users of the machine can see command line arguments. */
function passwordOf(options: Options): { password: string; made?: string } {
  if (options.password !== undefined) return { password: options.password };
  const made = randomBytes(12).toString('base64url');
  return { password: made, made };
}

export function userCommand(program: Command): void {
  const user = program.command('user').description('users');
  const sub = (usage: string, description: string) =>
    user.command(usage).description(description).option('--json', 'print JSON');

  sub('create <email>', 'create a user; prints a password if none is given')
    .option('--accounts <ids>', 'the accounts that the user may access: 1,2,3')
    .option('--role <role>', 'owner, staff or viewer (default: staff)')
    .option('--password <password>', 'the password (default: generated)')
    .action(async (email: string, options: Options) => {
      const { password, made } = passwordOf(options);
      const account_ids = options.accounts === undefined ? [] : options.accounts.split(',');
      const input = readInput(NewUser, { email, password, account_ids, role: options.role });
      const created = await inDirectory((tx) => createUser(tx, input), true);
      print(made ? { ...created, password: made } : created, options);
    });
  sub('list', 'list users')
    .option('--page <n>', 'the page, of 100 rows each')
    .action(async (options: Options) => {
      const slice = toSlice(options);
      printRows(await inDirectory((tx) => listUsers(tx, slice)), slice, options);
    });
  sub('show <id>', 'show a user').action(async (id: string, options: Options) => {
    print(await inDirectory((tx) => showUser(tx, toId(id, 'user'))), options);
  });
  sub('change <id>', 'change a user’s email, role or accounts')
    .option('--email <email>', 'the new email')
    .option('--accounts <ids>', 'the new list of accounts that the user may access: 1,2,3')
    .option('--role <role>', 'owner, staff or viewer')
    .action(async (id: string, options: Options) => {
      const account_ids = options.accounts?.split(',').filter((part) => part !== '');
      const input = readInput(Changes(NewUser), { email: options.email, account_ids, role: options.role });
      print(await inDirectory((tx) => changeUser(tx, toId(id, 'user'), input)), options);
    });
  sub('password <id>', 'set a new password of a user; prints it if none is given')
    .option('--password <password>', 'the password (default: generated)')
    .action(async (id: string, options: Options) => {
      const { password, made } = passwordOf(options);
      const input = readInput(Changes(NewUser), { password });
      const changed = await inDirectory((tx) => changeUser(tx, toId(id, 'user'), input));
      print(made ? { ...changed, password: made } : changed, options);
    });
  sub('delete <id>', 'delete a user and the user’s tokens').action(async (id: string, options: Options) => {
    await inDirectory((tx) => removeUser(tx, toId(id, 'user')));
    print(`The user ${id} is deleted.`, options);
  });
}
