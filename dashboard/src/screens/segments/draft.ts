import {
  type Condition,
  type ConditionValue,
  type Definition,
  fieldOf,
  maxDepth,
  type Op,
  udfOps,
} from '#service/shared/segment-fields.ts';

/** A value while it is edited. A number that is not typed yet is null. */
export type DraftValue = string | number | boolean | (number | null)[] | null | undefined;

export interface DraftCondition {
  kind: 'condition';
  id: number;
  not: boolean;
  /** Blank: not chosen yet. */
  field: string;
  op: Op | undefined;
  value: DraftValue;
  /** Undefined: at any time. */
  in_last_days: number | null | undefined;
  unit_ids: number[];
}

export interface DraftGroup {
  kind: 'group';
  id: number;
  not: boolean;
  join: 'all' | 'any';
  parts: DraftPart[];
}

export type DraftPart = DraftCondition | DraftGroup;

let lastId = 0;
const newId = () => ++lastId;

export const emptyCondition = (): DraftCondition => ({
  ...{ kind: 'condition', id: newId(), not: false, field: '', op: undefined },
  ...{ value: undefined, in_last_days: undefined, unit_ids: [] },
});

export const newGroup = (join: 'all' | 'any', parts: DraftPart[] = [emptyCondition()]): DraftGroup => ({
  ...{ kind: 'group', id: newId(), not: false, join, parts },
});

/** The draft of a stored definition. Two `not` around each other are left out. */
export function draftOf(definition: Definition | undefined): DraftGroup {
  if (!definition) return newGroup('all');
  const part = partOf(definition);
  return part.kind === 'group' ? part : newGroup('all', [part]);
}

function partOf(definition: Definition): DraftPart {
  if ('not' in definition) {
    const inner = partOf(definition.not);
    return { ...inner, not: !inner.not };
  }
  if ('all' in definition) return newGroup('all', definition.all.map(partOf));
  if ('any' in definition) return newGroup('any', definition.any.map(partOf));
  const { field, op, value, in_last_days, unit_ids = [] } = definition;
  return { kind: 'condition', id: newId(), not: false, field, op, value, in_last_days, unit_ids };
}

/** A stored draft gets new ids, because the numbering starts again in each page. */
export function withNewIds<Part extends DraftPart>(part: Part): Part {
  const parts = part.kind === 'group' ? { parts: part.parts.map(withNewIds) } : {};
  return { ...part, ...parts, id: newId() };
}

export interface Written {
  definition: Definition;
  /** The ids of the parts by their paths in the definition. */
  places: Map<string, number>;
}

/** The definition of a complete draft. Groups of one part are left out. */
export function definitionOf(root: DraftGroup): Written {
  const places = new Map<string, number>();
  const write = (part: DraftPart, path: string, isNegated: boolean): Definition => {
    const not = part.not !== isNegated;
    if (part.kind === 'group' && part.parts[0] && part.parts.length === 1) return write(part.parts[0], path, not);
    places.set(path, part.id);
    if (not) return { not: writeInner(part, `${path}.not`) };
    return writeInner(part, path);
  };
  const writeInner = (part: DraftPart, path: string): Definition => {
    places.set(path, part.id);
    if (part.kind === 'condition') return conditionOf(part);
    const parts = part.parts.map((one, n) => write(one, `${path}.${part.join}.${n}`, false));
    return part.join === 'all' ? { all: parts } : { any: parts };
  };
  return { definition: write(root, 'definition', false), places };
}

function conditionOf({ field, op = 'is', value, in_last_days, unit_ids }: DraftCondition): Condition {
  const takes = fieldOf(field);
  return {
    field,
    op,
    ...(shapeOf(field, op) === 'none' ? {} : { value: value as ConditionValue }),
    ...(takes?.takesDays && typeof in_last_days === 'number' ? { in_last_days } : {}),
    ...(takes?.takesUnits && unit_ids.length > 0 ? { unit_ids } : {}),
  };
}

/** The messages of the service by the ids of the parts that they are about. */
export function problemsByPart(fields: Readonly<Record<string, string>>, places: Written['places']) {
  const problems = new Map<number, string>();
  for (const [field, message] of Object.entries(fields)) {
    let path = field;
    while (path !== '' && !places.has(path)) path = path.slice(0, Math.max(path.lastIndexOf('.'), 0));
    const id = places.get(path);
    if (id !== undefined && !problems.has(id)) problems.set(id, message);
  }
  return problems;
}

