import Type, { type Static, type TString } from 'typebox';
import { NewBooking } from '../bookings/schema.ts';
import { type Channel, channels } from '../consent/schema.ts';
import { NewFeedback } from '../feedback/schema.ts';
import { NewNote } from '../notes/schema.ts';
import { NewPurchase } from '../purchases/schema.ts';
import { Id, Instant, Nullable, WallClock } from '../shared/fields.ts';
import { NewStay } from '../stays/schema.ts';
import { NewUdfValue, UdfValue } from '../udfs/schema.ts';
import { NewWifi } from '../wifi/schema.ts';

export const rules = [
  'discard_invalid_data',
  'historic_data',
  'preserve_consent',
  'detach_existing_groups',
  'update_only',
] as const;
export type Rule = (typeof rules)[number];

const ruleNotes = `\`discard_invalid_data\`: what is invalid is dropped and the rest stored. \`historic_data\`: an existing contact’s consent stays, whatever is sent. \`preserve_consent\`: it stays where "no" is sent. \`detach_existing_groups\`: the contact is then in the groups of this request alone. \`update_only\`: no contact is created.`;

const Text = (example: string, maxLength = 255) => Type.String({ maxLength, examples: [example] });

/** What a contact says of itself, as it is stored, sent and answered under the same name. */
const profile = {
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

/** The address that each consent is given for. Any of the postal fields makes a postal address. */
export const addressOf: Record<Channel, readonly ProfileField[]> = {
  sms: ['mobile_number'],
  call: ['mobile_number'],
  email: ['email'],
  snail_mail: ['building_name', 'building_num_street', 'locality', 'postcode', 'city', 'county', 'country'],
};

const flag = Type.Optional(Type.Boolean({ description: 'Also as `Y` or `N`. Left out: stays as it is.' }));
const folderName = Type.Optional(
  Type.String({
    description: 'Made on the unit if it is missing; `default` unless given.',
    maxLength: 255,
    examples: ['default'],
  }),
);

export const ContactWrite = Type.Object({
  full_contact_object: Type.Optional(
    Type.Boolean({ description: 'False: only the id is answered, which is faster. True unless given.' }),
  ),
  // Read before the other lists: an unknown rule is always among the errors that are listed.
  rules: Type.Optional(
    Type.Array(Type.Object({ rule_name: Type.Enum(rules, { description: ruleNotes }) }), {
      description: 'What to do otherwise than usual.',
    }),
  ),
  ...Type.Partial(Type.Object(profile)).properties,
  card_reference: Type.Optional(Type.String({ description: 'Loyalty card number.', maxLength: 255 })),
  source_id: Type.Optional(Id('Where the data comes from. Given with a `source_name`, the id counts.')),
  source_name: Type.Optional(
    Type.String({ description: 'Instead of `source_id`: made if there is none of that name.', maxLength: 255 }),
  ),
  allow_sms: flag,
  allow_email: flag,
  allow_call: flag,
  allow_snail_mail: flag,
  units: Type.Optional(
    Type.Array(
      Type.Object({
        id: Id('The unit to store the contact to.'),
        groups: Type.Optional(
          Type.Array(
            Type.Object(
              {
                id: Type.Optional(Id('A group of that unit.')),
                name: Type.Optional(
                  Type.String({
                    description: 'Instead of `id`: made on the unit if it is missing.',
                    maxLength: 255,
                    examples: ['Newsletter'],
                  }),
                ),
                folder_name: folderName,
              },
              { 'x-either': ['id', 'name'] },
            ),
          ),
        ),
      }),
      { description: 'None: a new contact is stored to the root unit.' },
    ),
  ),
  notes: Type.Optional(Type.Array(NewNote, { description: 'Each adds a note.' })),
  udfs: Type.Optional(Type.Array(NewUdfValue, { description: 'Values of user-defined fields.' })),
  feedback: Type.Optional(Type.Array(NewFeedback, { 'x-address': '/v1/contact/{id}/feedback' })),
  purchases: Type.Optional(
    Type.Array(NewPurchase, { 'x-address': '/v1/contact/{id}/purchases', description: 'What the guest bought.' }),
  ),
  stays: Type.Optional(Type.Array(NewStay, { description: 'Where the guest stayed, or booked a stay.' })),
  bookings: Type.Optional(Type.Array(NewBooking, { description: 'What the guest booked.' })),
  wifi: Type.Optional(Type.Array(NewWifi, { description: 'When the guest was on the wifi.' })),
});
export type ContactWrite = Static<typeof ContactWrite>;

/** The flags as the interface writes them. */
const Flag = Type.Enum(['1', ''], { description: '`"1"`, or empty.' });
const Named = { id: Type.Integer(), name: Type.String() };

const answeredProfile = Object.fromEntries(Object.keys(profile).map((name) => [name, Type.String()])) as {
  [K in keyof typeof profile]: TString;
};

/** The full contact object. Everything but the ids in it is text, and empty where nothing is known. */
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
export const ContactWritten = Type.Union([Contact, ContactId]);

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

/** What staff see besides. */
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

/** A line of what was found. Texts are empty where nothing is known. */
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

export const ListMerges = Type.Object({
  contact_id: Type.Optional(Id('Only those that this contact, or one that was merged into it, had a part in.')),
});
export type ListMerges = Static<typeof ListMerges>;

export const MergeInto = Type.Object({ contact_id: Id('The contact that is the same guest, and ends.') });

export const Merge = Type.Object({
  id: Id('Merge id'),
  contact_id: Id('The contact that ended.'),
  into_contact_id: Id('The contact that it is now.'),
  reason: Type.String({ examples: ['same mobile number'] }),
  actor: Type.String({ description: 'Who did it.', examples: ['token 3'] }),
  at: Instant('When.'),
  undone_at: Nullable(Instant('When it was undone.')),
  undone_by: Nullable(Type.String()),
  contact: Type.Pick(FoundContact, ['first_name', 'last_name', 'email', 'mobile_number'], {
    description: 'Who the contact that ended says it is.',
  }),
});
export type Merge = Static<typeof Merge>;

export const PossibleDuplicate = Type.Object({
  id: Id('The pair’s id'),
  reason: Type.String({ examples: ['same mobile number'] }),
  created_at: Instant('When it was noticed.'),
  contacts: Type.Array(FoundContact, { minItems: 2, maxItems: 2 }),
});
export type PossibleDuplicate = Static<typeof PossibleDuplicate>;
