import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { listSegments, showSegment } from '../features/insight/segments/manage.ts';
import { MemberExport } from '../features/insight/segments/members.ts';
import { exportedColumns } from '../features/insight/segments/schema.ts';
import type { Tx } from '../platform/db/database.ts';
import { csvFile } from '../shared/csv.ts';
import { itemCommand, listCommand, withAccount } from './account-commands.ts';
import { writeFileAtomically } from './files.ts';
import { inAccount, print, toId } from './run.ts';

interface Options {
  account?: string;
  json?: boolean;
  output?: string;
}

/** Commands to read segments. They are made in the dashboard and through the admin API. */
export function segmentCommands(program: Command): void {
  const segment = program.command('segment').description('segments: list, count, export');
  const clock = () => ({ now: new Date() });
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
    ({ definition, ...shown }) => ({ ...shown, definition: JSON.stringify(definition) }),
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
      const count = await inAccount(account, (tx, accountId) => exportTo(output, tx, accountId, segmentId(id)));
      if (output === undefined) return;
      const guests = count === 1 ? '1 guest is' : `${count.toLocaleString('en')} guests are`;
      print(options.json ? { exported: count } : `${guests} in ${output}.`, options);
    });
}

const segmentId = (text: string | undefined) => toId(text ?? '', 'segment');

async function exportTo(file: string | undefined, tx: Tx, accountId: number, id: number): Promise<number> {
  let count = 0;
  const members = new MemberExport(id, { now: new Date() });
  const parts = await csvFile(
    exportedColumns,
    (after) => members.next(tx, accountId, after),
    (rows) => {
      count += rows;
    },
  );
  if (file !== undefined) {
    await writeFileAtomically(file, (out) => pipeline(parts, out));
    return count;
  }
  await pipeline(parts, process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    // The reader closed the pipe.
    if (error.code !== 'EPIPE') throw error;
  });
  return count;
}
