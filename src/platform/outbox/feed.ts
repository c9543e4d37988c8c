import { type EventPlace, isAfter } from '../../shared/event-id.ts';
import type { Tx } from '../db/database.ts';
import { limitPauses } from '../db/locks.ts';
import { type Sql, sql } from '../db/sql.ts';

/** The rows that one call gives a position. */
const rowsAtOnce = 1000;

/** Whether committed rows wait for their position. */
export async function hasWaiting(tx: Tx, accountId: number): Promise<boolean> {
  return (await tx`select from events where account_id = ${accountId} and position is null limit 1`).length > 0;
}

/** What came of giving positions. */
export interface Placed {
  /** The last position that was given. */
  last: number;
  /** Whether more rows may wait. */
  hasMore: boolean;
}

/**
 * Gives positions to committed rows, in the order of their ids. Rows of transactions that commit later get later
 * positions, also if their ids are lower. Returns whether more rows may wait.
 */
export async function givePositions(tx: Tx, accountId: number): Promise<boolean> {
  let placed = await placeRows(tx, accountId);
  if (!placed) {
    await addStream(tx, accountId);
    placed = await placeRows(tx, accountId);
  }
  return placed?.hasMore ?? false;
}

/** The same in one round trip. Undefined: the account has no stream yet. */
export async function placeRows(tx: Tx, accountId: number): Promise<Placed | undefined> {
  const { placed, stream } = await tx.inOrder({
    // One transaction at a time. The next statements see what the one before has committed.
    lock: () => lockStream(tx, accountId),
    placed: () => tx`
      update events set position = next.position
      from (
        select waiting.id, last_position + row_number() over (order by waiting.id) as position
        from event_streams cross join (
          select id from events where account_id = ${accountId} and position is null order by id limit ${rowsAtOnce}) as waiting
        where event_streams.account_id = ${accountId}) as next
      where events.account_id = ${accountId} and events.id = next.id`,
    contacts: () => tx`
      insert into event_contacts (account_id, contact_id, event_id)
      select ${accountId}::bigint, contact.id, events.id from events cross join lateral unnest(contact_ids) as contact (id)
      where account_id = ${accountId} and position > (select last_position from event_streams where account_id = ${accountId})
      on conflict do nothing`,
    stream: () => tx<{ last_position: number }>`
      update event_streams set last_position = greatest(last_position,
        (select max(position) from events where account_id = ${accountId} and position is not null))
      where account_id = ${accountId} returning last_position`,
  });
  const [row] = stream;
  return row && { last: row.last_position, hasMore: placed.count === rowsAtOnce };
}

export async function addStream(tx: Tx, accountId: number): Promise<void> {
  await tx`insert into event_streams (account_id) values (${accountId}) on conflict do nothing`;
}

/** Until the transaction ends, no event gets a position, and no delivery is stored. */
export async function lockStream(tx: Tx, accountId: number): Promise<void> {
  await tx.inOrder({
    limit: () => limitPauses(tx),
    lock: () => tx`select from event_streams where account_id = ${accountId} for update`,
  });
}

/** Gives positions to all rows that wait, so that they stay few in accounts whose events nobody reads. Deletes nothing. */
export async function givePositionsToAll(tx: Tx, accountId: number): Promise<number> {
  while (await givePositions(tx, accountId));
  return 0;
}

/** The last position that was given. */
export async function lastPosition(tx: Tx, accountId: number): Promise<number> {
  const [row] = await tx<{ last_position: number }>`
    select last_position from event_streams where account_id = ${accountId}`;
  return row?.last_position ?? 0;
}

/** An event as it is stored. */
export interface StoredEvent extends EventPlace {
  type: string;
  at: Date;
  contactIds: number[];
  data: Record<string, unknown>;
}

interface FeedRow {
  position: number;
  at: Date;
  entries: { type: string; contact_ids?: number[]; data: Record<string, unknown> }[];
}

/** What one statement reads at most. At least one row is read. */
export interface Portion {
  rows: number;
  events: number;
  bytes: number;
}

/** The next events after a place, in order. `end`: the place up to which the feed was read. */
export async function readEvents(
  tx: Tx,
  accountId: number,
  after: EventPlace,
  { rows: mostRows, events: mostEvents, bytes: mostBytes }: Portion,
): Promise<{ events: StoredEvent[]; end: EventPlace }> {
  const rows = await tx<FeedRow>`
    select position, at, entries from (
      select position, at, entries, sum(size) over (order by position) - size as events, sum(bytes) over (order by position) - bytes as bytes,
        min(position) filter (where position > ${after.position}) over () as next_position
      from (
        select position, at, entries, size, bytes from events
        where account_id = ${accountId} and position >= ${after.position} order by position limit ${mostRows + 1}) as next) as next
    where (events < ${mostEvents} and bytes < ${mostBytes}) or position <= next_position order by position`;
  const events = rows.flatMap(eventsIn).filter((event) => isAfter(event, after));
  const { position, place } = events.at(-1) ?? after;
  return { events, end: { position, place } };
}

