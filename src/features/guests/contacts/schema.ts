import Type, { type Static, type TString } from 'typebox';
import { type Channel, channels } from '../../../shared/codes.ts';
import { Id, Instant, Nullable, WallClock } from '../../../shared/fields.ts';
import { UdfValue } from '../udfs/schema.ts';

const Text = (example: string, maxLength = 255) => Type.String({ maxLength, examples: [example] });

/** The profile fields of a contact. They have the same name in the table, in requests and in responses. */
export const profile = {
  gender: Type.String({
    description: '`M` (male) or `F` (female); blank for non-binary or other.',
    format: 'gender',
    'x-blank': true,
    examples: ['F'],
  }),
  title: Text('Ms'),
  first_name: Text('Ana'),
  last_name: Text('Silva'),
  dob: Type.String({ description: 'Year-month-day.', format: 'birth-date', examples: ['1990-04-30'] }),
  building_name: Text('The Lighthouse'),
  building_num_street: Text('12 Quay Street'),
  locality: Text('Old Town'),
  postcode: Text('BS1 4QA', 32),
  city: Text('Bristol'),
  country: Text('United Kingdom'),
  county: Text('Avon'),
  mobile_number: Type.String({
    description:
      'Starts with 071–079 or 4471–4479; spaces, dashes, dots, brackets and a leading + or 00 don’t count. Answered as `447…`.',
    format: 'mobile',
    maxLength: 64,
    examples: ['07700 900123'],
  }),
  home_number: Text('0117 496 0123', 64),
  work_number: Text('0117 496 0456', 64),
  email: Type.String({
    description: 'Its domain must take mail.',
    format: 'email',
    maxLength: 254,
    examples: ['ana.silva@gmail.com'],
  }),
  preferred_method_id: Text('2', 64),
  membership_number: Text('M-1029'),
  membership_type: Text('Gold'),
};
export type ProfileField = keyof typeof profile | 'card_reference';

export const profileFields = [...Object.keys(profile), 'card_reference'] as ProfileField[];

/** The fields that each consent is given for. Any postal field counts as a postal address. */
export const addressOf: Record<Channel, readonly ProfileField[]> = {
  sms: ['mobile_number'],
  call: ['mobile_number'],
  email: ['email'],
  snail_mail: ['building_name', 'building_num_street', 'locality', 'postcode', 'city', 'county', 'country'],
};

/** The consent flags in a response. */
const Flag = Type.Enum(['1', ''], { description: '`"1"`, or empty.' });
const Named = { id: Type.Integer(), name: Type.String() };

const answeredProfile = Object.fromEntries(Object.keys(profile).map((name) => [name, Type.String()])) as {
  [K in keyof typeof profile]: TString;
};

/** The full contact object. All values except ids are text. Missing values are empty. */
export const Contact = Type.Object({
  id: Id('Contact id'),
  allow_sms: Flag,
  allow_email: Flag,
  allow_call: Flag,
  allow_snail_mail: Flag,
  udfs: Type.Array(UdfValue),
  units: Type.Array(Type.Object({ ...Named, groups: Type.Array(Type.Object(Named)) })),
  feedback: Type.String({ description: 'The address of the contact’s feedback.' }),
  purchases: Type.String({ description: 'The address of the contact’s purchases.' }),
  ...answeredProfile,
  source_id: Type.String(),
});
export type Contact = Static<typeof Contact>;

export const ContactId = Type.Object({ id: Id('Contact id') });

const knownBy = {
  email: Type.Optional(Type.String({ format: 'email', maxLength: 254, examples: ['ana.silva@gmail.com'] })),
  mobile_number: Type.Optional(Type.String({ format: 'mobile', maxLength: 64, examples: ['07700 900123'] })),
};
export const FindContact = Type.Object(knownBy);
export type FindContact = Static<typeof FindContact>;

const emailStatuses = ['unchecked', 'invalid'] as const;
const emailStatus = Type.Enum(emailStatuses, {
  description:
    '`unchecked`: DNS gave no answer when it was written, and is asked again. `invalid`: the domain turned out to take no mail.',
});

/** The extra fields for staff. */
export const StaffContact = Type.Object({
  ...Contact.properties,
  card_reference: Type.String(),
  email_status: Nullable(emailStatus),
  merged_contact_ids: Type.Array(Type.Integer(), { description: 'Contacts that turned out to be this one.' }),
  created_at: Instant('When it was first written.'),
  updated_at: Instant('When anything on it last changed.'),
});
export type StaffContact = Static<typeof StaffContact>;

export const ListContacts = Type.Object({ ...knownBy, email_status: Type.Optional(emailStatus) });
export type ListContacts = Static<typeof ListContacts>;

export const SearchContacts = Type.Object({
  search: Type.Optional(
    Type.String({
      description:
        'How a first name, last name, e-mail, mobile, membership or card starts; or a first and a last name, in either order, of which one may be begun only.',
      maxLength: 255,
      examples: ['ana si'],
    }),
  ),
  unit_id: Type.Optional(Id('Only those that are stored to this unit.')),
  group_id: Type.Optional(Id('Only those in this group.')),
  consent: Type.Optional(
    Type.Enum(channels, { description: 'Only those who gave this consent.', examples: ['email'] }),
  ),
  page: Type.Optional(
    Type.Integer({
      description: 'Which page of 50; 1 unless given. There are 200 at most.',
      minimum: 1,
      examples: [1],
    }),
  ),
});
export type SearchContacts = Static<typeof SearchContacts>;

/** A search result. Missing texts are empty. */
export const FoundContact = Type.Object({
  id: Id('Contact id'),
  first_name: Type.String(),
  last_name: Type.String(),
  email: Type.String(),
  mobile_number: Type.String(),
  membership_number: Type.String(),
  allow_email: Type.Boolean(),
  allow_sms: Type.Boolean(),
  allow_call: Type.Boolean(),
  allow_snail_mail: Type.Boolean(),
  created_at: Instant('When it was first written.'),
  last_visit_at: Nullable(
    WallClock('The latest purchase, booking, stay or wifi interaction that is neither cancelled nor still to come.'),
  ),
});
export type FoundContact = Static<typeof FoundContact>;

export const FoundContacts = Type.Object({
  data: Type.Array(FoundContact),
  page: Type.Integer({ description: 'The page that was asked for.' }),
  more: Type.Boolean({ description: 'Whether there is a next one.' }),
});
export type FoundContacts = Static<typeof FoundContacts>;
