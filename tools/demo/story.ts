import type { Api } from './api.ts';
import { Calendar, dayCount } from './calendar.ts';
import type { Guest, Lists } from './model.ts';
import { makeGuests } from './people.ts';
import type { Venue } from './venues.ts';

type Tell = (api: Api) => Promise<unknown>;

/**
 * What the service is told of one day. What says who a guest is, or what they allow, comes first, and one after the other
 * where it is the same guest; the rest can come in any order; and what staff do comes last.
 */
interface Day {
  guests: Map<Guest, Tell[]>;
  anybody: Tell[];
  staff: Tell[];
}

/** Everything that will have happened, and when the service is told of it. */
export class Story {
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

  /** What would be told in the future is not told. */
  add(day: number, who: Guest | 'anybody' | 'staff', tell: Tell): void {
    const told = this.#days[day];
    if (!told) return;
    this.#length++;
    if (typeof who === 'string') told[who].push(tell);
    else told.guests.set(who, [...(told.guests.get(who) ?? []), tell]);
  }

  /** "DF-10001": each is given out once. */
  reference(prefix: string): string {
    return `${prefix}-${++this.#references}`;
  }

  /** A table that nobody else has on that day: two who had the same at nearly the same time could not be told apart. */
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
   * Day by day: when the service hears of it, and what. Each list in turn; within it, all at once, and each of these in
   * turn.
   */
  *days(): Generator<{ at: Date; told: Tell[][][] }> {
    for (const [day, { guests, anybody, staff }] of this.#days.entries()) {
      yield { at: this.calendar.heard(day), told: [[...guests.values()], anybody.map((tell) => [tell]), [staff]] };
    }
  }
}
