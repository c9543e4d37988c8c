import type { Static, TSchema } from 'typebox';
import { formats } from './formats.ts';
import type { FieldErrors } from './problem.ts';
import { oneOf, words } from './words.ts';

/**
 * Reads what a client sent by the shape that also gives the types and the OpenAPI document: leniently (`"12"` is an
 * integer, `1` is true, blank is "no news", unknown fields are ignored) and completely (every failing field is named,
 * by its dotted path, in one go). A general JSON Schema validator does neither, hence this one.
 */
export type Reader<T> = (raw: unknown) => {
  /**
   * What could be read. A bad value is left out, and a bad one of a list leaves a hole, so that the others keep their
   * places; an object of a list that lacks what it needs stays, for what else can be said of it, until `pick` drops it.
   */
  value: T;
  errors: FieldErrors;
};

type Read = (raw: unknown, path: string, errors: FieldErrors) => unknown;

/** The parts of JSON Schema that our shapes use. */
interface Shape {
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
  /** Of a text: blank is a value, not "no news". */
  'x-blank'?: boolean;
  /** Of one of a list: without it the rest would be wrong, so a bad value spoils all of that one. */
  'x-vital'?: boolean;
  /** Another field of the same kind that stands for this one where this is not sent. This one is needed. */
  'x-also'?: string;
  /** Of a list: an answer has the list's address under this name. Sent back with the rest, that is no news. */
  'x-address'?: boolean;
}

export function reader<S extends TSchema>(schema: S): Reader<Static<S>> {
  const read = compile(schema as Shape);
  return (raw) => {
    const errors: FieldErrors = Object.create(null);
    return { value: read(raw, '', errors) as Static<S>, errors };
  };
}

export function addError(errors: FieldErrors, path: string, message: string): undefined {
  errors[path] ??= [];
  errors[path].push(message);
  return undefined;
}

/** A list as it was read. */
export type Sparse<T> = (T | undefined)[];

/** The objects of lists that lack what they need. */
const spoilt = new WeakSet<object>();

/**
 * The elements that pass and are whole. The test is given the place that each was sent in. It is also given those that
 * lack what they need, so that everything that is wrong with them is said.
 */
export function pick<T, P = T>(
  list: T[] | undefined,
  test: (element: T, place: number) => P | undefined = (element) => element as unknown as P,
): P[] {
  const passed: P[] = [];
  (list as Sparse<T> | undefined)?.forEach((element, place) => {
    if (element === undefined) return;
    const result = test(element, place);
    if (result !== undefined && !(element instanceof Object && spoilt.has(element))) passed.push(result);
  });
  return passed;
}

/** Null, absent and blank all mean "no news", but for the few texts of which blank is a value. */
function isAbsent(raw: unknown, blankCounts = false): boolean {
  return raw === undefined || raw === null || (typeof raw === 'string' && !blankCounts && raw.trim() === '');
}

function compile(shape: Shape): Read {
  switch (shape.type) {
    case 'object':
      return compileObject(shape);
    case 'array':
      return compileArray(shape);
    case 'integer':
      return (raw, path, errors) => readInteger(shape, raw, path, errors);
    case 'number':
      return (raw, path, errors) => readNumber(shape, raw, path, errors);
    case 'boolean':
      return readBoolean;
    default:
      return (raw, path, errors) => readText(shape, raw, path, errors);
  }
}

function compileObject(shape: Shape): Read {
  const required = new Set(shape.required);
  const fields = Object.entries(shape.properties ?? {}).map(([name, field]) => ({
    name,
    also: field['x-also'],
    read: compile(field),
    required: required.has(name),
    vital: required.has(name) || field['x-vital'] === true,
    blankCounts: field['x-blank'] === true,
    isAddress: field['x-address'] === true,
  }));
  const alsoNamed = fields.flatMap(({ name, also }) => (also === undefined ? [] : [{ name, also }]));
  const [hint] = [...required, ...fields.map((field) => field.name)];
  return (raw, path, errors) => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
      const what = /\.\d+$/.test(path) ? `Each of the ${words(path)}` : `The ${words(path)}`;
      return addError(errors, path, `${what} must be an object: {"${hint}": …}.`);
    }
    const own = (name: string) => (Object.hasOwn(raw, name) ? (raw as Record<string, unknown>)[name] : undefined);
    const value: Record<string, unknown> = {};
    let whole = true;
    for (const field of fields) {
      const at = path === '' ? field.name : `${path}.${field.name}`;
      const sent = own(field.name);
      if (isAbsent(sent, field.blankCounts) || (field.isAddress && typeof sent === 'string')) {
        if (!field.required || (field.also !== undefined && !isAbsent(own(field.also)))) continue;
        addError(errors, at, `The ${words(at)} field is required.`);
        whole = false;
        continue;
      }
      const read = field.read(sent, at, errors);
      if (read !== undefined) value[field.name] = read;
      else if (field.vital) whole = false;
    }
    for (const { name, also } of alsoNamed) {
      value[name] ??= value[also];
      if (value[name] === undefined) whole = false;
    }
    // One of a list that lacks what it needs is no use to anybody; what was sent as a whole still has its other fields.
    if (!whole && path !== '') spoilt.add(value);
    return value;
  };
}

