import Type from 'typebox';
import { eventKind } from '../../../shared/event-kind.ts';
import { Stay } from './schema.ts';

const { id: _, unit_name: __, ...fields } = Stay.properties;

export const stayRecorded = eventKind(
  'stay.recorded',
  'A stay was stored or changed. A stay of a booker and another guest has an event for each.',
  Type.Object(fields, { title: 'StayRecorded' }),
  {
    contact_id: 42,
    booker: true,
    guest: true,
    unit_id: 3,
    provider_id: 1,
    stay_reference: 'S-77',
    enquiry_date: '2026-02-01 10:00:00',
    checkin_date: '2026-03-01 15:00:00',
    checkout_date: '2026-03-03 11:00:00',
    room_type_id: 2,
    total_guests: 2,
    booking_enquiry_source_id: 1,
    booking_status_id: 3,
    total_children: 0,
    deposit_amount: 50,
    room_gross_value: 240,
    room_net_value: 200,
    extras_gross_value: null,
    extras_net_value: null,
    room_rate_code: 'BAR',
    room_package_code: null,
    used_voucher: false,
    booking_has_pets: false,
    stay_travel_agent: null,
    extras: [
      {
        name: 'Spa day',
        reference: 'SPA-1',
        quantity: 1,
        price: 4500,
        start_date: '2026-03-01 15:00:00',
        end_date: '2026-03-03 11:00:00',
      },
    ],
  },
);
