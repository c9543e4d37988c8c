import type { FastifyReply } from 'fastify';
import type { ReplayableResponse } from '../../../shared/idempotent-request.ts';
import type { RequestCall } from '../request-call.ts';

export const jsonType = 'application/json; charset=utf-8';

/** Most clients and proxies accept headers of 8 kB. */
const longestHeader = 4000;

/** Sends the stored text of a response, so that a replayed response is identical to the first one. */
export function sendStored(
  reply: FastifyReply,
  call: RequestCall,
  response: ReplayableResponse | Error,
  status: number,
): FastifyReply {
  if (response instanceof Error) throw response;
  if (response.isReplayed) reply.header('idempotent-replayed', 'true');
  reportDiscarded(reply, call, response.discarded);
  return reply.code(status).type(jsonType).send(response.body);
}

/** Names the dropped fields in a header and in the request log. */
export function reportDiscarded(reply: FastifyReply, call: RequestCall, fields: string[]): void {
  call.request.discardedFields = fields;
  if (fields.length > 0) reply.header('discarded-fields', headerList(fields));
}

function headerList(fields: string[]): string {
  const list = fields.join(', ');
  return list.length <= longestHeader ? list : `${list.slice(0, longestHeader).replace(/,[^,]*$/, '')}, and more`;
}
