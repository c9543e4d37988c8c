import type { TSchema } from 'typebox';
import { propertiesOf, textIn } from '../../shared/record.ts';

type Json = Record<string, unknown>;
/** What a schema describes: a request is read leniently, a response is written strictly. */
export type Direction = 'request' | 'response';

/** The components for our own format of local times. */
const localDateTimes: Record<Direction, { name: string; schema: Json }> = {
  request: {
    name: 'LocalDateTimeInput',
    schema: {
      type: 'string',
      description: '`yyyy-mm-dd hh:mm:ss` in the account’s time zone, or ISO 8601 with an offset.',
      examples: ['2026-03-01 12:30:00'],
    },
  },
  response: {
    name: 'LocalDateTime',
    schema: {
      type: 'string',
      description: '`yyyy-mm-dd hh:mm:ss` in the account’s time zone.',
      pattern: String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$`,
      examples: ['2026-03-01 12:30:00'],
    },
  },
};

/** The JSON Schema names of our formats. Undefined: JSON Schema has no such format. */
const standardFormats: Record<string, string | undefined> = {
  'birth-date': 'date',
  mobile: undefined,
  gender: undefined,
  'time-zone': undefined,
};

/** A response body has one example as a whole, and the limits of a text are those of the request that stored it. */
const ofRequests = new Set(['examples', 'minLength', 'maxLength']);

/**
 * Turns shapes into the JSON Schema of the document. A shape with a title becomes a component of that name. It is written
 * once and referenced everywhere. Keywords that only our own reader knows (`x-…`) are left out.
 */
export class SchemaComponents {
  readonly #components = new Map<string, Json>();
  readonly #examples = new Map<string, unknown>();

  /** All components so far, in the order of their names, each with its first example. */
  get all(): Record<string, Json> {
    const names = [...this.#components.keys()].sort();
    return Object.fromEntries(
      names.map((name) => {
        const example = this.#examples.get(name);
        return [name, { ...this.#components.get(name), ...(example === undefined ? {} : { examples: [example] }) }];
      }),
    );
  }

  schema(shape: TSchema, direction: Direction): Json {
    return this.#schema(shape, direction);
  }

  #schema(shape: unknown, direction: Direction): Json {
    const { title, ...keywords } = propertiesOf(shape);
    if (keywords.format === 'wall-clock') return this.#localDateTime(keywords, direction);
    const schema = this.#plain(keywords, direction);
    return typeof title === 'string' ? this.#component(title, schema) : schema;
  }

  /** The schema of a body. It has a name, because it would be an anonymous type in a generated client. */
  body(shape: TSchema, direction: Direction, example: unknown): Json {
    const title = textIn(shape, 'title');
    if (title === undefined) throw new Error('A body has no title.');
    const ref = this.schema(shape, direction);
    if (example !== undefined && !this.#examples.has(title)) this.#examples.set(title, example);
    return ref;
  }

  #component(name: string, schema: Json): Json {
    const known = this.#components.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`Two different schemas have the title ${name}.`);
    this.#components.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  #localDateTime({ description }: Json, direction: Direction): Json {
    const { name, schema } = localDateTimes[direction];
    const ref = this.#component(name, schema);
    return description === undefined ? ref : { description, ...ref };
  }

  #plain(keywords: Json, direction: Direction): Json {
    const { anyOf, ...others } = keywords;
    const nullable = nullableOf(anyOf);
    if (nullable !== undefined) return { ...others, ...orNull(this.#schema(nullable, direction)) };
    const schema: Json = {};
    if (keywords.type === undefined && Array.isArray(keywords.enum)) schema.type = typeof keywords.enum[0];
    for (const [keyword, value] of Object.entries(keywords)) {
      if (keyword.startsWith('x-') || (direction === 'response' && ofRequests.has(keyword))) continue;
      if (keyword === 'format' && String(value) in standardFormats) {
        if (standardFormats[String(value)] !== undefined) schema.format = standardFormats[String(value)];
      } else if (keyword === 'required' && Array.isArray(value)) {
        const required = value.map(String).filter((name) => !hasOtherName(keywords, name));
        if (required.length > 0) schema.required = required;
      } else if (keyword === 'properties') schema.properties = this.#each(value, direction);
      else if (keyword === 'patternProperties') {
        // A record: every name is allowed.
        const [values] = Object.values(propertiesOf(value));
        schema.additionalProperties = this.#schema(values, direction);
      } else if (keyword === 'items') schema.items = this.#schema(value, direction);
      else if ((keyword === 'anyOf' || keyword === 'allOf') && Array.isArray(value))
        schema[keyword] = value.map((one) => this.#schema(one, direction));
      else schema[keyword] = value;
    }
    return schema;
  }

  #each(properties: unknown, direction: Direction): Record<string, Json> {
    const shapes = Object.entries(propertiesOf(properties));
    return Object.fromEntries(shapes.map(([name, one]) => [name, this.#schema(one, direction)]));
  }
}

/** Whether a required field may be sent under another name instead. */
function hasOtherName({ properties }: Json, name: string): boolean {
  return propertiesOf(propertiesOf(properties)[name])['x-also'] !== undefined;
}

/** The shape in a union with null, if it is one. */
function nullableOf(union: unknown): unknown {
  if (!Array.isArray(union) || union.length !== 2) return undefined;
  return textIn(union[1], 'type') === 'null' ? union[0] : undefined;
}

function orNull(schema: Json): Json {
  const { description, ...keywords } = schema;
  const described = description === undefined ? {} : { description };
  if (typeof schema.type !== 'string') return { ...described, anyOf: [keywords, { type: 'null' }] };
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, type: [schema.type, 'null'], ...values };
}
