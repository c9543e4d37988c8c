import type { Statistics } from '#service/vouchers/schema.ts';

/** One bar: a day, or the week that begins on it. */
export interface Bar {
  date: string;
  redeemed: number;
}

const dayMs = 86_400_000;
const number = (day: string) => Date.parse(`${day}T00:00:00Z`) / dayMs;
const text = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);

export const daysBefore = (day: string, days: number) => text(number(day) - days);

/** So many days in all, the last of them included; in steps of days that are told together. Days without any are there, too. */
export function barsOf(by_day: Statistics['by_day'], end: string, days: number, step: number): Bar[] {
  const first = number(end) - days + 1;
  const bars = Array.from({ length: Math.ceil(days / step) }, (_, index) => ({
    date: text(first + index * step),
    redeemed: 0,
  }));
  for (const { date, redeemed } of by_day) {
    const bar = bars[Math.floor((number(date) - first) / step)];
    if (bar) bar.redeemed += redeemed;
  }
  return bars;
}
