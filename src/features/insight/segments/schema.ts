import Type, { type Static } from 'typebox';
import { Changes, Day, Id, Instant, Name, Nullable } from '../../../shared/fields.ts';
import { FoundContact, profileFields } from '../../guests/contacts/schema.ts';
import { type Definition, DefinitionShape } from './definition-schema.ts';

/** The most segments of an account. */
export const maxSegments = 1000;
export const maxSample = 10;

const name = Name('The name. It is unique in the account; case does not matter.', 'Gold regulars');
const SentDefinition = Type.Unsafe<unknown>(DefinitionShape);
const StoredDefinition = Type.Unsafe<Definition>(DefinitionShape);

export const SegmentWrite = Type.Object({ name, definition: SentDefinition }, { title: 'SegmentWrite' });
export type SegmentWrite = Static<typeof SegmentWrite>;
export const SegmentUpdate = Changes(SegmentWrite, 'SegmentUpdate');
export type SegmentUpdate = Static<typeof SegmentUpdate>;

const amount = (description: string) => Type.Integer({ description, minimum: 0 });
const count = amount('The number of members.');

const Contactable = Type.Object(
  {
    email: amount('Members with consent to e-mail.'),
    sms: amount('Members with consent to text messages.'),
    call: amount('Members with consent to calls.'),
    snail_mail: amount('Members with consent to letters.'),
  },
  { title: 'Contactable' },
);

export interface Counts {
  count: number;
  contactable: Static<typeof Contactable>;
}

const counted = Type.Integer({ description: 'The number of members. Null if counting takes too long.', minimum: 0 });

export const Segment = Type.Object(
  {
    id: Id('The id of the segment.'),
    name: Type.String({ description: 'The name.' }),
    definition: StoredDefinition,
    count: Nullable(counted),
    contactable: Nullable(Contactable),
    created_at: Instant('The time of the creation.'),
    updated_at: Instant('The time of the last change.'),
  },
  { title: 'Segment' },
);
export type Segment = Static<typeof Segment>;

export const PartnerSegment = Type.Object(
  { id: Id('The id of the segment.'), name: Type.String({ description: 'The name.' }), count: Nullable(counted) },
  { title: 'SegmentSummary' },
);
export type PartnerSegment = Static<typeof PartnerSegment>;

export const PreviewSegment = Type.Object({ definition: SentDefinition }, { title: 'SegmentPreviewRequest' });

export const Preview = Type.Object(
  {
    count,
    contactable: Contactable,
    sample: Type.Array(FoundContact, { description: `Up to ${maxSample} members, newest first.` }),
  },
  { title: 'SegmentPreview' },
);
export type Preview = Static<typeof Preview>;

/** The columns of the CSV file. */
export const consentColumns = ['allow_email', 'allow_sms', 'allow_call', 'allow_snail_mail'] as const;
export const countColumns = [
  ...(['visits', 'purchases', 'bookings', 'cancelled_bookings', 'stays', 'vouchers_redeemed'] as const),
];
export const exportedColumns = [
  ...(['id', ...profileFields, ...consentColumns, 'created_at'] as const),
  ...(['visits', 'first_visit', 'last_visit', 'purchases', 'spend', 'average_spend'] as const),
  ...(['bookings', 'cancelled_bookings', 'stays', 'vouchers_redeemed', 'nps'] as const),
];

export const Membership = Type.Object(
  {
    member: Type.Boolean({ description: 'Whether the contact is a member now.' }),
    since: Nullable(
      Type.String({ description: 'The first day of the membership. Null if it is no member.', format: 'date' }),
    ),
    until: Nullable(
      Type.String({
        description: 'The last day of the membership if the contact does nothing. Null if it does not end by itself.',
        format: 'date',
      }),
    ),
    because: Type.Array(
      Type.Object(
        {
          condition: StoredDefinition,
          holds: Type.Boolean({ description: 'Whether the condition holds.' }),
          actual: Type.Unsafe<unknown>({ description: 'The contact’s own value. Null if not known.' }),
        },
        { title: 'SegmentCondition' },
      ),
      { description: 'Each condition of the definition.' },
    ),
  },
  { title: 'SegmentMembership' },
);
export type Membership = Static<typeof Membership>;

export const SegmentHistory = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          day: Day('The day.'),
          count,
          contactable: Contactable,
          entered: amount('Contacts that became members on this day.'),
          left: amount('Contacts that ceased to be members on this day.'),
        },
        { title: 'SegmentDay' },
      ),
      { description: 'Up to 90 days, the last is today. Days before the members were stored are missing.' },
    ),
  },
  { title: 'SegmentHistory' },
);
export type SegmentHistory = Static<typeof SegmentHistory>;

export const SegmentChange = Type.Object(
  {
    contact_id: Id('The contact.'),
    change: Type.Enum(['entered', 'left'], { description: 'Whether it became a member, or ceased to be.' }),
    at: Instant('When this was recorded.'),
  },
  { title: 'SegmentChange' },
);
export type SegmentChange = Static<typeof SegmentChange>;

const Setting = Type.Object(
  {
    name: Type.String({ description: 'The name of the setting.' }),
    label: Type.String({ description: 'What it means.' }),
    type: Type.Enum(['integer', 'number', 'unit'], { description: 'The type of its value.' }),
    default: Type.Number({ description: 'The value in the definition.' }),
    min: Nullable(Type.Number({ description: 'The least value.' })),
    max: Nullable(Type.Number({ description: 'The greatest value.' })),
    paths: Type.Array(Type.String(), { description: 'Where the value goes in the definition, as JSON Pointers.' }),
  },
  { title: 'SegmentSetting' },
);

export const Preset = Type.Object(
  {
    key: Type.String({ description: 'The key.' }),
    name: Type.String({ description: 'A name for the segment.' }),
    description: Type.String({ description: 'Who is in it.' }),
    settings: Type.Array(Setting, { description: 'The values that can be changed.' }),
    definition: StoredDefinition,
  },
  { title: 'SegmentPreset' },
);
export type Preset = Static<typeof Preset>;

export const ForPresets = Type.Object({
  top_percent: Type.Optional(
    Type.Integer({
      description: 'The share of guests that `top_spenders` has. The default is 10.',
      minimum: 1,
      maximum: 50,
      examples: [10],
    }),
  ),
});
export type ForPresets = Static<typeof ForPresets>;

export const PresetList = Type.Object(
  { data: Type.Array(Preset, { description: 'The ready-made definitions.' }) },
  { title: 'SegmentPresetList' },
);
export type PresetList = Static<typeof PresetList>;

const segmentName = { id: Id('The id of the segment.'), name: Type.String({ description: 'The name.' }) };

export const ContactSegments = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          ...segmentName,
          since: Day('The first day of the membership.'),
        },
        { title: 'ContactSegment' },
      ),
      { description: 'The segments that the contact is in.' },
    ),
    not_evaluated: Type.Array(Type.Object(segmentName, { title: 'SegmentName' }), {
      description: 'Segments that were not evaluated in time.',
    }),
  },
  { title: 'ContactSegments' },
);
export type ContactSegments = Static<typeof ContactSegments>;
