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

const ruleNotes = `\`discard_invalid_data\` drops invalid values and stores the others. \`historic_data\` does not change the consent of an existing contact. \`preserve_consent\` does not withdraw a consent. \`detach_existing_groups\` removes the contact from all groups that are not in this request. \`update_only\` creates no contact.`;

const flag = (channel: string) =>
  Type.Optional(
    Type.Boolean({
      description: `Consent to ${channel}. \`Y\` and \`N\` are accepted too. Not sent, it does not change.`,
    }),
  );
const folderName = Type.Optional(
  Type.String({
    description: 'The folder of the group. It is created if it is missing. The default is `default`.',
    maxLength: 255,
    examples: ['default'],
  }),
);

/** The lists that sections store, see sections.ts. They are read in this order, so errors are listed in it. */
const lists = {
  notes: Type.Optional(Type.Array(NewNote, { description: 'Notes. Every request adds its notes.' })),
  udfs: Type.Optional(Type.Array(NewUdfValue, { description: 'The values of user-defined fields.' })),
  feedback: Type.Optional(
    Type.Array(NewFeedback, {
      'x-address': '/v1/contact/{id}/feedback',
      description: 'Feedback. Every request adds its feedback.',
    }),
  ),
  purchases: Type.Optional(
    Type.Array(NewPurchase, { 'x-address': '/v1/contact/{id}/purchases', description: 'The purchases.' }),
  ),
  stays: Type.Optional(Type.Array(NewStay, { description: 'The stays.' })),
  bookings: Type.Optional(Type.Array(NewBooking, { description: 'The bookings.' })),
  wifi: Type.Optional(
    Type.Array(NewWifi, { description: 'The wifi interactions. Every request adds its interactions.' }),
  ),
};
export type ListName = keyof typeof lists;

export const ContactWrite = Type.Object(
  {
    full_contact_object: Type.Optional(
      Type.Boolean({ description: 'False returns only the id, which is faster. The default is true.' }),
    ),
    // Read before the other lists: an unknown rule is always among the errors that are listed.
    rules: Type.Optional(
      Type.Array(Type.Object({ rule_name: Type.Enum(rules, { description: ruleNotes }) }, { title: 'ContactRule' }), {
        description: 'Rules for this request.',
      }),
    ),
    ...Type.Partial(Type.Object(profile)).properties,
    card_reference: Type.Optional(Type.String({ description: 'The loyalty card number.', maxLength: 255 })),
    source_id: Type.Optional(Id('The source of the data. If `source_name` is sent too, the id is used.')),
    source_name: Type.Optional(
      Type.String({
        description: 'The name of the source, instead of `source_id`. It is created if it is missing.',
        maxLength: 255,
      }),
    ),
    allow_sms: flag('text messages'),
    allow_email: flag('e-mail'),
    allow_call: flag('calls'),
    allow_snail_mail: flag('letters'),
    units: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Id('The unit.'),
            groups: Type.Optional(
              Type.Array(
                Type.Object(
                  {
                    id: Type.Optional(Id('A group of the unit. `id` or `name` is required.')),
                    name: Type.Optional(
                      Type.String({
                        description: 'The name of the group, instead of `id`. It is created if it is missing.',
                        maxLength: 255,
                        examples: ['Newsletter'],
                      }),
                    ),
                    folder_name: folderName,
                  },
                  { title: 'ContactGroupWrite', 'x-either': ['id', 'name'] },
                ),
                { description: 'The groups on this unit.' },
              ),
            ),
          },
          { title: 'ContactUnitWrite' },
        ),
        {
          description:
            'The units of the contact. They are added to the existing ones. The default of a new contact is the root unit.',
        },
      ),
    ),
    ...lists,
  },
  { title: 'ContactWrite' },
);
export type ContactWrite = Static<typeof ContactWrite>;

export const ContactWritten = Type.Union([Contact, ContactId], {
  title: 'WrittenContact',
  description: 'The full contact object, or only its id with `full_contact_object: false`.',
});

export const ListMerges = Type.Object({
  contact_id: Type.Optional(Id('Only merges of this contact and of contacts that were merged into it.')),
});
export type ListMerges = Static<typeof ListMerges>;

export const MergeInto = Type.Object(
  { contact_id: Id('The contact that is merged into the contact of the path.') },
  { title: 'MergeRequest' },
);

const mergeReason = Type.Enum(mergeReasons, {
  description: 'The reason. `same_mobile`: they have the same mobile number. `staff`: staff merged them.',
  examples: ['same_mobile'],
});

export const Merge = Type.Object(
  {
    id: Id('The id of the merge.'),
    contact_id: Id('The merged contact.'),
    into_contact_id: Id('The survivor.'),
    reason: mergeReason,
    actor: Type.String({ description: 'The actor, as text.', examples: ['token 3'] }),
    at: Instant('The time of the merge.'),
    undone_at: Nullable(Instant('The time of the undo. Null if the merge was not undone.')),
    undone_by: Nullable(Type.String({ description: 'The user who undid the merge.' })),
    contact: Type.Pick(FoundContact, ['first_name', 'last_name', 'email', 'mobile_number'], {
      title: 'MergedContact',
      description: 'The values of the merged contact.',
    }),
  },
  { title: 'Merge' },
);
export type Merge = Static<typeof Merge>;

export const PossibleDuplicate = Type.Object(
  {
    id: Id('The id of the pair.'),
    reason: mergeReason,
    created_at: Instant('The time at which the pair was found.'),
    contacts: Type.Array(FoundContact, { description: 'The two contacts.', minItems: 2, maxItems: 2 }),
  },
  { title: 'PossibleDuplicate' },
);
export type PossibleDuplicate = Static<typeof PossibleDuplicate>;
