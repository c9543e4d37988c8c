import type { Api } from './api.ts';
import { Calendar, dayCount } from './calendar.ts';
import { type Guest, makeGuests } from './people.ts';
import type { Venue } from './venues.ts';

/** Ids of what staff set up before anything happens. */
export interface Lists {
  rootUnitId: number;
  udfs: Record<'diet' | 'table' | 'anniversary' | 'dog', number>;
  providers: Record<'tills' | 'bookings' | 'hotel' | 'app', number>;
  bookingSources: Record<'phone' | 'walkIn' | 'agent', number>;
  categories: Record<'atmosphere' | 'value' | 'cleanliness', number>;
}

interface Happening {
  /** Whom it is about: what concerns the same guest is heard of one after the other. */
  guest: Guest | undefined;
  tell(api: Api): Promise<unknown>;
}

/** Everything that will have happened, and when the service is told of it. */
export class Story {
  readonly calendar: Calendar;
  readonly venues: Venue[];
  readonly guests: Guest[];
  readonly lists: Lists;
  readonly #happenings: Happening[][] = Array.from({ length: dayCount }, () => []);
  readonly #seated = new Map<string, number>();
  #references = 10_000;

  constructor(today: string, guests: number, venues: Venue[], lists: Lists) {
    this.calendar = new Calendar(today);
    this.venues = venues;
    this.guests = makeGuests(guests, this.calendar, venues);
    this.lists = lists;
  }

  /** What would be told in the future is not told. */
  add(day: number, guest: Guest | undefined, tell: Happening['tell']): void {
    this.#happenings[day]?.push({ guest, tell });
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
    return this.#happenings.reduce((sum, some) => sum + some.length, 0);
  }

  /** Day by day: when the service hears of it, and what, as lists of what is told one after the other. */
  *days(): Generator<{ at: Date; told: Happening['tell'][][] }> {
    for (const [day, happenings] of this.#happenings.entries()) {
      const strangers: Happening['tell'][][] = [];
      const ofGuests = new Map<Guest, Happening['tell'][]>();
      for (const { guest, tell } of happenings) {
        const before = guest && ofGuests.get(guest);
        if (before) before.push(tell);
        else if (guest) ofGuests.set(guest, [tell]);
        else strangers.push([tell]);
      }
      yield { at: this.calendar.heard(day), told: [...ofGuests.values(), ...strangers] };
    }
  }
}
