import type { Static, TSchema } from 'typebox';
import { oneOf, toWords, withCount } from './phrases.ts';
import { ErrorCollector } from './problem.ts';
import { booleanReader, integerReader, numberReader, type Shape, textReader, type ValueReader } from './read-values.ts';

/**
 * Reads the input of a request by the schema that also gives the types and the OpenAPI document. It is lenient: `"12"`
 * is an integer, `1` is true, a blank value counts as not sent, and unknown fields are ignored. It is complete: all
 * invalid fields are named, by their dotted paths. General JSON Schema validators do neither.
 */
export type Reader<T> = (
  raw: unknown,
  /** Called if there are more errors than are listed. True: read on, because invalid data is dropped. */
  goOn?: () => boolean,
) => ReadResult<T>;

/** Input as it was read. It is valid, or it is partial and has errors. Later checks may add errors. */
export class ReadResult<T> {
  readonly partial: PartialInput<T>;
  readonly errors: ErrorCollector;

  constructor(partial: PartialInput<T>, errors: ErrorCollector) {
    this.partial = partial;
    this.errors = errors;
  }

  /** The whole input. Undefined if there are errors. */
  get valid(): T | undefined {
    // The reader adds an error for every field and item that it leaves out. Without errors, nothing is missing.
    return this.errors.isEmpty ? (this.partial as T) : undefined;
  }
}

/** Input that may have errors: any field may be missing, and lists have the items that could be read. */
export type PartialInput<T> = { [Name in keyof T]?: PartialField<T[Name]> };
type PartialField<T> = T extends readonly (infer Item)[] ? ReadItem<Item>[] : T;

/** An item of a list as it was read, in the place that it was sent in. Undefined: nothing of it is valid. */
export type ReadItem<Item> = Item extends object
  ? CompleteItem<Item> | IncompleteItem<Item> | undefined
  : Item | undefined;

/** Has every field that it needs. Its own lists are as they were read. */
export type CompleteItem<Item> = { [Name in keyof Item]: PartialField<Item[Name]> };

/** Lacks a field that it needs. It is not stored. It is kept until its other fields are checked. */
export type IncompleteItem<Item> = Partial<CompleteItem<Item>> & Incomplete;

const incomplete = Symbol('incomplete');
interface Incomplete {
  [incomplete]: true;
}

/** Whether the item has every field that it needs. */
export function isComplete<Item>(item: Item): item is Complete<Item> {
  return item !== undefined && !(item instanceof Object && incomplete in item);
}

type Complete<Item> = Exclude<Item, Incomplete | undefined>;

export function completeItems<Item>(list: Item[] | undefined): Complete<Item>[] {
  return list?.filter(isComplete) ?? [];
}

/**
 * The results of a check for each item and the place that it was sent in. The check returns undefined to drop an item.
 * Incomplete items are checked too, so that all their errors are listed.
 */
export function checkItems<Item, Result>(
  list: (Item | undefined)[] | undefined,
  check: (item: Item, place: number) => Result | undefined,
): Result[] {
  const results: Result[] = [];
  list?.forEach((item, place) => {
    const result = item === undefined ? undefined : check(item, place);
    if (result !== undefined) results.push(result);
  });
  return results;
}

/** The items that are left. Undefined if all items of a list were dropped: an empty list would delete what is stored. */
export function unlessAllDropped<Result>(list: unknown[] | undefined, left: Result[]): Result[] | undefined {
  return left.length > 0 || list?.length === 0 ? left : undefined;
}

export function reader<S extends TSchema>(schema: S): Reader<Static<S>> {
  const read = compile(schema, '');
  return (raw, goOn) => {
    const errors = new ErrorCollector(goOn);
    return new ReadResult(read(raw, '', errors) as PartialInput<Static<S>>, errors);
  };
}

/** Null, undefined and blank count as not sent. A few texts may be blank. */
function isAbsent(raw: unknown, blankAllowed = false): boolean {
  return raw === undefined || raw === null || (typeof raw === 'string' && !blankAllowed && raw.trim() === '');
}

