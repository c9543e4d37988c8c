import Type from 'typebox';
import { eventKind } from '../../../shared/event-kind.ts';
import { Id, WallClock } from '../../../shared/fields.ts';

export const noteAdded = eventKind(
  'note.added',
  'A note was written about a contact.',
  Type.Object(
    {
      contact_id: Id('The contact.'),
      text: Type.String({ description: 'The note.' }),
      created_at: WallClock('The time of the note.'),
    },
    { title: 'NoteAdded' },
  ),
  { contact_id: 42, text: 'Prefers the window table.', created_at: '2026-03-01 12:30:00' },
);
