import { listRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { stayRecorded } from './event-schema.ts';
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
        response: { id: 4, ...stayRecorded.example, unit_name: 'The Harbour Hotel' },
      },
    },
    (tx, { accountId, ids, slice }) => listStays(tx, accountId, ids.contact_id, slice),
  ),
];
