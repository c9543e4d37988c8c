import type { Api } from './api.ts';
import { Calendar, dayCount } from './calendar.ts';
import { makeGuests } from './guests.ts';
import type { Guest, Lists } from './model.ts';
import type { Venue } from './venues.ts';

type Send = (api: Api) => Promise<unknown>;

/**
 * The requests of one day. Requests about identity and consent come first, sequentially per guest. Others run in any
 * order. Requests of staff come last.
 */
interface Day {
  guests: Map<Guest, Send[]>;
  anybody: Send[];
  staff: Send[];
}

/** All requests with their times. */
export class Schedule {
  readonly calendar: Calendar;
  readonly venues: Venue[];
  readonly guests: Guest[];
  readonly lists: Lists;
  readonly #days: Day[] = Array.from({ length: dayCount }, () => ({ guests: new Map(), anybody: [], staff: [] }));
  #length = 0;
  readonly #seated = new Map<string, number>();
  #references = 10_000;

  constructor(today: string, guests: number, venues: Venue[], lists: Lists) {
    this.calendar = new Calendar(today);
    this.venues = venues;
    this.guests = makeGuests(guests, this.calendar, venues);
    this.lists = lists;
  }

  /** Requests in the future are dropped. */
  add(day: number, who: Guest | 'anybody' | 'staff', send: Send): void {
    const requests = this.#days[day];
    if (!requests) return;
    this.#length++;
    if (typeof who === 'string') requests[who].push(send);
    else requests.guests.set(who, [...(requests.guests.get(who) ?? []), send]);
  }

  /** A unique reference: "DF-10001". */
  reference(prefix: string): string {
    return `${prefix}-${++this.#references}`;
  }

  /** A table that is free on that day. Two bookings of one table at nearly the same time would be ambiguous. */
  table({ code, tables }: Venue, day: number): string {
    const key = `${code} ${day}`;
    const before = this.#seated.get(key) ?? 0;
    this.#seated.set(key, before + 1);
    return before < tables ? String(((before + day * 5) % tables) + 1) : `Patio ${before - tables + 1}`;
  }

  get length(): number {
    return this.#length;
  }

  /**
   * The days in order. The lists of a day run sequentially, the entries of a list concurrently, and the steps of an
   * entry sequentially.
   */
  *days(): Generator<{ at: Date; requests: Send[][][] }> {
    for (const [day, { guests, anybody, staff }] of this.#days.entries()) {
      yield { at: this.calendar.sentAt(day), requests: [[...guests.values()], anybody.map((send) => [send]), [staff]] };
    }
  }
}
