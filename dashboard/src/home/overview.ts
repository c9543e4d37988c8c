import { queryOptions } from '@tanstack/react-query';
import type { Overview } from '#service/features/insight/overview/schema.ts';
import { getList } from '../api/queries.ts';
import { type HomeSearch, rangeOf } from './range.ts';

export type { Overview };

/** The account at a glance. Where there is nobody yet, it is asked again and again, so that the first guest is seen to arrive. */
export function overviewQuery({ id, time_zone }: { id: number; time_zone: string }, search: HomeSearch) {
  const { from, to } = rangeOf(search, time_zone);
  return queryOptions({
    ...getList<Overview>(`/accounts/${id}/overview`, { from, to, unit_id: search.unit_id }),
    refetchInterval: ({ state }) => state.data !== undefined && isUntouched(state.data) && 5000,
  });
}

/** Nobody has sent anything to this account yet, as far as can be told from the range. */
export function isUntouched({ guests, purchases_waiting, ...rest }: Overview): boolean {
  return guests === 0 && purchases_waiting === 0 && isQuiet(rest);
}

/** Nothing happened in the range. */
export function isQuiet({ new_guests, visits, nps, unique_codes }: Quiet): boolean {
  const { purchases, bookings, stays } = visits;
  return new_guests.total + purchases + bookings + stays + nps.answers + unique_codes.total === 0;
}
type Quiet = Pick<Overview, 'new_guests' | 'visits' | 'nps' | 'unique_codes'>;

/** Without the time before anything happened, of which the longest range may have years. */
export function sinceFirst(overview: Overview): Overview {
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
