import { setTimeout as pause } from 'node:timers/promises';
import type { Tx } from '../../../platform/db/database.ts';
import {
  givePositions,
  hasWaiting,
  readEvents,
  readEventsBefore,
  type StoredEvent,
} from '../../../platform/outbox/feed.ts';
import { onAppended } from '../../../platform/outbox/signal.ts';
import { beginning, type EventPlace, eventId, parseEventId } from '../../../shared/event-id.ts';
import { Invalid } from '../../../shared/problem.ts';
import type { Event, EventLog, Feed, ReadFeed, SearchEvents } from './schema.ts';
import { eventObject } from './view.ts';

/** What one request reads at most, to find events of the wanted types. The next request continues from there. */
const portion = { rows: 200, events: 1000, bytes: 4 * 1024 * 1024 };
const mostPortions = 10;
const logSize = 100;
/** A request that waits looks for events again after this time, because another process can write them. */
const lookEveryMs = 250;
/** A writer signals before its commit. */
const commitMs = 5;
/** Further requests of an account do not wait. */
const mostWaiting = 50;

/** The next events of the feed. */
export async function readFeed(tx: Tx, accountId: number, { after, types, limit = 100 }: ReadFeed): Promise<Feed> {
  const from = placeOf(accountId, 'after', after) ?? beginning;
  if (await hasWaiting(tx, accountId)) await givePositions(tx, accountId);
  const wanted = types && new Set<string>(types);
  let end = from;
  let data: Event[] = [];
  for (let portions = 0; data.length === 0 && portions < mostPortions; portions++) {
    const read = await readEvents(tx, accountId, end, portion);
    data = read.events
      .filter(({ type }) => !wanted || wanted.has(type))
      .slice(0, limit)
      .map((event) => eventObject(accountId, event));
    if (read.events.length === 0) break;
    end = read.end;
  }
  return { data, next: data.at(-1)?.id ?? eventId(accountId, end) };
}

function placeOf(accountId: number, name: 'after' | 'before', id: string | undefined): EventPlace | undefined {
  if (id === undefined) return undefined;
  const place = parseEventId(accountId, id);
  if (!place) {
    const first = name === 'after' ? 'oldest' : 'newest';
    throw new Invalid({
      [name]: [
        `The ${name} must be the id of an event of this account. Leave it out to begin with the ${first} event.`,
      ],
    });
  }
  return place;
}

const waitingByAccount = new Map<number, number>();

/** Reads the feed again until it has events, the time is over, or the client is gone. */
export async function waitForEvents(
  first: Feed,
  accountId: number,
  seconds: number,
  again: (after: string) => Promise<Feed>,
  isGone: () => boolean,
): Promise<Feed> {
  const until = Date.now() + seconds * 1000;
  const waiting = waitingByAccount.get(accountId) ?? 0;
  if (waiting >= mostWaiting) return first;
  waitingByAccount.set(accountId, waiting + 1);
  let feed = first;
  try {
    while (feed.data.length === 0 && Date.now() < until && !isGone()) {
      await signalOf(accountId, Math.min(lookEveryMs, Math.max(1, until - Date.now())));
      feed = await again(feed.next);
    }
    return feed;
  } finally {
    const left = (waitingByAccount.get(accountId) ?? 1) - 1;
    if (left > 0) waitingByAccount.set(accountId, left);
    else waitingByAccount.delete(accountId);
  }
}

/** Resolves after a write of the account in this process, or after the time. */
async function signalOf(accountId: number, ms: number): Promise<void> {
  const signalled = new AbortController();
  const end = onAppended((id) => {
    if (id === accountId) signalled.abort();
  });
  await pause(ms, undefined, { signal: signalled.signal }).catch(() => pause(commitMs));
  end();
}

/** The latest events, newest first. */
export async function searchEvents(
  tx: Tx,
  accountId: number,
  { types, contact_id: contactId, before, after }: SearchEvents,
): Promise<EventLog> {
  const [until, from] = [placeOf(accountId, 'before', before), placeOf(accountId, 'after', after)];
  if (await hasWaiting(tx, accountId)) await givePositions(tx, accountId);
  const wanted = types && new Set<string>(types);
  const found: StoredEvent[] = [];
  let end = until;
  let hasMore = true;
  for (let portions = 0; hasMore && found.length < logSize && portions < mostPortions; portions++) {
    const read = await readEventsBefore(tx, accountId, { before: end, after: from, contactId }, portion);
    for (const event of read.events) {
      const isAbout = contactId === undefined || event.contactIds.includes(contactId);
      if (isAbout && (!wanted || wanted.has(event.type))) found.push(event);
    }
    hasMore = read.end !== undefined;
    end = read.end ?? end;
  }
  const shown = found.slice(0, logSize);
  const last = found.length > logSize ? shown.at(-1) : hasMore ? end : undefined;
  return {
    data: shown.map((event) => eventObject(accountId, event)),
    next_before: last ? eventId(accountId, last) : null,
  };
}
