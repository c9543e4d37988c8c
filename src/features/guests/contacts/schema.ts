import Type, { type Static } from 'typebox';
import { type Channel, channels } from '../../../shared/codes.ts';
import { Id, Instant, NamedItem, Nullable, WallClock } from '../../../shared/fields.ts';
import { keysOf, recordOf, textIn } from '../../../shared/record.ts';
import { UdfValue } from '../udfs/schema.ts';

const Text = (description: string, example: string, maxLength = 255) =>
  Type.String({ description, maxLength, examples: [example] });

/** The profile fields of a contact. They have the same name in the table, in requests and in responses. */
export const profile = {
  gender: Type.String({
    description: '`M` (male), `F` (female), or blank for non-binary or other.',
    format: 'gender',
    'x-blank': true,
    examples: ['F'],
  }),
  title: Text('The title.', 'Ms'),
  first_name: Text('The first name.', 'Ana'),
  last_name: Text('The last name.', 'Silva'),
  dob: Type.String({
    description: 'The date of birth. It is not in the future.',
    format: 'birth-date',
    examples: ['1990-04-30'],
  }),
  building_name: Text('The name of the building.', 'The Lighthouse'),
  building_num_street: Text('The number and street.', '12 Quay Street'),
  locality: Text('The locality.', 'Old Town'),
  postcode: Text('The postcode.', 'BS1 4QA', 32),
  city: Text('The city.', 'Bristol'),
  country: Text('The country.', 'United Kingdom'),
  county: Text('The county.', 'Avon'),
  mobile_number: Type.String({
    description:
      'The mobile number. It starts with 071–079 or 4471–4479. Spaces, dashes, dots, brackets and a leading + or 00 are removed. Responses have `447…`.',
    format: 'mobile',
    maxLength: 64,
    examples: ['07700 900123'],
  }),
  home_number: Text('The home phone number.', '0117 496 0123', 64),
  work_number: Text('The work phone number.', '0117 496 0456', 64),
  email: Type.String({
    description: 'The e-mail. It is stored in lower case. Its domain must accept mail.',
    format: 'email',
    maxLength: 254,
    examples: ['ana.silva@gmail.com'],
  }),
  preferred_method_id: Text('The preferred method of contact.', '2', 64),
  membership_number: Text('The membership number.', 'M-1029'),
  membership_type: Text('The type of membership.', 'Gold'),
};
export type ProfileField = keyof typeof profile | 'card_reference';

export const profileFields: readonly ProfileField[] = [...keysOf(profile), 'card_reference'];

/** The fields that each consent is given for. Any postal field counts as a postal address. */
export const addressOf: Record<Channel, readonly ProfileField[]> = {
  sms: ['mobile_number'],
  call: ['mobile_number'],
  email: ['email'],
  snail_mail: ['building_name', 'building_num_street', 'locality', 'postcode', 'city', 'county', 'country'],
};

/** The flags as the interface writes them. */
const Flag = (channel: string) =>
  Type.Enum(['1', ''], { description: `Consent to ${channel}: \`"1"\`, or empty if not given.` });

/** In a response: without the limits of a request, and the sentences about them. */
const answeredProfile = recordOf(keysOf(profile), (name) =>
  Type.String({ description: (textIn(profile[name], 'description') ?? '').replace(/\. .*/, '.') }),
);

export const Contact = Type.Object(
  {
    id: Id('The id of the contact.'),
    allow_sms: Flag('text messages'),
    allow_email: Flag('e-mail'),
    allow_call: Flag('calls'),
    allow_snail_mail: Flag('letters'),
    udfs: Type.Array(UdfValue, { description: 'The values of user-defined fields.' }),
    units: Type.Array(
      Type.Object(
        {
          ...NamedItem.properties,
          groups: Type.Array(NamedItem, { description: 'The groups of the contact on this unit.' }),
        },
        { title: 'ContactUnit' },
      ),
      { description: 'The units of the contact.' },
    ),
    feedback: Type.String({ description: 'The URL of the contact’s feedback.' }),
    purchases: Type.String({ description: 'The URL of the contact’s purchases.' }),
    ...answeredProfile,
    source_id: Type.String({ description: 'The id of the source.' }),
  },
  {
    title: 'Contact',
    description: 'The full contact object. All fields except ids are text, and empty if there is no value.',
  },
);
export type Contact = Static<typeof Contact>;

