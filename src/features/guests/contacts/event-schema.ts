import Type, { type Static } from 'typebox';
import { channels, mergeReasons } from '../../../shared/codes.ts';
import { eventKind } from '../../../shared/event-kind.ts';
import { Id, Nullable } from '../../../shared/fields.ts';

const contactId = Id('The contact.');
const value = (description: string) => Nullable(Type.String({ description }));
const ids = (description: string) => Type.Array(Type.Integer(), { description });

export const ContactChanges = Type.Object(
  {
    contact_id: contactId,
    changes: Type.Record(
      Type.String(),
      Type.Object(
        { from: value('The value before. Null: none.'), to: value('The value now. Null: none.') },
        { title: 'FieldChange' },
      ),
      {
        description:
          'The changed fields: those of the contact, `source_id`, and `udf:{id}` for a user-defined field. `card_reference` has no values, because only staff see it. Consents have their own events.',
      },
    ),
    added_unit_ids: ids('Units that the contact gained.'),
    removed_unit_ids: ids('Units that the contact lost, when a merge was undone.'),
    added_group_ids: ids('Groups that the contact joined.'),
    removed_group_ids: ids('Groups that the contact left.'),
  },
  { title: 'ContactChanges' },
);
export type ContactChanges = Static<typeof ContactChanges>;

export const contactCreated = eventKind('contact.created', 'A contact was created.', ContactChanges, {
  contact_id: 42,
  changes: {
    first_name: { from: null, to: 'Ana' },
    email: { from: null, to: 'ana.silva@gmail.com' },
    source_id: { from: null, to: '3' },
  },
  added_unit_ids: [2],
  removed_unit_ids: [],
  added_group_ids: [5],
  removed_group_ids: [],
});

export const contactUpdated = eventKind('contact.updated', 'The data of a contact changed.', ContactChanges, {
  contact_id: 42,
  changes: { city: { from: 'Bath', to: 'Bristol' }, 'udf:7': { from: null, to: '2026-05-01' } },
  added_unit_ids: [],
  removed_unit_ids: [],
  added_group_ids: [],
  removed_group_ids: [5],
});

/** No changes, to be extended. */
export const noContactChanges = () => ({
  changes: {} as ContactChanges['changes'],
  ...{ added_unit_ids: [] as number[], removed_unit_ids: [] as number[] },
  ...{ added_group_ids: [] as number[], removed_group_ids: [] as number[] },
});

const reason = Type.Enum(mergeReasons, { description: 'Why the two are the same person.' });

export const contactMerged = eventKind(
  'contact.merged',
  'A contact was merged into another one. Its data belongs to that one from now on. What that one gained is in an event of its own.',
  Type.Object(
    {
      contact_id: Id('The contact that stays.'),
      merged_contact_id: Id('The contact that was merged into it.'),
      reason,
    },
    { title: 'ContactMerged' },
  ),
  { contact_id: 42, merged_contact_id: 57, reason: 'same_mobile' },
);

export const contactUnmerged = eventKind(
  'contact.unmerged',
  'A merge was undone: the two are separate contacts again.',
  Type.Object(
    { contact_id: Id('The contact that stayed.'), unmerged_contact_id: Id('The contact that is separate again.') },
    { title: 'ContactUnmerged' },
  ),
  { contact_id: 42, unmerged_contact_id: 57 },
);

export const contactErased = eventKind(
  'contact.erased',
  'A contact was erased, with all of its data. Erase your copies.',
  Type.Object(
    { contact_id: contactId, merged_contact_ids: ids('Contacts that had been merged into it. They are erased too.') },
    { title: 'ContactErased' },
  ),
  { contact_id: 42, merged_contact_ids: [57] },
);

export const consentChanged = eventKind(
  'consent.changed',
  'A consent was given or withdrawn.',
  Type.Object(
    {
      contact_id: contactId,
      channel: Type.Enum(channels, { description: 'The way to contact the guest.' }),
      from: Type.Boolean({ description: 'Whether it was given before.' }),
      to: Type.Boolean({ description: 'Whether it is given now.' }),
      rule: Nullable(Type.String({ description: 'The rule that changed it, such as `merge`.' })),
      source_id: Nullable(Id('The source of the write.')),
    },
    { title: 'ConsentChanged' },
  ),
  { contact_id: 42, channel: 'email', from: false, to: true, rule: null, source_id: 3 },
);
