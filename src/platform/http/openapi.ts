import type { TSchema } from 'typebox';
import { Page } from '../../shared/fields.ts';
import { pascal } from '../../shared/phrases.ts';
import { propertiesOf } from '../../shared/record.ts';
import {
  bodyErrors,
  errorRef,
  errorSchemas,
  headerRefs,
  headers,
  parameterRef,
  pathParameters,
  queryParameters,
  responses,
  securitySchemes,
  webhookHeaders,
} from './openapi-components.ts';
import { SchemaComponents } from './openapi-schemas.ts';
import { type Access, mayHaveIdempotencyKey, type Route } from './route.ts';
import { ndjson } from './streams.ts';

/** The parts of a document that are not routes. */
export interface ApiDescription {
  title: string;
  version: string;
  description: string;
  /** The tags by group, each with its description, in the order of the reference. */
  tagGroups: Record<string, Record<string, string>>;
  /** Paths that are not in the list of routes. */
  otherPaths?: Record<string, object>;
  /** The requests that the service sends to webhooks. */
  webhooks?: { tag: string; events: readonly WebhookEvent[] };
}

/** A type of event that webhooks get. */
interface WebhookEvent {
  type: string;
  description: string;
  schema: TSchema;
  example: object;
}

/** The OpenAPI 3.1 document of these routes. It has only the components that they use. */
export function openApiDocument(routes: readonly Route[], api: ApiDescription) {
  const schemas = new SchemaComponents();
  for (const schema of errorSchemas) schemas.schema(schema, 'response');
  const paths: Record<string, Record<string, unknown>> = {};
  const parameters: Record<string, object> = { ...queryParameters, ...webhookHeaders };
  const usual: Access = routes.some(({ access }) => access === 'admin') ? 'admin' : 'partner';
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = describe(route, schemas, usual);
    Object.assign(parameters, pathParameters(route.path));
  }
  Object.assign(paths, api.otherPaths);
  const groups = Object.entries(api.tagGroups);
  const document = {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: api.version,
      description: api.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: securityOf[usual],
    tags: groups.flatMap(([, tags]) => Object.entries(tags).map(([name, description]) => ({ name, description }))),
    'x-tagGroups': groups.map(([name, tags]) => ({ name, tags: Object.keys(tags) })),
    paths,
    ...(api.webhooks ? { webhooks: describeWebhooks(api.webhooks, schemas) } : {}),
  };
  const components = { securitySchemes, parameters, headers, responses, schemas: schemas.all };
  return { ...document, components: onlyUsed(document, components) };
}

