import Type, { type Static } from 'typebox';
import { Id, Nullable, WallClock } from '../../../shared/fields.ts';

const text = Type.String({ minLength: 1, maxLength: 500, examples: ['Prefers the window table.'] });

export const NewNote = Type.Object({
  text,
  created_at: Type.Optional(WallClock('When it was written; the time of the request unless given.')),
});
export type NewNote = Static<typeof NewNote>;

export const Note = Type.Object({ id: Id('Note id'), text, created_at: WallClock('When it was written.') });
export type Note = Static<typeof Note>;

export const StaffNewNote = Type.Pick(NewNote, ['text']);
export type StaffNewNote = Static<typeof StaffNewNote>;

export const StaffNote = Type.Object({
  ...Note.properties,
  author: Nullable(Type.String({ description: 'Who of the staff wrote it; null: a partner sent it.' })),
});
export type StaffNote = Static<typeof StaffNote>;
