import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { assignCode, assignFreeCodes, unassignCode } from '../features/vouchers/assign.ts';
import { addCodes, nextCodes, searchCodes, type Watch } from '../features/vouchers/codes.ts';
import {
  ByUnit,
  ForStatistics,
  NewCodeGroup,
  RenamedCodeGroup,
  type Statistics,
} from '../features/vouchers/group-schema.ts';
import {
  changeCodeGroup,
  createCodeGroup,
  listCodeGroups,
  removeCodeGroup,
  showCodeGroup,
} from '../features/vouchers/manage.ts';
import {
  AssignCode,
  AssignFreeCodes,
  exportedColumns,
  maxImported,
  NewCodes,
  SearchCodes,
  UnassignCode,
} from '../features/vouchers/schema.ts';
import { codeStatistics } from '../features/vouchers/statistics.ts';
import type { Tx } from '../platform/db/database.ts';
import { SetupProblem } from '../shared/problem.ts';
import { itemCommand, withAccount } from './account-commands.ts';
import { writeCsv } from './csv.ts';
import { crudCommand } from './managed.ts';
import { Progress } from './progress.ts';
import { inAccount, print, printRows, readInput, toId, toSlice } from './run.ts';

interface Options {
  account?: string;
  json?: boolean;
  prefix?: string;
  length?: string;
  from?: string;
  to?: string;
}

/** Commands for voucher groups and codes. */
export function voucherCommands(program: Command): void {
  const groups = crudCommand(
    program,
    {
      command: 'voucher-group',
      noun: 'voucher group',
      plural: 'voucher groups',
      createOptions: [['-u, --unit <id>', 'the unit that it belongs to; typically the root unit', true]],
      listOptions: [['-u, --unit <id>', 'only those of this unit']],
    },
    {
      create: (tx, accountId, name, { unit }) =>
        createCodeGroup(tx, accountId, readInput(NewCodeGroup, { name, unit_id: unit })),
      list: (tx, accountId, slice, { unit }) =>
        listCodeGroups(tx, accountId, readInput(ByUnit, { unit_id: unit }), slice),
      show: showCodeGroup,
      rename: (tx, accountId, id, name) =>
        changeCodeGroup(tx, accountId, id, readInput(RenamedCodeGroup, { name }).name),
      remove: removeCodeGroup,
    },
  );
  withAccount(groups.command('statistics <id>'))
    .description('show the figures of a group: in total, by unit and by day')
    .option('--from <day>', 'the first day, yyyy-mm-dd (default: 90 days before the last)')
    .option('--to <day>', 'the last day, yyyy-mm-dd (default: today)')
    .action(async (id: string, options: Options) => {
      const range = readInput(ForStatistics, { start_date: options.from, end_date: options.to });
      const statistics = await inAccount(options.account, (tx, accountId) =>
        codeStatistics(tx, accountId, toId(id, 'voucher group'), range, new Date()),
      );
      print(options.json ? statistics : describe(statistics), options);
    });

  const voucher = program.command('voucher').description('voucher codes: generate, import, export, assign');
  withAccount(voucher.command('generate <group> <count>'))
    .description('generate random codes; an interrupted run creates none')
    .option('--prefix <text>', 'the start of each code')
    .option('--length <n>', 'the number of random characters after the prefix (default: 10)')
    .action(async (group: string, count: string, { account, prefix, length, ...options }: Options) => {
      const codes = readInput(NewCodes, { count, prefix, length });
      const { created } = await inAccount(account, (tx, accountId) =>
        addCodes(tx, accountId, groupId(group), codes, showProgress()),
      );
      print(options.json ? { created } : `${created.toLocaleString('en')} codes were generated.`, options);
    });
  withAccount(voucher.command('import <group> <file>'))
    .description('import codes from a file, one per line; - reads standard input')
    .action(async (group: string, file: string, options: Options) => {
      const codes = await readLines(file);
      const created = await inAccount(options.account, (tx, accountId) =>
        importAll(tx, accountId, groupId(group), codes, showProgress()),
      );
      const known = codes.length - created;
      const others = known > 0 ? ` ${codesAre(known)} already in the group, or repeated in the file.` : '';
      print(options.json ? { created } : `${codesAre(created)} new.${others}`, options);
    });
  withAccount(voucher.command('export <group> [file]'))
    .description('write all codes of a group as CSV, to a file or to standard output')
    .action(async (group: string, file: string | undefined, options: Options) => {
      const count = await inAccount(options.account, (tx, accountId) =>
        writeCsv(file, exportedColumns, (after) => nextCodes(tx, accountId, groupId(group), {}, after)),
      );
      if (file !== undefined) print(options.json ? { exported: count } : `${codesAre(count)} in ${file}.`, options);
    });
  withAccount(voucher.command('find <code>'))
    .description('find a code in all groups, with its guest and status')
    .action(async (code: string, options: Options) => {
      const { unique_code } = readInput(SearchCodes, { unique_code: code });
      const slice = toSlice({});
      const found = await inAccount(options.account, (tx, accountId) => searchCodes(tx, accountId, unique_code, slice));
      printRows(found, slice, options);
    });
  itemCommand(
    voucher,
    'assign <group> <code> <contact>',
    'assign a code to a guest',
    (tx, accountId, group, code, contact) =>
      assignCode(
        tx,
        accountId,
        readInput(AssignCode, { unique_code_group_id: group, unique_code: code, contact_id: contact }),
        () => {},
      ),
  );
  itemCommand(
    voucher,
    'unassign <group> <code>',
    'remove a code from its guest; not possible for a redeemed code',
    (tx, accountId, group, code) =>
      unassignCode(tx, accountId, readInput(UnassignCode, { unique_code_group_id: group, unique_code: code })),
  );
  itemCommand(
    voucher,
    'give <group> <contacts...>',
    'assign a free code of the group to each guest; guests who have one keep it',
    async (tx, accountId, group, ...contacts) =>
      assignFreeCodes(tx, accountId, groupId(group), readInput(AssignFreeCodes, { contact_ids: contacts }), () => {}),
    ({ data }) => data.map(({ contact_id, unique_code }) => `${contact_id}  ${unique_code}`).join('\n'),
  );
}

