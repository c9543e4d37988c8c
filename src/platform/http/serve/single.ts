import type { FastifyReply } from 'fastify';
import type { Rows } from '../../../shared/fields.ts';
import { JsonText } from '../../../shared/json-text.ts';
import { textIn } from '../../../shared/record.ts';
import { sessionCookie, writtenCookie } from '../cookie.ts';
import type { RequestCall } from '../request-call.ts';
import { isAudited, type Route } from '../route.ts';
import { accepts, ndjson, sendCsv, sendProgress } from '../streams.ts';
import { auditEventOf } from './audit.ts';
import type { ServeContext } from './context.ts';
import { inScope, rejectInvalid, retryOnConflict } from './scope.ts';
import { jsonType } from './send.ts';

/** For the way of the response to the browser, and for changes that report progress. */
const [marginSeconds, longestProgressSeconds] = [1, 300];

/** Serves one request in its own transaction: as JSON, as a CSV file, or with progress as NDJSON. */
export async function serveSingle(
  route: Route,
  call: RequestCall,
  reply: FastifyReply,
  context: ServeContext,
): Promise<FastifyReply> {
  await rejectInvalid(route, call, context);
  const { csv } = route;
  const onLateError = (error: unknown) => context.onLateError(error, call.request.id);
  const asDownload = textIn(call.input, 'format') === 'csv';
  if (csv && (asDownload || accepts(call.request, 'text/csv'))) {
    if (asDownload) reply.header('content-disposition', 'attachment');
    return sendCsv(reply, csv.columns, onLateError, (after) =>
      inScope(route, call, context, (tx) => csv.next(tx, call, after)),
    );
  }
  const isChange = route.access === 'admin' && route.method !== 'GET' && !route.readsOnly;
  /** Until the replica has the change, the session reads from the primary. */
  const noteWrite = (longestSeconds: number) => {
    if (!context.replica || call.request.admin?.sessionId == null) return;
    const seconds = context.replica.maxStalenessSeconds + marginSeconds + longestSeconds;
    reply.header('set-cookie', writtenCookie(call.request, seconds));
  };
  const work = async () => {
    const ran = await run(route, call, context);
    const result = route.respond ? await route.respond(ran, call, () => run(route, call, context)) : ran;
    for (const outcome of call.outcomes) context.onOutcome(route.path, outcome);
    if (isChange) {
      context.authBackend.onAdminChange();
      if (!reply.sent) noteWrite(0);
    }
    if (call.newCookie !== undefined) reply.header('set-cookie', sessionCookie(call.request, call.newCookie));
    if (route.status === 204) return undefined;
    return route.paged ? call.paginate(result as Rows<unknown>) : result;
  };
  const queued = route.isLong?.(call.input) ? () => context.longRequests.run(call.accountId, work) : work;
  if (!route.isLong || !accepts(call.request, ndjson)) {
    const result = await queued();
    if (!(result instanceof JsonText)) return reply.code(route.status).send(result);
    return reply.code(route.status).type(jsonType).send(result.text);
  }
  // The headers are sent before the change is complete.
  if (isChange) noteWrite(longestProgressSeconds);
  return sendProgress(reply, route.status, onLateError, (progress) => {
    call.progress = progress;
    return queued();
  });
}

function run(route: Route, call: RequestCall, context: ServeContext): Promise<unknown> {
  return retryOnConflict(call, () =>
    inScope(route, call, context, async (tx) => {
      const result = await route.handler(tx, call);
      if (isAudited(route)) await context.authBackend.recordAuditEvent(tx, auditEventOf(route, call, result));
      return result;
    }),
  );
}
