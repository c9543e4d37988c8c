import Type, { type Static } from 'typebox';
import { Id, Instant, Nullable } from '../../../shared/fields.ts';

/** The retention of the request log. */
export const keptDays = 7;

export const LoggedRequest = Type.Object({
  id: Id('Entry id'),
  at: Instant('When it arrived.'),
  request_id: Type.String({ description: 'The answer’s X-Request-Id.' }),
  address: Nullable(
    Type.String({
      description: 'The client’s address; null: a proxy did not tell, or an entry of an earlier version.',
      examples: ['203.0.113.7'],
    }),
  ),
  method: Type.String(),
  route: Type.String({ description: 'The route, not the address: no value that was sent is kept.' }),
  status: Type.Integer(),
  duration_ms: Type.Number(),
  error_fields: Type.Array(Type.String(), { description: 'The fields that were refused.' }),
  discarded_fields: Type.Array(Type.String(), { description: 'The fields that discard_invalid_data dropped.' }),
});
export type LoggedRequest = Static<typeof LoggedRequest>;

export const LogQuery = Type.Object({
  before: Type.Optional(
    Type.Integer({ description: 'Only entries older than this one, by its id.', minimum: 0, examples: [1200] }),
  ),
});

export const LogPage = Type.Object({
  data: Type.Array(LoggedRequest, { description: 'Newest first, 100 at most.' }),
  next_before: Nullable(
    Type.Integer({ description: 'What to send as `before` for the next 100; null: there are no more.' }),
  ),
});
export type LogPage = Static<typeof LogPage>;
