import Type from 'typebox';
import { pascal, toWords } from '../../shared/phrases.ts';
import { sessionCookieName } from './cookie.ts';

/*
 * The parts of the OpenAPI document that routes share: errors, headers, parameters and security schemes.
 */

const PlainError = Type.Object(
  {
    errors: Type.Array(Type.Object({ message: Type.String({ description: 'The reason, in English.' }) }), {
      description: 'One message.',
      minItems: 1,
    }),
  },
  { title: 'ApiError', description: 'The body of every error except 422.' },
);

const FieldErrors = Type.Object(
  {
    message: Type.String({ description: 'A summary, in English.' }),
    errors: Type.Record(Type.String(), Type.Array(Type.String()), {
      description:
        'The messages by field. A nested field has its path as the name: `purchases.0.items.2.quantity`. At most 100 fields.',
    }),
  },
  { title: 'ValidationError', description: 'The body of a 422: all failing fields. Nothing was stored.' },
);

export const errorSchemas = [PlainError, FieldErrors];

const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const headerRef = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });

const requestId = { 'X-Request-Id': headerRef('RequestId') };
const body = (schema: string, example: unknown) => ({
  headers: requestId,
  content: { 'application/json': { schema: schemaRef(schema), example } },
});
const error = (description: string, message: string) => ({
  description,
  ...body('ApiError', { errors: [{ message }] }),
});

export const headers = {
  RequestId: { description: 'The id of this request in the logs.', schema: { type: 'string' } },
  DiscardedFields: {
    description:
      'The fields that `discard_invalid_data` dropped, for example `mobile_number, notes.1.text`. Absent if none was dropped.',
    schema: { type: 'string' },
  },
  IdempotentReplayed: {
    description: '`true`: this is the stored response of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  RateLimitLimit: { description: 'The requests per minute that the token may send.', schema: { type: 'integer' } },
  RateLimitRemaining: { description: 'The requests that are left in this minute.', schema: { type: 'integer' } },
  RateLimitReset: { description: 'The seconds until the count starts again.', schema: { type: 'integer' } },
  RetryAfter: { description: 'The seconds to wait before a retry.', schema: { type: 'integer' } },
};

const rateHeaders = {
  'RateLimit-Limit': headerRef('RateLimitLimit'),
  'RateLimit-Remaining': headerRef('RateLimitRemaining'),
  'RateLimit-Reset': headerRef('RateLimitReset'),
};
export const headerRefs = {
  replayed: { 'Idempotent-Replayed': headerRef('IdempotentReplayed') },
  discarded: { 'Discarded-Fields': headerRef('DiscardedFields') },
};

export const responses = {
  BadRequest: error(
    'The request is not valid HTTP, or its body is not valid JSON.',
    'The body is not valid JSON: look at line 1, character 12.',
  ),
  TooLarge: error(
    'The body is over the size limit.',
    'The body is larger than this service takes. Send it in smaller parts.',
  ),
  NotJson: error('The body is not JSON.', 'The body must be JSON, sent with Content-Type: application/json.'),
  Unauthorized: error('The credentials are missing, unknown, revoked or expired.', 'Unauthorized'),
  Forbidden: error('The role of the user does not allow this request.', 'Only an owner may do this. Ask one.'),
  NotFound: error(
    'An object in the path, or the one that was searched for, does not exist.',
    'There is no such contact.',
  ),
  Invalid: {
    description: 'Validation failed. The response names all failing fields. Nothing was stored.',
    ...body('ValidationError', {
      message: 'The given data was invalid.',
      errors: { account_id: ['The account id is not one that you can access.'] },
    }),
  },
  TooMany: {
    ...error(
      'Over the rate limit, too many requests at once, or too many wrong credentials from one address.',
      'Over the limit of 600 a minute. Try again in 12 s.',
    ),
    headers: { ...requestId, 'Retry-After': headerRef('RetryAfter'), ...rateHeaders },
  },
  Fault: error(
    'Internal error. The message has the request id.',
    'Something went wrong on our side. It was logged under request id 0b6f8a52-6c0f-4a63-9b53-2f1a4f0b8e11.',
  ),
  Unavailable: {
    ...error(
      'The service is starting or stopping, or the database is unavailable.',
      'The service can’t answer just now. Try again in a moment.',
    ),
    headers: { ...requestId, 'Retry-After': headerRef('RetryAfter') },
  },
};

export const errorRef = (name: keyof typeof responses) => ({ $ref: `#/components/responses/${name}` });

/** The errors of a request that has a body. */
export const bodyErrors = { 413: errorRef('TooLarge'), 415: errorRef('NotJson') };

const account = {
  name: 'account_id',
  in: 'query',
  schema: { type: 'integer', format: 'int64' },
  example: 1,
};

export const queryParameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a retry safe. For 24 hours, a request with the same key returns the stored response and is not executed again. 1 to 255 ASCII characters without spaces, for example a UUID.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  Page: {
    name: 'page',
    in: 'query',
    description: 'The page number. A page has 100 entries. The default is 1.',
    schema: { type: 'integer', minimum: 1 },
  },
  RequiredAccountId: { ...account, required: true, description: 'An account that the token can access.' },
  OptionalAccountId: {
    ...account,
    description: 'An account that the token can access. The default is the token’s own account.',
  },
};