/** The components that are referenced, directly or by another component, and the security schemes that a route names. */
function onlyUsed<C extends Record<string, Record<string, unknown>>>(document: object, components: C): C {
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === 'security') for (const one of value) for (const name in one) used.add(`securitySchemes/${name}`);
      else if (key === '$ref') {
        const [, , kind = '', name = ''] = String(value).split('/');
        if (used.has(`${kind}/${name}`)) continue;
        used.add(`${kind}/${name}`);
        visit(components[kind]?.[name]);
      } else visit(value);
    }
  };
  visit(document);
  const kept = Object.entries(components).map(([kind, all]) => [
    kind,
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${kind}/${name}`))),
  ]);
  return Object.fromEntries(kept) as C;
}

/** @param usual the access whose security is that of the whole document */
function describe(route: Route, schemas: SchemaComponents, usual: Access) {
  const { method, example = {} } = route;
  const hasBody = takesBody(method);
  const sendsBody = hasBody && Object.keys(route.input.properties).length > 0;
  const parameters = [
    ...Object.keys(pathParameters(route.path)).map(parameterRef),
    ...(hasBody ? [] : query(route, schemas)),
    ...(mayHaveIdempotencyKey(route) ? [parameterRef('IdempotencyKey')] : []),
  ];
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    ...(route.access === usual ? {} : { security: securityOf[route.access] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(sendsBody
      ? {
          requestBody: { required: true, content: json(schemas.body(route.input, 'request', example.input)) },
        }
      : {}),
    responses: { [route.status]: success(route, schemas), ...failures(route) },
  };
}

function describeWebhooks({ tag, events }: NonNullable<ApiDescription['webhooks']>, schemas: SchemaComponents) {
  const operations = events.map(({ type, description, schema, example }) => {
    const operation = {
      operationId: `receive${pascal(type.replaceAll('.', '_'))}`,
      tags: [tag],
      summary: type,
      description,
      // The signature replaces credentials.
      security: [],
      parameters: Object.keys(webhookHeaders).map(parameterRef),
      requestBody: { required: true, content: json(schemas.body(schema, 'response', example)) },
      responses: webhookResponses,
    };
    return [type, { post: operation }] as const;
  });
  return Object.fromEntries(operations);
}

const webhookResponses = {
  '2XX': { description: 'The event is delivered, if the response comes within 15 seconds. The body does not matter.' },
  410: { description: 'The receiver is gone: the service disables the webhook.' },
  default: {
    description: 'The event is sent again later. `Retry-After` is honoured. Redirects are not followed.',
  },
};

const takesBody = (method: Route['method']) => method === 'POST' || method === 'PATCH';

const securityOf: Record<Access, Record<string, never[]>[]> = {
  public: [],
  partner: [{ token: [] }],
  admin: [{ adminToken: [] }, { user: [] }, { session: [] }],
};

function success(route: Route, schemas: SchemaComponents) {
  if (!route.response) return { description: 'Success. No body.' };
  const sent = {
    ...(mayHaveIdempotencyKey(route) ? headerRefs.replayed : {}),
    ...(route.batchedWrite?.discarded ? headerRefs.discarded : {}),
  };
  const one = schemas.body(route.response, 'response', route.example?.response);
  const schema = route.paged ? schemas.schema(Page(route.response), 'response') : one;
  return {
    description: route.paged ? 'One page of the list.' : 'Success.',
    ...(Object.keys(sent).length > 0 ? { headers: sent } : {}),
    content: {
      ...json(schema),
      ...(route.csv ? { 'text/csv': { schema: { type: 'string', description: 'The whole list.' } } } : {}),
      ...(route.isLong
        ? { [ndjson]: { schema: { type: 'string', description: 'Progress, one object per line.' } } }
        : {}),
    },
  };
}

function failures({ access, method, path, notFound }: Route) {
  return {
    400: errorRef('BadRequest'),
    401: errorRef('Unauthorized'),
    // A sign-in from a page of another site gets a 403 too. The token of a viewer can't write.
    ...(access === 'partner' && method === 'GET' ? {} : { 403: errorRef('Forbidden') }),
    ...(path.includes(':') || notFound ? { 404: errorRef('NotFound') } : {}),
    ...(takesBody(method) ? bodyErrors : {}),
    422: errorRef('Invalid'),
    429: errorRef('TooMany'),
    500: errorRef('Fault'),
    503: errorRef('Unavailable'),
  };
}

function query(route: Route, schemas: SchemaComponents) {
  const required = new Set(route.input.required);
  const examples = propertiesOf(route.example?.input);
  const declared = Object.entries(route.input.properties).map(([name, shape]) => {
    if (name === 'account_id' && route.access === 'partner')
      return parameterRef(required.has(name) ? 'RequiredAccountId' : 'OptionalAccountId');
    const { description, ...schema } = schemas.schema(shape, 'request');
    return {
      name,
      in: 'query',
      ...(required.has(name) ? { required: true } : {}),
      description,
      schema,
      ...(name in examples ? { example: examples[name] } : {}),
    };
  });
  return route.paged || route.takesPage ? [...declared, parameterRef('Page')] : declared;
}

const json = (schema: unknown) => ({ 'application/json': { schema } });
