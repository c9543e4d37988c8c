import { onClock } from '../shared/clock.ts';
import type { FieldErrors } from '../shared/problem.ts';
import { addError, pick } from '../shared/read.ts';
import type { NewStay } from '../stays/schema.ts';
import type { SentStay } from '../stays/store.ts';
import type { ContactWrite } from './schema.ts';

type Deeds = Pick<ContactWrite, 'purchases' | 'bookings' | 'wifi' | 'stays'>;

export interface Known {
  /** Whether there is such a unit; where not, it says so. */
  unitExists(id: number, path: string): boolean;
  bookingSourceExists(id: number): boolean;
  timeZone: string;
}

/** What guests did, without what refers to nothing or can't have been; the errors say what and why. */
export function checkDeeds(input: Deeds, known: Known, errors: FieldErrors): Deeds {
  const atUnit = <T extends { unit_id?: number }>(one: T, path: string): T | undefined =>
    one.unit_id === undefined || known.unitExists(one.unit_id, `${path}.unit_id`) ? one : undefined;
  return {
    purchases: pick(input.purchases, ({ items, ...purchase }, index) =>
      atUnit(
        {
          ...purchase,
          ...(items && {
            items: pick(items, ({ tags, ...item }) => ({ ...item, ...(tags && { tags: pick(tags, (tag) => tag) }) })),
          }),
        },
        `purchases.${index}`,
      ),
    ),
    bookings: pick(input.bookings, ({ table_numbers, ...booking }, index) =>
      atUnit(
        { ...booking, ...(table_numbers && { table_numbers: pick(table_numbers, (table) => table) }) },
        `bookings.${index}`,
      ),
    ),
    wifi: pick(input.wifi, (wifi, index) => atUnit(wifi, `wifi.${index}`)),
    stays: pick(input.stays, (stay, index) => checkStay(stay, `stays.${index}`, known, errors)),
  };
}

function checkStay(stay: NewStay, path: string, known: Known, errors: FieldErrors): SentStay | undefined {
  const { unitExists, bookingSourceExists, timeZone } = known;
  const before = Object.keys(errors).length;
  unitExists(stay.unit_id, `${path}.unit_id`);
  if (!bookingSourceExists(stay.booking_enquiry_source_id)) {
    const message = 'The booking enquiry source id is not a booking source of this account.';
    addError(errors, `${path}.booking_enquiry_source_id`, message);
  }
  if ((stay.total_children ?? 0) > stay.total_guests) {
    addError(errors, `${path}.total_children`, 'The total children may not be more than the total guests.');
  }
  const date = (name: 'checkin_date' | 'checkout_date', other: 'check_in_date' | 'check_out_date') => {
    const sent = stay[name] ?? stay[other];
    if (sent !== undefined) return onClock(sent, timeZone);
    // Where it was written badly, that has been said.
    if (!errors[`${path}.${name}`] && !errors[`${path}.${other}`]) {
      addError(errors, `${path}.${name}`, `The ${name.replace('_', ' ')} field is required.`);
    }
    return undefined;
  };
  const checkin_date = date('checkin_date', 'check_in_date');
  const checkout_date = date('checkout_date', 'check_out_date');
  if (checkin_date === undefined || checkout_date === undefined) return undefined;
  if (checkout_date < checkin_date) {
    const name = stay.checkout_date === undefined ? 'check_out_date' : 'checkout_date';
    addError(errors, `${path}.${name}`, `The ${name.replaceAll('_', ' ')} must not be before the check-in.`);
  }
  const extras =
    stay.extras &&
    pick(stay.extras, (extra, place) => {
      const [start, end] = [extra.start_date ?? checkin_date, extra.end_date ?? checkout_date];
      if (onClock(end, timeZone) >= onClock(start, timeZone)) return extra;
      return addError(errors, `${path}.extras.${place}.end_date`, 'The end date must not be before the start date.');
    });
  const spoilt = Object.keys(errors)
    .slice(before)
    .some((field) => !field.startsWith(`${path}.extras.`));
  return spoilt ? undefined : { ...stay, checkin_date, checkout_date, ...(extras && { extras }) };
}
