import type { FoundContact, StaffContact } from '#service/features/guests/contacts/schema.ts';
import { formatDay, formatInstantDay } from '../../ui/format.ts';
import { type Flags, formatMobile, genderName, shownChannels } from './guest.ts';

/** One field of two guests. A missing value is empty. */
export interface Compared {
  name: string;
  left: string;
  right: string;
  /** Whether the field helps to decide if they are the same person. */
  tells: boolean;
}

type Both<T> = (name: string, of: (guest: T) => string, tells?: boolean) => Compared;
const compareRow =
  <T>(left: T, right: T): Both<T> =>
  (name, of, tells = true) => ({ name, left: of(left), right: of(right), tells });

const formatValue = ({ left, right }: Compared) => left !== '' || right !== '';
const allowed = (flags: Flags) =>
  shownChannels
    .filter(({ flag }) => flags[flag])
    .map(({ name }) => name)
    .join(', ') || 'None';
const fullName = ({ first_name, last_name }: { first_name: string; last_name: string }) =>
  [first_name, last_name].filter(Boolean).join(' ');

/** The fields that a list returns. */
export function compareFound(left: FoundContact, right: FoundContact, timeZone: string): Compared[] {
  const both = compareRow(left, right);
  return [
    both('Name', fullName),
    both('E-mail', ({ email }) => email),
    both('Mobile', ({ mobile_number }) => formatMobile(mobile_number)),
    both('Membership', ({ membership_number }) => membership_number),
    both('Consent', allowed, false),
    both('Last visit', ({ last_visit_at }) => (last_visit_at ? formatDay(last_visit_at) : ''), false),
    both('Since', ({ created_at }) => formatInstantDay(created_at, timeZone), false),
  ].filter(formatValue);
}

/** All profile fields. */
export function compareProfiles(left: StaffContact, right: StaffContact, timeZone: string): Compared[] {
  const both = compareRow(left, right);
  return [
    both('Name', fullName),
    both('E-mail', ({ email }) => email),
    both('Mobile', ({ mobile_number }) => formatMobile(mobile_number)),
    both('Home', ({ home_number }) => home_number),
    both('Work', ({ work_number }) => work_number),
    both('Born', ({ dob }) => dob && formatDay(dob)),
    both('Gender', genderName),
    both('Address', ({ building_name, building_num_street, locality, city, postcode }) =>
      [building_name, building_num_street, locality, city, postcode].filter(Boolean).join(', '),
    ),
    both('Membership', ({ membership_number, membership_type }) =>
      [membership_number, membership_type].filter(Boolean).join(', '),
    ),
    both('Loyalty card', ({ card_reference }) => card_reference),
    both('Consent', allowed, false),
    both('Venues', ({ units }) => units.map(({ name }) => name).join(', '), false),
    both('Since', ({ created_at }) => formatInstantDay(created_at, timeZone), false),
  ].filter(formatValue);
}
