import type { FastifyReply } from 'fastify';
import { TooMany, Unavailable } from '../../../shared/problem.ts';
import { Batcher } from '../../batching/batcher.ts';
import type { Call } from '../call.ts';
import type { RequestCall } from '../request-call.ts';
import type { BatchedRead, Route } from '../route.ts';
import { type ServeContext, traced } from './context.ts';
import { serveSingle } from './single.ts';

/** All responses of a batch are in memory at once. They may be long, so a batch has a few dozen requests at most. */
const weightOfRead = 40;

/** Reads concurrent requests in one transaction. Invalid requests, and those too large for a batch, are served alone. */
export function batchedReader(route: Route, readBatch: BatchedRead, context: ServeContext) {
  const batcher = new Batcher<RequestCall, unknown>({
    write: traced(context, (accountId, calls) =>
      context.db.tenant(accountId, (tx) => readBatch(tx, accountId, calls as unknown as Call[])),
    ),
    weigh: () => weightOfRead,
    onBatch: (size) => context.onBatch(route.path, size),
    batching: context.batching,
    accounts: context.activeAccounts,
  });
  return (call: RequestCall, reply: FastifyReply) => {
    const alone = () => serveSingle(route, call, reply, context);
    if (!call.read.errors.isEmpty) return alone();
    context.batchTrace?.enqueue(call, call.request.span);
    return batcher.submit(call.accountId, call).then((response) => {
      if (response !== undefined) return response;
      return context.largeRequests.run(call.accountId, () => {
        // The client is gone, or has too many unread responses in memory already.
        if (reply.raw.destroyed) throw new Unavailable('The client has disconnected.');
        if (!call.request.load.hasRoom) throw tooManyUnread();
        return alone();
      });
    });
  };
}

const tooManyUnread = () => new TooMany('Too many responses are not read yet. Read them before you request more.', 1);
