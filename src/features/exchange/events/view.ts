import type { StoredEvent } from '../../../platform/outbox/feed.ts';
import { eventId } from '../../../shared/event-id.ts';
import type { Event } from './schema.ts';

/** An event as the feed and the webhooks send it. */
export function eventObject(accountId: number, { type, at, data, ...place }: StoredEvent): Event {
  return { id: eventId(accountId, place), type, timestamp: at.toISOString(), account_id: accountId, data };
}
