import { jsonRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { readTimeline, summarizeTimeline } from './read.ts';
import { ReadTimeline, Timeline, TimelineSummary } from './schema.ts';

const staff = { method: 'GET', access: 'admin', tag: 'Manage contacts' } as const;
const path = '/admin/v1/accounts/:account_id/contacts/:contact_id/timeline';

export const timelineRoutes = [
  jsonRoute(
    {
      ...staff,
      path,
      operationId: 'adminGetTimeline',
      summary: 'Show a contact’s timeline',
      description:
        'Returns purchases, bookings, stays, wifi interactions, feedback and redeemed unique codes as one list, newest first, 50 at a time. The id of a merged contact returns the timeline of the survivor.',
      input: ReadTimeline,
      response: Timeline,
      example: {
        response: {
          data: [
            {
              kind: 'purchase',
              id: 9,
              at: '2026-03-01 20:05:00',
              unit_id: 2,
              unit_name: 'The Anchor',
              purchase: {
                transaction_reference: 'T-88123',
                provider_id: 12,
                order_type_id: 4,
                matched_by: 'table_number',
                total: '11.50',
                lines: [{ description: 'Pale ale', sku: 'ALE-1', quantity: '2', value: '11.50', tags: ['drinks'] }],
              },
              booking: null,
              stay: null,
              wifi: null,
              feedback: null,
              unique_code: null,
            },
          ],
          next: 'MjAyNi0wMy0wMSAyMDowNTowMC4wMDAwMDB8cHVyY2hhc2V8OQ',
        },
      },
    },
    (tx, { accountId, ids, input }) => readTimeline(tx, accountId, ids.contact_id, input),
  ),
  jsonRoute(
    {
      ...staff,
      path: `${path}/summary`,
      operationId: 'adminGetTimelineSummary',
      summary: 'Show a summary of a contact’s timeline',
      description:
        'Returns the last visit, the spend and the number of entries of each kind. The id of a merged contact returns the summary of the survivor.',
      input: NoFields,
      response: TimelineSummary,
      example: {
        response: {
          last_visit_at: '2026-03-01 20:05:00',
          spend: 1840.5,
          counts: { purchase: 36, booking: 24, stay: 2, wifi: 18, feedback: 1, unique_code: 1 },
        },
      },
    },
    (tx, { accountId, ids }) => summarizeTimeline(tx, accountId, ids.contact_id),
  ),
];
