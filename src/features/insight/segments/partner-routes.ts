import { listRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { contact } from '../../guests/contacts/examples.ts';
import { Contact } from '../../guests/contacts/schema.ts';
import { listPartnerSegments } from './manage.ts';
import { listPartnerMembers } from './members.ts';
import { PartnerSegment } from './schema.ts';

const partner = { method: 'GET', access: 'partner', tag: 'Contacts', input: NoFields } as const;

export const partnerSegmentRoutes = [
  listRoute(
    {
      ...partner,
      path: '/v1/segments',
      operationId: 'listSegments',
      summary: 'List segments',
      description: 'Segments are sets of contacts that staff define. Sorted by id.',
      response: PartnerSegment,
      example: { response: { id: 7, name: 'Gold regulars', count: 310 } },
    },
    (tx, { accountId, slice, receivedAt: now }) => listPartnerSegments(tx, accountId, slice, { now }),
  ),
  listRoute(
    {
      ...partner,
      path: '/v1/segments/:segment_id/contacts',
      operationId: 'listSegmentContacts',
      summary: 'List the contacts of a segment',
      description: 'Newest first, with their consent flags.',
      response: Contact,
      example: { response: contact },
    },
    (tx, { accountId, ids, slice, baseUrl, receivedAt: now }) =>
      listPartnerMembers(tx, accountId, ids.segment_id, slice, { now }, baseUrl),
  ),
];
