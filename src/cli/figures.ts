import type { Command } from 'commander';
import { nextAccountIds } from '../features/access/accounts/store.ts';
import { verifyAccount } from '../features/figures/check.ts';
import type { Database } from '../platform/db/database.ts';
import { Progress } from './progress.ts';
import { print, toId, withDatabase } from './run.ts';

interface Options {
  account?: string;
  repair?: boolean;
  json?: boolean;
}

/** Commands about the figures of guests. */
export function figureCommands(program: Command): void {
  const figures = program.command('figures').description('check the sums of guests, such as visits and spend');
  figures
    .command('verify')
    .description('count all activity again and compare it with the kept figures')
    .option('-a, --account <id>', 'one account; the default is all accounts')
    .option('--repair', 'repair the differences')
    .option('--json', 'print JSON')
    .action(async ({ account, repair = false, json = false }: Options) => {
      const total = { contacts: 0, different: 0, repaired: 0, listed: [] as number[] };
      await withDatabase({ migrate: 'empty', mayCreate: false }, async ({ db }, signal) => {
        for (const id of account === undefined ? await allAccounts(db) : [toId(account, 'account')]) {
          const progress = new Progress(`guests of account ${id}`);
          const onProgress = (done: number, of: number) => progress.show(done, of);
          const check = await verifyAccount(db, id, { repair, signal, onProgress });
          total.contacts += check.contacts;
          total.different += check.different;
          total.listed.push(...check.listed);
        }
      });
      if (repair) total.repaired = total.different;
      // A script sees that there is something to repair.
      else if (total.different > 0) process.exitCode = 1;
      print(json ? total : inWords(total), { json });
    });
}

async function allAccounts(db: Database): Promise<number[]> {
  const ids: number[] = [];
  for (let more = true; more; ) {
    const next = await db.transaction((tx) => nextAccountIds(tx, ids.at(-1) ?? 0, 1000));
    ids.push(...next);
    more = next.length > 0;
  }
  return ids;
}

function inWords({
  contacts,
  different,
  repaired,
  listed,
}: {
  contacts: number;
  different: number;
  repaired: number;
  listed: number[];
}): string {
  const checked = `Checked ${contacts.toLocaleString('en')} guests: `;
  if (different === 0) return `${checked}0 differences.`;
  const which = `contacts ${listed.slice(0, 20).join(', ')}${different > 20 ? ' and more' : ''}`;
  const done = repaired > 0 ? 'All were repaired.' : 'Repair them with --repair.';
  return `${checked}${different} with differences (${which}). ${done}`;
}
