import Type, { type Static } from 'typebox';
import { Id } from '../../../shared/fields.ts';

const data = Type.String({
  description: 'The value. For a field of type date it is a date.',
  maxLength: 10_000,
  examples: ['Nut allergy'],
});

export const UdfValue = Type.Object({ id: Id('The id of the user-defined field.'), data }, { title: 'UdfValue' });
export type UdfValue = Static<typeof UdfValue>;

/** Without data, the stored value stays. */
export const NewUdfValue = Type.Object(
  { ...UdfValue.properties, data: Type.Optional(data) },
  { title: 'UdfValueWrite' },
);
export type NewUdfValue = Static<typeof NewUdfValue>;