const codesAre = (count: number) => (count === 1 ? '1 code is' : `${count.toLocaleString('en')} codes are`);
const groupId = (text: string | undefined) => toId(text ?? '', 'voucher group');

function showProgress(): Watch {
  const progress = new Progress('codes');
  return { progress: (done, of) => progress.show(done, of), isGone: () => false };
}

async function readLines(file: string): Promise<string[]> {
  const source = file === '-' ? process.stdin : createReadStream(file);
  const all = await text(source).catch((error: Error) => {
    throw new SetupProblem(`${file} can’t be read: ${error.message}.`);
  });
  const lines = all.split(/\r?\n/).map((line) => line.trim());
  if (/(^|,)"?unique_code"?(,|$)/.test(lines[0] ?? '')) {
    throw new SetupProblem(
      `${file} looks like a table with column names. Use one code per line, without other columns.`,
    );
  }
  return lines.filter((line) => line !== '');
}

/** Imports all codes or none, in several statements. */
async function importAll(tx: Tx, accountId: number, group: number, codes: string[], watch: Watch): Promise<number> {
  let created = 0;
  for (let first = 0; first < codes.length; first += maxImported) {
    const some = readInput(NewCodes, { codes: codes.slice(first, first + maxImported) });
    created += (await addCodes(tx, accountId, group, some, watch)).created;
    watch.progress(Math.min(first + maxImported, codes.length), codes.length);
  }
  return created;
}

function describe({ made, assigned, redeemed, by_unit, by_day }: Statistics): string {
  const count = (value: number) => value.toLocaleString('en').padStart(9);
  const lines = [`${count(made)} made`, `${count(assigned)} assigned`, `${count(redeemed)} redeemed`];
  if (by_unit.length > 0) lines.push('', 'redeemed at');
  for (const { unit_name, redeemed } of by_unit) lines.push(`${count(redeemed)} ${unit_name}`);
  if (by_day.length > 0) lines.push('', `day              made  assigned  redeemed`);
  for (const day of by_day) lines.push(`${day.date}  ${count(day.made)} ${count(day.assigned)} ${count(day.redeemed)}`);
  return lines.join('\n');
}
