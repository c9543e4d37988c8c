import Type, { type TSchema } from 'typebox';
import { Page } from '../../shared/fields.ts';
import { sessionCookieName } from './cookie.ts';
import { paginated } from './pagination.ts';
import { mayHaveIdempotencyKey, type Route } from './route.ts';

const FieldErrors = Type.Object(
  {
    message: Type.String({ examples: ['The given data was invalid.'] }),
    errors: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'Every failing field at once, up to 100, nested ones as `purchases.0.items.2.quantity`.',
    }),
  },
  { description: 'What was sent can’t be taken. Nothing was stored.' },
);
const PlainError = Type.Object({ errors: Type.Array(Type.Object({ message: Type.String() }), { minItems: 1 }) });

const introduction = `Tills, booking platforms, wifi portals and voucher apps write guests and what they did through this interface.

**Sending.** Parameters travel in the query or as a JSON body, on GET too; a name in both places takes the query's value. Types are read leniently: integers may be numeric strings, booleans may be \`1\`/\`0\`, unknown fields are ignored, and null, absent or blank mean "no news" (but for \`gender\`, where blank is a value). Text is normalised to Unicode NFC and takes 255 characters, and a list 1,000 elements, unless the field says otherwise. A body takes 100,000 elements in all.

**Answers.** Success is 200 on every \`/v1\` route. Lists come 100 a page. Every answer carries an \`X-Request-Id\`; send your own to have it used.

**Errors.** A 422 names every failing field at once, up to 100, and stores nothing. 429 and 503 carry \`Retry-After\`.

**Trying again.** Send an \`Idempotency-Key\` of your own making with a POST, and the same again if no answer came: it is done once, and answered twice.`;

const plainError = (description: string, message: string) => ({
  description,
  content: json({ $ref: '#/components/schemas/PlainError' }, { errors: [{ message }] }),
});

const responses = {
  BadRequest: plainError('The body is not valid JSON.', 'The body is not valid JSON: look at line 1, character 12.'),
  Unauthorized: plainError('No token, or one that is unknown, revoked or expired.', 'Unauthorized'),
  Forbidden: plainError('The user’s role does not allow it.', 'Only an owner may do this. Ask one.'),
  NotFound: plainError('There is no such thing.', 'There is no such account.'),
  TooLarge: plainError(
    'The body is over the limit.',
    'The body is larger than this service takes. Send it in smaller parts.',
  ),
  NotJson: plainError('The body is not JSON.', 'The body must be JSON, sent with Content-Type: application/json.'),
  Invalid: {
    description: 'What was sent can’t be taken: every failing field at once. Nothing was stored.',
    content: json(
      { $ref: '#/components/schemas/FieldErrors' },
      {
        message: 'The given data was invalid.',
        errors: { account_id: ['The account id is not one that you can access.'] },
      },
    ),
  },
  TooMany: {
    ...plainError('Over the rate.', 'Over the limit of 600 a minute. Try again in 12 s.'),
    headers: {
      'Retry-After': { $ref: '#/components/headers/RetryAfter' },
      'RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
      'RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
      'RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
    },
  },
  Fault: plainError(
    'A fault of ours.',
    'Something went wrong on our side. It was logged under request id 0b6f8a52-6c0f-4a63-9b53-2f1a4f0b8e11.',
  ),
  Unavailable: {
    ...plainError('The database is away.', 'The service can’t answer just now. Try again in a moment.'),
    headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
  },
};

const ref = (name: keyof typeof responses) => ({ $ref: `#/components/responses/${name}` });

/** What may be wrong with a body, wherever one is sent. */
const badBodies = { 400: ref('BadRequest'), 413: ref('TooLarge'), 415: ref('NotJson') };

