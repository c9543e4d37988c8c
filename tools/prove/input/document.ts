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

interface Response {
  content?: Record<string, { schema: object }>;
}

interface Described {
  parameters?: { name: string; in: string; required?: boolean; schema: Shape; example?: unknown }[];
  requestBody?: { content: { 'application/json': { schema: Shape } } };
  responses: Record<string, Response>;
}

export interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { responses: Record<string, Response> };
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

/** The operations of a document as it is served, with references. */
export function operationsOf(served: object): Operation[] {
  const document = resolved(served);
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => operationOf(document, method.toUpperCase(), path, described)),
  );
}

/** The document with what they stand for in place of its references. What is written beside a reference counts more. */
export function resolved(served: object): Document {
  const resolve = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(resolve);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, ...own } = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolve(value)]));
    if ($ref === undefined) return own;
    const path = String($ref).split('/').slice(1);
    const target = path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], served);
    const format = path.at(-1) === 'LocalDateTimeInput' ? { format: 'wall-clock' } : {};
    return { ...(resolve(target) as object), ...format, ...own };
  };
  return resolve(served) as Document;
}

function operationOf({ components }: Document, method: string, path: string, described: Described): Operation {
  const { parameters = [], requestBody, responses } = described;
  const inQuery = parameters.filter((one) => one.in === 'query');
  const body = requestBody?.content['application/json'].schema;
  const query: Shape = {
    type: 'object',
    properties: Object.fromEntries(inQuery.map((one) => [one.name, one.schema])),
    required: inQuery.filter((one) => one.required).map((one) => one.name),
  };
  const shown = inQuery.flatMap((one) => ('example' in one ? [[one.name, one.example]] : []));
  // Sent to any route, a body may be too large or no JSON.
  const answers = { 413: components.responses.TooLarge ?? {}, 415: components.responses.NotJson ?? {}, ...responses };
  return {
    name: `${method} ${path}`,
    method,
    path,
    ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id ?? ''),
    input: body ?? query,
    hasBody: body !== undefined,
    example: (body ? (body.examples?.[0] ?? {}) : Object.fromEntries(shown)) as Record<string, unknown>,
    takesKey: parameters.some((one) => one.name === 'Idempotency-Key'),
    answers: new Map(Object.entries(answers).map(([status, response]) => [Number(status), checkOf(response)])),
  };
}

function checkOf({ content }: Response) {
  const schema = content?.['application/json']?.schema ?? content?.['text/plain']?.schema;
  if (!schema) return undefined;
  const validator = Compile(exactly(schema));
  return (body: unknown) => {
    if (validator.Check(body)) return undefined;
    const [, errors] = validator.Errors(body);
    return errors.map(({ instancePath, message }) => `${instancePath || 'it'} ${message}`).join('; ') || 'it is wrong';
  };
}

/** The same shape with no room for other keys. */
export function exactly(schema: object): object {
  const close = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(close);
    if (typeof node !== 'object' || node === null) return node;
    const copy: Record<string, unknown> = Object.assign(
      {},
      ...Object.entries(node).map(([key, value]) => (key === 'allOf' ? joined(value) : { [key]: close(value) })),
    );
    // Ours takes letters beyond ASCII too, which JSON Schema calls by another name.
    if (copy.format === 'email') delete copy.format;
    return copy.type === 'object' && copy.properties ? { ...copy, additionalProperties: false } : copy;
  };
  /** Several objects that describe one: closed on their own, each would refuse the keys of the others. */
  const joined = (parts: Shape[]) => ({
    type: 'object',
    required: parts.flatMap(({ required = [] }) => required),
    properties: close(Object.assign({}, ...parts.map(({ properties }) => properties))),
  });
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
