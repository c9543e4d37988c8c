import Type, { type Static } from 'typebox';
import { Id, Instant, Nullable } from '../../../shared/fields.ts';

/** The retention of the request log. */
export const keptDays = 7;

export const LoggedRequest = Type.Object(
  {
    id: Id('The id of the entry.'),
    at: Instant('The time at which the request arrived.'),
    request_id: Type.String({ description: 'The `X-Request-Id` of the response.' }),
    address: Nullable(
      Type.String({
        description: 'The address of the client. Null if it is unknown, and for entries of earlier versions.',
        examples: ['203.0.113.7'],
      }),
    ),
    method: Type.String({ description: 'The HTTP method.', examples: ['GET'] }),
    route: Type.String({ description: 'The route, without ids and values.', examples: ['/v1/account/units'] }),
    status: Type.Integer({ description: 'The HTTP status.', examples: [200] }),
    duration_ms: Type.Number({ description: 'The duration in milliseconds.', examples: [3.2] }),
    error_fields: Type.Array(Type.String(), { description: 'The names of the rejected fields.' }),
    discarded_fields: Type.Array(Type.String(), {
      description: 'The names of the fields that `discard_invalid_data` dropped.',
    }),
  },
  { title: 'LoggedRequest' },
);
export type LoggedRequest = Static<typeof LoggedRequest>;

export const LogQuery = Type.Object({
  before: Type.Optional(
    Type.Integer({ description: 'The id of an entry. Only older entries are returned.', minimum: 0, examples: [1200] }),
  ),
});

export const LogPage = Type.Object(
  {
    data: Type.Array(LoggedRequest, { description: 'The entries, newest first, at most 100.' }),
    next_before: Nullable(
      Type.Integer({ description: 'The value of `before` for the next entries. Null if there are no more.' }),
    ),
  },
  { title: 'RequestLog' },
);
export type LogPage = Static<typeof LogPage>;
