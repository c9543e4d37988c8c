import Type, { type Static } from 'typebox';
import { Id, Name, Nullable } from '../shared/fields.ts';

export const NewCodeGroup = Type.Object({
  unit_id: Id('The unit the group is on: typically the root unit.'),
  name: Name('What the group is called; unique in the account and unit, whatever the case.', 'Summer vouchers'),
});
export type NewCodeGroup = Static<typeof NewCodeGroup>;

export const CodeGroupId = Type.Object({ id: Id('Unique code group id') });

const code = Type.String({ minLength: 1, maxLength: 255, examples: ['SUMMER-7KQ'] });
export const mostCodes = 10_000;

export const NewCodes = Type.Object({
  codes: Type.Array(code, {
    description: 'Codes to add. Those that the group has already stay as they are.',
    minItems: 1,
    maxItems: mostCodes,
    examples: [['SUMMER-7KQ', 'SUMMER-P2X']],
  }),
});
export type NewCodes = Static<typeof NewCodes>;

export const CodesCreated = Type.Object({ created: Type.Integer({ description: 'How many are new.', examples: [2] }) });

export const AssignCode = Type.Object({
  unique_code_group_id: Id('The group that the code is in.'),
  unique_code: code,
  contact_id: Id('The contact to whom it is given.'),
});
export type AssignCode = Static<typeof AssignCode>;

export const UniqueCode = Type.Object({
  id: Id('Id of the code'),
  unique_code: code,
  unique_code_group_id: Id('The group that it is in.'),
  contact_id: Nullable(Id('The contact to whom it is assigned.')),
});
export type UniqueCode = Static<typeof UniqueCode>;
