import { jsonRoute, listRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { listNotes, listStaffNotes } from './read.ts';
import { Note, StaffNewNote, StaffNote } from './schema.ts';
import { writeNote } from './write.ts';

const note = { id: 7, text: 'Prefers the window table.', created_at: '2026-03-01 12:30:00' };
const staff = { access: 'admin', tag: 'Manage contacts' } as const;
const path = '/admin/v1/accounts/:account_id/contacts/:contact_id/notes';

export const noteRoutes = [
  listRoute(
    {
      method: 'GET',
      path: '/v1/contact/:contact_id/notes',
      access: 'partner',
      tag: 'Contacts',
      operationId: 'listContactNotes',
      summary: 'List a contact’s notes',
      description: 'Newest first. The id of a merged contact returns the notes of the survivor.',
      input: NoFields,
      response: Note,
      example: { response: note },
    },
    (tx, { accountId, ids, slice }) => listNotes(tx, accountId, ids.contact_id, slice),
  ),
  listRoute(
    {
      ...staff,
      method: 'GET',
      path,
      operationId: 'adminListContactNotes',
      summary: 'List a contact’s notes with authors',
      description: 'Newest first. The id of a merged contact returns the notes of the survivor.',
      input: NoFields,
      response: StaffNote,
      example: { response: { ...note, author: 'jo@example.com' } },
    },
    (tx, { accountId, ids, slice }) => listStaffNotes(tx, accountId, ids.contact_id, slice),
  ),
  jsonRoute(
    {
      ...staff,
      method: 'POST',
      path,
      operationId: 'adminAddContactNote',
      action: 'note.create',
      summary: 'Add a note to a contact',
      description: 'The author is the signed-in user. A repeated request adds another note.',
      input: StaffNewNote,
      response: StaffNote,
      status: 201,
      example: { input: { text: note.text }, response: { ...note, author: 'jo@example.com' } },
    },
    (tx, { accountId, ids, input, actor }) => writeNote(tx, accountId, ids.contact_id, input, actor),
  ),
];
