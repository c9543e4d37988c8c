import Type, { type Static } from 'typebox';
import { bookingStages, listed } from '../../../shared/codes.ts';
import { Id, Money, vital, WallClock } from '../../../shared/fields.ts';

const Count = (description: string, example: number) =>
  Type.Integer({ description, minimum: 0, maximum: 2_147_483_647, examples: [example] });

const fields = {
  unit_id: Type.Optional(Id('Where; the root unit unless given.', vital)),
  provider_id: Type.Optional(Id('The partner that the reference is from.', vital)),
  source_id: Type.Optional(Id('Kept as it is.')),
  type_id: Type.Optional(Id('Kept as it is.')),
  stage_value: Type.Optional(
    Type.Integer({
      description: `${listed(bookingStages, { new: ' (unless given)' })}; others are kept as they are.`,
    }),
  ),
  party_datetime: Type.Optional(WallClock('When it starts.', vital)),
  party_enquirytime: Type.Optional(
    WallClock('When it was made; the time of the request unless given. Answered as `datetime`.'),
  ),
  party_size: Type.Optional(Count('How many come.', 4)),
  deposit_paid: Type.Optional(Money('The deposit.')),
  hpbr_food: Type.Optional(Money('Spent per head on food.')),
  hpbr_drink: Type.Optional(Money('Spent per head on drink.')),
  hpbr_entertainment: Type.Optional(Money('Spent per head on entertainment.')),
  table_numbers: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      description: 'The tables they sit at, which is how a till’s purchases find them.',
      maxItems: 100,
      examples: [['12', '14']],
    }),
  ),
};
const reference = (description: string) => Type.String({ description, maxLength: 255, examples: ['B-1042'] });

/** One of the contact write's `bookings`. */
export const NewBooking = Type.Object({
  booking_reference: reference(
    'The partner’s own reference. With `provider_id` it says which booking is meant: sent again, it updates.',
  ),
  ...fields,
});
export type NewBooking = Static<typeof NewBooking>;

export const BookingChanges = Type.Object({
  booking_reference: Type.Optional(reference('Another reference than before.')),
  ...fields,
});
export type BookingChanges = Static<typeof BookingChanges>;

/** The changes of a booking that is named by its reference. */
export const BookingUpdate = Type.Object({
  booking_reference: reference('The booking’s own reference. Nothing is created: an unknown one is a 404.'),
  ...fields,
  provider_id: Type.Optional(Id('Whose reference it is, where several partners use the same.')),
});
export type BookingUpdate = Static<typeof BookingUpdate>;

export const FindBooking = Type.Object({
  booking_reference: reference('As it was sent.'),
  provider_id: Type.Optional(Id('Whose reference it is, where several partners use the same.')),
});
export type FindBooking = Static<typeof FindBooking>;

const text = (description: string, example: string) => Type.String({ description, examples: [example] });
const amount = (description: string) => Type.String({ description: `${description} Two places.`, examples: ['25.00'] });

/** Everything but the id is text, and empty where nothing is known. */
export const Booking = Type.Object({
  booking_contact_id: text('The contact that it was written for.', '42'),
  booking_reference: text('The partner’s own reference.', 'B-1042'),
  id: Id('Booking id'),
  account_id: text('Account id', '1'),
  contact_id: text('The contact that this is today.', '42'),
  unit_id: text('Where.', '2'),
  stage_value: text(`${listed(bookingStages)}.`, '1'),
  type_id: text('As it was sent.', ''),
  datetime: text('When it was made: yyyy-mm-dd hh:mm:ss.', '2026-02-20 09:15:00'),
  source_id: text('As it was sent.', ''),
  party_datetime: text('When it starts: yyyy-mm-dd hh:mm:ss.', '2026-03-01 19:30:00'),
  party_size: text('How many come.', '4'),
  deposit_paid: amount('The deposit.'),
  hpbr_food: amount('Spent per head on food.'),
  hpbr_drink: amount('Spent per head on drink.'),
  hpbr_entertainment: amount('Spent per head on entertainment.'),
  updated_at: text('When it was last written: yyyy-mm-dd hh:mm:ss.', '2026-02-20 09:15:00'),
});
export type Booking = Static<typeof Booking>;

export const BookingPop = Type.Object({
  ...Booking.properties,
  unit_name: text('What the unit is called.', 'The Anchor'),
});
export type BookingPop = Static<typeof BookingPop>;

export const bookingExample: Booking = {
  booking_contact_id: '42',
  booking_reference: 'B-1042',
  id: 7,
  account_id: '1',
  contact_id: '42',
  unit_id: '2',
  stage_value: '1',
  type_id: '',
  datetime: '2026-02-20 09:15:00',
  source_id: '',
  party_datetime: '2026-03-01 19:30:00',
  party_size: '4',
  deposit_paid: '25.00',
  hpbr_food: '0.00',
  hpbr_drink: '0.00',
  hpbr_entertainment: '0.00',
  updated_at: '2026-02-20 09:15:00',
};
