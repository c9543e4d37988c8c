import { type InfiniteData, infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';
import type { ActivityList, RedemptionList } from '#service/features/insight/overview/activity-schema.ts';
import { type ActivityKind, activityKinds, type NpsPart, npsParts } from '#service/shared/codes.ts';
import { type ApiError, api } from '../../../api/client.ts';
import { withCount } from '../../../ui/format.ts';
import { type HomeSearch, rangeOf } from '../range.ts';

export type { ActivityEntry } from '#service/features/insight/overview/activity-schema.ts';
export type { ActivityKind, ActivityList, NpsPart, RedemptionList };
export { npsParts };

/** Redeemed vouchers are listed by group, because no index finds their codes by time. */
export const shownKinds = [...activityKinds, 'redemptions'] as const;
export type ShownKind = (typeof shownKinds)[number];

/** The parameters of the page: those of Home, and what is listed. */
export interface ActivitySearch extends HomeSearch {
  kind?: ShownKind;
  nps?: NpsPart;
}

/** The words of a kind. */
export const kindWords: Record<ShownKind, { label: string; count: (count: number) => string; none: string }> = {
  purchases: {
    label: 'Purchases',
    count: (count) => withCount(count, 'purchase'),
    none: 'No purchases in these days',
  },
  bookings: { label: 'Bookings', count: (count) => withCount(count, 'booking'), none: 'No bookings in these days' },
  stays: { label: 'Stays', count: (count) => withCount(count, 'stay'), none: 'No stays in these days' },
  ratings: { label: 'Ratings', count: (count) => withCount(count, 'rating'), none: 'No ratings in these days' },
  redemptions: {
    label: 'Vouchers redeemed',
    count: (count) => `${withCount(count, 'voucher')} redeemed`,
    none: 'No vouchers redeemed in these days',
  },
};

export const npsWords: Record<NpsPart, { label: string; one: string }> = {
  promoters: { label: 'Promoters', one: 'promoter' },
  passives: { label: 'Passives', one: 'passive' },
  detractors: { label: 'Detractors', one: 'detractor' },
};

type Account = { id: number; time_zone: string };

function pagesOf<List extends ActivityList | RedemptionList>(
  { id, time_zone }: Account,
  path: string,
  search: ActivitySearch,
  more: { kind?: ActivityKind; nps?: NpsPart | undefined },
) {
  const { from, to } = rangeOf(search, time_zone);
  const params = { from, to, unit_id: search.unit_id, ...more };
  const key = ['accounts', String(id), path, more.kind];
  return infiniteQueryOptions<List, ApiError, InfiniteData<List>, QueryKey, string | undefined>({
    queryKey: [...key, params],
    queryFn: ({ signal, pageParam }) =>
      api.get<List>(`/accounts/${id}/${path}`, { ...params, before: pageParam }, { signal }),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    // The rows of another filter stay visible while the new ones load, but not those of another kind.
    placeholderData: (previous, query) =>
      JSON.stringify(query?.queryKey.slice(0, -1)) === JSON.stringify(key) ? previous : undefined,
  });
}

export const activityQuery = (account: Account, kind: ActivityKind, search: ActivitySearch) =>
  pagesOf<ActivityList>(account, 'activity', search, { kind, ...(kind === 'ratings' && { nps: search.nps }) });

export const redemptionsQuery = (account: Account, search: ActivitySearch) =>
  pagesOf<RedemptionList>(account, 'activity/redemptions', search, {});
