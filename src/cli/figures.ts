import type { Command } from 'commander';
import { nextAccountIds } from '../features/access/accounts/store.ts';
import { type FigureCheck, verifyAccount } from '../features/figures/check.ts';
import { type CountCheck, checkedCounts } from '../features/figures/schema.ts';
import type { Database } from '../platform/db/database.ts';
import { recordOf } from '../shared/record.ts';
import { Progress } from './progress.ts';
import { print, toId, withDatabase } from './run.ts';

interface Options {
  account?: string;
  repair?: boolean;
  json?: boolean;
}

interface Total extends FigureCheck {
  /** The number of differences that were repaired. */
  repaired: number;
}

/** Commands about the figures of guests. */
export function figureCommands(program: Command): void {
  const figures = program
    .command('figures')
    .description('check the sums of guests, such as visits and spend, and the counts of Home and Venues');
  figures
    .command('verify')
    .description('count all activity again and compare it with the kept figures and counts')
    .option('-a, --account <id>', 'one account; the default is all accounts')
    .option('--repair', 'repair the differences')
    .option('--json', 'print JSON')
    .action(async ({ account, repair = false, json = false }: Options) => {
      const total: Total = {
        contacts: 0,
        different: 0,
        repaired: 0,
        listed: [],
        counts: recordOf(checkedCounts, () => 0),
      };
      await withDatabase({ migrate: 'empty', mayCreate: false }, async ({ db }, signal) => {
        for (const id of account === undefined ? await allAccounts(db) : [toId(account, 'account')]) {
          const progress = new Progress(`guests of account ${id}`);
          const onProgress = (done: number, of: number) => progress.show(done, of);
          const check = await verifyAccount(db, id, { repair, signal, onProgress });
          total.contacts += check.contacts;
          total.different += check.different;
          total.listed.push(...check.listed);
          for (const name of checkedCounts) total.counts[name] += check.counts[name];
        }
      });
      const wrong = total.different + checkedCounts.reduce((sum, name) => sum + total.counts[name], 0);
      if (repair) total.repaired = wrong;
      // A script sees that there is something to repair.
      else if (wrong > 0) process.exitCode = 1;
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

/** What each count is called, for one. */
const nouns: Record<keyof CountCheck, string> = {
  unit_days: 'day of a venue',
  code_groups: 'group of vouchers',
  guests: 'guest',
  guest_days: 'day of new guests',
  groups: 'group of guests',
};

const list = new Intl.ListFormat('en');

function inWords({ contacts, different, repaired, listed, counts }: Total): string {
  const found: string[] = [];
  if (different > 0) {
    const which = `contacts ${listed.slice(0, 20).join(', ')}${different > 20 ? ' and more' : ''}`;
    found.push(`The figures of ${number(different, 'guest')} differ (${which}).`);
  }
  const wrong = checkedCounts.filter((name) => counts[name] > 0);
  if (wrong.length > 0)
    found.push(`The counts of ${list.format(wrong.map((name) => number(counts[name], nouns[name])))} differ.`);
  const checked = `Checked ${number(contacts, 'guest')}:`;
  if (found.length === 0) return `${checked} 0 differences.`;
  return [checked, ...found, repaired > 0 ? 'All were repaired.' : 'Repair them with --repair.'].join(' ');
}

/** "1 day of a venue", "1,200 days of a venue" */
function number(count: number, noun: string): string {
  const [first = '', ...rest] = noun.split(' ');
  return [count.toLocaleString('en'), count === 1 ? first : `${first}s`, ...rest].join(' ');
}
