import Type, { type Static } from 'typebox';
import { builtInBookingSources, idsOf, listed, roomTypes, stayStatuses } from '../../../shared/codes.ts';
import { Id, Money, Nullable, WallClock } from '../../../shared/fields.ts';
import { keysOf } from '../../../shared/record.ts';

const roomTypeId = Type.Integer({
  description: `The room type: ${listed(roomTypes)}.`,
  enum: idsOf(roomTypes),
  examples: [2],
});
const bookingStatusId = Type.Integer({
  description: `The latest status: ${listed(stayStatuses)}.`,
  enum: idsOf(stayStatuses),
  examples: [3],
});
const sourceId = Id(`The booking source: ${listed(builtInBookingSources)}. \`/v1/booking/sources\` has the full list.`);
const Count = (description: string, example: number) =>
  Type.Integer({ description, minimum: 0, maximum: 2_147_483_647, examples: [example] });
const code = (description: string, example: string) =>
  Type.String({ description, maxLength: 255, examples: [example] });
const booker = Type.Boolean({ description: 'True if the contact booked the stay.' });
const guest = Type.Boolean({ description: 'True if the contact is a guest of the stay.' });

const money = {
  deposit_amount: Money('The paid deposit, in pounds.', 50),
  room_gross_value: Money('The room with tax, in pounds.', 240),
  room_net_value: Money('The room without tax, in pounds.', 200),
  extras_gross_value: Money('The extras with tax, in pounds.', 24),
  extras_net_value: Money('The extras without tax, in pounds.', 20),
};
const optional = {
  total_children: Count('The number of children among the guests.', 0),
  ...money,
  room_rate_code: code('The internal code of the room rate.', 'BAR'),
  room_package_code: code('The internal code of the room package.', 'DBB'),
  used_voucher: Type.Boolean({ description: 'True if a voucher was used.' }),
  booking_has_pets: Type.Boolean({ description: 'True if pets stay too.' }),
  stay_travel_agent: code('The online travel agent.', 'Rooms Online'),
};
export const moneyFields = keysOf(money);
export const optionalFields = keysOf(optional);

const extra = {
  name: Type.String({ description: 'The name of the extra.', maxLength: 255, examples: ['Spa day'] }),
  reference: code('The SKU or product reference.', 'SPA-1'),
  quantity: Type.Number({
    description: 'The quantity.',
    minimum: -999_999_999,
    maximum: 999_999_999,
    examples: [1],
  }),
  price: Type.Number({
    description: 'The price in pence.',
    minimum: -99_999_999_999,
    maximum: 99_999_999_999,
    examples: [4500],
  }),
};
const NewExtra = Type.Object(
  {
    name: extra.name,
    reference: extra.reference,
    start_date: Type.Optional(WallClock('The start. The default is the check-in date.')),
    end_date: Type.Optional(WallClock('The end. The default is the check-out date.')),
    quantity: Type.Optional(extra.quantity),
    price: extra.price,
  },
  { title: 'StayExtraWrite' },
);

/** An element of `stays` in a contact write. */
export const NewStay = Type.Object(
  {
    booker,
    guest,
    unit_id: Id('The unit.'),
    provider_id: Id('The provider of the reference.'),
    stay_reference: code(
      'The partner’s own reference. With `provider_id` it identifies the stay. Sent again, it updates the stay.',
      'S-77',
    ),
    enquiry_date: WallClock('The time of the enquiry.'),
    checkin_date: WallClock('The check-in. Required, unless `check_in_date` is sent.', { 'x-also': 'check_in_date' }),
    checkout_date: WallClock(
      'The check-out. Required, unless `check_out_date` is sent. It is not before the check-in.',
      { 'x-also': 'check_out_date' },
    ),
    check_in_date: Type.Optional(WallClock('Another name of `checkin_date`.')),
    check_out_date: Type.Optional(WallClock('Another name of `checkout_date`.')),
    room_type_id: roomTypeId,
    total_guests: Count('The number of adults and children.', 2),
    booking_enquiry_source_id: sourceId,
    booking_status_id: bookingStatusId,
    ...Type.Partial(Type.Object(optional)).properties,
    extras: Type.Optional(
      Type.Array(NewExtra, { description: 'The extras. They replace all extras that were sent before.' }),
    ),
  },
  { title: 'StayWrite' },
);
export type NewStay = Static<typeof NewStay>;

const responseFields = Object.fromEntries(
  Object.entries(optional).map(([name, schema]) => [name, Nullable(schema)]),
) as unknown as { [K in keyof typeof optional]: ReturnType<typeof Nullable<(typeof optional)[K]>> };

export const Stay = Type.Object(
  {
    id: Id('The id of the stay.'),
    contact_id: Id('The contact that booked the stay or is its guest.'),
    booker,
    guest,
    unit_id: Id('The id of the unit.'),
    unit_name: Type.String({ description: 'The name of the unit.', examples: ['The Harbour Hotel'] }),
    provider_id: Id('The provider of the reference.'),
    stay_reference: Type.String({ description: 'The partner’s own reference.', examples: ['S-77'] }),
    enquiry_date: WallClock('The time of the enquiry.'),
    checkin_date: WallClock('The check-in.'),
    checkout_date: WallClock('The check-out.'),
    room_type_id: roomTypeId,
    total_guests: Type.Integer({ description: 'The number of adults and children.', examples: [2] }),
    booking_enquiry_source_id: sourceId,
    booking_status_id: bookingStatusId,
    ...responseFields,
    extras: Type.Array(
      Type.Object(
        { ...extra, start_date: WallClock('The start.'), end_date: WallClock('The end.') },
        { title: 'StayExtra' },
      ),
      { description: 'The extras.' },
    ),
  },
  { title: 'Stay' },
);
export type Stay = Static<typeof Stay>;
