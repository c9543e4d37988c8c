import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { plainAddress } from '../../shared/address.ts';
import { asError, messageOf } from '../../shared/errors.ts';
import { Invalid, invalidFields, Unavailable } from '../../shared/problem.ts';
import { propertiesOf } from '../../shared/record.ts';
import type { Logger } from '../log.ts';
import type { RequestSpan, Tracer } from '../tracing/tracer.ts';
import { trackConnections } from './connections.ts';
import { errorResponse, type FailureReason, failureReason } from './errors.ts';
import { errorBody, jsonType, rejectInvalidHttp } from './invalid-http.ts';
import { Load, type LoadShare } from './load.ts';
import { checkBodyHeaders, Malformed, parseQuery } from './params.ts';
import type { Admin, Partner } from './request-auth.ts';
import { requestId } from './request-id.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the service is shutting down. */
    isStopping(): boolean;
  }
  interface FastifyRequest {
    /** The client's address. Null: the proxy did not send it. */
    address: string | null;
    /** Set after the token was accepted. */
    partner: Partner | undefined;
    /** Set after the administrator was identified. */
    admin: Admin | undefined;
    /** The share of this request in the limits on memory. */
    load: LoadShare;
    /** Undefined: the request is not traced. */
    span: RequestSpan | undefined;
    /** The names of the invalid fields, for the request log. */
    errorFields: string[];
    /** The names of the fields that a rule dropped. */
    discardedFields: string[];
  }
}

/** A request whose response was sent. */
export interface CompletedRequest {
  requestId: string;
  /** Whether the service made the request id, not the client. */
  ownRequestId: boolean;
  method: string;
  /** The pattern of the route. The URL itself can contain a guest's data. */
  route: string;
  status: number;
  durationMs: number;
  address: string | null;
  partner: Partner | undefined;
  /** The administrator, by a name that is allowed in logs. */
  caller: string | undefined;
  accountId: number;
  errorFields: string[];
  discardedFields: string[];
}

interface ServerOptions {
  bodyLimitBytes: number;
  /** The URL under which clients reach the service. */
  publicUrl: string | undefined;
  /** The proxies whose X-Forwarded headers are used. */
  trustedProxies: string[];
  /** The number of processes behind the same port. */
  processes?: number;
  log: Logger;
  onCompleted: (request: CompletedRequest) => void;
  /** Called for each request that is refused or fails on the side of the service, except during the shutdown. */
  onFailed?: (reason: FailureReason) => void;
  /** Undefined: tracing is off. */
  tracer?: Tracer | undefined;
  /** A client must send a whole request within this time. */
  sendTimeoutMs?: number;
  /** A client that reads nothing of a response for this time is disconnected, because the response stays in memory. */
  readTimeoutMs?: number;
}

