import { onClock } from '../../../shared/clock.ts';
import { pick } from '../../../shared/read.ts';
import type { NewStay } from '../../activity/stays/schema.ts';
import type { ContactWrite } from './schema.ts';

type Deeds = Pick<ContactWrite, 'purchases' | 'bookings' | 'wifi' | 'stays'>;

/** Whether a write tells of anything that its guest did. */
export function hasActivity({ purchases, bookings, wifi, stays }: Deeds): boolean {
  return (purchases ?? bookings ?? wifi ?? stays) !== undefined;
}

/** Says what is wrong with a field, unless that has been said. */
export type Refuse = (path: string, message: string) => undefined;

export interface Known {
  /** Whether there is such a unit; where not, it says so. */
  unitExists(id: number, path: string): boolean;
  bookingSourceExists(id: number): boolean;
  timeZone: string;
  refuse: Refuse;
}

/** What guests did, without what refers to nothing or can't have been; the errors say what and why. */
export function checkActivity(input: Deeds, known: Known): Deeds {
  const atUnit = <T extends { unit_id?: number }>(one: T, path: string): T | undefined =>
    one.unit_id === undefined || known.unitExists(one.unit_id, `${path}.unit_id`) ? one : undefined;
  return {
    purchases: pick(input.purchases, ({ items, ...purchase }, index) => {
      const good = passing(
        items,
        pick(items, ({ tags, ...item }) => ({ ...item, tags: pick(tags) })),
      );
      return atUnit({ ...purchase, ...(good && { items: good }) }, `purchases.${index}`);
    }),
    bookings: pick(input.bookings, ({ table_numbers: tables, ...booking }, index) => {
      const good = passing(tables, pick(tables));
      return atUnit({ ...booking, ...(good && { table_numbers: good }) }, `bookings.${index}`);
    }),
    wifi: pick(input.wifi, (wifi, index) => atUnit(wifi, `wifi.${index}`)),
    stays: pick(input.stays, (stay, index) => checkStay(stay, `stays.${index}`, known)),
  };
}

/** A list of which nothing is any good is no news: an empty one would wipe out what was sent before. */
function passing<T>(sent: unknown[] | undefined, passed: T[]): T[] | undefined {
  return sent === undefined || (sent.length > 0 && passed.length === 0) ? undefined : passed;
}

function checkStay({ extras, total_children, ...stay }: NewStay, path: string, known: Known): NewStay | undefined {
  const { unitExists, bookingSourceExists, timeZone, refuse } = known;
  // One that lacks what it needs comes by here too: any of its fields may be missing.
  const at = (time: string | undefined) => time && onClock(time, timeZone);
  const [checkin, checkout] = [at(stay.checkin_date), at(stay.checkout_date)];
  const unit = unitExists(stay.unit_id, `${path}.unit_id`);
  const source = bookingSourceExists(stay.booking_enquiry_source_id);
  if (!source) {
    const message = 'The booking enquiry source id is not a booking source of this account.';
    refuse(`${path}.booking_enquiry_source_id`, message);
  }
  const backwards = checkin !== undefined && checkout !== undefined && checkout < checkin;
  if (backwards) {
    const name = stay.checkout_date === stay.check_out_date ? 'check_out_date' : 'checkout_date';
    refuse(`${path}.${name}`, `The ${name.replaceAll('_', ' ')} must not be before the check-in.`);
  }
  const tooMany = total_children !== undefined && total_children > stay.total_guests;
  if (tooMany) refuse(`${path}.total_children`, 'The total children may not be more than the total guests.');
  const good = passing(
    extras,
    pick(extras, (extra, place) => {
      const [start, end] = [at(extra.start_date) ?? checkin, at(extra.end_date) ?? checkout];
      if (start === undefined || end === undefined || end >= start) return extra;
      return refuse(`${path}.extras.${place}.end_date`, 'The end date must not be before the start date.');
    }),
  );
  if (!unit || !source || backwards) return undefined;
  return {
    ...stay,
    ...(total_children !== undefined && !tooMany && { total_children }),
    ...(good && { extras: good }),
  };
}
