import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from '../log.ts';
import { Invalid, Unavailable } from '../shared/problem.ts';
import { answerFor } from './errors.ts';
import type { Admin, Partner } from './gate.ts';
import { checkBodyHeaders, parseBody, parseQuery } from './params.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the token is found good. */
    partner: Partner | undefined;
    /** Set once it is known which administrator calls. */
    admin: Admin | undefined;
    /** The names of the fields that were refused, for the request log. */
    errorFields: string[];
    /** Those that were dropped, where the sender asked for that. */
    discardedFields: string[];
  }
}

export interface Answered {
  requestId: string;
  /** Whether that is one of ours, and not the client's. */
  ownRequestId: boolean;
  method: string;
  /** The route's pattern; the address itself may hold a guest's data. */
  route: string;
  status: number;
  durationMs: number;
  partner: Partner | undefined;
  /** The administrator who called, by a name that may stand in a log. */
  caller: string | undefined;
  accountId: number;
  errorFields: string[];
  discardedFields: string[];
}

interface ServerOptions {
  bodyLimitBytes: number;
  /** Those whose word on where a request came from is taken. */
  trustedProxies: string[];
  log: Logger;
  onAnswered: (answered: Answered) => void;
}

/** What every route shares: request ids, JSON in, errors in the interface's shapes, and a word to whoever keeps records. */
export function createServer({ bodyLimitBytes, trustedProxies, log, onAnswered }: ServerOptions): FastifyInstance {
  const app: FastifyInstance = fastify({
    // What there is to say, we say ourselves. The framework would make a logger of its own for every request.
    logger: false,
    bodyLimit: bodyLimitBytes,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    routerOptions: { querystringParser: parseQuery, ignoreTrailingSlash: true },
    requestTimeout: 60_000,
    // The router's own refusals pass by our hooks.
    frameworkErrors: (error, request, reply) => {
      fail(error, request, reply);
      report(request, reply);
    },
    // We answer that ourselves, in our own shape.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenHttp,
  });

  // Clients of this interface send JSON bodies on GET.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  // Named as well, so that the framework need not take the usual one apart each time.
  app.addContentTypeParser(
    ['application/json', '*'],
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done) => {
      try {
        if (body.length > 0) checkBodyHeaders(request.headers);
        done(null, parseBody(body));
      } catch (error) {
        done(error as Error);
      }
    },
  );

  app.decorateRequest('partner', undefined);
  app.decorateRequest('admin', undefined);
  app.decorateRequest('errorFields');
  app.decorateRequest('discardedFields');
  const stop = trackConnections(app.server);
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
    stop();
  });
  // Every request passes these, so they are plain calls: a promise for each would be felt.
  app.addHook('onRequest', (request, reply, done) => {
    request.errorFields = [];
    request.discardedFields = [];
    reply.headers(headersOfAll).header('x-request-id', request.id);
    if (!stopping) return done();
    reply.header('connection', 'close');
    done(new Unavailable());
  });
  app.addHook('onResponse', (request, reply, done) => {
    report(request, reply);
    done();
  });
  function report(request: FastifyRequest, reply: FastifyReply) {
    onAnswered({
      requestId: request.id,
      ownRequestId: request.headers['x-request-id'] !== request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unmatched',
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
      partner: request.partner,
      caller: request.admin?.caller,
      accountId:
        request.partner?.accountId ?? Number((request.params as { account_id?: string } | undefined)?.account_id),
      errorFields: request.errorFields ?? [],
      discardedFields: request.discardedFields ?? [],
    });
  }
  app.setErrorHandler(fail);

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const answer = answerFor(error, request.id);
    if (error instanceof Invalid) request.errorFields = Object.keys(error.errors);
    if (answer.status === 503)
      log.warn({ request_id: request.id, reason: (error as Error).message }, 'a request came at a bad moment');
    else if (answer.status >= 500) log.error({ err: error, request_id: request.id }, 'a request failed');
    return reply
      .code(answer.status)
      .headers({ ...answer.headers, 'x-request-id': request.id })
      .send(answer.body);
  }

  return app;
}

/** No browser is to guess what an answer is, and nobody is to keep one that is a guest's. */
const headersOfAll = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };

/** What is still being answered this long after we began to stop is given up. */
const patienceMs = 5000;

/** How often connections that have become idle are looked for, while we stop. */
const lookEveryMs = 20;

/** Gives what ends the connections when we stop: those that wait for nothing at once, the others when they are answered. */
function trackConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) {
      // One that never asked for anything does not count as idle.
      if (socket.bytesRead === 0) socket.destroy();
      // Whoever is still to be answered is told not to ask on this connection again.
      const { _httpMessage: answering } = socket as Socket & { _httpMessage?: ServerResponse | null };
      if (answering && !answering.headersSent) answering.setHeader('connection', 'close');
    }
    const closing = setInterval(() => server.closeIdleConnections(), lookEveryMs);
    server.closeIdleConnections();
    server.once('close', () => clearInterval(closing));
    setTimeout(() => server.closeAllConnections(), patienceMs).unref();
  };
}

/** What is not even HTTP gets a 400 in our shape, and its connection is closed. */
function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ errors: [{ message: 'The request is not valid HTTP.' }] });
  const statuses: Record<string, string> = {
    ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
    HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  };
  const status = statuses[error.code ?? ''] ?? '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** A client's own request id is used if it is harmless in a log and a header. */
function requestId(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && /^[\w.:/+=-]{1,128}$/.test(sent) ? sent : randomUUID();
}
