import Type, { type Static } from 'typebox';
import { bookingStages, listed } from '../../../shared/codes.ts';
import { Id, Money, vital, WallClock } from '../../../shared/fields.ts';

const Count = (description: string, example: number) =>
  Type.Integer({ description, minimum: 0, maximum: 2_147_483_647, examples: [example] });

const fields = {
  unit_id: Type.Optional(Id('The unit. The default is the root unit.', vital)),
  provider_id: Type.Optional(Id('The provider of the reference.', vital)),
  source_id: Type.Optional(Id('The booking source. Stored as it is.')),
  type_id: Type.Optional(Id('The type. Stored as it is.')),
  stage_value: Type.Optional(
    Type.Integer({
      description: `${listed(bookingStages, { new: ' (default)' })}. Other values are stored as they are.`,
    }),
  ),
  party_datetime: Type.Optional(WallClock('The start.', vital)),
  party_enquirytime: Type.Optional(
    WallClock('The time of the enquiry. The default is the time of the request. Responses call it `datetime`.'),
  ),
  party_size: Type.Optional(Count('The number of people.', 4)),
  deposit_paid: Type.Optional(Money('The deposit.')),
  hpbr_food: Type.Optional(Money('The spend per head on food.')),
  hpbr_drink: Type.Optional(Money('The spend per head on drink.')),
  hpbr_entertainment: Type.Optional(Money('The spend per head on entertainment.')),
  table_numbers: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      description: 'The tables of the party. Anonymous purchases are matched by them. `[]` removes all tables.',
      maxItems: 100,
      examples: [['12', '14']],
    }),
  ),
};
const reference = (description: string) => Type.String({ description, maxLength: 255, examples: ['B-1042'] });

/** An element of `bookings` in a contact write. */
export const NewBooking = Type.Object(
  {
    booking_reference: reference(
      'The partner’s own reference. With `provider_id` it identifies the booking. Sent again, it updates the booking.',
    ),
    ...fields,
  },
  { title: 'BookingWrite' },
);
export type NewBooking = Static<typeof NewBooking>;

export const BookingChanges = Type.Object(
  { booking_reference: Type.Optional(reference('A new reference.')), ...fields },
  { title: 'BookingUpdate' },
);
export type BookingChanges = Static<typeof BookingChanges>;

/** The changes of a booking that is identified by its reference. */
export const BookingUpdate = Type.Object(
  {
    booking_reference: reference('The reference of the booking.'),
    ...fields,
    provider_id: Type.Optional(Id('The provider of the reference, if several providers use the same.')),
  },
  { title: 'BookingUpdateByReference' },
);
export type BookingUpdate = Static<typeof BookingUpdate>;

export const FindBooking = Type.Object({
  booking_reference: reference('The reference of the booking.'),
  provider_id: Type.Optional(Id('The provider of the reference, if several providers use the same.')),
});
export type FindBooking = Static<typeof FindBooking>;

const text = (description: string, example: string) => Type.String({ description, examples: [example] });
const amount = (description: string) =>
  Type.String({ description: `${description} Two decimal places.`, examples: ['25.00'] });

export const Booking = Type.Object(
  {
    booking_contact_id: text('The contact that the booking was written for.', '42'),
    booking_reference: text('The partner’s own reference.', 'B-1042'),
    id: Id('The id of the booking.'),
    account_id: text('The id of the account.', '1'),
    contact_id: text('The contact of the booking, after merges.', '42'),
    unit_id: text('The id of the unit.', '2'),
    stage_value: text(`${listed(bookingStages)}.`, '1'),
    type_id: text('The type.', ''),
    datetime: text('The time of the enquiry, `yyyy-mm-dd hh:mm:ss`.', '2026-02-20 09:15:00'),
    source_id: text('The booking source.', ''),
    party_datetime: text('The start, `yyyy-mm-dd hh:mm:ss`.', '2026-03-01 19:30:00'),
    party_size: text('The number of people.', '4'),
    deposit_paid: amount('The deposit.'),
    hpbr_food: amount('The spend per head on food.'),
    hpbr_drink: amount('The spend per head on drink.'),
    hpbr_entertainment: amount('The spend per head on entertainment.'),
    updated_at: text('The time of the last write, `yyyy-mm-dd hh:mm:ss`.', '2026-02-20 09:15:00'),
  },
  { title: 'Booking', description: 'A booking. All fields except `id` are text, and empty if there is no value.' },
);
export type Booking = Static<typeof Booking>;

export const BookingPop = Type.Object(
  {
    ...Booking.properties,
    unit_name: text('The name of the unit.', 'The Anchor'),
  },
  { title: 'PresenceBooking' },
);
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