export const ContactId = Type.Object({ id: Id('The id of the contact.') }, { title: 'ContactId' });

const knownBy = {
  email: Type.Optional(
    Type.String({ description: 'The e-mail.', format: 'email', maxLength: 254, examples: ['ana.silva@gmail.com'] }),
  ),
  mobile_number: Type.Optional(
    Type.String({ description: 'The mobile number.', format: 'mobile', maxLength: 64, examples: ['07700 900123'] }),
  ),
};
export const FindContact = Type.Object(knownBy);
export type FindContact = Static<typeof FindContact>;

const emailStatuses = ['unchecked', 'invalid'] as const;
const emailStatus = Type.Enum(emailStatuses, {
  description:
    '`unchecked`: DNS did not respond and is queried again later. `invalid`: the domain does not accept mail.',
});

/** What staff see besides. */
export const StaffContact = Type.Object(
  {
    ...Contact.properties,
    card_reference: Type.String({ description: 'The loyalty card number.' }),
    email_status: Nullable(emailStatus),
    merged_contact_ids: Type.Array(Type.Integer(), { description: 'The contacts that were merged into this one.' }),
    created_at: Instant('The time of the first write.'),
    updated_at: Instant('The time of the last change.'),
  },
  { title: 'StaffContact', description: 'The contact object with the fields that only staff see.' },
);
export type StaffContact = Static<typeof StaffContact>;

export const ListContacts = Type.Object({ ...knownBy, email_status: Type.Optional(emailStatus) });
export type ListContacts = Static<typeof ListContacts>;

export const SearchContacts = Type.Object({
  search: Type.Optional(
    Type.String({
      description:
        'The start of a first name, last name, e-mail, mobile number, membership number or card. Or a first and a last name in either order, one of them possibly incomplete.',
      maxLength: 255,
      examples: ['ana si'],
    }),
  ),
  unit_id: Type.Optional(Id('Only contacts of this unit.')),
  group_id: Type.Optional(Id('Only contacts in this group.')),
  consent: Type.Optional(Type.Enum(channels, { description: 'Only contacts with this consent.', examples: ['email'] })),
  page: Type.Optional(
    Type.Integer({
      description: 'The page number. A page has 50 contacts. The default is 1, the maximum 200.',
      minimum: 1,
      examples: [1],
    }),
  ),
});
export type SearchContacts = Static<typeof SearchContacts>;

export const FoundContact = Type.Object(
  {
    id: Id('The id of the contact.'),
    first_name: Type.String({ description: 'The first name.' }),
    last_name: Type.String({ description: 'The last name.' }),
    email: Type.String({ description: 'The e-mail.' }),
    mobile_number: Type.String({ description: 'The mobile number.' }),
    membership_number: Type.String({ description: 'The membership number.' }),
    allow_email: Type.Boolean({ description: 'Consent to e-mail.' }),
    allow_sms: Type.Boolean({ description: 'Consent to text messages.' }),
    allow_call: Type.Boolean({ description: 'Consent to calls.' }),
    allow_snail_mail: Type.Boolean({ description: 'Consent to letters.' }),
    created_at: Instant('The time of the first write.'),
    last_visit_at: Nullable(
      WallClock(
        'The time of the latest purchase, booking, stay or wifi interaction. Cancelled and future ones do not count.',
      ),
    ),
  },
  { title: 'ContactSummary', description: 'A contact in a search result. Text is empty if there is no value.' },
);
export type FoundContact = Static<typeof FoundContact>;

export const FoundContacts = Type.Object(
  {
    data: Type.Array(FoundContact, { description: 'The contacts of this page.' }),
    page: Type.Integer({ description: 'The number of this page.' }),
    more: Type.Boolean({ description: 'True if there is a next page.' }),
    count: Nullable(
      Type.Integer({ description: 'The number of contacts that match `definition`. Null without one.', minimum: 0 }),
    ),
  },
  { title: 'ContactSearchPage' },
);
export type FoundContacts = Static<typeof FoundContacts>;
