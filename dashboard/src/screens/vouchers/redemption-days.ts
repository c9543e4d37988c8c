import type { Statistics } from '#service/features/vouchers/group-schema.ts';
import { daysLater } from '../../ui/format.ts';

/** The number of redemptions on a day, or in the week that starts with it. */
export interface RedemptionPoint {
  at: string;
  redeemed: number;
}

/** The buckets from one day to another, both included. Empty buckets are included. */
export function pointsOf(by_day: Statistics['by_day'], from: string, to: string, step: number): RedemptionPoint[] {
  const points: RedemptionPoint[] = [];
  for (let at = from; at <= to; at = daysLater(at, step)) {
    const end = daysLater(at, step);
    const within = by_day.filter(({ date }) => date >= at && date < end);
    points.push({ at, redeemed: within.reduce((sum, { redeemed }) => sum + redeemed, 0) });
  }
  return points;
}
