import Type, { type Static } from 'typebox';
import { Id } from '../../../shared/fields.ts';

const data = Type.String({ description: 'Its value: text, or a date.', maxLength: 10_000, examples: ['Nut allergy'] });

export const UdfValue = Type.Object({ id: Id('The user-defined field.'), data });
export type UdfValue = Static<typeof UdfValue>;

/** An entry without data changes nothing. */
export const NewUdfValue = Type.Object({ ...UdfValue.properties, data: Type.Optional(data) });
