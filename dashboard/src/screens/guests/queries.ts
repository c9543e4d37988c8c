import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';
import type { FoundContacts, SearchContacts, StaffContact } from '#service/features/guests/contacts/schema.ts';
import type { PossibleDuplicate } from '#service/features/guests/write/schema.ts';
import type { Timeline, TimelineSummary } from '#service/features/insight/timeline/schema.ts';
import type { TimelineKind } from '#service/shared/codes.ts';
import type { Paged } from '#service/shared/fields.ts';
import { type ApiError, api } from '../../api/client.ts';
import { get, getList, queryClient } from '../../api/queries.ts';

/** The parameters of the list of guests. A definition is JSON. */
export type GuestsSearch = SearchContacts & { definition?: string };

/** `path` is the account's path from `useAccount`. */
export const guestsFound = (account: string, search: GuestsSearch) =>
  getList<FoundContacts>(`${account}/contacts/search`, { ...search });

export const guestQuery = (account: string, id: number) => get<StaffContact>(`${account}/contacts/${id}`);

export const notesPath = (account: string, id: number) => `${account}/contacts/${id}/notes`;

export const summaryQuery = (account: string, id: number) =>
  get<TimelineSummary>(`${account}/contacts/${id}/timeline/summary`);

export function timelineQuery(account: string, id: number, kind?: TimelineKind) {
  return infiniteQueryOptions<Timeline, ApiError, { pages: Timeline[] }, QueryKey, string | undefined>({
    queryKey: ['accounts', account.split('/')[2], 'contacts', String(id), 'timeline', { kind }],
    queryFn: ({ signal, pageParam }) =>
      api.get<Timeline>(`${account}/contacts/${id}/timeline`, { kind, before: pageParam }, { signal }),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

/** Preloads the first part of a guest's page while the pointer is over the link. */
export function prefetchGuest(account: string, id: number): void {
  void queryClient.prefetchQuery(guestQuery(account, id));
  void queryClient.prefetchQuery(summaryQuery(account, id));
  void queryClient.prefetchInfiniteQuery(timelineQuery(account, id));
}

export const duplicatesQuery = (account: string, page = 1) =>
  getList<Paged<PossibleDuplicate>>(`${account}/possible_duplicates`, { page });
