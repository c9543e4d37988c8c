import type { Command } from 'commander';
import { readAudit } from '../features/access/audit/read.ts';
import { type AuditEntry, AuditQuery } from '../features/access/audit/schema.ts';
import { describeAction } from '../shared/actions.ts';
import { inDirectory, printRows, readInput, toSlice } from './run.ts';

interface Options {
  account?: string;
  user?: string;
  page?: string;
  json?: boolean;
}

export function auditCommand(program: Command): void {
  program
    .command('audit')
    .description('list changes through the admin API and the command line, newest first')
    .option('-a, --account <id>', 'only changes in this account')
    .option('-u, --user <id>', 'only changes by this user')
    .option('--page <n>', 'the page, of 100 rows each')
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const slice = toSlice(options);
      const query = readInput(AuditQuery, { account_id: options.account, user_id: options.user });
      const { rows, total } = await inDirectory((tx) => readAudit(tx, query, slice));
      printRows({ rows: options.json ? rows : rows.map(describe), total }, slice, options);
    });
}

/** People read words. JSON has the code. */
function describe({ id, at, account_id, actor, address, action, subject }: AuditEntry) {
  return { id, at, account: account_id, who: actor, address, what: describeAction({ action, subject }) };
}
