import { jsonRoute } from '../../../platform/http/route.ts';
import { readRequests } from './read.ts';
import { keptDays, LogPage, LogQuery } from './schema.ts';

export const requestRoutes = [
  jsonRoute(
    {
      access: 'admin',
      role: 'owner',
      tag: 'Manage tokens',
      method: 'GET',
      path: '/admin/v1/accounts/:account_id/tokens/:token_id/requests',
      operationId: 'adminListTokenRequests',
      summary: 'List a token’s requests',
      description: `The token's requests of the last ${keptDays} days, newest first, 100 at a time. An entry appears about one second after the response. It never contains a body or a value.`,
      input: LogQuery,
      response: LogPage,
      example: {
        response: {
          data: [
            {
              id: 1200,
              at: '2026-03-01T12:30:00.000Z',
              request_id: '0b6f8a52-6c0f-4a63-9b53-2f1a4f0b8e11',
              address: '203.0.113.7',
              method: 'GET',
              route: '/v1/account/units',
              status: 422,
              duration_ms: 3.2,
              error_fields: ['account_id'],
              discarded_fields: [],
            },
          ],
          next_before: null,
        },
      },
    },
    (tx, { accountId, ids, input }) => readRequests(tx, accountId, ids.token_id, input.before),
  ),
];
