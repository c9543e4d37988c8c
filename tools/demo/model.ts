import type { Random } from '../../src/shared/random.ts';
import type { Venue } from './venues.ts';

/** The data that each kind of system asks a guest for. */
export type SystemKind = 'online booking' | 'phone booking' | 'wifi' | 'app' | 'reception' | 'till';

export interface Guest {
  number: number;
  /** A separate generator per guest, so that guests do not affect each other. */
  chance: Random;
  first_name: string;
  last_name: string;
  gender: 'M' | 'F' | '';
  dob: string;
  /** At least one of the two is set. */
  email: string | undefined;
  mobile_number: string | undefined;
  city: string;
  postcode: string;
  venues: Venue[];
  /** The days of the visits, in order. */
  visits: number[];
  membership: { number: string; type: 'Gold' | 'Silver' | 'Bronze'; from: number } | undefined;
  card: { reference: string; from: number } | undefined;
  /** The kinds of systems that already have the guest's data. */
  knownTo: Set<SystemKind>;
  /** The contact id, once it is known. */
  id: number;
}

/** A visit of a guest. */
export interface Visit {
  guest: Guest;
  venue: Venue;
  day: number;
  /** The start, in minutes of the day. */
  start: number;
  people: number;
}

/** The ids of the initial setup. */
export interface Lists {
  rootUnitId: number;
  udfs: Record<'diet' | 'table' | 'anniversary' | 'dog', number>;
  providers: Record<'tills' | 'bookings' | 'hotel' | 'app', number>;
  bookingSources: Record<'phone' | 'walkIn' | 'agent', number>;
  categories: Record<'atmosphere' | 'value' | 'cleanliness', number>;
}
