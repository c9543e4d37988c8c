import { codeOf } from '../../shared/errors.ts';
import {
  type FieldErrors,
  Forbidden,
  Invalid,
  mostErrors,
  NotFound,
  NotReady,
  TooMany,
  Unauthorized,
  Unavailable,
  WrongMethod,
} from '../../shared/problem.ts';
import { propertiesOf } from '../../shared/record.ts';
import { isDatabaseUnavailable, isNodeLost } from '../db/database.ts';
import { Malformed, NotJson } from './params.ts';
import { rateHeaders } from './rate-limit.ts';

export interface ErrorResponse {
  status: number;
  body: { message: string; errors: FieldErrors } | { errors: { message: string }[] };
  headers: Record<string, string>;
}

/** The response for an error, in the shapes of the partner API. */
export function errorResponse(error: unknown, requestId: string): ErrorResponse {
  if (error instanceof Invalid) {
    const more = error.hasMore ? ` There are more errors; the first ${mostErrors} are listed.` : '';
    return { status: 422, body: { message: `The given data was invalid.${more}`, errors: error.errors }, headers: {} };
  }
  if (error instanceof Unauthorized) return plainResponse(401, 'Unauthorized', { 'www-authenticate': 'Bearer' });
  if (error instanceof Forbidden) return plainResponse(403, error.message);
  if (error instanceof NotFound) return plainResponse(404, error.message);
  if (error instanceof WrongMethod) return plainResponse(405, error.message, { allow: error.allowed.join(', ') });
  if (error instanceof Malformed) return plainResponse(400, error.message);
  if (error instanceof NotJson) return error.message === '' ? notJson : plainResponse(415, error.message);
  if (error instanceof TooMany) return plainResponse(429, error.message, tooManyHeaders(error));
  if (error instanceof NotReady) return plainResponse(503, error.message, { 'retry-after': '60' });
  if (error instanceof Unavailable || isDatabaseUnavailable(error)) return unavailable;
  const { code, statusCode } = propertiesOf(error);
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return plainResponse(413, 'The body is larger than this service takes. Send it in smaller parts.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return plainResponse(400, 'The body is not as long as its Content-Length says.');
    case 'FST_ERR_BAD_URL':
      return plainResponse(400, 'The address is not a valid URL.');
  }
  if (statusCode === 415) return notJson;
  if (statusCode === 414) return plainResponse(404, 'There is nothing at an address as long as that.');
  // Fastify's other errors (invalid headers, an incomplete body) are errors of the client too.
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return plainResponse(400, 'The request is not valid HTTP.');
  return plainResponse(500, `Something went wrong on our side. It was logged under request id ${requestId}.`);
}

/** Why a request was refused or failed on the side of the service. The label `reason` of a metric. */
export const failureReasons = ['error', 'database', 'disk', 'overload', 'too_many'] as const;
export type FailureReason = (typeof failureReasons)[number];

/** Undefined: the client made the error. */
export function failureReason(status: number, error: unknown): FailureReason | undefined {
  if (status === 429) return 'too_many';
  if (status < 500 || error instanceof NotReady) return undefined;
  if (isDiskError(error)) return 'disk';
  if (isDatabaseUnavailable(error)) return 'database';
  return status === 503 ? 'overload' : 'error';
}

const diskCodes = ['53100', '58030'];
const diskMessages = /No space left on device|Disk quota exceeded|Read-only file system/;

function isDiskError(error: unknown): boolean {
  if (!(error instanceof Error) || isNodeLost(error)) return false;
  return diskCodes.includes(codeOf(error) ?? '') || diskMessages.test(error.message);
}

function tooManyHeaders({ retryAfter, limit }: TooMany): Record<string, string> {
  const rate = limit === undefined ? {} : rateHeaders({ limit, remaining: 0, reset: retryAfter });
  return { 'retry-after': String(retryAfter), ...rate };
}

const notJson = plainResponse(415, 'The body must be JSON, sent with Content-Type: application/json.');

export const unavailable = plainResponse(503, 'The service can’t answer just now. Try again in a moment.', {
  'retry-after': '1',
});

function plainResponse(status: number, message: string, headers: Record<string, string> = {}): ErrorResponse {
  return { status, body: { errors: [{ message }] }, headers };
}