function eventsIn({ position, at, entries }: FeedRow): StoredEvent[] {
  return entries.map(({ type, contact_ids, data }, place) => {
    const contactIds = contact_ids ?? (typeof data.contact_id === 'number' ? [data.contact_id] : []);
    return { position, place, type, at, contactIds, data };
  });
}

/**
 * The latest events before a place and after another one, newest first, perhaps of rows about one contact. `end`: the
 * place to go on from. Undefined: there are no more.
 */
export async function readEventsBefore(
  tx: Tx,
  accountId: number,
  {
    before,
    after,
    contactId,
  }: { before?: EventPlace | undefined; after?: EventPlace | undefined; contactId?: number | undefined },
  { rows: mostRows, events: mostEvents, bytes: mostBytes }: Portion,
): Promise<{ events: StoredEvent[]; end: EventPlace | undefined }> {
  const about =
    contactId === undefined
      ? sql``
      : sql`and id = any(array(
          select event_id from event_contacts where account_id = ${accountId} and contact_id = ${contactId}
          order by event_id desc limit ${mostRowsOfContact}))`;
  const rows = await tx<FeedRow>`
    select position, at, entries from (
      select position, at, entries, sum(size) over (order by position desc) - size as events,
        sum(bytes) over (order by position desc) - bytes as bytes
      from (
        select position, at, entries, size, bytes from events
        where account_id = ${accountId} and position <= ${before?.position ?? Number.MAX_SAFE_INTEGER}
          and position >= ${after?.position ?? 0} ${about}
        order by position desc limit ${mostRows}) as next) as next
    where events < ${mostEvents} and bytes < ${mostBytes} order by position desc`;
  const events = rows
    .flatMap((row) => eventsIn(row).reverse())
    .filter((event) => (!before || isAfter(before, event)) && (!after || isAfter(event, after)));
  const last = rows.at(-1);
  const hasMore = last !== undefined && (await hasRowBefore(tx, accountId, last.position, after, about));
  return { events, end: hasMore ? { position: last.position, place: -1 } : undefined };
}

/** Older rows about a contact are not searched. */
const mostRowsOfContact = 5000;

async function hasRowBefore(
  tx: Tx,
  accountId: number,
  position: number,
  after: EventPlace | undefined,
  about: Sql,
): Promise<boolean> {
  const rows = await tx`
    select from events where account_id = ${accountId} and position < ${position} and position >= ${after?.position ?? 0} ${about} limit 1`;
  return rows.length > 0;
}

/** A transaction can commit this much later than its events are dated. */
const latestCommitMs = 60_000;

/**
 * A place before all events since a time. Positions follow the times closely, so it is found by halving: no index of the
 * times is needed, which writers would pay for.
 */
export async function placeBefore(tx: Tx, accountId: number, since: Date): Promise<EventPlace> {
  const before = since.getTime() - latestCommitMs;
  let [low, high] = [1, (await lastPosition(tx, accountId)) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await tx<{ position: number; at: Date }>`
      select position, at from events where account_id = ${accountId} and position >= ${middle} order by position limit 1`;
    if (!row || row.at.getTime() >= before) high = middle;
    else low = row.position + 1;
  }
  return { position: low, place: -1 };
}

const keptDays = 30;

/** Deletes expired events, oldest first. */
export async function deleteOldEvents(tx: Tx, accountId: number, limit: number): Promise<number> {
  const gone = await tx<{ id: number; contact_ids: number[] }>`
    delete from events where account_id = ${accountId} and id = any(array(
      select id from (
        select id, at from events where account_id = ${accountId} order by id limit ${limit}) as oldest
      where at < now() - make_interval(days => ${keptDays})))
    returning id, contact_ids`;
  const links = gone.flatMap(({ id, contact_ids }) => contact_ids.map((contact_id) => ({ id, contact_id })));
  if (links.length > 0)
    await tx`
      delete from event_contacts using unnest(${links.map((link) => link.contact_id)}::bigint[], ${links.map(({ id }) => id)}::bigint[]) as gone (contact_id, event_id)
      where account_id = ${accountId} and event_contacts.contact_id = gone.contact_id and event_contacts.event_id = gone.event_id`;
  return gone.length;
}

/** One event. Undefined: it has expired. */
export async function findEvent(
  tx: Tx,
  accountId: number,
  { position, place }: EventPlace,
): Promise<StoredEvent | undefined> {
  const [row] = await tx<FeedRow>`
    select position, at, entries from events where account_id = ${accountId} and position = ${position}`;
  return row && eventsIn(row)[place];
}

/** Events by their places, as far as they have not expired. */
export async function findEvents(tx: Tx, accountId: number, places: EventPlace[]): Promise<StoredEvent[]> {
  const positions = [...new Set(places.map(({ position }) => position))];
  const wanted = new Set(places.map(({ position, place }) => `${position} ${place}`));
  const rows = await tx<FeedRow>`
    select position, at, entries from events where account_id = ${accountId} and position = any(${positions}::bigint[])`;
  return rows.flatMap(eventsIn).filter(({ position, place }) => wanted.has(`${position} ${place}`));
}
