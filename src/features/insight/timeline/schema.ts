import Type, { type Static } from 'typebox';
import { timelineKinds } from '../../../shared/codes.ts';
import { Id, Nullable, WallClock } from '../../../shared/fields.ts';
import { recordOf } from '../../../shared/record.ts';
import { Purchase } from '../../activity/purchases/schema.ts';
import { Stay } from '../../activity/stays/schema.ts';
import { WifiPop } from '../../activity/wifi/schema.ts';
import { FoundContact } from '../../guests/contacts/schema.ts';
import { Feedback } from '../../guests/feedback/schema.ts';

export const ReadTimeline = Type.Object({
  before: Type.Optional(
    Type.String({ description: 'The `next` of the previous page. Only older entries are returned.', maxLength: 255 }),
  ),
  kind: Type.Optional(Type.Enum(timelineKinds, { description: 'Only entries of this kind.', examples: ['purchase'] })),
});
export type ReadTimeline = Static<typeof ReadTimeline>;

const { transaction_reference, order_type_id, matched_by, provider_id } = Purchase.properties;
const { description, sku, quantity, value, tags } = Purchase.properties.transaction_lines.items.properties;

const PurchasePart = Type.Object(
  {
    transaction_reference,
    provider_id,
    order_type_id,
    matched_by,
    total: Type.String({ description: 'The sum of all lines, with two decimal places.', examples: ['11.50'] }),
    lines: Type.Array(Type.Object({ description, sku, quantity, value, tags }, { title: 'TimelinePurchaseLine' }), {
      description: 'The lines.',
    }),
  },
  { title: 'TimelinePurchase' },
);

const BookingPart = Type.Object(
  {
    booking_reference: Type.String({ description: 'The partner’s own reference.', examples: ['B-1042'] }),
    provider_id: Nullable(Id('The provider of the reference.')),
    stage_value: Type.Integer({ description: '1 new, 100 complete, 550 cancelled.', examples: [1] }),
    type_id: Nullable(Id('The type.')),
    source_id: Nullable(Id('The booking source.')),
    source_name: Nullable(
      Type.String({ description: 'The name of the booking source. Null if there is none with this id.' }),
    ),
    party_enquirytime: WallClock('The time of the enquiry.'),
    party_datetime: Nullable(WallClock('The start.')),
    party_size: Nullable(Type.Integer({ description: 'The number of people.', examples: [4] })),
    deposit_paid: Type.String({ description: 'The deposit, with two decimal places.', examples: ['25.00'] }),
    table_numbers: Type.Array(Type.String(), { description: 'The tables of the party.' }),
  },
  { title: 'TimelineBooking' },
);

const StayPart = Type.Object(
  {
    ...Type.Omit(Stay, ['id', 'contact_id', 'unit_id', 'unit_name']).properties,
    provider_name: Nullable(Type.String({ description: 'The name of the provider.' })),
    booking_enquiry_source_name: Nullable(Type.String({ description: 'The name of the booking source.' })),
  },
  { title: 'TimelineStay' },
);

const WifiPart = Type.Pick(WifiPop, ['hotspot_name', 'mac_address', 'device_type', 'interaction_type'], {
  title: 'TimelineWifi',
});

const { category_id, rating_text, contact_note } = Feedback.properties.ratings.items.properties;
const FeedbackPart = Type.Object(
  {
    ...Type.Pick(Feedback, ['type_id', 'source_id', 'comments']).properties,
    ratings: Type.Array(
      Type.Object(
        {
          category_id,
          category_name: Type.String({ description: 'The name of the category.', examples: ['NPS'] }),
          rating_text,
          contact_note,
        },
        { title: 'TimelineRating' },
      ),
      { description: 'The ratings.' },
    ),
  },
  { title: 'TimelineFeedback' },
);

const CodePart = Type.Object(
  {
    unique_code: Type.String({ description: 'The code.', examples: ['SUMMER-7KQ'] }),
    unique_code_group_id: Id('The id of the unique code group.'),
    unique_code_group_name: Type.String({
      description: 'The name of the unique code group.',
      examples: ['Summer vouchers'],
    }),
  },
  { title: 'TimelineUniqueCode' },
);

export const TimelineEntry = Type.Object(
  {
    kind: Type.Enum(timelineKinds, { description: 'The kind of the entry.' }),
    id: Id('The id of the purchase, booking, stay and so on.'),
    at: WallClock(
      'The time. For a booking it is the start, or the time of the enquiry without a start. For a stay it is the check-in.',
    ),
    unit_id: Id('The id of the unit.'),
    unit_name: Type.String({ description: 'The name of the unit.', examples: ['The Anchor'] }),
    purchase: Nullable(PurchasePart),
    booking: Nullable(BookingPart),
    stay: Nullable(StayPart),
    wifi: Nullable(WifiPart),
    feedback: Nullable(FeedbackPart),
    unique_code: Nullable(CodePart),
  },
  {
    title: 'TimelineEntry',
    description: 'One entry. The field with the name of its kind is set, the others are null.',
  },
);
export type TimelineEntry = Static<typeof TimelineEntry>;

export const Timeline = Type.Object(
  {
    data: Type.Array(TimelineEntry, { description: 'The entries, newest first, at most 50.' }),
    next: Nullable(Type.String({ description: 'The value of `before` for the next page. Null on the last page.' })),
  },
  { title: 'Timeline' },
);
export type Timeline = Static<typeof Timeline>;

const amount = Type.Integer({ minimum: 0, examples: [12] });

export const TimelineSummary = Type.Object(
  {
    last_visit_at: FoundContact.properties.last_visit_at,
    spend: Type.Number({ description: 'The sum of all purchase lines.', examples: [1840.5] }),
    counts: Type.Object(
      recordOf(timelineKinds, () => amount),
      {
        description: 'The number of entries of each kind.',
      },
    ),
  },
  { title: 'TimelineSummary' },
);
export type TimelineSummary = Static<typeof TimelineSummary>;
