import { lists } from '../http/operation.ts';
import { NoFields } from '../shared/fields.ts';
import { listNotes } from './read.ts';
import { Note } from './schema.ts';

export const noteRoutes = [
  lists(
    {
      method: 'GET',
      path: '/v1/contact/:contact_id/notes',
      access: 'partner',
      tag: 'Contacts',
      summary: 'List a contact’s notes',
      description: 'Newest first. An id that was merged into another contact leads to that one.',
      input: NoFields,
      answer: Note,
      example: {
        answer: { id: 7, text: 'Prefers the window table.', created_at: '2026-03-01 12:30:00' },
      },
    },
    (tx, { accountId, ids, slice }) => listNotes(tx, accountId, ids.contact_id, slice),
  ),
];
