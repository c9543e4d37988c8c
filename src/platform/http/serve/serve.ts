import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { chain } from '../../../shared/maybe-promise.ts';
import { Invalid } from '../../../shared/problem.ts';
import { reader } from '../../../shared/read.ts';
import { propertiesOf, textIn } from '../../../shared/record.ts';
import { idempotentRequestOf } from '../idempotency-key.ts';
import { mergeParams, parseBody } from '../params.ts';
import { pathIds, RequestCall } from '../request-call.ts';
import { mayHaveIdempotencyKey, type Route } from '../route.ts';
import { authenticate, partnerAccount } from './authenticate.ts';
import { batchedReader } from './batched-read.ts';
import { batchedWriter } from './batched-write.ts';
import type { ServeContext } from './context.ts';
import { serveIdempotent } from './idempotent.ts';
import { serveSingle } from './single.ts';

/** A body with more bytes counts as large. */
const largeBody = 64 * 1024;
/** The body limit before authentication. A sign-in has an e-mail and a password only. */
const publicBodyLimit = 8192;

/** Adds one route to the HTTP app: authentication, input, one transaction, the response. */
export function serve(app: FastifyInstance, route: Route, context: ServeContext): void {
  const read = reader(route.input);
  const acceptsKey = mayHaveIdempotencyKey(route);
  const secrets = Object.keys(route.input.properties).filter((name) => isSecret(route.input.properties[name]));
  const { batchedWrite, batchedRead } = route;
  const serveBatched = batchedWrite
    ? batchedWriter(route, batchedWrite, context)
    : batchedRead && batchedReader(route, batchedRead, context);

  app.route({
    method: route.method,
    url: route.path,
    ...(route.access === 'public' ? { bodyLimit: Math.min(publicBodyLimit, app.initialConfig.bodyLimit ?? 0) } : {}),
    // Before the body is read.
    onRequest: (request, reply, done) => {
      const authenticated = authenticate(request, reply, route, context.auth);
      if (authenticated) authenticated.then(() => done(), done);
      else done();
    },
    handler: (request, reply) => {
      for (const secret of secrets) rejectInQuery(secret, propertiesOf(request.query));
      const body = request.body as Buffer | undefined;
      if (!body || body.length <= largeBody) return handle(request, reply, readAll(request, body));
      return readQueued(request, body).then((sent) => handle(request, reply, sent));
    },
  });

  function readAll(request: FastifyRequest, body: Buffer | undefined) {
    const params = mergeParams(request.query, body && parseBody(body));
    return { params, input: read(params, () => batchedWrite?.dropsInvalid?.(params) ?? false) };
  }

  /** Only the reading of a large body is queued. A request that waits for the database must not block the queue. */
  function readQueued(request: FastifyRequest, body: Buffer) {
    return context.largeRequests.run(accountOf(request), async () => {
      const sent = readAll(request, body);
      // Other requests are served before the next large body is read.
      await new Promise((turn) => setImmediate(turn));
      return sent;
    });
  }

  function handle(request: FastifyRequest, reply: FastifyReply, { params, input }: ReturnType<typeof readAll>) {
    const ids = pathIds(request);
    const idempotentRequest = acceptsKey ? idempotentRequestOf(request, params) : undefined;
    const account = request.partner
      ? partnerAccount(request.partner, input, context.authBackend)
      : (ids.account_id ?? 0);
    return chain(account, (accountId) => {
      context.activeAccounts.add(accountId);
      const call = new RequestCall(request, { params, input, ids, accountId }, context);
      if (serveBatched) return serveBatched(call, reply, idempotentRequest);
      return idempotentRequest
        ? serveIdempotent(route, call, reply, context, idempotentRequest)
        : serveSingle(route, call, reply, context);
    });
  }
}

/** The account whose queue a large request waits in. */
function accountOf({ partner, params }: FastifyRequest): number {
  return partner?.accountId ?? (Number(textIn(params, 'account_id')) || 0);
}

const isSecret = (schema: unknown) => textIn(schema, 'format') === 'password';

/** Proxies write URLs to their logs, so a secret in the query is rejected. */
function rejectInQuery(name: string, query: object): void {
  if (name in query)
    throw new Invalid({ [name]: [`The ${name.replaceAll('_', ' ')} must be in the body, not in the address.`] });
}
