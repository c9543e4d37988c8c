import { jsonRoute } from '../../platform/http/route.ts';
import { NoFields } from '../../shared/fields.ts';
import { showFigures } from './read.ts';
import { Figures } from './schema.ts';

export const figureRoutes = [
  jsonRoute(
    {
      method: 'GET',
      path: '/admin/v1/accounts/:account_id/contacts/:contact_id/figures',
      access: 'admin',
      tag: 'Manage contacts',
      operationId: 'adminGetFigures',
      summary: 'Show a contact’s figures',
      description:
        'Returns visits, spend and other sums. A visit is a day with a purchase, a booking, a check-in, a wifi connection or a redeemed unique code. The figures are right as soon as a write is answered. The id of a merged contact returns those of the survivor.',
      input: NoFields,
      response: Figures,
      example: {
        response: {
          ...{ visits: 7, spend: 231, average_spend: 38.5, first_visit: '2025-06-12', last_visit: '2026-03-01' },
          ...{ purchases: 6, bookings: 3, cancelled_bookings: 1, stays: 0, vouchers_redeemed: 2, nps: 9 },
          by_unit: [{ unit_id: 2, visits: 7, spend: 231, last_visit: '2026-03-01' }],
        },
      },
    },
    (tx, { accountId, ids }) => showFigures(tx, accountId, ids.contact_id),
  ),
];
