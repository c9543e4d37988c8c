import Type, { type Static } from 'typebox';
import { mergeReasons } from '../../../shared/codes.ts';
import { Id, Instant, Nullable } from '../../../shared/fields.ts';
import { NewBooking } from '../../activity/bookings/schema.ts';
import { NewPurchase } from '../../activity/purchases/schema.ts';
import { NewStay } from '../../activity/stays/schema.ts';
import { NewWifi } from '../../activity/wifi/schema.ts';
import { Contact, ContactId, FoundContact, profile } from '../contacts/schema.ts';
import { NewFeedback } from '../feedback/schema.ts';
import { NewNote } from '../notes/schema.ts';
import { NewUdfValue } from '../udfs/schema.ts';

export const rules = [
  'discard_invalid_data',
  'historic_data',
  'preserve_consent',
  'detach_existing_groups',
  'update_only',
] as const;
export type Rule = (typeof rules)[number];

const ruleNotes = `\`discard_invalid_data\`: what is invalid is dropped and the rest stored. \`historic_data\`: an existing contact’s consent stays, whatever is sent. \`preserve_consent\`: it stays where "no" is sent. \`detach_existing_groups\`: the contact is then in the groups of this request alone. \`update_only\`: no contact is created.`;

const flag = Type.Optional(Type.Boolean({ description: 'Also as `Y` or `N`. Left out: stays as it is.' }));
const folderName = Type.Optional(
  Type.String({
    description: 'Made on the unit if it is missing; `default` unless given.',
    maxLength: 255,
    examples: ['default'],
  }),
);

/** The lists that sections store, see sections.ts. They are read in this order, so errors are listed in it. */
const lists = {
  notes: Type.Optional(Type.Array(NewNote, { description: 'Each adds a note.' })),
  udfs: Type.Optional(Type.Array(NewUdfValue, { description: 'Values of user-defined fields.' })),
  feedback: Type.Optional(Type.Array(NewFeedback, { 'x-address': '/v1/contact/{id}/feedback' })),
  purchases: Type.Optional(
    Type.Array(NewPurchase, { 'x-address': '/v1/contact/{id}/purchases', description: 'What the guest bought.' }),
  ),
  stays: Type.Optional(Type.Array(NewStay, { description: 'Where the guest stayed, or booked a stay.' })),
  bookings: Type.Optional(Type.Array(NewBooking, { description: 'What the guest booked.' })),
  wifi: Type.Optional(Type.Array(NewWifi, { description: 'When the guest was on the wifi.' })),
};
export type ListName = keyof typeof lists;

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
  ...lists,
});
export type ContactWrite = Static<typeof ContactWrite>;

export const ContactWritten = Type.Union([Contact, ContactId]);

export const ListMerges = Type.Object({
  contact_id: Type.Optional(Id('Only those that this contact, or one that was merged into it, had a part in.')),
});
export type ListMerges = Static<typeof ListMerges>;

export const MergeInto = Type.Object({ contact_id: Id('The contact that is the same guest, and ends.') });

const mergeReason = Type.Enum(mergeReasons, {
  description: '`same_mobile`: they have the same mobile number. `staff`: staff merged them.',
  examples: ['same_mobile'],
});

export const Merge = Type.Object({
  id: Id('Merge id'),
  contact_id: Id('The contact that ended.'),
  into_contact_id: Id('The contact that it is now.'),
  reason: mergeReason,
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
  reason: mergeReason,
  created_at: Instant('When it was noticed.'),
  contacts: Type.Array(FoundContact, { minItems: 2, maxItems: 2 }),
});
export type PossibleDuplicate = Static<typeof PossibleDuplicate>;
