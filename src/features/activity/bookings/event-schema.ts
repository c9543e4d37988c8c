import Type from 'typebox';
import { bookingStages, listed } from '../../../shared/codes.ts';
import { eventKind } from '../../../shared/event-kind.ts';
import { Id, Nullable, WallClock } from '../../../shared/fields.ts';

const amount = (description: string) => Type.String({ description: `${description} Two decimal places.` });

export const bookingRecorded = eventKind(
  'booking.recorded',
  'A booking was stored or changed.',
  Type.Object(
    {
      contact_id: Id('The contact.'),
      booking_reference: Type.String({ description: 'The partner’s own reference.' }),
      provider_id: Nullable(Id('The provider of the reference.')),
      unit_id: Id('The unit.'),
      stage_value: Type.Integer({ description: `${listed(bookingStages)}.` }),
      type_id: Nullable(Id('The type.')),
      source_id: Nullable(Id('The booking source.')),
      party_enquirytime: WallClock('The time of the enquiry.'),
      party_datetime: Nullable(WallClock('The start.')),
      party_size: Nullable(Type.Integer({ description: 'The number of people.' })),
      deposit_paid: amount('The deposit.'),
      hpbr_food: amount('The spend per head on food.'),
      hpbr_drink: amount('The spend per head on drink.'),
      hpbr_entertainment: amount('The spend per head on entertainment.'),
      table_numbers: Type.Array(Type.String(), { description: 'The tables of the party.' }),
    },
    { title: 'BookingRecorded' },
  ),
  {
    contact_id: 42,
    booking_reference: 'B-1042',
    provider_id: 1,
    unit_id: 2,
    stage_value: 1,
    type_id: null,
    source_id: 9,
    party_enquirytime: '2026-02-20 09:15:00',
    party_datetime: '2026-03-01 19:30:00',
    party_size: 4,
    deposit_paid: '25.00',
    hpbr_food: '0.00',
    hpbr_drink: '0.00',
    hpbr_entertainment: '0.00',
    table_numbers: ['12'],
  },
);