/** `name` is the name of the field in messages. */
function compile(shape: Shape, name: string): ValueReader {
  if (shape['x-raw']) return (raw) => raw;
  switch (shape.type) {
    case 'object':
      return compileObject(shape, name);
    case 'array':
      return compileArray(shape, name);
    case 'integer':
      return integerReader(shape, name);
    case 'number':
      return numberReader(shape, name);
    case 'boolean':
      return booleanReader(name);
    default:
      return textReader(shape, name);
  }
}

function isRecord(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}

function compileObject(shape: Shape, called: string): ValueReader {
  const required = new Set(shape.required);
  const fields = Object.entries(shape.properties ?? {}).map(([name, field]) => ({
    name,
    called: toWords(name),
    also: field['x-also'],
    read: compile(field, toWords(name)),
    required: required.has(name),
    vital: required.has(name) || field['x-vital'] === true,
    blankAllowed: field['x-blank'] === true,
    isAddress: isAddressOf(field['x-address']),
  }));
  const alsoNamed = fields.flatMap(({ name, also }) => (also === undefined ? [] : [{ name, also }]));
  const needed = shape['x-either'] ?? [...required, ...fields.map((field) => field.name)].slice(0, 1);
  const hint = oneOf(needed.map((name) => `{"${name}": …}`));
  return (raw, path, errors) => {
    if (!isRecord(raw)) {
      const what = /\.\d+$/.test(path) ? `Each element of ${called}` : `The ${called}`;
      return errors.add(path, `${what} must be an object: ${hint}.`);
    }
    const own = (name: string) => (Object.hasOwn(raw, name) ? raw[name] : undefined);
    const value: Record<string | symbol, unknown> = {};
    let complete = true;
    for (const field of fields) {
      const sent = own(field.name);
      const isSent = !isAbsent(sent, field.blankAllowed) && !field.isAddress(sent);
      if (!isSent && (!field.required || (field.also !== undefined && !isAbsent(own(field.also))))) continue;
      const at = path === '' ? field.name : `${path}.${field.name}`;
      if (!isSent) {
        errors.add(at, `The ${field.called} field is required.`);
        complete = false;
        continue;
      }
      const read = field.read(sent, at, errors);
      if (read !== undefined) value[field.name] = read;
      else if (field.vital) complete = false;
    }
    for (const { name, also } of alsoNamed) {
      value[name] ??= value[also];
      if (value[name] === undefined) complete = false;
    }
    // An incomplete item is marked. The input as a whole is not: its other fields may be used.
    if (!complete && path !== '') value[incomplete] = true;
    return value;
  };
}

/** Longer than any URL in a response. */
const longestAddress = 1000;

/**
 * Whether a value is the URL that a response has in place of a list. A client that sends a response back did not change
 * the list. Any host is accepted, because a service may have several names.
 */
function isAddressOf(path: string | undefined): (sent: unknown) => boolean {
  if (path === undefined) return () => false;
  const address = new RegExp(`^https?://[^\\s?#]+${path.replace('{id}', '\\d{1,15}')}$`);
  return (sent) => typeof sent === 'string' && sent.length <= longestAddress && address.test(sent);
}

function compileArray(shape: Shape, name: string): ValueReader {
  const { items = {}, minItems = 0, maxItems = 1000 } = shape;
  const readItem = compile(items, name);
  return (raw, path, errors) => {
    const list = Array.isArray(raw) ? raw : listIn(raw, items, path, maxItems);
    if (!list) return errors.add(path, `The ${name} must be an array.`);
    if (list.length < minItems) {
      return errors.add(path, `The ${name} must have at least ${withCount(minItems, 'item')}.`);
    }
    if (list.length > maxItems) {
      return errors.add(path, `The ${name} may not have more than ${withCount(maxItems, 'item')}.`);
    }
    return list.map((item, index) => readItem(item, `${path}.${index}`, errors));
  };
}

/**
 * The list in a text. A query can contain a list of plain values as `a,b`, and a list of one looks like a plain value.
 * Inside another list, commas are rejected: they would bypass the limit on the number of elements in a body.
 */
function listIn(raw: unknown, items: Shape, path: string, maxItems: number): string[] | undefined {
  if (typeof raw !== 'string' || items.type === 'object') return undefined;
  if (!path.includes('.')) return raw.split(',', maxItems + 1);
  return raw.includes(',') ? undefined : [raw];
}
