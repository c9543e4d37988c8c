import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { readFeed } from '../features/exchange/events/read.ts';
import { type Event, mostEvents, ReadFeed } from '../features/exchange/events/schema.ts';
import { type Database, isDatabaseUnavailable } from '../platform/db/database.ts';
import { givePositions, lastPosition } from '../platform/outbox/feed.ts';
import { messageOf } from '../shared/errors.ts';
import { eventId } from '../shared/event-id.ts';
import { SetupProblem } from '../shared/problem.ts';
import { withAccount } from './account-commands.ts';
import { inAccount, readInput, words } from './run.ts';

interface Options {
  account?: string;
  json?: boolean;
  types?: string;
  after?: string;
  sinceBeginning?: boolean;
}

const lookEveryMs = 250;
const retryMs = 1000;

/** The command to follow the events of an account. It reads the feed that partners read. */
export function eventCommands(program: Command): void {
  const events = program.command('events').description('the events of an account: every change');
  withAccount(events.command('tail'))
    .description('print new events as they come, one per line, until Ctrl+C')
    .option('--types <types>', 'only events of these types, separated by commas')
    .option('--after <event>', 'begin after the event with this id')
    .option('--since-beginning', 'begin with the oldest event that is kept')
    .action(async ({ account, json, types, after, sinceBeginning }: Options) => {
      if (after !== undefined && sinceBeginning) throw new SetupProblem('Choose one of --after and --since-beginning.');
      const from = readInput(ReadFeed, { after, types: words(types) });
      await inAccount(
        account,
        async () => {},
        async (db, accountId, _, interrupted) => {
          if (after === undefined && !sinceBeginning) from.after = await lastEvent(db, accountId);
          process.stderr.write('Waiting for events. Ctrl+C ends.\n');
          await follow(db, accountId, from, json ? JSON.stringify : inWords, interrupted);
        },
      );
    });
}

/** The place of the last event. In a transaction of its own, because giving positions is not a change of the command. */
function lastEvent(db: Database, accountId: number): Promise<string> {
  return db.tenant(accountId, async (tx) => {
    while (await givePositions(tx, accountId));
    // Before the first event of the next row.
    return eventId(accountId, { position: (await lastPosition(tx, accountId)) + 1, place: -1 });
  });
}

/** Each look is a short transaction, so that none stays open while there is nothing to read. */
async function follow(
  db: Database,
  accountId: number,
  from: ReadFeed,
  inLine: (event: Event) => string,
  interrupted: AbortSignal,
): Promise<void> {
  const reading = { ...from, limit: mostEvents };
  const closed = new AbortController();
  const onError = (error: NodeJS.ErrnoException) => {
    // The reader closed the pipe.
    if (error.code !== 'EPIPE') throw error;
    closed.abort();
  };
  process.stdout.on('error', onError);
  const ended = AbortSignal.any([interrupted, closed.signal]);
  let isAway = false;
  while (!ended.aborted) {
    try {
      const { data, next } = await db.tenant(accountId, (tx) => readFeed(tx, accountId, reading));
      if (isAway) process.stderr.write('The database is available again.\n');
      isAway = false;
      const hasMoved = next !== reading.after;
      reading.after = next;
      const text = data.map((event) => `${inLine(event)}\n`).join('');
      if (text !== '' && !process.stdout.write(text))
        await once(process.stdout, 'drain', { signal: ended }).catch(() => {});
      if (!hasMoved) await pause(lookEveryMs, undefined, { signal: ended }).catch(() => {});
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (!isAway) process.stderr.write(`The database is not available: ${messageOf(error)}. Trying again.\n`);
      isAway = true;
      await pause(retryMs, undefined, { signal: ended }).catch(() => {});
    }
  }
  process.stdout.off('error', onError);
}

function inWords({ id, type, timestamp, data }: Event): string {
  return `${timestamp}  ${id}  ${type.padEnd(typeWidth)}  ${JSON.stringify(data)}`;
}

const typeWidth = 17;