/** What is missing, by the ids of the conditions. */
export function gapsIn(part: DraftPart): Map<number, string> {
  if (part.kind === 'group') return new Map(part.parts.flatMap((one) => [...gapsIn(one)]));
  const gap = gapOf(part);
  return new Map(gap === undefined ? [] : [[part.id, gap]]);
}

function gapOf({ field, op, value, in_last_days }: DraftCondition): string | undefined {
  if (field === '' || op === undefined) return 'Choose a condition.';
  if (in_last_days === null) return 'Enter the number of days.';
  switch (shapeOf(field, op)) {
    case 'none':
    case 'flag':
    case 'gender':
      return undefined;
    case 'ids':
      return Array.isArray(value) && value.length > 0 ? undefined : 'Choose at least one.';
    case 'range':
      return Array.isArray(value) && value.every((one) => one !== null) ? undefined : 'Enter both numbers.';
    case 'text':
      return typeof value === 'string' && value.trim() !== '' ? undefined : 'Enter a text.';
    case 'date':
      return typeof value === 'string' && value !== '' ? undefined : 'Enter a date.';
    default:
      return typeof value === 'number' ? undefined : 'Enter a number.';
  }
}

export type Shape = 'none' | 'number' | 'range' | 'days' | 'date' | 'month' | 'text' | 'gender' | 'flag' | 'ids';

/** The kind of value that a condition takes. */
export function shapeOf(field: string, op: Op): Shape {
  switch (op) {
    case 'known':
    case 'unknown':
      return 'none';
    case 'at_least':
    case 'at_most':
      return 'number';
    case 'between':
      return 'range';
    case 'in_last_days':
    case 'not_in_last_days':
    case 'in_next_days':
      return 'days';
    case 'before':
    case 'after':
      return 'date';
    case 'in_month':
      return 'month';
    case 'in':
    case 'not_in':
      return 'ids';
    default:
      if (fieldOf(field)?.kind === 'flag') return 'flag';
      return field === 'gender' && op !== 'starts_with' ? 'gender' : 'text';
  }
}

const firstValues: Record<Shape, DraftValue> = {
  none: undefined,
  number: 1,
  range: [1, 2],
  days: 30,
  date: '',
  month: 1,
  text: '',
  gender: 'F',
  flag: true,
  ids: [],
};

const firstValue = (field: string, op: Op): DraftValue => {
  if (field === 'spend' || field === 'average_spend') return op === 'between' ? [0, 100] : 100;
  if (field === 'nps') return op === 'between' ? [0, 6] : op === 'at_most' ? 6 : 9;
  return firstValues[shapeOf(field, op)];
};

export const opsOf = (field: string, udfType: keyof typeof udfOps | undefined): readonly Op[] =>
  udfType ? udfOps[udfType] : (fieldOf(field)?.ops ?? []);

/** Another field keeps the rest of the condition if it can be compared in the same way. */
export function withField(condition: DraftCondition, field: string, udfType: keyof typeof udfOps | undefined) {
  const ops = opsOf(field, udfType);
  const op = condition.op && ops.includes(condition.op) ? condition.op : ops[0];
  const isAlike = fieldOf(field)?.kind === fieldOf(condition.field)?.kind && fieldOf(field)?.kind !== 'ids';
  const value = isAlike && op === condition.op ? condition.value : op && firstValue(field, op);
  const takes = fieldOf(field);
  return {
    ...condition,
    ...{ field, op, value },
    in_last_days: takes?.takesDays ? condition.in_last_days : undefined,
    unit_ids: takes?.takesUnits ? condition.unit_ids : [],
  };
}

/** Another op keeps the value if it has the same kind. */
export function withOp(condition: DraftCondition, op: Op): DraftCondition {
  const isAlike = condition.op !== undefined && shapeOf(condition.field, condition.op) === shapeOf(condition.field, op);
  return { ...condition, op, value: isAlike ? condition.value : firstValue(condition.field, op) };
}

/** Replaces a part. Undefined removes it, and a group that has no other part. */
export function changed(
  part: DraftPart,
  id: number,
  change: (part: DraftPart) => DraftPart | undefined,
): DraftPart | undefined {
  if (part.id === id) return change(part);
  if (part.kind === 'condition') return part;
  const parts = part.parts.map((one) => changed(one, id, change)).filter((one) => one !== undefined);
  if (parts.length === 0) return undefined;
  return parts.length === part.parts.length && parts.every((one, n) => one === part.parts[n])
    ? part
    : { ...part, parts };
}

/** The level of groups that still has room for a group and a condition below it, with a `not` around the condition. */
export const mayNest = (level: number) => level + 3 <= maxDepth;
