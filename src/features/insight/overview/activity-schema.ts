import Type, { type Static } from 'typebox';
import { activityKinds, listed, npsParts, stayStatuses } from '../../../shared/codes.ts';
import { Day, Id, NamedItem, Nullable, WallClock } from '../../../shared/fields.ts';
import { ForOverview } from './schema.ts';

const before = Type.Optional(
  Type.String({
    description: 'The `next` of the previous page. Only later entries of the list are returned.',
    maxLength: 255,
  }),
);
const { from, to } = ForOverview.properties;
const unit_id = Type.Optional(Id('Only activity at this unit. It may be deleted.'));

export const ListActivity = Type.Object({
  kind: Type.Enum(activityKinds, { description: 'The kind of activity.', examples: ['purchases'] }),
  from,
  to,
  unit_id,
  nps: Type.Optional(
    Type.Enum(npsParts, {
      description: 'Only these ratings: promoters gave 9 or 10, passives 7 or 8, detractors less.',
      examples: ['promoters'],
    }),
  ),
  before,
});
export type ListActivity = Static<typeof ListActivity>;

export const ListRedemptions = Type.Object({ from, to, unit_id, before });
export type ListRedemptions = Static<typeof ListRedemptions>;

const PurchaseFacts = Type.Object(
  {
    transaction_reference: Type.String({ description: 'The partner’s own reference.', examples: ['T-88123'] }),
    total: Type.String({ description: 'The sum of all lines, with two decimal places.', examples: ['11.50'] }),
    is_waiting: Type.Boolean({ description: 'Whether no contact is matched to it yet.' }),
  },
  { title: 'ActivityPurchase' },
);

const BookingFacts = Type.Object(
  {
    booking_reference: Type.String({ description: 'The partner’s own reference.', examples: ['B-1042'] }),
    stage_value: Type.Integer({ description: '1 new, 100 complete, or a stage of the partner.', examples: [1] }),
    party_size: Nullable(Type.Integer({ description: 'The number of people.', examples: [4] })),
  },
  { title: 'ActivityBooking' },
);

const StayFacts = Type.Object(
  {
    stay_reference: Type.String({ description: 'The partner’s own reference.', examples: ['S-771'] }),
    checkin_date: WallClock('The check-in.'),
    checkout_date: WallClock('The check-out.'),
    booking_status_id: Type.Integer({ description: `The status: ${listed(stayStatuses)}.`, examples: [7] }),
    total_guests: Type.Integer({ description: 'The number of guests.', examples: [2] }),
  },
  { title: 'ActivityStay' },
);

const RatingFacts = Type.Object(
  {
    rating: Type.Number({ description: 'The rating, from 0 to 10.', examples: [9] }),
    feedback_id: Id('The id of the feedback with the rating.'),
  },
  { title: 'ActivityRating' },
);

export const ActivityEntry = Type.Object(
  {
    id: Id('The id of the purchase, booking, stay or rating.'),
    at: WallClock('The time of the purchase or feedback, the start of the booking, or the check-in of the stay.'),
    unit: NamedItem,
    contact: Nullable(
      Type.Object(
        {
          id: Id('The id of the contact. A merged contact is replaced by the survivor.'),
          name: Nullable(Type.String({ description: 'The name. Null if it is not known.', examples: ['Ana Silva'] })),
        },
        { title: 'ActivityContact', description: 'The contact. Null for a waiting purchase.' },
      ),
    ),
    purchase: Nullable(PurchaseFacts),
    booking: Nullable(BookingFacts),
    stay: Nullable(StayFacts),
    rating: Nullable(RatingFacts),
  },
  {
    title: 'ActivityEntry',
    description: 'One entry. The field with the name of its kind is set, the others are null.',
  },
);
export type ActivityEntry = Static<typeof ActivityEntry>;

const scope = {
  from: Day('The first day.'),
  to: Day('The last day.'),
  unit: Nullable(
    Type.Object(
      { ...NamedItem.properties, is_deleted: Type.Boolean({ description: 'Whether it is deleted.' }) },
      { title: 'ActivityUnit', description: 'The unit of the request. Null: all units.' },
    ),
  ),
};
const next = Nullable(Type.String({ description: 'The value of `before` for the next page. Null on the last page.' }));

export const ActivityList = Type.Object(
  {
    ...scope,
    total: Nullable(
      Type.Integer({
        description: 'The number of entries on all pages: the number in the overview. Null on later pages.',
        minimum: 0,
        examples: [61],
      }),
    ),
    spend: Nullable(
      Type.Number({
        description: 'The sum of all purchases on all pages. Null on later pages, and for other kinds.',
        examples: [1840.5],
      }),
    ),
    data: Type.Array(ActivityEntry, { description: 'The entries, newest first, at most 50.' }),
    next,
  },
  { title: 'ActivityList' },
);
export type ActivityList = Static<typeof ActivityList>;

export const RedemptionList = Type.Object(
  {
    ...scope,
    total: Type.Integer({
      description: 'The number of codes in all groups: the number in the overview.',
      minimum: 0,
      examples: [7],
    }),
    data: Type.Array(
      Type.Object(
        {
          ...NamedItem.properties,
          redeemed: Type.Integer({
            description: 'The number of its codes that were redeemed.',
            minimum: 1,
            examples: [7],
          }),
        },
        { title: 'RedeemedGroup', description: 'A unique code group.' },
      ),
      { description: 'The groups with redeemed codes, most codes first, at most 50.' },
    ),
    next,
  },
  { title: 'RedemptionList' },
);
export type RedemptionList = Static<typeof RedemptionList>;