/** What the service says of itself, to whoever watches it. */
const ownPaths = {
  '/health': {
    get: {
      operationId: 'getHealth',
      tags: ['Watching'],
      summary: 'Ask whether the service can answer requests',
      security: [],
      responses: {
        200: { description: 'It can.', content: json(Type.Object({ status: Type.Enum(['ok']) }), { status: 'ok' }) },
        ...badBodies,
        503: ref('Unavailable'),
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      tags: ['Watching'],
      summary: 'Read the metrics',
      security: [],
      responses: {
        200: { description: 'Prometheus text.', content: { 'text/plain': { schema: { type: 'string' } } } },
        ...badBodies,
      },
    },
  },
};

/** The OpenAPI 3.1 document, made from the same operations that are served. */
export function openApiDocument(operations: readonly Route[], version: string, serverUrl = '/') {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][operation.method.toLowerCase()] = describe(operation);
  }
  Object.assign(paths, ownPaths);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Regulars',
      version,
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags: [...tagsOf(operations), 'Watching'].map((name) => ({ name })),
    'x-tagGroups': [
      { name: 'For partners', tags: tagsOf(operations.filter((one) => one.access === 'partner')) },
      { name: 'For administrators', tags: tagsOf(operations.filter((one) => one.access === 'admin')) },
      { name: 'For operators', tags: ['Watching'] },
    ],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            '`Authorization: Bearer …`: a personal access token (`regulars_pat_…`) on `/v1`, the ADMIN_TOKEN that the service was started with on `/admin/v1`. The same value under `Authentication` is accepted too.',
        },
        user: {
          type: 'http',
          scheme: 'basic',
          description: 'E-mail and password of a user; what they may do depends on their role.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName,
          description: 'What signing in leaves in the browser. Changes have to come from the dashboard’s own pages.',
        },
      },
      headers: {
        RequestId: { description: 'Names this request in the logs.', schema: { type: 'string' } },
        DiscardedFields: {
          description: 'What discard_invalid_data dropped: `mobile_number, notes.1.text`. Absent: nothing.',
          schema: { type: 'string' },
        },
        IdempotentReplayed: {
          description: '`true`: this is the answer to the earlier request with the same Idempotency-Key.',
          schema: { type: 'string', enum: ['true'] },
        },
        RateLimitLimit: { description: 'Requests a minute that the token may make.', schema: { type: 'integer' } },
        RateLimitRemaining: { description: 'How many of them are left.', schema: { type: 'integer' } },
        RateLimitReset: { description: 'Seconds until they are counted anew.', schema: { type: 'integer' } },
        RetryAfter: { description: 'Seconds to wait before trying again.', schema: { type: 'integer' } },
      },
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'Makes it safe to send the request again: within 24 hours the same key gets the same answer, and nothing is done twice. 1 to 255 characters of your own making, such as a UUID.',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        },
      },
      schemas: { FieldErrors, PlainError },
      responses,
    },
  };
}

function tagsOf(operations: readonly Route[]): string[] {
  return [...new Set(operations.map((operation) => operation.tag))];
}

function describe(operation: Route) {
  const { method, example = {} } = operation;
  const hasBody = method === 'POST' || method === 'PATCH';
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    security: security(operation),
    parameters: [
      ...pathParameters(operation),
      ...(hasBody ? [] : queryParameters(operation)),
      ...(mayHaveIdempotencyKey(operation) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(hasBody ? { requestBody: { required: true, content: json(operation.input, example.input) } } : {}),
    responses: { [operation.status]: success(operation), ...failures(operation) },
  };
}

function security({ access }: Route): Record<string, never[]>[] {
  if (access === 'partner') return [{ token: [] }];
  return access === 'admin' ? [{ token: [] }, { user: [] }, { session: [] }] : [];
}

function success(operation: Route) {
  const headers = {
    'X-Request-Id': { $ref: '#/components/headers/RequestId' },
    ...(mayHaveIdempotencyKey(operation)
      ? { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }
      : {}),
    ...(operation.batchedWrite?.discarded
      ? { 'Discarded-Fields': { $ref: '#/components/headers/DiscardedFields' } }
      : {}),
  };
  if (!operation.response) return { description: 'Done.', headers };
  const example = operation.example?.response;
  if (!operation.paged) return { description: 'Done.', headers, content: json(operation.response, example) };
  const page = paginated(
    { rows: [example], total: 1 },
    1,
    `https://guests.example.com${operation.path.replace(/:\w+/g, '1')}`,
    '',
  );
  return { description: 'A page of the list.', headers, content: json(Page(operation.response), page) };
}

function failures({ access, method, path, notFound }: Route) {
  return {
    ...badBodies,
    401: ref('Unauthorized'),
    // Signing in too, from another site's page. A viewer's token can't write.
    ...(access === 'partner' && method === 'GET' ? {} : { 403: ref('Forbidden') }),
    ...(path.includes(':') || notFound ? { 404: ref('NotFound') } : {}),
    422: ref('Invalid'),
    429: ref('TooMany'),
    500: ref('Fault'),
    503: ref('Unavailable'),
  };
}

function pathParameters(operation: Route) {
  return [...operation.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'integer' },
  }));
}

function queryParameters(operation: Route) {
  const required = new Set((operation.input as { required?: string[] }).required);
  const examples = (operation.example?.input ?? {}) as Record<string, unknown>;
  const declared = Object.entries(operation.input.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.has(name),
    ...describedBy(schema),
    schema,
    ...(name in examples ? { example: examples[name] } : {}),
  }));
  if (!operation.paged && !operation.takesPage) return declared;
  const page = {
    name: 'page',
    in: 'query',
    required: false,
    description: 'Which page of 100; 1 unless given.',
    schema: { type: 'integer', minimum: 1 },
  };
  return [...declared, page];
}

function describedBy(schema: TSchema): { description?: string } {
  const { description } = schema as { description?: string };
  return description === undefined ? {} : { description };
}

function json(schema: unknown, example: unknown) {
  return {
    'application/json': { schema, ...(example === undefined ? {} : { examples: { example: { value: example } } }) },
  };
}
