import type { FoundContact, StaffContact } from '#service/features/guests/contacts/schema.ts';
import { formatDay, formatInstantDay } from '../../ui/format.ts';
import { type Flags, formatMobile, genderName, shownChannels } from './guest.ts';

/** One field of two guests. A missing value is empty. */
export interface Compared {
  name: string;
  left: string;
  right: string;
  /** Whether the field helps to decide if they are the same person. */
  isDecisive: boolean;
}

type CompareField<T> = (name: string, of: (guest: T) => string, isDecisive?: boolean) => Compared;
const fieldComparer =
  <T>(left: T, right: T): CompareField<T> =>
  (name, of, isDecisive = true) => ({ name, left: of(left), right: of(right), isDecisive });

const hasValue = ({ left, right }: Compared) => left !== '' || right !== '';
const allowed = (flags: Flags) =>
  shownChannels
    .filter(({ flag }) => flags[flag])
    .map(({ name }) => name)
    .join(', ') || 'None';
const fullName = ({ first_name, last_name }: { first_name: string; last_name: string }) =>
  [first_name, last_name].filter(Boolean).join(' ');

/** The fields that a list returns. */
export function compareFound(left: FoundContact, right: FoundContact, timeZone: string): Compared[] {
  const compare = fieldComparer(left, right);
  return [
    compare('Name', fullName),
    compare('E-mail', ({ email }) => email),
    compare('Mobile', ({ mobile_number }) => formatMobile(mobile_number)),
    compare('Membership', ({ membership_number }) => membership_number),
    compare('Consent', allowed, false),
    compare('Last visit', ({ last_visit_at }) => (last_visit_at ? formatDay(last_visit_at) : ''), false),
    compare('Since', ({ created_at }) => formatInstantDay(created_at, timeZone), false),
  ].filter(hasValue);
}

/** All profile fields. */
export function compareProfiles(left: StaffContact, right: StaffContact, timeZone: string): Compared[] {
  const compare = fieldComparer(left, right);
  return [
    compare('Name', fullName),
    compare('E-mail', ({ email }) => email),
    compare('Mobile', ({ mobile_number }) => formatMobile(mobile_number)),
    compare('Home', ({ home_number }) => home_number),
    compare('Work', ({ work_number }) => work_number),
    compare('Born', ({ dob }) => dob && formatDay(dob)),
    compare('Gender', genderName),
    compare('Address', ({ building_name, building_num_street, locality, city, postcode }) =>
      [building_name, building_num_street, locality, city, postcode].filter(Boolean).join(', '),
    ),
    compare('Membership', ({ membership_number, membership_type }) =>
      [membership_number, membership_type].filter(Boolean).join(', '),
    ),
    compare('Loyalty card', ({ card_reference }) => card_reference),
    compare('Consent', allowed, false),
    compare('Venues', ({ units }) => units.map(({ name }) => name).join(', '), false),
    compare('Since', ({ created_at }) => formatInstantDay(created_at, timeZone), false),
  ].filter(hasValue);
}