/** The HTTP server without routes: request ids, JSON bodies, error responses, limits, and a report of each request. */
export function createServer({
  bodyLimitBytes,
  publicUrl,
  trustedProxies,
  processes = 1,
  log,
  onCompleted,
  onFailed = () => {},
  tracer,
  sendTimeoutMs = 60_000,
  readTimeoutMs = 30_000,
}: ServerOptions): FastifyInstance {
  const serverHeaders = { ...commonHeaders, ...(publicUrl?.startsWith('https:') ? httpsHeaders : {}) };
  const app: FastifyInstance = fastify({
    // The service logs itself. Fastify would make a logger per request.
    logger: false,
    bodyLimit: bodyLimitBytes,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    routerOptions: { querystringParser: parseQuery, ignoreTrailingSlash: true },
    requestTimeout: sendTimeoutMs,
    http: {
      ...{ headersTimeout: sendTimeoutMs, connectionsCheckingInterval: Math.min(sendTimeoutMs, 10_000) },
      // The hook below responds with a message.
      requireHostHeader: false,
    },
    // Errors of the router do not reach the hooks.
    frameworkErrors: (error, request, reply) => {
      fail(error, request, reply);
      report(request, reply, undefined, 0);
    },
    // The hook below responds with a 503 in the usual shape.
    return503OnClosing: false,
    clientErrorHandler: rejectInvalidHttp,
  });

  // Partners send JSON bodies with GET.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  // The usual content type is listed, so that Fastify does not parse the header of each request.
  app.addContentTypeParser(
    ['application/json', '*'],
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done) => {
      try {
        if (body.length > 0) checkBodyHeaders(request.headers);
        // The handler parses the body, because a large one waits in the queue of its account.
        done(null, body);
      } catch (error) {
        done(asError(error));
      }
    },
  );

  app.decorateRequest('address', null);
  app.decorateRequest('partner', undefined);
  app.decorateRequest('admin', undefined);
  app.decorateRequest('span', undefined);
  app.decorateRequest('load');
  app.decorateRequest('errorFields');
  app.decorateRequest('discardedFields');
  const stop = trackConnections(app.server, readTimeoutMs);
  let stopping = false;
  app.decorate('isStopping', () => stopping);
  app.addHook('preClose', async () => {
    stopping = true;
    stop();
  });
  // This runs for every request. A promise, or Fastify's onResponse hook, would cost measurable time.
  const load = new Load(processes, bodyLimitBytes);
  app.addHook('onRequest', (request, reply, done) => {
    const { url, bodyLimit = bodyLimitBytes } = request.routeOptions;
    const share = load.add(request.raw, bodyLimit);
    request.load = share;
    if (tracer) request.span = tracer.start(request.headers.traceparent);
    const began = performance.now();
    let isCompleted = false;
    const complete = () => {
      if (isCompleted) return;
      isCompleted = true;
      share.leave();
      report(request, reply, url, performance.now() - began);
    };
    reply.raw.on('finish', complete).on('error', complete);
    // Read now, because a closed socket has no address.
    request.address = plainAddress(request.ip);
    request.errorFields = none;
    request.discardedFields = none;
    reply.headers(serverHeaders).header('x-request-id', request.id);
    if (stopping) {
      reply.header('connection', 'close');
      return done(new Unavailable('The service is shutting down.'));
    }
    if (load.isFull) return done(new Unavailable('Too many requests are in progress already.'));
    const { raw } = request;
    if (raw.headers.host === undefined && raw.httpVersion === '1.1')
      return done(new Malformed('The request does not say which host it is for.'));
    done();
  });
  // A large response counts until the client has read it. A stream waits for its client and keeps little in memory.
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (typeof payload === 'string' && payload.length > largeResponse) request.load?.addResponse(payload.length);
    done(null, payload);
  });
  function report(request: FastifyRequest, reply: FastifyReply, url: string | undefined, durationMs: number) {
    const completed = {
      requestId: request.id,
      ownRequestId: request.headers['x-request-id'] !== request.id,
      method: request.method,
      route: url ?? 'unmatched',
      status: reply.statusCode,
      durationMs,
      address: request.address ?? null,
      partner: request.partner,
      caller: request.admin?.caller,
      accountId: request.partner?.accountId ?? Number(propertiesOf(request.params).account_id),
      errorFields: request.errorFields ?? none,
      discardedFields: request.discardedFields ?? none,
    };
    request.span?.end(completed);
    onCompleted(completed);
  }
  app.setErrorHandler(fail);
  app.server.on('checkExpectation', (_request, response) => {
    response.statusCode = 417;
    for (const [name, value] of Object.entries({ ...serverHeaders, 'content-type': jsonType }))
      response.setHeader(name, value);
    response.end(errorBody('The Expect header asks for something unknown.'));
  });

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const { status, headers, body } = errorResponse(error, request.id);
    if (error instanceof Invalid) request.errorFields = invalidFields(error.errors, error.hasMore);
    const reason = failureReason(status, error);
    if (reason && !stopping) onFailed(reason);
    if (status === 503) log.warn({ request_id: request.id, reason: messageOf(error) }, 'request rejected: unavailable');
    else if (status >= 500) log.error({ err: error, request_id: request.id }, 'request failed');
    return reply
      .code(status)
      .headers({ ...headers, 'x-request-id': request.id })
      .send(body);
  }

  return app;
}

const none: string[] = [];
/** In characters. */
const largeResponse = 64 * 1024;

/** Browsers must not guess the content type. No cache may store a response, which can contain a guest's data. */
const commonHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
/** Browsers that used HTTPS once must not use HTTP for a year. */
const httpsHeaders = { 'strict-transport-security': 'max-age=31536000' };
