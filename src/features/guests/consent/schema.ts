import Type, { type Static } from 'typebox';
import { channels } from '../../../shared/codes.ts';
import { Id, Instant, Nullable } from '../../../shared/fields.ts';

export const ConsentEntry = Type.Object(
  {
    id: Id('The id of the entry. Later entries have higher ids.'),
    contact_id: Id('The contact of the entry: this one, or one that was merged into it since.'),
    channel: Type.Enum(channels, { description: 'The channel. Its flag is `allow_` and the channel.' }),
    from: Type.Boolean({ description: 'The flag before.' }),
    to: Type.Boolean({ description: 'The requested flag.' }),
    applied: Type.Boolean({ description: 'False if a rule prevented the change.' }),
    rule: Nullable(
      Type.String({
        description:
          '`historic_data` or `preserve_consent` if this rule prevented the change. `merge` or `undo` if a merge or its undo made or prevented the change. Otherwise null.',
      }),
    ),
    source_id: Nullable(Type.Integer({ description: 'The source of the request.' })),
    token_id: Nullable(Type.Integer({ description: 'The token of the request. Null for a change by staff.' })),
    at: Instant('The time of the change.'),
  },
  { title: 'ConsentEntry' },
);
export type ConsentEntry = Static<typeof ConsentEntry>;

/** What staff see besides. */
export const StaffConsentEntry = Type.Object(
  {
    ...ConsentEntry.properties,
    source_name: Nullable(Type.String({ description: 'The name of the source.', examples: ['Guest wifi'] })),
    token_name: Nullable(Type.String({ description: 'The name of the token.', examples: ['Till'] })),
    actor: Nullable(Type.String({ description: 'The user who made the change. Null for a request of a partner.' })),
    reason: Nullable(Type.String({ description: 'The reason that staff recorded.' })),
  },
  { title: 'StaffConsentEntry' },
);
export type StaffConsentEntry = Static<typeof StaffConsentEntry>;

const flags = {
  allow_email: Type.Boolean({ description: 'Consent to e-mail.' }),
  allow_sms: Type.Boolean({ description: 'Consent to text messages.' }),
  allow_call: Type.Boolean({ description: 'Consent to calls.' }),
  allow_snail_mail: Type.Boolean({ description: 'Consent to letters.' }),
};

export const ConsentFlags = Type.Object(flags, { title: 'ConsentFlags' });
export type ConsentFlags = Static<typeof ConsentFlags>;

export const RecordConsent = Type.Object(
  {
    ...Type.Partial(ConsentFlags).properties,
    reason: Type.String({
      description: 'The reason, for example how the guest asked for it.',
      minLength: 1,
      maxLength: 500,
      examples: ['Asked at the bar to get no more texts.'],
    }),
  },
  { title: 'ConsentRecord' },
);
export type RecordConsent = Static<typeof RecordConsent>;
