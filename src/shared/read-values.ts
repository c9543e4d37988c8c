import { formats, normalizeText } from './formats.ts';
import { oneOf, withCount } from './phrases.ts';
import type { ErrorCollector } from './problem.ts';

/** The parts of JSON Schema that our shapes use. */
export interface Shape {
  type?: string;
  format?: string;
  enum?: readonly unknown[];
  properties?: Record<string, Shape>;
  required?: readonly string[];
  items?: Shape;
  maxItems?: number;
  minItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  /** Of a text: a blank value is stored. Otherwise it counts as not sent. */
  'x-blank'?: boolean;
  /** Of a field of an item: if its value is invalid, the item is incomplete, because its other fields would mislead. */
  'x-vital'?: boolean;
  /** The name of another field that is used if this one is not sent. One of the two is required. */
  'x-also'?: string;
  /** Of a list: responses have a URL with this path instead of the list. If it is sent back, it counts as not sent. */
  'x-address'?: string;
  /** The value is taken as it is. The feature reads it itself. */
  'x-raw'?: boolean;
  /** Of an object: one of these fields is required. */
  'x-either'?: readonly string[];
}

/** Reads one value. Returns undefined and adds an error if it is invalid. */
export type ValueReader = (raw: unknown, path: string, errors: ErrorCollector) => unknown;

/** The longest number in a text. The length is checked before any pattern. */
const longestNumber = 100;

/** The number in a text that matches the pattern. Other values are returned unchanged. */
function numberIn(raw: unknown, pattern: RegExp): unknown {
  if (typeof raw !== 'string') return raw;
  const text = raw.trim();
  return text.length <= longestNumber && pattern.test(text) ? Number(text) : raw;
}

export function integerReader(shape: Shape, name: string): ValueReader {
  return (raw, path, errors) => {
    const value = numberIn(raw, /^[+-]?\d+$/);
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      return errors.add(path, `The ${name} must be an integer.`);
    }
    if (shape.enum && !shape.enum.includes(value)) {
      return errors.add(path, `The ${name} must be ${oneOf(shape.enum)}.`);
    }
    return withinBounds(shape, name, value, path, errors);
  };
}

export function numberReader(shape: Shape, name: string): ValueReader {
  return (raw, path, errors) => {
    const value = numberIn(raw, /^[+-]?(\d+(\.\d*)?|\.\d+)$/);
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      return errors.add(path, `The ${name} must be a number.`);
    }
    return withinBounds(shape, name, value, path, errors);
  };
}

function withinBounds(
  shape: Shape,
  name: string,
  value: number,
  path: string,
  errors: ErrorCollector,
): number | undefined {
  if (shape.minimum !== undefined && value < shape.minimum) {
    return errors.add(path, `The ${name} must be at least ${shape.minimum}.`);
  }
  if (shape.maximum !== undefined && value > shape.maximum) {
    return errors.add(path, `The ${name} may not be greater than ${shape.maximum}.`);
  }
  return value;
}

const truths = new Map<unknown, boolean>([
  [true, true],
  [1, true],
  ['1', true],
  ['true', true],
  ['y', true],
  [false, false],
  [0, false],
  ['0', false],
  ['false', false],
  ['n', false],
]);

export function booleanReader(name: string): ValueReader {
  return (raw, path, errors) => {
    const value = truths.get(typeof raw === 'string' ? raw.trim().toLowerCase() : raw);
    return value ?? errors.add(path, `The ${name} field must be true or false.`);
  };
}

export function textReader(shape: Shape, name: string): ValueReader {
  return (raw, path, errors) => {
    if (typeof raw !== 'string' && !(typeof raw === 'number' && Number.isFinite(raw))) {
      return errors.add(path, `The ${name} must be a string.`);
    }
    if (typeof raw === 'number' && Math.abs(raw) > Number.MAX_SAFE_INTEGER) {
      return errors.add(path, `The ${name} must be a string: as a number it is too large to be exact.`);
    }
    const { format: formatName, minLength = 0, maxLength = usualMaxLength } = shape;
    // A password is not trimmed or normalised.
    const isExact = formatName === 'password';
    const sent = isExact ? String(raw) : String(raw).trim();
    if (shape.enum && !shape.enum.includes(sent)) {
      return errors.add(path, `The ${name} must be ${oneOf(shape.enum)}.`);
    }
    const text = isExact || sent.length > maxLength * mostComposed ? sent : normalizeText(sent);
    // PostgreSQL can store neither.
    if (text.includes('\0') || !text.isWellFormed()) {
      return errors.add(path, `The ${name} holds characters that are not valid text.`);
    }
    const length = characters(text);
    if (length < minLength) {
      return errors.add(path, `The ${name} must be at least ${withCount(minLength, 'character')}.`);
    }
    if (length > maxLength) {
      return errors.add(path, `The ${name} may not be greater than ${withCount(maxLength, 'character')}.`);
    }
    const format = formatName === undefined ? undefined : formats[formatName];
    if (!format) return text;
    return format.read(text) ?? errors.add(path, `The ${name} ${format.mustBe}`);
  };
}

/** The limit of a text whose shape has none. */
const usualMaxLength = 255;

/** NFC combines at most four characters into one. A text over four times the limit stays too long and is not normalised. */
const mostComposed = 4;

/** Characters as people count them (code points), not UTF-16 units or bytes. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
