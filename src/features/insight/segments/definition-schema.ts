import Type from 'typebox';

/** The limits of a definition. */
export const maxDepth = 5;
export const maxConditions = 50;
export const maxIds = 100;
export const maxDays = 36_500;
/** The limits of a definition together with the segments that it refers to. */
export const maxNesting = 5;
export const maxConditionsInAll = 200;

const textOps = ['is', 'is_not', 'starts_with', 'known', 'unknown'] as const;
const listOps = ['in', 'not_in'] as const;
const numberOps = ['at_least', 'at_most', 'between'] as const;
const dateOps = ['in_last_days', 'not_in_last_days', 'before', 'after', 'known', 'unknown'] as const;
const birthdayOps = ['in_next_days', 'in_month'] as const;

export type Op =
  | (typeof textOps)[number]
  | (typeof listOps)[number]
  | (typeof numberOps)[number]
  | (typeof dateOps)[number]
  | (typeof birthdayOps)[number];

/** The figures of a contact that a condition can compare. */
export const figureFields = [
  'visits',
  'purchases',
  'bookings',
  'cancelled_bookings',
  'stays',
  'spend',
  'average_spend',
  'vouchers_redeemed',
] as const;
export type FigureField = (typeof figureFields)[number];
export const visitDates = ['last_visit', 'first_visit'] as const;
export type VisitDate = (typeof visitDates)[number];

export interface Field {
  kind: 'text' | 'flag' | 'ids' | 'figure' | 'nps' | 'date' | 'birthday' | 'udf';
  ops: readonly Op[];
  /** Whether a condition may add `in_last_days` and `unit_ids`. */
  takesDays: boolean;
  takesUnits: boolean;
}

const plain = { takesDays: false, takesUnits: false };
const ofActivity = { takesDays: true, takesUnits: true };
const texts = [
  ...['first_name', 'last_name', 'email', 'mobile_number', 'postcode', 'city', 'county', 'country', 'gender', 'title'],
  ...['membership_number', 'membership_type'],
];

const fields = new Map<string, Field>([
  ...texts.map((name): [string, Field] => [name, { kind: 'text', ops: textOps, ...plain }]),
  ...['allow_email', 'allow_sms', 'allow_call', 'allow_snail_mail'].map((name): [string, Field] => [
    name,
    { kind: 'flag', ops: ['is'], ...plain },
  ]),
  ...['unit', 'group', 'source', 'segment'].map((name): [string, Field] => [
    name,
    { kind: 'ids', ops: listOps, ...plain },
  ]),
  ...figureFields.map((name): [string, Field] => [name, { kind: 'figure', ops: numberOps, ...ofActivity }]),
  ['nps', { kind: 'nps', ops: [...numberOps, 'known', 'unknown'], ...ofActivity }],
  ...visitDates.map((name): [string, Field] => [
    name,
    { kind: 'date', ops: dateOps, takesDays: false, takesUnits: true },
  ]),
  ['created_at', { kind: 'date', ops: dateOps, ...plain }],
  ['dob', { kind: 'date', ops: dateOps, ...plain }],
  ['birthday', { kind: 'birthday', ops: birthdayOps, ...plain }],
]);

/** The ops of a user-defined field, by its type. */
export const udfOps = { text: textOps, date: dateOps } as const;
const udf: Field = { kind: 'udf', ops: [...new Set([...textOps, ...dateOps])], ...plain };

const udfName = /^udf:(\d{1,15})$/;

/** Undefined: there is no such field. */
export function fieldOf(name: string): Field | undefined {
  return udfName.test(name) ? udf : fields.get(name);
}

/** The id in `udf:5`. */
export function udfIdOf(name: string): number | undefined {
  const [, id] = udfName.exec(name) ?? [];
  return id === undefined ? undefined : Number(id);
}

export type ConditionValue = string | number | boolean | number[];

export interface Condition {
  field: string;
  op: Op;
  value?: ConditionValue;
  in_last_days?: number;
  unit_ids?: number[];
}

export type Definition = { all: Definition[] } | { any: Definition[] } | { not: Definition } | Condition;

/** The conditions of a definition with their paths, in order. */
export function conditionsOf(definition: Definition, path = 'definition'): { condition: Condition; path: string }[] {
  if ('all' in definition) return definition.all.flatMap((part, n) => conditionsOf(part, `${path}.all.${n}`));
  if ('any' in definition) return definition.any.flatMap((part, n) => conditionsOf(part, `${path}.any.${n}`));
  if ('not' in definition) return conditionsOf(definition.not, `${path}.not`);
  return [{ condition: definition, path }];
}

/** The ids of the segments that the definition refers to. */
export function segmentIdsIn(definition: Definition): number[] {
  return conditionsOf(definition).flatMap(({ condition }) =>
    condition.field === 'segment' && Array.isArray(condition.value) ? condition.value : [],
  );
}

const part = { type: 'object' };
const Parts = (description: string) => Type.Optional(Type.Array(Type.Unsafe<object>(part), { description }));

/** It is recursive, so its parts are named in words only. `definition.ts` reads what is sent. */
export const DefinitionShape = Type.Object(
  {
    all: Parts('Definitions that all hold.'),
    any: Parts('Definitions of which at least one holds.'),
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
