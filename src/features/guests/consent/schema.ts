import Type, { type Static } from 'typebox';
import { channels } from '../../../shared/codes.ts';
import { Id, Instant, Nullable } from '../../../shared/fields.ts';

export const ConsentEntry = Type.Object({
  id: Id('Entry id; later entries have higher ones.'),
  contact_id: Id('The contact it was about: this one, or one that was merged into it since.'),
  channel: Type.Enum(channels, { description: 'The flag `allow_…` that it is about.' }),
  from: Type.Boolean({ description: 'Whether consent was given before.' }),
  to: Type.Boolean({ description: 'What was asked for.' }),
  applied: Type.Boolean({ description: 'False: a rule held the change back.' }),
  rule: Nullable(
    Type.String({
      description:
        '`historic_data` or `preserve_consent`, which held the change back; `merge` or `undo`, where a merge or its undo made the change or held it back; or none.',
    }),
  ),
  source_id: Nullable(Type.Integer({ description: 'The source that the request named.' })),
  token_id: Nullable(Type.Integer({ description: 'The token that the request came with; null: staff.' })),
  at: Instant('When it happened.'),
});
export type ConsentEntry = Static<typeof ConsentEntry>;

/** The extra fields for staff. */
export const StaffConsentEntry = Type.Object({
  ...ConsentEntry.properties,
  source_name: Nullable(Type.String({ description: 'What that source is called.', examples: ['Guest wifi'] })),
  token_name: Nullable(Type.String({ description: 'What that token is called.', examples: ['Till'] })),
  actor: Nullable(Type.String({ description: 'Who of the staff it was; null: a partner’s request.' })),
  reason: Nullable(Type.String({ description: 'What staff recorded it for.' })),
});
export type StaffConsentEntry = Static<typeof StaffConsentEntry>;

const flags = {
  allow_email: Type.Boolean(),
  allow_sms: Type.Boolean(),
  allow_call: Type.Boolean(),
  allow_snail_mail: Type.Boolean(),
};

export const ConsentFlags = Type.Object(flags);
export type ConsentFlags = Static<typeof ConsentFlags>;

export const RecordConsent = Type.Object({
  ...Type.Partial(ConsentFlags).properties,
  reason: Type.String({
    description: 'How the guest asked for it.',
    minLength: 1,
    maxLength: 500,
    examples: ['Asked at the bar to get no more texts.'],
  }),
});
export type RecordConsent = Static<typeof RecordConsent>;
