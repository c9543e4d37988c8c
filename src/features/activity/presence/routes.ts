import { batchedRead } from '../../../platform/http/route.ts';
import { findManyPops, findPops, popErrors } from './read.ts';
import { FindPops, Pops, popsExample } from './schema.ts';

export const presenceRoutes = [
  batchedRead(
    {
      method: 'GET',
      path: '/v1/pop/by_date',
      access: 'partner',
      account: 'required',
      tag: 'Presence',
      operationId: 'searchPresence',
      summary: 'Search a contact’s presence (PoP)',
      description:
        'Returns the purchases, bookings and wifi interactions of a contact in a range of days. Bookings and wifi are pages, selected by `page`. Purchases are not paged: at most 10,000 purchases, 50,000 lines and 8 MiB; more returns 422 on `end_date`.',
      takesPage: true,
      input: FindPops,
      alsoCheck: (tx, { accountId, input }) => popErrors(tx, accountId, input),
      response: Pops,
      example: {
        input: {
          account_id: 1,
          contact_id: 42,
          start_date: '2026-03-01',
          end_date: '2026-03-31',
          types: ['purchases', 'booking'],
        },
        response: popsExample,
      },
    },
    findManyPops,
    (tx, call) => findPops(tx, call.accountId, call),
  ),
];