function compileArray(shape: Shape): Read {
  const readItem = compile(shape.items ?? {});
  const { minItems = 0, maxItems = 1000 } = shape;
  return (raw, path, errors) => {
    // In a query a list is also written `a,b`, and a list of one looks like a plain value.
    const list = Array.isArray(raw) ? raw : typeof raw === 'string' ? raw.split(',') : undefined;
    if (!list) return addError(errors, path, `The ${words(path)} must be an array.`);
    if (list.length < minItems)
      return addError(errors, path, `The ${words(path)} must have at least ${minItems} items.`);
    if (list.length > maxItems) {
      return addError(errors, path, `The ${words(path)} may not have more than ${maxItems} items.`);
    }
    return list.map((item, index) => readItem(item, `${path}.${index}`, errors));
  };
}

function readInteger(shape: Shape, raw: unknown, path: string, errors: FieldErrors): number | undefined {
  const value = typeof raw === 'string' && /^\s*[+-]?\d+\s*$/.test(raw) ? Number(raw) : raw;
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    return addError(errors, path, `The ${words(path)} must be an integer.`);
  }
  if (shape.enum && !shape.enum.includes(value)) {
    return addError(errors, path, `The ${words(path)} must be ${oneOf(shape.enum)}.`);
  }
  return withinBounds(shape, value, path, errors);
}

function readNumber(shape: Shape, raw: unknown, path: string, errors: FieldErrors): number | undefined {
  const value = typeof raw === 'string' && /^\s*[+-]?(\d+\.?\d*|\.\d+)\s*$/.test(raw) ? Number(raw) : raw;
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    return addError(errors, path, `The ${words(path)} must be a number.`);
  }
  return withinBounds(shape, value, path, errors);
}

function withinBounds(shape: Shape, value: number, path: string, errors: FieldErrors): number | undefined {
  if (shape.minimum !== undefined && value < shape.minimum) {
    return addError(errors, path, `The ${words(path)} must be at least ${shape.minimum}.`);
  }
  if (shape.maximum !== undefined && value > shape.maximum) {
    return addError(errors, path, `The ${words(path)} may not be greater than ${shape.maximum}.`);
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

function readBoolean(raw: unknown, path: string, errors: FieldErrors): boolean | undefined {
  const value = truths.get(typeof raw === 'string' ? raw.trim().toLowerCase() : raw);
  return value ?? addError(errors, path, `The ${words(path)} field must be true or false.`);
}

function readText(shape: Shape, raw: unknown, path: string, errors: FieldErrors): unknown {
  if (typeof raw !== 'string' && !(typeof raw === 'number' && Number.isFinite(raw))) {
    return addError(errors, path, `The ${words(path)} must be a string.`);
  }
  if (typeof raw === 'number' && Math.abs(raw) > Number.MAX_SAFE_INTEGER) {
    return addError(errors, path, `The ${words(path)} must be a string: as a number it is too large to be exact.`);
  }
  // A password is taken to the letter.
  const text = shape.format === 'password' ? String(raw) : String(raw).trim();
  // PostgreSQL can store neither; answering so is kinder than failing there.
  if (text.includes('\0') || !text.isWellFormed()) {
    return addError(errors, path, `The ${words(path)} holds characters that are not valid text.`);
  }
  if (shape.enum && !shape.enum.includes(text)) {
    return addError(errors, path, `The ${words(path)} must be ${oneOf(shape.enum)}.`);
  }
  const { minLength = 0, maxLength = Infinity } = shape;
  const length = characters(text);
  if (length < minLength) return addError(errors, path, `The ${words(path)} must be at least ${minLength} characters.`);
  if (length > maxLength) {
    return addError(errors, path, `The ${words(path)} may not be greater than ${maxLength} characters.`);
  }
  const format = shape.format === undefined ? undefined : formats[shape.format];
  if (!format) return text;
  return format.read(text) ?? addError(errors, path, `The ${words(path)} ${format.mustBe}`);
}

/** Characters as people count them (code points), not UTF-16 units or bytes. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
