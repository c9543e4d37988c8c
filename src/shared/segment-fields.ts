/** The fields of a segment's conditions, and how each can be compared. */

/** The limits of a definition. */
export const maxDepth = 5;
export const maxConditions = 50;
export const maxIds = 100;
export const maxDays = 36_500;

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

export const textFields = [
  'first_name',
  'last_name',
  'email',
  'mobile_number',
  'postcode',
  'city',
  'county',
  'country',
  'gender',
  'title',
  'membership_number',
  'membership_type',
] as const;
export const flagFields = ['allow_email', 'allow_sms', 'allow_call', 'allow_snail_mail'] as const;
/** Fields whose values are ids. */
export const idFields = ['unit', 'group', 'source', 'segment'] as const;
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

/** The fields that every account has. */
export type FieldName =
  | (typeof textFields)[number]
  | (typeof flagFields)[number]
  | (typeof idFields)[number]
  | FigureField
  | 'nps'
  | VisitDate
  | 'created_at'
  | 'dob'
  | 'birthday';

export interface Field {
  kind: 'text' | 'flag' | 'ids' | 'figure' | 'nps' | 'date' | 'birthday' | 'udf';
  ops: readonly Op[];
  /** Whether a condition may add `in_last_days` and `unit_ids`. */
  takesDays: boolean;
  takesUnits: boolean;
}

const plain = { takesDays: false, takesUnits: false };
const ofActivity = { takesDays: true, takesUnits: true };

const fields = new Map<string, Field>([
  ...textFields.map((name): [FieldName, Field] => [name, { kind: 'text', ops: textOps, ...plain }]),
  ...flagFields.map((name): [FieldName, Field] => [name, { kind: 'flag', ops: ['is'], ...plain }]),
  ...idFields.map((name): [FieldName, Field] => [name, { kind: 'ids', ops: listOps, ...plain }]),
  ...figureFields.map((name): [FieldName, Field] => [name, { kind: 'figure', ops: numberOps, ...ofActivity }]),
  ['nps', { kind: 'nps', ops: [...numberOps, 'known', 'unknown'], ...ofActivity }],
  ...visitDates.map((name): [FieldName, Field] => [
    name,
    { kind: 'date', ops: dateOps, takesDays: false, takesUnits: true },
  ]),
  ['created_at', { kind: 'date', ops: dateOps, ...plain }],
  ['dob', { kind: 'date', ops: dateOps, ...plain }],
  ['birthday', { kind: 'birthday', ops: birthdayOps, ...plain }],
] satisfies [FieldName, Field][]);

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
