import type { Static, TSchema } from 'typebox';
import { composed, formats } from './formats.ts';
import { counted, oneOf, spoken } from './phrases.ts';
import { ErrorCollector, type FieldErrors } from './problem.ts';

/**
 * Reads what a client sent by the shape that also gives the types and the OpenAPI document: leniently (`"12"` is an
 * integer, `1` is true, blank is "no news", unknown fields are ignored) and completely (every failing field is named,
 * by its dotted path, in one go). A general JSON Schema validator does neither, hence this one.
 */
export type Reader<T> = (
  raw: unknown,
  /** Asked when there are more errors than are listed: whether to read on, because invalid data is dropped. */
  goOn?: () => boolean,
) => {
  /**
   * What could be read. A bad value is left out, and a bad one of a list leaves a hole, so that the others keep their
   * places; an object of a list that lacks what it needs stays, for what else can be said of it, until `pick` drops it.
   */
  value: T;
  errors: ErrorCollector;
};

type Read = (raw: unknown, path: string, errors: ErrorCollector) => unknown;

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
  /** Of a list: an answer has an address with this path under this name. Sent back with the rest, that is no news. */
  'x-address'?: string;
  /** Of an object: one of these fields is needed. */
  'x-either'?: readonly string[];
}

export function reader<S extends TSchema>(schema: S): Reader<Static<S>> {
  const read = compile(schema as Shape, '');
  return (raw, goOn) => {
    const errors = new ErrorCollector(goOn);
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

/** The same. Undefined if nothing passes of a list that has elements: an empty list would delete what was stored before. */
export function pickAny<T, P = T>(
  list: T[] | undefined,
  test?: (element: T, place: number) => P | undefined,
): P[] | undefined {
  if (list === undefined) return undefined;
  const passed = pick(list, test);
  return passed.length > 0 || list.length === 0 ? passed : undefined;
}

/** Null, absent and blank all mean "no news", but for the few texts of which blank is a value. */
function isAbsent(raw: unknown, blankCounts = false): boolean {
  return raw === undefined || raw === null || (typeof raw === 'string' && !blankCounts && raw.trim() === '');
}

/** `name` is what messages call the field. */
function compile(shape: Shape, name: string): Read {
  switch (shape.type) {
    case 'object':
      return compileObject(shape, name);
    case 'array':
      return compileArray(shape, name);
    case 'integer':
      return (raw, path, errors) => readInteger(shape, name, raw, path, errors);
    case 'number':
      return (raw, path, errors) => readNumber(shape, name, raw, path, errors);
    case 'boolean':
      return (raw, path, errors) => readBoolean(name, raw, path, errors);
    default:
      return (raw, path, errors) => readText(shape, name, raw, path, errors);
  }
}

function compileObject(shape: Shape, called: string): Read {
  const required = new Set(shape.required);
  const fields = Object.entries(shape.properties ?? {}).map(([name, field]) => ({
    name,
    called: spoken(name),
    also: field['x-also'],
    read: compile(field, spoken(name)),
    required: required.has(name),
    vital: required.has(name) || field['x-vital'] === true,
    blankCounts: field['x-blank'] === true,
    isAddress: isAddressOf(field['x-address']),
  }));
  const alsoNamed = fields.flatMap(({ name, also }) => (also === undefined ? [] : [{ name, also }]));
  const needed = shape['x-either'] ?? [...required, ...fields.map((field) => field.name)].slice(0, 1);
  const hint = oneOf(needed.map((name) => `{"${name}": …}`));
  return (raw, path, errors) => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
      const what = /\.\d+$/.test(path) ? `Each element of ${called}` : `The ${called}`;
      return errors.add(path, `${what} must be an object: ${hint}.`);
    }
    const own = (name: string) => (Object.hasOwn(raw, name) ? (raw as Record<string, unknown>)[name] : undefined);
    const value: Record<string, unknown> = {};
    let whole = true;
    for (const field of fields) {
      const sent = own(field.name);
      const isSent = !isAbsent(sent, field.blankCounts) && !field.isAddress(sent);
      if (!isSent && (!field.required || (field.also !== undefined && !isAbsent(own(field.also))))) continue;
      const at = path === '' ? field.name : `${path}.${field.name}`;
      if (!isSent) {
        errors.add(at, `The ${field.called} field is required.`);
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

/** Longer than any address that an answer gives. */
const longestAddress = 1000;

/**
 * Whether a value is the address that an answer gives for a list: any host (a service may have several names), and
 * exactly this path.
 */
function isAddressOf(path: string | undefined): (sent: unknown) => boolean {
  if (path === undefined) return () => false;
  const address = new RegExp(`^https?://[^\\s?#]+${path.replace('{id}', '\\d{1,15}')}$`);
  return (sent) => typeof sent === 'string' && sent.length <= longestAddress && address.test(sent);
}

function compileArray(shape: Shape, name: string): Read {
  const { items = {}, minItems = 0, maxItems = 1000 } = shape;
  const readItem = compile(items, name);
  return (raw, path, errors) => {
    const list = Array.isArray(raw) ? raw : listIn(raw, items, path, maxItems);
    if (!list) return errors.add(path, `The ${name} must be an array.`);
    if (list.length < minItems) {
      return errors.add(path, `The ${name} must have at least ${counted(minItems, 'item')}.`);
    }
    if (list.length > maxItems) {
      return errors.add(path, `The ${name} may not have more than ${counted(maxItems, 'item')}.`);
    }
    return list.map((item, index) => readItem(item, `${path}.${index}`, errors));
  };
}

/**
 * The list that a text stands for. In a query a list of plain values is also written `a,b`, and a list of one looks like
 * a plain value. Inside a list there is no query: commas there would get around the limit on the elements of a body.
 */
function listIn(raw: unknown, items: Shape, path: string, maxItems: number): string[] | undefined {
  if (typeof raw !== 'string' || items.type === 'object') return undefined;
  if (!path.includes('.')) return raw.split(',', maxItems + 1);
  return raw.includes(',') ? undefined : [raw];
}

/** A number in a text may be this long. It is checked before any pattern. */
const longestNumber = 100;

/** The number that a text writes, if it does; anything else as it is. */
function numberIn(raw: unknown, pattern: RegExp): unknown {
  if (typeof raw !== 'string') return raw;
  const text = raw.trim();
  return text.length <= longestNumber && pattern.test(text) ? Number(text) : raw;
}

function readInteger(
  shape: Shape,
  name: string,
  raw: unknown,
  path: string,
  errors: ErrorCollector,
): number | undefined {
  const value = numberIn(raw, /^[+-]?\d+$/);
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    return errors.add(path, `The ${name} must be an integer.`);
  }
  if (shape.enum && !shape.enum.includes(value)) {
    return errors.add(path, `The ${name} must be ${oneOf(shape.enum)}.`);
  }
  return withinBounds(shape, name, value, path, errors);
}

function readNumber(
  shape: Shape,
  name: string,
  raw: unknown,
  path: string,
  errors: ErrorCollector,
): number | undefined {
  const value = numberIn(raw, /^[+-]?(\d+(\.\d*)?|\.\d+)$/);
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    return errors.add(path, `The ${name} must be a number.`);
  }
  return withinBounds(shape, name, value, path, errors);
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

function readBoolean(name: string, raw: unknown, path: string, errors: ErrorCollector): boolean | undefined {
  const value = truths.get(typeof raw === 'string' ? raw.trim().toLowerCase() : raw);
  return value ?? errors.add(path, `The ${name} field must be true or false.`);
}

function readText(shape: Shape, name: string, raw: unknown, path: string, errors: ErrorCollector): unknown {
  if (typeof raw !== 'string' && !(typeof raw === 'number' && Number.isFinite(raw))) {
    return errors.add(path, `The ${name} must be a string.`);
  }
  if (typeof raw === 'number' && Math.abs(raw) > Number.MAX_SAFE_INTEGER) {
    return errors.add(path, `The ${name} must be a string: as a number it is too large to be exact.`);
  }
  const { format: formatName, minLength = 0, maxLength = usualMaxLength } = shape;
  // A password is taken to the letter.
  const isExact = formatName === 'password';
  const sent = isExact ? String(raw) : String(raw).trim();
  if (shape.enum && !shape.enum.includes(sent)) {
    return errors.add(path, `The ${name} must be ${oneOf(shape.enum)}.`);
  }
  const text = isExact || sent.length > maxLength * mostComposed ? sent : composed(sent);
  // PostgreSQL can store neither; answering so is kinder than failing there.
  if (text.includes('\0') || !text.isWellFormed()) {
    return errors.add(path, `The ${name} holds characters that are not valid text.`);
  }
  const length = characters(text);
  if (length < minLength) {
    return errors.add(path, `The ${name} must be at least ${counted(minLength, 'character')}.`);
  }
  if (length > maxLength) {
    return errors.add(path, `The ${name} may not be greater than ${counted(maxLength, 'character')}.`);
  }
  const format = formatName === undefined ? undefined : formats[formatName];
  if (!format) return text;
  return format.read(text) ?? errors.add(path, `The ${name} ${format.mustBe}`);
}

/** Of a text whose shape says nothing else. */
const usualMaxLength = 255;

/** NFC makes one character of four at most: what is longer than that stays too long, and need not be normalised. */
const mostComposed = 4;

/** Characters as people count them (code points), not UTF-16 units or bytes. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
