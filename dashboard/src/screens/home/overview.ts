import { queryOptions } from '@tanstack/react-query';
import type { Overview } from '#service/features/insight/overview/schema.ts';
import { getList } from '../../api/queries.ts';
import { type HomeSearch, rangeOf } from './range.ts';

export type { Overview };

/** The figures of the account. While there are no guests, the query repeats, so that the first guest appears. */
export function overviewQuery({ id, time_zone }: { id: number; time_zone: string }, search: HomeSearch) {
  const { from, to } = rangeOf(search, time_zone);
  return queryOptions({
    ...getList<Overview>(`/accounts/${id}/overview`, { from, to, unit_id: search.unit_id }),
    refetchInterval: ({ state }) => state.data !== undefined && hasNoData(state.data) && 5000,
  });
}

/** Whether the account has no data, as far as the range shows. */
export function hasNoData({ guests, purchases_waiting, ...rest }: Overview): boolean {
  return guests === 0 && purchases_waiting === 0 && hasNoActivity(rest);
}

/** Whether the range has no activity. */
export function hasNoActivity({ new_guests, visits, nps, unique_codes }: ActivityFigures): boolean {
  const { purchases, bookings, stays } = visits;
  return new_guests.total + purchases + bookings + stays + nps.answers + unique_codes.total === 0;
}
type ActivityFigures = Pick<Overview, 'new_guests' | 'visits' | 'nps' | 'unique_codes'>;

/** Cuts off the empty start of the range, which can be years. */
export function withoutEmptyStart(overview: Overview): Overview {
  const { new_guests, visits, nps, unique_codes } = overview;
  const counts = visits.series.map(
    ({ purchases, bookings, stays }, index) =>
      purchases +
      bookings +
      stays +
      (new_guests.series[index]?.count ?? 0) +
      (nps.series[index]?.answers ?? 0) +
      (unique_codes.series[index]?.count ?? 0),
  );
  const first = Math.max(
    0,
    counts.findIndex((count) => count > 0),
  );
  return {
    ...overview,
    from: visits.series[first]?.at ?? overview.from,
    new_guests: { ...new_guests, series: new_guests.series.slice(first) },
    visits: { ...visits, series: visits.series.slice(first) },
    nps: { ...nps, series: nps.series.slice(first) },
    unique_codes: { ...unique_codes, series: unique_codes.series.slice(first) },
  };
}
