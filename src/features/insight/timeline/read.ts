import type { Tx } from '../../../platform/db/database.ts';
import { only } from '../../../platform/db/sql.ts';
import { timelineKinds } from '../../../shared/codes.ts';
import { formats } from '../../../shared/formats.ts';
import { Invalid } from '../../../shared/problem.ts';
import { selectFound } from '../../guests/contacts/search-store.ts';
import { lineage } from '../../identity/identities/store.ts';
import type { ReadTimeline, Timeline, TimelineSummary } from './schema.ts';
import { type Cursor, countTimeline, selectTimeline } from './store.ts';

const perPage = 50;

/** The timeline of a contact and of the contacts merged into it, newest first. */
export async function readTimeline(
  tx: Tx,
  accountId: number,
  contactId: number,
  { before, kind }: ReadTimeline,
): Promise<Timeline> {
  const ids = await lineage(tx, accountId, contactId);
  const cursor = before === undefined ? undefined : cursorOf(before);
  // One more row than the page shows whether there are more.
  const rows = await selectTimeline(tx, accountId, ids, kind, cursor, perPage + 1);
  const shown = rows.slice(0, perPage);
  const last = rows.length > perPage ? shown.at(-1) : undefined;
  return {
    data: shown.map(({ exactly_at: _, ...entry }) => entry),
    next: last ? encodeCursor({ at: last.exactly_at, kind: last.kind, id: last.id }) : null,
  };
}

/** The summary of a timeline. */
export async function summarizeTimeline(tx: Tx, accountId: number, contactId: number): Promise<TimelineSummary> {
  const ids = await lineage(tx, accountId, contactId);
  const { found, figures } = await tx.inOrder({
    found: () => selectFound(tx, accountId, ids.slice(0, 1)),
    figures: () => countTimeline(tx, accountId, ids),
  });
  const { pence, ...counts } = figures;
  return { last_visit_at: only(found).last_visit_at, spend: pence / 100, counts };
}

function encodeCursor({ at, kind, id }: Cursor): string {
  return Buffer.from(`${at}|${kind}|${id}`).toString('base64url');
}

function cursorOf(sent: string): Cursor {
  const [at = '', name = '', id = ''] = Buffer.from(sent, 'base64url').toString().split('|');
  const isTime = /\.\d{6}$/.test(at) && formats['wall-clock']?.read(at.slice(0, -7)) === at.slice(0, -7);
  const kind = timelineKinds.find((known) => known === name);
  if (!isTime || kind === undefined || !/^\d{1,15}$/.test(id)) {
    throw new Invalid({ before: ['The before must be the `next` of an earlier page.'] });
  }
  return { at, kind, id: Number(id) };
}
