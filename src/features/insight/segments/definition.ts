import { formats } from '../../../shared/formats.ts';
import { oneOf } from '../../../shared/phrases.ts';
import type { ErrorCollector } from '../../../shared/problem.ts';
import {
  booleanReader,
  integerReader,
  numberReader,
  textReader,
  type ValueReader,
} from '../../../shared/read-values.ts';
import { isRecord } from '../../../shared/record.ts';
import {
  type Condition,
  type ConditionValue,
  type Definition,
  type Field,
  fieldOf,
  maxConditions,
  maxDays,
  maxDepth,
  maxIds,
  type Op,
} from './definition-schema.ts';

/** Ends the reading of a definition that is too large. Its errors have been added. */
class TooLarge extends Error {}

interface Reading {
  errors: ErrorCollector;
  conditions: number;
}

/**
 * Reads a definition as it was sent. Returns undefined if it has errors, each with its path. The work is limited by the
 * limits on depth, conditions and errors, whatever was sent.
 */
export function readDefinition(sent: unknown, errors: ErrorCollector, path = 'definition'): Definition | undefined {
  const reading = { errors, conditions: 0 };
  try {
    const definition = readNode(sent, path, 1, reading);
    return errors.isEmpty ? definition : undefined;
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

const forms = 'must be {"all": […]}, {"any": […]}, {"not": …} or a condition {"field": …, "op": …, "value": …}';

function readNode(sent: unknown, path: string, depth: number, reading: Reading): Definition | undefined {
  const { errors } = reading;
  if (!isRecord(sent) || Array.isArray(sent)) return errors.add(path, `The definition ${forms}.`);
  if (depth > maxDepth) {
    errors.add(path, `The definition may not be nested more than ${maxDepth} levels deep.`);
    throw new TooLarge();
  }
  const has = (name: string) => Object.hasOwn(sent, name);
  for (const name of ['all', 'any'] as const) {
    if (!has(name)) continue;
    refuseOthers(sent, [name], path, reading);
    const parts = readParts(sent[name], `${path}.${name}`, depth, reading);
    return parts && (name === 'all' ? { all: parts } : { any: parts });
  }
  if (has('not')) {
    refuseOthers(sent, ['not'], path, reading);
    const not = readNode(sent.not, `${path}.not`, depth + 1, reading);
    return not && { not };
  }
  if (!has('field')) return errors.add(path, `The definition ${forms}.`);
  return readCondition(sent, path, reading);
}

function readParts(sent: unknown, path: string, depth: number, reading: Reading): Definition[] | undefined {
  if (!Array.isArray(sent)) return reading.errors.add(path, 'The value must be an array of definitions.');
  if (sent.length === 0) return reading.errors.add(path, 'The array must have at least one definition.');
  const parts = sent.map((part, n) => readNode(part, `${path}.${n}`, depth + 1, reading));
  return parts.filter((part) => part !== undefined);
}

/** Longer names are cut in messages. */
const longestName = 50;

function refuseOthers(
  sent: Record<string, unknown>,
  allowed: readonly string[],
  path: string,
  { errors }: Reading,
): void {
  for (const name in sent) {
    if (allowed.includes(name) || !Object.hasOwn(sent, name)) continue;
    errors.add(`${path}.${name.slice(0, longestName)}`, `This is not expected beside ${oneOf(allowed)}.`);
  }
}

const conditionKeys = ['field', 'op', 'value', 'in_last_days', 'unit_ids'];

function readCondition(sent: Record<string, unknown>, path: string, reading: Reading): Condition | undefined {
  const { errors } = reading;
  if (++reading.conditions > maxConditions) {
    errors.add('definition', `The definition may not have more than ${maxConditions} conditions.`);
    throw new TooLarge();
  }
  refuseOthers(sent, conditionKeys, path, reading);
  const name = typeof sent.field === 'string' ? sent.field.trim() : '';
  const field = fieldOf(name);
  if (!field) return errors.add(`${path}.field`, 'The field is not one that segments know.');
  const op = field.ops.find((known) => known === sent.op);
  if (op === undefined) return errors.add(`${path}.op`, `The op of ${name} must be ${oneOf(field.ops)}.`);
  const value = readValue(sent.value, { name, field, op, path: `${path}.value`, errors });
  const in_last_days = readModifier('in_last_days', field.takesDays, days);
  const unit_ids = readModifier('unit_ids', field.takesUnits, readIds);
  return {
    field: name,
    op,
    ...(value === undefined ? {} : { value }),
    ...(in_last_days === undefined ? {} : { in_last_days: in_last_days as number }),
    ...(unit_ids === undefined ? {} : { unit_ids: unit_ids as number[] }),
  };

  function readModifier(key: 'in_last_days' | 'unit_ids', isTaken: boolean, read: ValueReader): unknown {
    const given = sent[key];
    if (given === undefined || given === null) return undefined;
    if (!isTaken) return errors.add(`${path}.${key}`, `The field ${name} takes no ${key}.`);
    return read(given, `${path}.${key}`, errors);
  }
}

const days = integerReader({ minimum: 0, maximum: maxDays }, 'days');
const month = integerReader({ minimum: 1, maximum: 12 }, 'month');
const mostMoney = 99_999_999_999;
const number = numberReader({ minimum: -mostMoney, maximum: mostMoney }, 'value');
const flag = booleanReader('value');
const text = textReader({ maxLength: 255 }, 'value');
const id = integerReader({ minimum: 1 }, 'id');

function readDay(raw: unknown, path: string, errors: ErrorCollector): string | undefined {
  const day = typeof raw === 'string' && raw.length < 30 ? formats.date?.read(raw.trim()) : undefined;
  if (day === undefined) return errors.add(path, 'The value must be a date: yyyy-mm-dd.');
  const year = Number(day.slice(0, 4));
  if (year < 1900 || year > 2199) return errors.add(path, 'The value must be a date of the years 1900 to 2199.');
  return day;
}

function readRange(raw: unknown, path: string, errors: ErrorCollector): number[] | undefined {
  if (!Array.isArray(raw) || raw.length !== 2) return errors.add(path, 'The value must be two numbers: [low, high].');
  const [low, high] = raw.map((one, n) => number(one, `${path}.${n}`, errors) as number | undefined);
  if (low === undefined || high === undefined) return undefined;
  if (low > high) return errors.add(path, 'The first number may not be greater than the second.');
  return [low, high];
}

function readIds(raw: unknown, path: string, errors: ErrorCollector): number[] | undefined {
  if (!Array.isArray(raw)) return errors.add(path, 'The value must be an array of ids.');
  if (raw.length === 0) return errors.add(path, 'The array must have at least one id.');
  if (raw.length > maxIds) return errors.add(path, `The array may not have more than ${maxIds} ids.`);
  return raw.map((one, n) => id(one, `${path}.${n}`, errors) as number);
}

/** A blank text is a value of gender only, where it stands for non-binary or other. */
function readText(raw: unknown, path: string, errors: ErrorCollector, mayBeBlank: boolean): string | undefined {
  const read = text(raw, path, errors) as string | undefined;
  if (read === '' && !mayBeBlank) return errors.add(path, 'The value may not be blank. Use the op unknown instead.');
  return read;
}

interface ValuePlace {
  name: string;
  field: Field;
  op: Op;
  path: string;
  errors: ErrorCollector;
}

function readValue(sent: unknown, { name, field, op, path, errors }: ValuePlace): ConditionValue | undefined {
  if (op === 'known' || op === 'unknown') {
    return sent === undefined || sent === null ? undefined : errors.add(path, `The op ${op} takes no value.`);
  }
  if (sent === undefined || sent === null) return errors.add(path, 'The value field is required.');
  const reader = (): ValueReader => {
    if (field.kind === 'flag') return flag;
    if (field.kind === 'ids') return readIds;
    switch (op) {
      case 'at_least':
      case 'at_most':
        return number;
      case 'between':
        return readRange;
      case 'in_last_days':
      case 'not_in_last_days':
      case 'in_next_days':
        return days;
      case 'before':
      case 'after':
        return readDay;
      case 'in_month':
        return month;
      default:
        return (raw, at, collected) => readText(raw, at, collected, name === 'gender' && op !== 'starts_with');
    }
  };
  return reader()(sent, path, errors) as ConditionValue | undefined;
}
