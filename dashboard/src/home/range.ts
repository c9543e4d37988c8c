import { daysLater, today } from '../ui/format.ts';

/** The ranges that can be chosen by name; each ends today. `all` goes back as far as the service counts. */
export const ranges = {
  today: { label: 'Today', days: 1 },
  '7d': { label: 'Last 7 days', days: 7 },
  '30d': { label: 'Last 30 days', days: 30 },
  '90d': { label: 'Last 90 days', days: 90 },
  '12m': { label: 'Last 12 months', days: 365 },
  all: { label: 'All time', days: 5 * 365 + 1 },
} as const;
export type RangeName = keyof typeof ranges;
export const rangeNames = Object.keys(ranges) as RangeName[];

/** What the address of Home says: a range by its name, which moves with the days, or two days of one's own. */
export interface HomeSearch {
  range?: RangeName;
  from?: string;
  to?: string;
  unit_id?: number;
}

export interface Range {
  name: RangeName | 'custom';
  from: string;
  to: string;
}

export function rangeOf({ range, from, to }: HomeSearch, timeZone: string): Range {
  if (!range && from && to) return { name: 'custom', from, to };
  const name = range ?? '30d';
  const last = today(timeZone);
  return { name, from: daysLater(last, 1 - ranges[name].days), to: last };
}
