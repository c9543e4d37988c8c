import Type, { type Static } from 'typebox';
import { Id, Nullable, WallClock } from '../../../shared/fields.ts';
import { Purchase } from '../../activity/purchases/schema.ts';
import { Stay } from '../../activity/stays/schema.ts';
import { WifiPop } from '../../activity/wifi/schema.ts';
import { FoundContact } from '../../guests/contacts/schema.ts';
import { Feedback } from '../../guests/feedback/schema.ts';

export const kinds = ['purchase', 'booking', 'stay', 'wifi', 'feedback', 'unique_code'] as const;
export type Kind = (typeof kinds)[number];

export const ReadTimeline = Type.Object({
  before: Type.Optional(
    Type.String({ description: 'The `next` of the page before: what comes behind it.', maxLength: 255 }),
  ),
  kind: Type.Optional(Type.Enum(kinds, { description: 'Only this kind.', examples: ['purchase'] })),
});
export type ReadTimeline = Static<typeof ReadTimeline>;

const { transaction_reference, order_type_id, matched_by, provider_id } = Purchase.properties;
const { description, sku, quantity, value, tags } = Purchase.properties.transaction_lines.items.properties;

const PurchasePart = Type.Object({
  transaction_reference,
  provider_id,
  order_type_id,
  matched_by,
  total: Type.String({ description: 'Of all lines. Two places.', examples: ['11.50'] }),
  lines: Type.Array(Type.Object({ description, sku, quantity, value, tags })),
});

const BookingPart = Type.Object({
  booking_reference: Type.String({ examples: ['B-1042'] }),
  provider_id: Nullable(Id('The partner.')),
  stage_value: Type.Integer({ description: '1 new, 100 complete, 550 cancelled.', examples: [1] }),
  type_id: Nullable(Id('As it was sent.')),
  source_id: Nullable(Id('As it was sent.')),
  source_name: Nullable(Type.String({ description: 'What the booking source of that id is called, if there is one.' })),
  party_enquirytime: WallClock('When it was made.'),
  party_datetime: Nullable(WallClock('When it starts.')),
  party_size: Nullable(Type.Integer({ description: 'How many come.', examples: [4] })),
  deposit_paid: Type.String({ description: 'Two places.', examples: ['25.00'] }),
  table_numbers: Type.Array(Type.String()),
});

const StayPart = Type.Object({
  ...Type.Omit(Stay, ['id', 'contact_id', 'unit_id', 'unit_name']).properties,
  provider_name: Nullable(Type.String({ description: 'What that partner is called.' })),
  booking_enquiry_source_name: Nullable(Type.String({ description: 'What that source is called.' })),
});

const WifiPart = Type.Pick(WifiPop, ['hotspot_name', 'mac_address', 'device_type', 'interaction_type']);

const { category_id, rating_text, contact_note } = Feedback.properties.ratings.items.properties;
const FeedbackPart = Type.Object({
  ...Type.Pick(Feedback, ['type_id', 'source_id', 'comments']).properties,
  ratings: Type.Array(
    Type.Object({ category_id, category_name: Type.String({ examples: ['NPS'] }), rating_text, contact_note }),
  ),
});

const CodePart = Type.Object({
  unique_code: Type.String({ examples: ['SUMMER-7KQ'] }),
  unique_code_group_id: Id('The group that it is in.'),
  unique_code_group_name: Type.String({ examples: ['Summer vouchers'] }),
});

/** One entry. Only the part with the name of its kind is set. */
export const TimelineEntry = Type.Object({
  kind: Type.Enum(kinds),
  id: Id('Id of the purchase, booking, …: of that kind.'),
  at: WallClock('When it was: a booking’s start (or, without one, when it was made), a stay’s check-in.'),
  unit_id: Id('Where.'),
  unit_name: Type.String({ examples: ['The Anchor'] }),
  purchase: Nullable(PurchasePart),
  booking: Nullable(BookingPart),
  stay: Nullable(StayPart),
  wifi: Nullable(WifiPart),
  feedback: Nullable(FeedbackPart),
  unique_code: Nullable(CodePart),
});
export type TimelineEntry = Static<typeof TimelineEntry>;

export const Timeline = Type.Object({
  data: Type.Array(TimelineEntry),
  next: Nullable(Type.String({ description: 'Sent as `before`, it gives the next page; null: that was all.' })),
});
export type Timeline = Static<typeof Timeline>;

const amount = Type.Integer({ minimum: 0, examples: [12] });

export const TimelineSummary = Type.Object({
  last_visit_at: FoundContact.properties.last_visit_at,
  spend: Type.Number({ description: 'What the lines of all purchases come to.', examples: [1840.5] }),
  counts: Type.Object(Object.fromEntries(kinds.map((kind) => [kind, amount])) as Record<Kind, typeof amount>, {
    description: 'How many of each kind the timeline has.',
  }),
});
export type TimelineSummary = Static<typeof TimelineSummary>;
