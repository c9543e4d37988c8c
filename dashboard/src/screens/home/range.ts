import { daysLater, today } from '../../ui/format.ts';

/** The named ranges. Each ends today. `all` is the longest range that the service counts in one request. */
export const ranges = {
  today: { label: 'Today', days: 1 },
  '7d': { label: 'Last 7 days', days: 7 },
  '30d': { label: 'Last 30 days', days: 30 },
  '90d': { label: 'Last 90 days', days: 90 },
  '12m': { label: 'Last 12 months', days: 365 },
  all: { label: 'Last 5 years', days: 5 * 365 + 1 },
} as const;
export type RangeName = keyof typeof ranges;
export const rangeNames = Object.keys(ranges) as RangeName[];

/** The range in the URL of Home: a named range, which moves with the current day, or two fixed days. */
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

/** Whether the day exists: neither 2026-13-45 nor 2026-02-30 does. */
function isDay(text: string | undefined): text is string {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text;
}

/** A URL can contain anything. Values that are not a range or a day are ignored. */
export function rangeOf({ range, from, to }: HomeSearch, timeZone: string): Range {
  const known = rangeNames.find((name) => name === range);
  if (!known && isDay(from) && isDay(to)) return { name: 'custom', from, to };
  const name = known ?? '30d';
  const last = today(timeZone);
  return { name, from: daysLater(last, 1 - ranges[name].days), to: last };
}
