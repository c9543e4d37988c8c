import { batchedRead } from '../../../platform/http/route.ts';
import { findManyPops, findPops, wrongWithPops } from './read.ts';
import { FindPops, Pops, popsExample } from './schema.ts';

export const presenceRoutes = [
  batchedRead(
    {
      method: 'GET',
      path: '/v1/pop/by_date',
      access: 'partner',
      account: 'required',
      tag: 'PoPs',
      operationId: 'searchPresence',
      summary: 'Search a contact’s PoPs',
      description:
        'Proofs of presence: what the contact bought, when it was on the wifi, and what it booked, in a range of days. Bookings and wifi come in pages, by the query’s `page`; purchases all at once.',
      takesPage: true,
      input: FindPops,
      alsoCheck: (tx, { accountId, input }) => wrongWithPops(tx, accountId, input),
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
