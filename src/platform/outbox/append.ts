import { mostPlaces } from '../../shared/event-id.ts';
import type { NewEvent } from '../../shared/event-kind.ts';
import type { Tx } from '../db/database.ts';
import { join, sql } from '../db/sql.ts';
import { signalAppended } from './signal.ts';

/** A row with more text is split, so that a reader can bound what it reads. */
const mostLength = 256 * 1024;

/**
 * Appends the events of a transaction. Every writer calls it once, as its last statement: events of one contact are then
 * numbered in the order in which their transactions had the lock on the contact.
 */
export async function appendEvents(tx: Tx, accountId: number, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  signalAppended(accountId);
  const rows = rowsOf(events).map(
    ({ contactIds, entries, size, length }) =>
      sql`(${accountId}::bigint, ${tx.now}, ${contactIds}::bigint[], ${entries}::json, ${size}::integer, ${length}::integer)`,
  );
  await tx`insert into events (account_id, at, contact_ids, entries, size, bytes) values ${join(rows)}`;
}

interface OutboxRow {
  contactIds: number[];
  entries: string;
  size: number;
  length: number;
}

/** One row, or more for many events. */
function rowsOf(events: readonly NewEvent[]): OutboxRow[] {
  const rows: OutboxRow[] = [];
  let texts: string[] = [];
  let contactIds = new Set<number>();
  let length = 0;
  const end = () => {
    rows.push({ contactIds: [...contactIds], entries: `[${texts.join(',')}]`, size: texts.length, length });
    [texts, contactIds, length] = [[], new Set(), 0];
  };
  for (const event of events) {
    const text = entryOf(event);
    if (texts.length === mostPlaces || (texts.length > 0 && length + text.length > mostLength)) end();
    texts.push(text);
    length += text.length;
    for (const id of event.contactIds) contactIds.add(id);
  }
  end();
  return rows;
}

function entryOf({ type, data, contactIds }: NewEvent): string {
  // A reader takes the contact from the data, unless there are others.
  const others = contactIds.length > 1 ? `"contact_ids":${JSON.stringify(contactIds)},` : '';
  return `{"type":"${type}",${others}"data":${JSON.stringify(withoutEmptyLists(data))}}`;
}

/** Most events have several empty lists. Without them, PostgreSQL stores a row faster. A reader adds them. */
function withoutEmptyLists(data: object): object {
  const stored: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(data))
    if (!(Array.isArray(value) && value.length === 0)) stored[name] = value;
  return stored;
}
