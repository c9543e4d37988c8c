import type { Tx } from '../../../platform/db/database.ts';
import { only } from '../../../platform/db/sql.ts';
import { timelineKinds } from '../../../shared/codes.ts';
import { cursorParts, encodeCursor, invalidCursor, isCursorNumber, isExactTime } from '../../../shared/cursor.ts';
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
    next: last ? encodeCursor(last.exactly_at, last.kind, last.id) : null,
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

function cursorOf(sent: string): Cursor {
  const [at = '', name = '', id = ''] = cursorParts(sent);
  const kind = timelineKinds.find((known) => known === name);
  if (!isExactTime(at) || kind === undefined || !isCursorNumber(id)) throw invalidCursor();
  return { at, kind, id: Number(id) };
}
