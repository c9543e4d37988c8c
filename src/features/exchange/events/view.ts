import type { StoredEvent } from '../../../platform/outbox/feed.ts';
import { eventId } from '../../../shared/event-id.ts';
import { type Event, eventKinds } from './schema.ts';

/** An event as the feed and the webhooks send it. */
export function eventObject(accountId: number, { type, at, data, ...place }: StoredEvent): Event {
  return {
    ...{ id: eventId(accountId, place), type, timestamp: at.toISOString(), account_id: accountId },
    data: withEmptyLists(type, data),
  };
}

/** The lists of each type, empty. */
const emptyLists = new Map(
  eventKinds.map(({ type, data: { properties } }) => {
    const names = Object.keys(properties).filter((name) => (properties[name] as { type?: string }).type === 'array');
    return [type, names.map((name) => [name, []] as const)];
  }),
);

/** Empty lists are not stored. Erased data has no lists. */
function withEmptyLists(type: string, data: Record<string, unknown>): Record<string, unknown> {
  const lists = emptyLists.get(type) ?? [];
  if (data.removed === true) return data;
  const all = { ...data };
  for (const [name, empty] of lists) all[name] ??= empty;
  return all;
}
