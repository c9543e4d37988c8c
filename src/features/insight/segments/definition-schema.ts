import Type from 'typebox';

export {
  type Condition,
  type ConditionValue,
  conditionsOf,
  type Definition,
  type Field,
  type FigureField,
  fieldOf,
  figureFields,
  maxConditions,
  maxDays,
  maxDepth,
  maxIds,
  type Op,
  segmentIdsIn,
  udfIdOf,
  udfOps,
  type VisitDate,
  visitDates,
} from '../../../shared/segment-fields.ts';

/** The limits of a definition together with the segments that it refers to. */
export const maxNesting = 5;
export const maxConditionsInAll = 200;

const part = { type: 'object' };
const Parts = (description: string) => Type.Optional(Type.Array(Type.Unsafe<object>(part), { description }));

/** It is recursive, so its parts are named in words only. `definition.ts` reads what is sent. */
export const DefinitionShape = Type.Object(
  {
    all: Parts('Definitions that all hold.'),
    any: Parts('At least one of these definitions must hold.'),
    not: Type.Optional(Type.Unsafe<object>({ ...part, description: 'A definition that does not hold.' })),
    field: Type.Optional(Type.String({ description: 'The field of a condition.' })),
    op: Type.Optional(Type.String({ description: 'How the field is compared.' })),
    value: Type.Optional(
      Type.Unsafe<unknown>({ description: 'Text, number, `[low, high]`, date, days or ids, by op.' }),
    ),
    in_last_days: Type.Optional(Type.Integer({ description: 'Only activity of the last days, today included.' })),
    unit_ids: Type.Optional(Type.Array(Type.Integer(), { description: 'Only activity at these units.' })),
  },
  {
    title: 'SegmentDefinition',
    description:
      'One of `all`, `any`, `not`, or a condition. At most 5 levels and 50 conditions. The admin guide lists fields and ops.',
    'x-raw': true,
  },
);
