import type { Channel } from '#service/shared/codes.ts';
import type { FieldName, Op } from '#service/shared/segment-fields.ts';

type FieldGroup = 'Visits and spending' | 'Dates' | 'Profile' | 'Consent' | 'Places and groups' | 'Other segments';

interface FieldWords {
  /** The choice in the builder, after "who" or "whose". */
  choice: string;
  group: FieldGroup;
  /** "whose" before a noun. Default: "who". */
  lead?: 'whose';
}

/** The fields in the order of the builder's list. */
export const fieldWords: Record<FieldName, FieldWords> = {
  visits: { choice: 'visited', group: 'Visits and spending' },
  spend: { choice: 'spent', group: 'Visits and spending' },
  average_spend: { choice: 'spent per visit', group: 'Visits and spending' },
  purchases: { choice: 'bought something', group: 'Visits and spending' },
  bookings: { choice: 'booked', group: 'Visits and spending' },
  cancelled_bookings: { choice: 'cancelled a booking', group: 'Visits and spending' },
  stays: { choice: 'stayed overnight', group: 'Visits and spending' },
  vouchers_redeemed: { choice: 'redeemed a voucher', group: 'Visits and spending' },
  nps: { choice: 'gave an NPS rating of', group: 'Visits and spending' },
  last_visit: { choice: 'last visited', group: 'Dates' },
  first_visit: { choice: 'first visited', group: 'Dates' },
  created_at: { choice: 'were added', group: 'Dates' },
  birthday: { choice: 'have their birthday', group: 'Dates' },
  dob: { choice: 'were born', group: 'Dates' },
  first_name: { choice: 'first name', group: 'Profile', lead: 'whose' },
  last_name: { choice: 'last name', group: 'Profile', lead: 'whose' },
  email: { choice: 'e-mail', group: 'Profile', lead: 'whose' },
  mobile_number: { choice: 'mobile number', group: 'Profile', lead: 'whose' },
  postcode: { choice: 'postcode', group: 'Profile', lead: 'whose' },
  city: { choice: 'city', group: 'Profile', lead: 'whose' },
  county: { choice: 'county', group: 'Profile', lead: 'whose' },
  country: { choice: 'country', group: 'Profile', lead: 'whose' },
  gender: { choice: 'gender', group: 'Profile', lead: 'whose' },
  title: { choice: 'title', group: 'Profile', lead: 'whose' },
  membership_number: { choice: 'membership number', group: 'Profile', lead: 'whose' },
  membership_type: { choice: 'membership type', group: 'Profile', lead: 'whose' },
  allow_email: { choice: 'may be e-mailed', group: 'Consent' },
  allow_sms: { choice: 'may be texted', group: 'Consent' },
  allow_call: { choice: 'may be called', group: 'Consent' },
  allow_snail_mail: { choice: 'may be sent post', group: 'Consent' },
  unit: { choice: 'belong to the venue', group: 'Places and groups' },
  group: { choice: 'are in the group', group: 'Places and groups' },
  source: { choice: 'came from the source', group: 'Places and groups' },
  segment: { choice: 'are in the segment', group: 'Other segments' },
};

export const isFieldName = (name: string): name is FieldName => Object.hasOwn(fieldWords, name);

/** The words before a condition's field. */
export const leadOf = (field: string): 'who' | 'whose' =>
  isFieldName(field) ? (fieldWords[field].lead ?? 'who') : field === '' ? 'who' : 'whose';

const opWords: Record<Op, string> = {
  is: 'is',
  is_not: 'is not',
  starts_with: 'starts with',
  known: 'is known',
  unknown: 'is not known',
  in: 'any of',
  not_in: 'none of',
  at_least: 'at least',
  at_most: 'at most',
  between: 'between',
  in_last_days: 'in the last',
  not_in_last_days: 'not in the last',
  before: 'before',
  after: 'after',
  in_next_days: 'in the next',
  in_month: 'in',
};

/** Ops whose words depend on the field. */
const opWordsOf: Partial<Record<FieldName, Partial<Record<Op, string>>>> = {
  nps: { known: 'any number', unknown: 'no number' },
  last_visit: { known: 'at some time', unknown: 'never' },
  first_visit: { known: 'at some time', unknown: 'never' },
  created_at: { known: 'at a known time', unknown: 'at an unknown time' },
  dob: { known: 'on a known date', unknown: 'on an unknown date' },
};

export const opWord = (field: string, op: Op): string => (isFieldName(field) && opWordsOf[field]?.[op]) || opWords[op];

/** The text after the value in the builder. */
export const unitOfField: Partial<Record<FieldName, string>> = {
  visits: 'times',
  purchases: 'times',
  bookings: 'times',
  cancelled_bookings: 'times',
  stays: 'times',
  vouchers_redeemed: 'times',
};

export const genders = [
  { value: 'F', label: 'Female' },
  { value: 'M', label: 'Male' },
  { value: '', label: 'Other' },
];

const month = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' });
export const months = Array.from({ length: 12 }, (_, n) => month.format(new Date(Date.UTC(2026, n, 15))));

/** The reachable channels of the list, in its order. */
export const reachWords: Record<Channel, string> = {
  email: 'By e-mail',
  sms: 'By text',
  call: 'By phone',
  snail_mail: 'By post',
};
