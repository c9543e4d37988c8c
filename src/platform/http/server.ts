import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { plainAddress } from '../../shared/address.ts';
import { Invalid, named, Unavailable } from '../../shared/problem.ts';
import type { Logger } from '../log.ts';
import { answerFor } from './errors.ts';
import { Load, type LoadShare } from './load.ts';
import { checkBodyHeaders, Malformed, parseQuery } from './params.ts';
import type { Admin, Partner } from './request-auth.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address. Null: a proxy did not tell. */
    address: string | null;
    /** Set once the token is found good. */
    partner: Partner | undefined;
    /** Set once it is known which administrator calls. */
    admin: Admin | undefined;
    /** What this request takes of the bounded memory. */
    load: LoadShare;
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
  address: string | null;
  partner: Partner | undefined;
  /** The administrator who called, by a name that may stand in a log. */
  caller: string | undefined;
  accountId: number;
  errorFields: string[];
  discardedFields: string[];
}

interface ServerOptions {
  bodyLimitBytes: number;
  /** Where others reach it. */
  publicUrl: string | undefined;
  /** Those whose word on where a request came from is taken. */
  trustedProxies: string[];
  /** How many answer behind the same port. */
  processes?: number;
  log: Logger;
  onAnswered: (answered: Answered) => void;
  /** Whoever has not sent all of a request by then is not going to. */
  slowestSendMs?: number;
  /** Whoever takes nothing of an answer for this long keeps it in our memory for nothing. */
  slowestReadMs?: number;
}

/** What every route shares: request ids, JSON in, errors in the interface's shapes, and a word to whoever keeps records. */
export function createServer({
  bodyLimitBytes,
  publicUrl,
  trustedProxies,
  processes = 1,
  log,
  onAnswered,
  slowestSendMs = 60_000,
  slowestReadMs = 30_000,
}: ServerOptions): FastifyInstance {
  const ownHeaders = { ...headersOfAll, ...(publicUrl?.startsWith('https:') ? headersOfHttps : {}) };
  const app: FastifyInstance = fastify({
    // What there is to say, we say ourselves. The framework would make a logger of its own for every request.
    logger: false,
    bodyLimit: bodyLimitBytes,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    routerOptions: { querystringParser: parseQuery, ignoreTrailingSlash: true },
    requestTimeout: slowestSendMs,
    http: {
      ...{ headersTimeout: slowestSendMs, connectionsCheckingInterval: Math.min(slowestSendMs, 10_000) },
      // We say so ourselves, with a message.
      requireHostHeader: false,
    },
    // The router's own refusals pass by our hooks.
    frameworkErrors: (error, request, reply) => {
      fail(error, request, reply);
      report(request, reply, undefined, 0);
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
        // Parsed by the handler: a large body has to wait for its account's turn.
        done(null, body);
      } catch (error) {
        done(error as Error);
      }
    },
  );

  app.decorateRequest('address', null);
  app.decorateRequest('partner', undefined);
  app.decorateRequest('admin', undefined);
  app.decorateRequest('load');
  app.decorateRequest('errorFields');
  app.decorateRequest('discardedFields');
  const stop = trackConnections(app.server, slowestReadMs);
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
    stop();
  });
  // Every request passes this, so it is a plain call, and listens itself: a promise, or the framework's own hook for
  // what was answered, would be felt.
  const load = new Load(processes, bodyLimitBytes);
  app.addHook('onRequest', (request, reply, done) => {
    const { url, bodyLimit = bodyLimitBytes } = request.routeOptions;
    const share = load.add(request.raw, bodyLimit);
    request.load = share;
    const began = performance.now();
    let isAnswered = false;
    const answered = () => {
      if (isAnswered) return;
      isAnswered = true;
      share.leave();
      report(request, reply, url, performance.now() - began);
    };
    reply.raw.on('finish', answered).on('error', answered);
    // Read now: a closed socket has no address any more.
    request.address = plainAddress(request.ip);
    request.errorFields = none;
    request.discardedFields = none;
    reply.headers(ownHeaders).header('x-request-id', request.id);
    if (stopping) {
      reply.header('connection', 'close');
      return done(new Unavailable());
    }
    if (load.isTooMuch) return done(new Unavailable('Too many requests are being answered already.'));
    const { headers, httpVersion } = request.raw;
    if (headers.host === undefined && httpVersion === '1.1')
      return done(new Malformed('The request does not say which host it is for.'));
    done();
  });
  // Counted until the client has read it. A stream waits for its client, and keeps little in memory.
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (typeof payload === 'string' && payload.length > largeAnswer) request.load?.holdsAnswer(payload.length);
    done(null, payload);
  });
  function report(request: FastifyRequest, reply: FastifyReply, url: string | undefined, durationMs: number) {
    onAnswered({
      requestId: request.id,
      ownRequestId: request.headers['x-request-id'] !== request.id,
      method: request.method,
      route: url ?? 'unmatched',
      status: reply.statusCode,
      durationMs,
      address: request.address ?? null,
      partner: request.partner,
      caller: request.admin?.caller,
      accountId:
        request.partner?.accountId ?? Number((request.params as { account_id?: string } | undefined)?.account_id),
      errorFields: request.errorFields ?? none,
      discardedFields: request.discardedFields ?? none,
    });
  }
  app.setErrorHandler(fail);
  app.server.on('checkExpectation', (_request, response) => {
    response.statusCode = 417;
    for (const [name, value] of Object.entries({ ...ownHeaders, 'content-type': jsonType }))
      response.setHeader(name, value);
    response.end(plainBody('The Expect header asks for something unknown.'));
  });

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const answer = answerFor(error, request.id);
    if (error instanceof Invalid) request.errorFields = named(error.errors, error.hasMore);
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

