import type { FastifyReply } from 'fastify';
import type { IdempotentRequest } from '../../../shared/idempotent-request.ts';
import { present } from '../../../shared/present.ts';
import type { RequestCall } from '../request-call.ts';
import type { Route } from '../route.ts';
import type { ServeContext } from './context.ts';
import { inScope, rejectInvalid, retryOnConflict } from './scope.ts';
import { sendStored } from './send.ts';

/** Serves one request with an idempotency key in its own transaction. The response is stored with the change. */
export async function serveIdempotent(
  route: Route,
  call: RequestCall,
  reply: FastifyReply,
  context: ServeContext,
  idempotentRequest: IdempotentRequest,
): Promise<FastifyReply> {
  await rejectInvalid(route, call, context);
  const [response] = await retryOnConflict(call, () =>
    inScope(route, call, context, (tx) =>
      context.runIdempotent(tx, call.accountId, [idempotentRequest], async () => {
        const result = await route.handler(tx, call);
        const contactId = route.contactOf?.(result) ?? null;
        return [{ body: JSON.stringify(result), discarded: [], contactId, outcomes: [] }];
      }),
    ),
  );
  for (const outcome of call.outcomes) context.onOutcome(route.path, outcome);
  return sendStored(reply, call, present(response, 'response'), route.status);
}
