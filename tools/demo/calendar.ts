import { dayNumber, dayOf, toLocalTime } from '../../src/shared/clock.ts';
import type { Random } from '../../src/shared/random.ts';
import type { VenueKind } from './venues.ts';

export const timeZone = 'Europe/London';

/** Eighteen months that end yesterday, so that the demo does not change during the day. */
export const dayCount = 548;

/** The business of pubs, restaurants and hotels, from Sunday to Saturday. */
const weekdays: Record<VenueKind, readonly number[]> = {
  pub: [1.4, 0.45, 0.6, 0.85, 1, 1.55, 1.6],
  restaurant: [1.05, 0.35, 0.65, 0.8, 1, 1.5, 1.8],
  hotel: [0.8, 0.7, 0.85, 0.9, 1, 1.4, 1.5],
};
/** From January to December. */
const months: Record<VenueKind, readonly number[]> = {
  pub: [0.75, 0.85, 0.95, 1, 1.1, 1.1, 1.15, 1.15, 0.95, 0.95, 1.05, 1.55],
  restaurant: [0.75, 0.95, 1, 1, 1.05, 1, 0.95, 0.9, 0.95, 1, 1.1, 1.6],
  hotel: [0.6, 0.75, 0.85, 1, 1.1, 1.2, 1.35, 1.4, 1.1, 0.95, 0.85, 1.25],
};
/** Special days by month and day. */
const special: Record<string, number> = { '02-14': 2.2, '12-24': 1.6, '12-25': 0.25, '12-26': 0.7, '12-31': 1.9 };

const two = (number: number) => String(number).padStart(2, '0');

/** The days by number, from 0 to yesterday. Higher numbers are in the future. */
export class Calendar {
  /** A date in London. */
  readonly today: string;
  readonly last = dayCount - 1;
  readonly #dates: string[];
  readonly #busy = new Map<VenueKind, number[]>();

  constructor(today: string) {
    this.today = today;
    this.#dates = Array.from({ length: dayCount }, (_, day) => this.#date(day));
  }

  date(day: number): string {
    return this.#dates[day] ?? this.#date(day);
  }

  /** A wall-clock time in London, in minutes after midnight. */
  at(day: number, minutes: number): string {
    return `${this.date(day)} ${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:00`;
  }

  /** The time when a day's data is sent: after closing time, with some variation. */
  sentAt(day: number): Date {
    const wall = `${this.at(day, 23 * 60 + 25 + ((day * 37) % 30)).slice(0, 17)}${two((day * 41) % 60)}Z`;
    const asUtc = new Date(wall.replace(' ', 'T'));
    const ahead = Date.parse(`${toLocalTime(wall, timeZone).replace(' ', 'T')}Z`) - asUtc.getTime();
    return new Date(asUtc.getTime() - ahead);
  }

  /** 0 is Sunday. */
  weekday(day: number): number {
    return new Date(this.date(day)).getUTCDay();
  }

  /** A random day between `from` and `to`, weighted by business. */
  pick(chance: Random, kind: VenueKind, from = 0, to = this.last): number {
    const sums = this.#sums(kind);
    const before = from === 0 ? 0 : (sums[from - 1] as number);
    const wanted = before + chance.next() * ((sums[to] as number) - before);
    let [low, high] = [from, to];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] as number) > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #date(day: number): string {
    return dayOf(dayNumber(this.today) - dayCount + day);
  }

  #sums(kind: VenueKind): number[] {
    let sums = this.#busy.get(kind);
    if (!sums) {
      let sum = 0;
      sums = Array.from({ length: dayCount }, (_, day) => (sum += this.#busyness(kind, day)));
      this.#busy.set(kind, sums);
    }
    return sums;
  }

  #busyness(kind: VenueKind, day: number): number {
    const date = this.date(day);
    const ofWeek = weekdays[kind][this.weekday(day)] as number;
    const ofYear = months[kind][Number(date.slice(5, 7)) - 1] as number;
    // The business grows slowly.
    return ofWeek * ofYear * (special[date.slice(5)] ?? 1) * (1 + 0.3 * (day / dayCount));
  }
}
