import { listRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { listFeedback } from './read.ts';
import { Feedback } from './schema.ts';

export const feedbackRoutes = [
  listRoute(
    {
      method: 'GET',
      path: '/v1/contact/:contact_id/feedback',
      access: 'partner',
      tag: 'Contacts',
      operationId: 'listContactFeedback',
      summary: 'List a contact’s feedback',
      description: 'Newest first. The id of a merged contact returns the feedback of the survivor.',
      input: NoFields,
      response: Feedback,
      example: {
        response: {
          id: 3,
          type_id: 1,
          source_id: 3,
          unit_id: 2,
          comments: [{ type: 'atmosphere', note: 'Lovely fire.' }],
          ratings: [{ category_id: 4, rating_text: '9', contact_note: null }],
          created_at: '2026-03-01 12:30:00',
        },
      },
    },
    (tx, { accountId, ids, slice }) => listFeedback(tx, accountId, ids.contact_id, slice),
  ),
];
