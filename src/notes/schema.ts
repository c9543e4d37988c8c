import Type, { type Static } from 'typebox';
import { Id, WallClock } from '../shared/fields.ts';

const text = Type.String({ minLength: 1, maxLength: 500, examples: ['Prefers the window table.'] });

export const NewNote = Type.Object({
  text,
  created_at: Type.Optional(WallClock('When it was written; the time of the request unless given.')),
});
export type NewNote = Static<typeof NewNote>;

export const Note = Type.Object({ id: Id('Note id'), text, created_at: WallClock('When it was written.') });
export type Note = Static<typeof Note>;
