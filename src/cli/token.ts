import type { Command } from 'commander';
import { readRequests } from '../features/access/requests/read.ts';
import { changeToken, createToken, listTokens, revokeToken, showToken } from '../features/access/tokens/manage.ts';
import { NewToken, RenamedToken } from '../features/access/tokens/schema.ts';
import { actor } from './audit-trail.ts';
import { crudCommand, type Options } from './managed.ts';
import { inAccount, print, printRows, readInput, toId } from './run.ts';

export function tokenCommand(program: Command): void {
  const token = crudCommand(
    program,
    {
      command: 'token',
      noun: 'personal access token',
      plural: 'personal access tokens',
      removed: 'revoked',
      createOptions: [
        ['-u, --user <id>', 'give the token access to all accounts of this user, instead of only this one', false],
        ['-e, --expires-at <time>', 'yyyy-mm-dd hh:mm:ss in the account’s time zone', false],
      ],
    },
    {
      create: (tx, accountId, name, options) =>
        createToken(
          tx,
          accountId,
          readInput(NewToken, { name, user_id: options.user, expires_at: options.expiresAt }),
          actor(),
        ),
      list: listTokens,
      show: showToken,
      rename: (tx, accountId, id, name) => changeToken(tx, accountId, id, readInput(RenamedToken, { name }).name),
      remove: revokeToken,
    },
  );
  const account = ['-a, --account <id>', 'the account; optional if there is only one'] as const;

  token
    .command('revoke <id>')
    .description('revoke a token (same as `delete`); the next request with it is rejected')
    .option(...account)
    .option('--json', 'print JSON')
    .action(async (id: string, options: Options) => {
      await inAccount(options.account, (tx, accountId) => revokeToken(tx, accountId, toId(id, 'token')));
      print(`The token ${id} is revoked.`, options);
    });
  token
    .command('requests <id>')
    .description('list the requests of a token, newest first')
    .option(...account)
    .option('--json', 'print JSON')
    .option('--before <entry>', 'only entries older than this one')
    .action(async (id: string, options: Options) => {
      const before = typeof options.before === 'string' ? toId(options.before, 'entry') : undefined;
      const { data, next_before } = await inAccount(options.account, (tx, accountId) =>
        readRequests(tx, accountId, toId(id, 'token'), before),
      );
      printRows({ rows: data, total: data.length }, { limit: data.length, offset: 0 }, options);
      if (next_before !== null) process.stderr.write(`--before ${next_before} shows older ones.\n`);
    });
}
