import type { Random } from '../../src/shared/random.ts';
import type { Venue } from './venues.ts';

/** What each kind of system learns when it meets a guest. */
export type Meeting = 'online booking' | 'phone booking' | 'wifi' | 'app' | 'reception' | 'till';

export interface Guest {
  number: number;
  /** Their own, so that what one does changes nothing of what the next does. */
  chance: Random;
  first_name: string;
  last_name: string;
  gender: 'M' | 'F' | '';
  dob: string;
  /** One of the two at least. */
  email: string | undefined;
  mobile_number: string | undefined;
  city: string;
  postcode: string;
  venues: Venue[];
  /** On which days they come, in order. */
  visits: number[];
  membership: { number: string; type: 'Gold' | 'Silver' | 'Bronze'; from: number } | undefined;
  card: { reference: string; from: number } | undefined;
  /** Which kinds of systems have asked them who they are. */
  metBy: Set<Meeting>;
  /** The contact, once the service has told its id. */
  id: number;
}

/** A guest at a venue. */
export interface Visit {
  guest: Guest;
  venue: Venue;
  day: number;
  /** When they sit down, in minutes of the day. */
  start: number;
  people: number;
}

/** Ids of what staff set up before anything happens. */
export interface Lists {
  rootUnitId: number;
  udfs: Record<'diet' | 'table' | 'anniversary' | 'dog', number>;
  providers: Record<'tills' | 'bookings' | 'hotel' | 'app', number>;
  bookingSources: Record<'phone' | 'walkIn' | 'agent', number>;
  categories: Record<'atmosphere' | 'value' | 'cleanliness', number>;
}
