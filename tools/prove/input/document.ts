import { Compile } from 'typebox/schema';

/** The parts of JSON Schema that our shapes use. */
export interface Shape {
  type?: string;
  format?: string;
  enum?: unknown[];
  examples?: unknown[];
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  anyOf?: Shape[];
}

interface Described {
  parameters?: { name?: string; in?: string; required?: boolean; schema?: Shape; example?: unknown }[];
  requestBody?: { content: { 'application/json': { schema: Shape; examples?: { example: { value: unknown } } } } };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: object }> }>;
}

export interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, object>; responses: Record<string, Described['responses'][string]> };
}

/** A route in the OpenAPI document. */
export interface Operation {
  name: string;
  method: string;
  path: string;
  /** The names in the path, in order. */
  ids: string[];
  /** The input, in the query or the body. */
  input: Shape;
  /** Whether the input is usually a body. */
  hasBody: boolean;
  example: Record<string, unknown>;
  takesKey: boolean;
  /** By status: a check of the response body. Undefined: there must be no body. */
  answers: Map<number, ((body: unknown) => string | undefined) | undefined>;
}

export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => operationOf(document, method.toUpperCase(), path, described)),
  );
}

function operationOf(document: Document, method: string, path: string, described: Described): Operation {
  const { parameters = [], requestBody, responses } = described;
  const inQuery = parameters.filter((one) => one.in === 'query');
  const named = (one: { name?: string }) => one.name ?? '';
  const body = requestBody?.content['application/json'];
  const query: Shape = {
    type: 'object',
    properties: Object.fromEntries(inQuery.map((one) => [named(one), one.schema ?? {}])),
    required: inQuery.filter((one) => one.required).map(named),
  };
  const shown = inQuery.flatMap((one) => ('example' in one ? [[named(one), one.example]] : []));
  return {
    name: `${method} ${path}`,
    method,
    path,
    ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id ?? ''),
    input: body?.schema ?? query,
    hasBody: body !== undefined,
    example: (body ? (body.examples?.example.value ?? {}) : Object.fromEntries(shown)) as Record<string, unknown>,
    takesKey: parameters.some((one) => !one.name),
    answers: new Map(
      Object.entries(responses).map(([status, response]) => [Number(status), checkOf(document, response)]),
    ),
  };
}

function checkOf(document: Document, { $ref, content }: Described['responses'][string]) {
  const whole = $ref ? document.components.responses[$ref.split('/').at(-1) ?? '']?.content : content;
  const schema = whole?.['application/json']?.schema ?? whole?.['text/plain']?.schema;
  if (!schema) return undefined;
  const ref = (schema as { $ref?: string }).$ref;
  const validator = Compile(exactly(ref ? (document.components.schemas[ref.split('/').at(-1) ?? ''] ?? {}) : schema));
  return (body: unknown) => {
    if (validator.Check(body)) return undefined;
    const [, errors] = validator.Errors(body);
    return errors.map(({ instancePath, message }) => `${instancePath || 'it'} ${message}`).join('; ') || 'it is wrong';
  };
}

/** The same schema without additional properties. */
function exactly(schema: object): object {
  const close = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(close);
    if (typeof node !== 'object' || node === null) return node;
    const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, close(value)]));
    // The service accepts internationalised addresses, which have another format name in JSON Schema.
    if (copy.format === 'email') delete copy.format;
    return copy.type === 'object' && copy.properties ? { ...copy, additionalProperties: false } : copy;
  };
  return close(schema) as object;
}

/** The route of a path after decoding. Literal segments have priority over ids. */
export function operationAt(operations: Operation[], method: string, target: string): Operation | undefined {
  const [path = ''] = target.replace(/^https?:\/\/[^/?]*/i, '').split(/[?#]/);
  let parts: string[];
  try {
    parts = path.replace(/\/$/, '').split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
  const fits = (pattern: string[]) =>
    pattern.length === parts.length && pattern.every((part, at) => part.startsWith('{') || part === parts[at]);
  return operations
    .filter((one) => one.method === (method === 'HEAD' ? 'GET' : method) && fits(one.path.split('/')))
    .sort((one, other) => one.ids.length - other.ids.length)[0];
}
