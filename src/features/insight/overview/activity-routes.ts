import { jsonRoute } from '../../../platform/http/route.ts';
import { activityErrors, listActivity, listRedemptions } from './activity.ts';
import { ActivityList, ListActivity, ListRedemptions, RedemptionList } from './activity-schema.ts';

const staff = { method: 'GET', access: 'admin', tag: 'Overview', mayBeStale: true } as const;
const path = '/admin/v1/accounts/:account_id/activity';

export const activityRoutes = [
  jsonRoute(
    {
      ...staff,
      path,
      operationId: 'adminListActivity',
      summary: 'List the activity behind a figure',
      description:
        'Returns the purchases, bookings, stays or ratings that the overview counts for the same days and unit, newest first, 50 at a time. ' +
        'The total is the number in the overview.',
      input: ListActivity,
      alsoCheck: (tx, { accountId, input }) => activityErrors(tx, accountId, input),
      response: ActivityList,
      example: {
        input: { kind: 'purchases' },
        response: {
          from: '2026-03-01',
          to: '2026-03-01',
          unit: null,
          total: 61,
          spend: 1840.5,
          data: [
            {
              id: 9,
              at: '2026-03-01 20:05:00',
              unit: { id: 2, name: 'The Anchor' },
              contact: { id: 42, name: 'Ana Silva' },
              purchase: { transaction_reference: 'T-88123', total: '11.50', is_waiting: false },
              booking: null,
              stay: null,
              rating: null,
            },
          ],
          next: 'MjAyNi0wMy0wMSAyMDowNTowMC4wMDAwMDB8OQ',
        },
      },
    },
    (tx, { accountId, input, receivedAt }) => listActivity(tx, accountId, input, receivedAt),
  ),
  jsonRoute(
    {
      ...staff,
      path: `${path}/redemptions`,
      operationId: 'adminListRedemptions',
      summary: 'List redeemed unique codes by group',
      description:
        'Returns the unique code groups with codes that were redeemed in these days and at this unit, most codes first, 50 at a time. ' +
        'The total is the number in the overview.',
      input: ListRedemptions,
      alsoCheck: (tx, { accountId, input }) => activityErrors(tx, accountId, input),
      response: RedemptionList,
      example: {
        response: {
          from: '2026-03-01',
          to: '2026-03-01',
          unit: null,
          total: 7,
          data: [{ id: 3, name: 'Summer vouchers', redeemed: 7 }],
          next: null,
        },
      },
    },
    (tx, { accountId, input, receivedAt }) => listRedemptions(tx, accountId, input, receivedAt),
  ),
];
