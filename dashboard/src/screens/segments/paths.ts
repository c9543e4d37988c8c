import type { PresetList, Segment } from '#service/features/insight/segments/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { get, getList, queryClient, refresh, removeHiddenFromCache } from '../../api/queries.ts';

interface Account {
  path: string;
}

export const segmentsPath = (account: Account) => `${account.path}/segments`;
export const segmentPath = (account: Account, id: number) => `${segmentsPath(account)}/${id}`;

export const segmentsQuery = (account: Account, page?: number) =>
  getList<Paged<Segment>>(segmentsPath(account), { page });
export const segmentQuery = (account: Account, id: number) => get<Segment>(segmentPath(account, id));
export const presetsQuery = (account: Account) => ({
  ...get<PresetList>(`${account.path}/segment_presets`),
  staleTime: 5 * 60_000,
});

export const refreshSegments = (account: Account) => refresh(segmentsPath(account));

/** Shows a saved segment at once. Its guests and the list load again. */
export function showSaved(account: Account, segment: Segment): void {
  removeHiddenFromCache(segmentPath(account, segment.id));
  void refreshSegments(account);
  queryClient.setQueryData(segmentQuery(account, segment.id).queryKey, segment);
}

/** Preloads the segment's page while the pointer is over the link. */
export function prefetchSegment(account: Account, id: number): void {
  void queryClient.prefetchQuery(segmentQuery(account, id));
  void queryClient.prefetchQuery(get(`${segmentPath(account, id)}/contacts`));
}