const none: string[] = [];
/** In characters. */
const largeAnswer = 64 * 1024;

/** No browser is to guess what an answer is, and nobody is to keep one that is a guest's. */
const headersOfAll = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
/** Whoever came by https once is not to be led to anything less, for a year. */
const headersOfHttps = { 'strict-transport-security': 'max-age=31536000' };

/** What is still being answered this long after we began to stop is given up. */
const patienceMs = 5000;

/** How often connections that have become idle are looked for, while we stop. */
const lookEveryMs = 20;

/** Gives what ends the connections when we stop: those that wait for nothing at once, the others when they are answered. */
function trackConnections(server: Server, slowestReadMs: number): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  const watching = dropSlowReaders(server, open, slowestReadMs);
  return () => {
    clearInterval(watching);
    for (const socket of open) {
      // One that never asked for anything does not count as idle.
      if (socket.bytesRead === 0) socket.destroy();
      // Whoever is still to be answered is told not to ask on this connection again.
      const answer = answering(socket);
      if (answer && !answer.headersSent) answer.setHeader('connection', 'close');
    }
    const closing = setInterval(() => server.closeIdleConnections(), lookEveryMs);
    server.closeIdleConnections();
    server.once('close', () => clearInterval(closing));
    setTimeout(() => server.closeAllConnections(), patienceMs).unref();
  };
}

/** Looks for them now and then, so that it costs the requests nothing. Node itself sees whether a write gets on. */
function dropSlowReaders(server: Server, open: Set<Socket>, slowestReadMs: number): NodeJS.Timeout {
  server.on('timeout', (socket) => {
    // A long call that has nothing to say just now is not the client's fault.
    if (socket.writableLength > 0 || !answering(socket)) socket.destroy();
    else socket.setTimeout(0);
  });
  return setInterval(() => {
    for (const socket of open) if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(slowestReadMs);
  }, slowestReadMs).unref();
}

/** What is being answered on this connection. */
function answering(socket: Socket): ServerResponse | null | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage;
}

const brokenHttp: Record<string, [status: string, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time. Send it again.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large: 16 KiB is the most.'],
};

/** What is not even HTTP gets a 400 in our shape, and its connection is closed. */
function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  // Whatever else comes on it is as broken, and nobody listens any more.
  if (broken.has(socket)) return;
  broken.add(socket);
  socket.pause();
  refuseInTurn(error.code, socket);
}

/** What came before it on the connection is whole, and may be done already: it is not to be taken for the one that failed. */
function refuseInTurn(code: string | undefined, socket: Socket): void {
  const before = answering(socket);
  if (before?.req.complete) before.once('close', () => refuseInTurn(code, socket));
  else refuseBrokenHttp(code, socket.resume());
}

/** Those on which something came that is not HTTP. */
const broken = new WeakSet<Socket>();
/** How long a client may take to hear of it, and to leave. */
const leaveMs = 5000;

function refuseBrokenHttp(code: string | undefined, socket: Socket): void {
  if (!socket.writable) return;
  socket.setTimeout(leaveMs, () => socket.destroy());
  const [status, message] = brokenHttp[code ?? ''] ?? ['400 Bad Request', 'The request is not valid HTTP.'];
  const body = plainBody(message);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: ${jsonType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const jsonType = 'application/json; charset=utf-8';
const plainBody = (message: string) => JSON.stringify({ errors: [{ message }] });

const harmless = /^[\w.:/+=-]{1,128}$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A domain, as in `ana=gmail.com`, or a mobile number. */
const personal = /\.[a-z]{2}|(?<![0-9a-z])(?:\+|00)?(?:44|0)7\d{9}(?![0-9a-z])/i;

/** A client's own request id is used if it is harmless in a log and a header, and does not look like a guest's address. */
function requestId(sent: string | string[] | undefined): string {
  const isUsed = typeof sent === 'string' && harmless.test(sent) && (uuid.test(sent) || !personal.test(sent));
  return isUsed ? sent : randomUUID();
}
