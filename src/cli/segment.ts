import type { Command } from 'commander';
import { AddSegmentToGroup, AssignToSegment, type SegmentAction } from '../features/insight/segments/action-schema.ts';
import { showAction, startAddToGroup, startAssignCodes } from '../features/insight/segments/actions.ts';
import { listSegments, showSegment } from '../features/insight/segments/manage.ts';
import { MemberExport } from '../features/insight/segments/members.ts';
import { type AssignCodes, runAction } from '../features/insight/segments/run-action.ts';
import { exportedColumns } from '../features/insight/segments/schema.ts';
import { assignToMembers } from '../features/vouchers/assign.ts';
import type { Tx } from '../platform/db/database.ts';
import { itemCommand, listCommand, withAccount } from './account-commands.ts';
import { writeCsv } from './csv.ts';
import { Progress } from './progress.ts';
import { inAccount, print, readInput, toId } from './run.ts';

interface Options {
  account?: string;
  json?: boolean;
  output?: string;
}

/** Commands to read segments and to act on their members. Segments are made in the dashboard and through the admin API. */
export function segmentCommands(program: Command): void {
  const segment = program
    .command('segment')
    .description('segments: list, show, count, export, give vouchers, add to a group');
  const clock = () => ({ now: new Date() });
  actionCommand(
    segment,
    'give-vouchers <segment> <group>',
    'give each member a free code of a voucher group; members who have one keep it',
    (tx, accountId, id, group) =>
      startAssignCodes(tx, accountId, id, readInput(AssignToSegment, { unique_code_group_id: group }), clock()),
  );
  actionCommand(segment, 'add-to-group <segment> <group>', 'add each member to a group', (tx, accountId, id, group) =>
    startAddToGroup(tx, accountId, id, readInput(AddSegmentToGroup, { group_id: group }), clock()),
  );
  listCommand(
    segment,
    'list',
    'list segments with their number of members',
    (tx, accountId, slice) => listSegments(tx, accountId, slice, clock()),
    ({ id, name, count, contactable }) => ({ id, name, count, ...contactable }),
  );
  itemCommand(
    segment,
    'show <id>',
    'show a segment with its definition',
    (tx, accountId, id) => showSegment(tx, accountId, segmentId(id), clock()),
    ({ definition, contactable, ...shown }) => ({ ...shown, ...contactable, definition: JSON.stringify(definition) }),
  );
  itemCommand(
    segment,
    'count <id>',
    'count the members, in total and by consent',
    async (tx, accountId, id) => {
      const { count, contactable } = await showSegment(tx, accountId, segmentId(id), clock());
      return { count, contactable };
    },
    ({ count, contactable }) => ({ count, ...contactable }),
  );
  withAccount(segment.command('export <id>'))
    .description('write all members as CSV, to standard output or to a file')
    .option('-o, --output <file>', 'the file')
    .action(async (id: string, { output, account, ...options }: Options) => {
      const members = new MemberExport(segmentId(id), clock());
      const count = await inAccount(account, (tx, accountId) =>
        writeCsv(output, exportedColumns, (after) => members.next(tx, accountId, after)),
      );
      if (output === undefined) return;
      const guests = count === 1 ? '1 guest is' : `${count.toLocaleString('en')} guests are`;
      print(options.json ? { exported: count } : `${guests} in ${output}.`, options);
    });
}

/** Starts an action and runs it here. A running service takes part in it, and continues it after an interrupt. */
function actionCommand(
  parent: Command,
  usage: string,
  description: string,
  start: (tx: Tx, accountId: number, id: number, target: string) => Promise<SegmentAction>,
): void {
  withAccount(parent.command(usage))
    .description(description)
    .action(async (id: string, target: string, { account, ...options }: Options) => {
      const progress = new Progress('guests');
      const finished = await inAccount(
        account,
        (tx, accountId) => start(tx, accountId, segmentId(id), target),
        async (db, accountId, action, signal) => {
          const shown = () => db.tenant(accountId, (tx) => showAction(tx, accountId, action.id));
          const onBatch = async () => {
            const { total, done, skipped } = await shown();
            progress.show(done + skipped, Math.max(total, done + skipped));
          };
          const running = { signal, assignCodes: assignToSegment, longestMs: Infinity, gently: false, onBatch };
          await runAction(db, { account_id: accountId, action_id: action.id }, running);
          return shown();
        },
      );
      if (finished.state !== 'done') process.exitCode = 1;
      print(options.json ? finished : inWords(finished), options);
    });
}

const assignToSegment: AssignCodes = (tx, accountId, groupId, ids) =>
  assignToMembers(tx, accountId, groupId, ids, () => {});

function inWords({ kind, state, done, skipped, left, error }: SegmentAction): string {
  const [got, had] = kind === 'assign_codes' ? ['got a code', 'had one'] : ['were added', 'were in the group'];
  const counts = `${done.toLocaleString('en')} guests ${got}, ${skipped.toLocaleString('en')} ${had} before.`;
  if (state === 'done') return counts;
  const why = error ?? (state === 'cancelled' ? 'It was cancelled.' : 'Interrupted: the service continues it.');
  return `${counts} ${left.toLocaleString('en')} are left. ${why}`;
}

const segmentId = (text: string | undefined) => toId(text ?? '', 'segment');
