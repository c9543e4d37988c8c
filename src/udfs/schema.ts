import Type, { type Static } from 'typebox';
import { Id } from '../shared/fields.ts';

export const UdfValue = Type.Object({
  id: Id('The user-defined field.'),
  data: Type.String({ description: 'Its value: text, or a date.', maxLength: 10_000, examples: ['Nut allergy'] }),
});
export type UdfValue = Static<typeof UdfValue>;
