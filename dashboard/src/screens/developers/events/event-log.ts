import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Event, EventLog } from '#service/features/exchange/events/schema.ts';
import { api, type Params } from '../../../api/client.ts';

const refetchMs = 2000;
/** The most events in memory. */
export const maxEvents = 500;
/** New events are read in this number of pages at most. More are a gap, and then the log starts anew. */
const mostPages = 5;

export interface EventFilters {
  types: readonly string[];
  contactId: number | undefined;
}

interface Log {
  /** Newest first, at most `maxEvents`. */
  events: readonly Event[];
  /** Older events are before this one. Null: there are none. */
  nextBefore: string | null;
  /** Newer events are after this one. It can be of another type than those shown. */
  newest: string | undefined;
  /** Older events have pushed the newest out of memory. */
  isCut: boolean;
}

/**
 * The loaded part of the event log. New events are added before it, older ones after it. If older ones push the newest
 * out of memory, the log is paused.
 */
export function useEventLog(path: string, { types, contactId }: EventFilters) {
  const queries = useQueryClient();
  const [isPaused, setPaused] = useState(false);
  const queryKey = [...path.split('/').filter(Boolean), 'live', { types, contactId }];
  const filters: Params = { types, contact_id: contactId };
  const read = useQuery<Log>({
    queryKey,
    queryFn: async ({ signal }) => {
      const before = queries.getQueryData<Log>(queryKey);
      const known = before?.isCut ? undefined : before;
      const next = await newer(path, filters, known?.newest, signal);
      if (!known) return next.log;
      if (!next.follows) return (await newer(path, filters, undefined, signal)).log;
      // Older events can have been added meanwhile.
      const now = queries.getQueryData<Log>(queryKey) ?? known;
      return now.isCut ? now : merged(next.log, now);
    },
    // React Query pauses this while the tab is hidden.
    refetchInterval: isPaused ? false : refetchMs,
    refetchOnMount: isPaused ? false : 'always',
    refetchOnWindowFocus: !isPaused,
    refetchOnReconnect: !isPaused,
    // The logs of earlier filters are not kept for long.
    gcTime: 60_000,
  });
  const more = useMutation({
    mutationFn: async () => {
      const older = await api.get<EventLog>(path, { ...filters, before: read.data?.nextBefore });
      const log = queries.setQueryData<Log>(queryKey, (known) => known && withOlder(known, older));
      if (log?.isCut) setPaused(true);
    },
  });
  const resume = () => {
    setPaused(false);
    void read.refetch();
  };
  return { read, more, isPaused, pause: () => setPaused(true), resume };
}

/** The events after one. `follows`: none is missing in between, and what was loaded before is still right. */
async function newer(
  path: string,
  filters: Params,
  after: string | undefined,
  signal: AbortSignal,
): Promise<{ log: Log; follows: boolean }> {
  const isFiltered = (filters.types as readonly string[]).length > 0 || filters.contact_id !== undefined;
  // The newest event of all moves the position on. Otherwise a rare type would be searched from the same one each time.
  const top = isFiltered ? await api.get<EventLog>(path, { after }, { signal }) : undefined;
  const newest = top?.data[0]?.id ?? after;
  if (top && top.data.length === 0 && after !== undefined)
    return { log: { events: [], nextBefore: null, newest, isCut: false }, follows: true };
  let page = await api.get<EventLog>(path, { ...filters, after }, { signal });
  const events = [...page.data];
  for (let pages = 1; after !== undefined && page.next_before !== null && pages < mostPages; pages++) {
    page = await api.get<EventLog>(path, { ...filters, after, before: page.next_before }, { signal });
    events.push(...page.data);
  }
  // An erasure also removes data from earlier events, so those are loaded again.
  const hasErasure = (top?.data ?? events).some(({ type }) => type === 'contact.erased');
  return {
    log: { events, nextBefore: page.next_before, newest: isFiltered ? newest : (events[0]?.id ?? after), isCut: false },
    follows: after !== undefined && page.next_before === null && !hasErasure,
  };
}

function merged({ events, newest }: Log, known: Log): Log {
  const ids = new Set(known.events.map(({ id }) => id));
  const added = events.filter(({ id }) => !ids.has(id));
  if (added.length === 0) return { ...known, newest };
  const all = [...added, ...known.events];
  if (all.length <= maxEvents) return { ...known, events: all, newest };
  const kept = all.slice(0, maxEvents);
  return { ...known, events: kept, nextBefore: kept.at(-1)?.id ?? null, newest };
}

function withOlder(known: Log, { data, next_before }: EventLog): Log {
  const all = [...known.events, ...data];
  const kept = all.slice(-maxEvents);
  return { ...known, events: kept, nextBefore: next_before, isCut: known.isCut || kept.length < all.length };
}
