import type { ContactWrite } from '../../src/features/guests/write/schema.ts';
import type { Random } from '../../src/shared/random.ts';
import type { Guest, Lists, SystemKind } from './model.ts';
import { diets, dogs } from './texts.ts';
import { interestsOf, type Venue } from './venues.ts';

type Write = Partial<ContactWrite>;

/** The percentage of guests who give each consent. */
const consents: Record<SystemKind, { source: string; email: number; sms: number; call: number; post: number }> = {
  'online booking': { source: 'Online booking', email: 58, sms: 34, call: 0, post: 0 },
  'phone booking': { source: 'Phone booking', email: 22, sms: 18, call: 12, post: 4 },
  wifi: { source: 'Guest wifi', email: 71, sms: 0, call: 0, post: 0 },
  app: { source: 'Loyalty app', email: 88, sms: 61, call: 3, post: 8 },
  reception: { source: 'Hotel reception', email: 46, sms: 15, call: 6, post: 19 },
  till: { source: 'Till receipt', email: 35, sms: 5, call: 0, post: 0 },
};

/** The contact write of a visit: all fields of this kind of system the first time, and only the venue later. */
export function contactWrite(guest: Guest, meeting: SystemKind, venue: Venue, lists: Lists): Write {
  const { chance, first_name, last_name, gender, dob, city, postcode } = guest;
  const isFirst = guest.knownTo.size === 0;
  if (guest.knownTo.has(meeting)) return { units: [{ id: venue.id }] };
  guest.knownTo.add(meeting);
  const { source, ...shares } = consents[meeting];
  const hasFullForm = meeting === 'app' || meeting === 'reception';
  return {
    first_name,
    last_name,
    source_name: source,
    units: [{ id: venue.id, ...interests(chance, venue) }],
    ...(meeting !== 'wifi' && guest.mobile_number ? { mobile_number: guest.mobile_number } : {}),
    ...(hasFullForm ? { gender, dob, city, postcode, country: 'United Kingdom' } : {}),
    ...(meeting === 'app' ? { udfs: customFields(chance, venue, lists) } : {}),
    // Guests are rarely asked again, and an unticked box is not a withdrawal.
    ...(isFirst || chance.percent(40) ? consent(guest, shares) : {}),
    ...(!isFirst && chance.percent(85) ? { rules: [{ rule_name: 'preserve_consent' }] } : {}),
  };
}

function consent(
  { chance, email, mobile_number }: Guest,
  shares: Record<'email' | 'sms' | 'call' | 'post', number>,
): Write {
  return {
    ...(email ? { allow_email: chance.percent(shares.email) } : {}),
    ...(mobile_number && shares.sms > 0 ? { allow_sms: chance.percent(shares.sms) } : {}),
    ...(mobile_number && chance.percent(shares.call) ? { allow_call: true } : {}),
    ...(chance.percent(shares.post) ? { allow_snail_mail: true } : {}),
  };
}

function interests(chance: Random, { kind }: Venue) {
  if (!chance.percent(14)) return {};
  return { groups: [{ folder_name: 'Interests', name: chance.pick(interestsOf(kind)) }] };
}

function customFields(chance: Random, { kind, tables }: Venue, { udfs }: Lists): { id: number; data: string }[] {
  const fields: { id: number; data: string }[] = [];
  if (chance.percent(30)) fields.push({ id: udfs.diet, data: chance.pick(diets) });
  if (chance.percent(25)) fields.push({ id: udfs.table, data: `Table ${chance.between(1, tables)}` });
  if (kind !== 'restaurant' && chance.percent(18)) fields.push({ id: udfs.dog, data: chance.pick(dogs) });
  if (chance.percent(15))
    fields.push({
      id: udfs.anniversary,
      data: `20${chance.between(10, 23)}-0${chance.between(4, 9)}-1${chance.between(0, 9)}`,
    });
  return fields;
}
