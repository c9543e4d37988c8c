import { listRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { listStays } from './read.ts';
import { Stay } from './schema.ts';

export const stayRoutes = [
  listRoute(
    {
      method: 'GET',
      path: '/v1/contact/:contact_id/stays',
      access: 'partner',
      tag: 'Contacts',
      operationId: 'listContactStays',
      summary: 'List a contact’s stays',
      description:
        'Lists the stays that the contact booked or was a guest of, latest check-in first. The id of a merged contact returns the stays of the survivor.',
      input: NoFields,
      response: Stay,
      example: {
        response: {
          id: 4,
          contact_id: 42,
          booker: true,
          guest: true,
          unit_id: 2,
          unit_name: 'The Harbour Hotel',
          provider_id: 12,
          stay_reference: 'S-77',
          enquiry_date: '2026-01-10 09:00:00',
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
          used_voucher: null,
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
      },
    },
    (tx, { accountId, ids, slice }) => listStays(tx, accountId, ids.contact_id, slice),
  ),
];
