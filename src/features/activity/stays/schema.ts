import Type, { type Static } from 'typebox';
import { builtInBookingSources, idOf, idsOf, listed, roomTypes, stayStatuses } from '../../../shared/codes.ts';
import { Id, Money, Nullable, WallClock } from '../../../shared/fields.ts';

const roomTypeId = Type.Integer({ description: `${listed(roomTypes)}.`, enum: idsOf(roomTypes), examples: [2] });
const bookingStatusId = Type.Integer({
  description: `The latest: ${listed(stayStatuses)}.`,
  enum: idsOf(stayStatuses),
  examples: [3],
});
/** A guest was there, once the check-in has passed: not every partner says so again when they arrive. */
export const begunStatuses = (['confirmed', 'checked in', 'checked out'] as const).map((name) =>
  idOf(stayStatuses, name),
);
const sourceId = Id(`${listed(builtInBookingSources)}; the full list is at \`/v1/booking/sources\`.`);
const Count = (description: string, example: number) =>
  Type.Integer({ description, minimum: 0, maximum: 2_147_483_647, examples: [example] });
const code = (description: string, example: string) =>
  Type.String({ description, maxLength: 255, examples: [example] });
const booker = Type.Boolean({ description: 'The contact booked it.' });
const guest = Type.Boolean({ description: 'The contact stays.' });

const money = {
  deposit_amount: Money('The deposit paid.', 50),
  room_gross_value: Money('The room, with tax.', 240),
  room_net_value: Money('The room, without tax.', 200),
  extras_gross_value: Money('The extras, with tax.', 24),
  extras_net_value: Money('The extras, without tax.', 20),
};
const optional = {
  total_children: Count('How many of them are children.', 0),
  ...money,
  room_rate_code: code('Internal code.', 'BAR'),
  room_package_code: code('Internal code.', 'DBB'),
  used_voucher: Type.Boolean(),
  booking_has_pets: Type.Boolean(),
  stay_travel_agent: code('Where it came through an online travel agent.', 'Rooms Online'),
};
export const moneyFields = Object.keys(money) as (keyof typeof money)[];
export const optionalFields = Object.keys(optional) as (keyof typeof optional)[];

const extra = {
  name: Type.String({ maxLength: 255, examples: ['Spa day'] }),
  reference: code('The SKU or product reference.', 'SPA-1'),
  quantity: Type.Number({ minimum: -999_999_999, maximum: 999_999_999, examples: [1] }),
  price: Type.Number({
    description: 'In pence.',
    minimum: -99_999_999_999,
    maximum: 99_999_999_999,
    examples: [4500],
  }),
};
const NewExtra = Type.Object({
  name: extra.name,
  reference: extra.reference,
  start_date: Type.Optional(WallClock('The check-in date unless given.')),
  end_date: Type.Optional(WallClock('The check-out date unless given.')),
  quantity: Type.Optional(extra.quantity),
  price: extra.price,
});

/** One of the contact write's `stays`. */
export const NewStay = Type.Object({
  booker,
  guest,
  unit_id: Id('Where.'),
  provider_id: Id('The partner that the reference is from.'),
  stay_reference: code('The partner’s own reference: sent again, it updates the stay.', 'S-77'),
  enquiry_date: WallClock('When the stay was created.'),
  checkin_date: WallClock('When the guest arrives; or `check_in_date`.', { 'x-also': 'check_in_date' }),
  checkout_date: WallClock('When the guest leaves; or `check_out_date`.', { 'x-also': 'check_out_date' }),
  check_in_date: Type.Optional(WallClock('The same as `checkin_date`.')),
  check_out_date: Type.Optional(WallClock('The same as `checkout_date`.')),
  room_type_id: roomTypeId,
  total_guests: Count('Adults and children.', 2),
  booking_enquiry_source_id: sourceId,
  booking_status_id: bookingStatusId,
  ...Type.Partial(Type.Object(optional)).properties,
  extras: Type.Optional(Type.Array(NewExtra)),
});
export type NewStay = Static<typeof NewStay>;

const answered = Object.fromEntries(
  Object.entries(optional).map(([name, schema]) => [name, Nullable(schema)]),
) as unknown as { [K in keyof typeof optional]: ReturnType<typeof Nullable<(typeof optional)[K]>> };

export const Stay = Type.Object({
  id: Id('Stay id'),
  contact_id: Id('The contact that booked it or stays.'),
  booker,
  guest,
  unit_id: Id('Where.'),
  unit_name: Type.String({ examples: ['The Harbour Hotel'] }),
  provider_id: Id('The partner.'),
  stay_reference: Type.String(),
  enquiry_date: WallClock('When the stay was created.'),
  checkin_date: WallClock('When the guest arrives.'),
  checkout_date: WallClock('When the guest leaves.'),
  room_type_id: roomTypeId,
  total_guests: Type.Integer(),
  booking_enquiry_source_id: sourceId,
  booking_status_id: bookingStatusId,
  ...answered,
  extras: Type.Array(
    Type.Object({
      ...extra,
      start_date: WallClock('From when.'),
      end_date: WallClock('Until when.'),
    }),
  ),
});
export type Stay = Static<typeof Stay>;
