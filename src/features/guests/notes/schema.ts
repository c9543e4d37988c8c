import Type, { type Static } from 'typebox';
import { Id, Nullable, WallClock } from '../../../shared/fields.ts';

const text = Type.String({
  description: 'The text of the note.',
  minLength: 1,
  maxLength: 500,
  examples: ['Prefers the window table.'],
});

export const NewNote = Type.Object(
  {
    text,
    created_at: Type.Optional(WallClock('The time. The default is the time of the request.')),
  },
  { title: 'NoteWrite' },
);
export type NewNote = Static<typeof NewNote>;

export const Note = Type.Object(
  { id: Id('The id of the note.'), text, created_at: WallClock('The time.') },
  { title: 'Note' },
);
export type Note = Static<typeof Note>;

export const StaffNewNote = Type.Pick(NewNote, ['text'], { title: 'StaffNoteCreate' });
export type StaffNewNote = Static<typeof StaffNewNote>;

export const StaffNote = Type.Object(
  {
    ...Note.properties,
    author: Nullable(Type.String({ description: 'The user who wrote the note. Null if a partner sent it.' })),
  },
  { title: 'StaffNote' },
);
export type StaffNote = Static<typeof StaffNote>;