const webhookHeader = (name: string, description: string, example: string) => ({
  ...{ name, in: 'header', required: true, description, schema: { type: 'string' }, example },
});

/** The headers of a request to a webhook. */
export const webhookHeaders = {
  WebhookIdHeader: webhookHeader(
    'webhook-id',
    'The id of the event. It is the same in each attempt, so a receiver can skip what it has.',
    'evt_00000001000000000a1f0001',
  ),
  WebhookTimestampHeader: webhookHeader(
    'webhook-timestamp',
    'The time of the attempt, in seconds since 1970.',
    '1772368200',
  ),
  WebhookSignatureHeader: webhookHeader(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. The key is the secret without `whsec_`, decoded from base64. While a secret is being rotated there are two signatures, separated by a space: accept either.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
};

export const parameterRef = (name: string) => ({ $ref: `#/components/parameters/${name}` });

/** The ids in a path, by the name of their component: `{unit_id}` is `UnitId`. */
export function pathParameters(path: string): Record<string, object> {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [pascal(name), pathParameter(name)]));
}

function pathParameter(name: string) {
  const of = name === 'id' ? 'entry' : toWords(name.replace(/_id$/, ''));
  return {
    name,
    in: 'path',
    required: true,
    description: `The id of the ${of}.`,
    schema: { type: 'integer', format: 'int64' },
  };
}

export const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A personal access token: `Authorization: Bearer regulars_pat_…`. The header `Authentication` is accepted too.',
  },
  adminToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The `ADMIN_TOKEN` that the operator set. It has every right.',
  },
  user: {
    type: 'http',
    scheme: 'basic',
    description: 'The e-mail and password of a user. The role of the user decides what is allowed.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName,
    description: 'The session cookie of the dashboard. Changes are accepted only from pages of the service itself.',
  },
};

/** The routes for operators. They are not in the list of routes, because they need no database transaction. */
export const monitoringPaths = {
  '/health': {
    get: {
      operationId: 'getHealth',
      tags: ['Monitoring'],
      summary: 'Check the service',
      description: 'Returns 200 as soon as the service can answer requests, and 503 while it cannot.',
      security: [],
      responses: {
        200: {
          description: 'The service can answer requests.',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['status'],
                properties: { status: { type: 'string', enum: ['ok'] } },
              },
              example: { status: 'ok' },
            },
          },
        },
        400: errorRef('BadRequest'),
        503: errorRef('Unavailable'),
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      tags: ['Monitoring'],
      summary: 'Read the metrics',
      description: 'Metrics of all processes in the Prometheus text format.',
      security: [],
      responses: {
        200: { description: 'Prometheus text.', content: { 'text/plain': { schema: { type: 'string' } } } },
        400: errorRef('BadRequest'),
      },
    },
  },
};
