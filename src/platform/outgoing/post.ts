import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { codeOf, messageOf } from '../../shared/errors.ts';
import { ForbiddenAddress, isSpecial, lookupBy } from './addresses.ts';

/** What came of a request. */
export interface Posted {
  /** Null: no response came. */
  status: number | null;
  durationMs: number;
  /** The start of the body. */
  response: string;
  /** Why there was no response. */
  error: string | null;
  /** The header `Retry-After`. */
  retryAfter: string | null;
}

/** Why the receiver does not have it. Null: it answered with a 2xx. */
export function failureOf({ status, error }: Posted): string | null {
  if (status === null) return error ?? 'No response.';
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `The receiver answered ${status}, a redirect. Redirects are not followed.`;
  return `The receiver answered ${status}.`;
}

/** Sends a body to a URL with POST. Never throws. */
export type Post = (url: string, headers: Record<string, string>, body: string) => Promise<Posted>;

export interface PostOptions {
  /** Whether addresses of private networks are allowed. */
  allowPrivate: boolean;
  /** Unset: the resolver of the system. */
  dnsServers?: string[] | undefined;
  /** The limit from the start to the status line. */
  timeoutMs?: number;
}

const usualTimeoutMs = 15_000;
/** After the status line, the body is read for this long and up to this size, for the record. */
const [bodyMs, bodyBytes] = [1000, 16 * 1024];
const mostShown = 1000;
/** Idle connections are kept for this long, and this number for each host. */
const [idleMs, idleConnections] = [30_000, 32];

/** A client for addresses that customers choose. It follows no redirects. */
export function createPost({
  allowPrivate,
  dnsServers,
  timeoutMs = usualTimeoutMs,
}: PostOptions): Post & { close(): void } {
  const options = { keepAlive: true, maxFreeSockets: idleConnections, timeout: idleMs, scheduling: 'lifo' } as const;
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  const lookup = allowPrivate && !dnsServers ? {} : { lookup: lookupBy(dnsServers, allowPrivate) };

  const post: Post = async (url, headers, body) => {
    const began = performance.now();
    const { protocol, hostname } = new URL(url);
    const finish = (posted: Partial<Posted>): Posted => ({
      ...{ status: null, response: '', error: null, retryAfter: null, ...posted },
      durationMs: Math.round(performance.now() - began),
    });
    if (!allowPrivate && isSpecial(hostname)) return finish({ error: new ForbiddenAddress(hostname).message });
    const isSecure = protocol === 'https:';
    const send = (agent: HttpAgent | false) =>
      (isSecure ? httpsRequest : httpRequest)(url, {
        ...lookup,
        method: 'POST',
        agent,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      });
    const exchange = (agent: HttpAgent | false) => exchangeOn(send(agent), body, timeoutMs);
    try {
      const result = await exchange(isSecure ? agents.https : agents.http).catch((error) => {
        // The receiver closed an idle connection at the moment at which it was used again. Others that are idle may be
        // closed too, so the next one is new.
        if (error instanceof ClosedIdle) return exchange(false);
        throw error;
      });
      return finish(result);
    } catch (error) {
      return finish({ error: reasonOf(error, timeoutMs) });
    }
  };
  const close = () => {
    agents.http.destroy();
    agents.https.destroy();
  };
  return Object.assign(post, { close });
}

/** The codes of a connection that the receiver closed while it was idle. */
const lostIdle = new Set(['ECONNRESET', 'EPIPE']);
class ClosedIdle extends Error {}
class TimedOut extends Error {}

function exchangeOn(request: ClientRequest, body: string, timeoutMs: number): Promise<Partial<Posted>> {
  return new Promise((done, failed) => {
    const timer = setTimeout(() => request.destroy(new TimedOut()), timeoutMs);
    let isAnswered = false;
    const noteAnswer = () => {
      isAnswered = true;
      clearTimeout(timer);
    };
    request.on('error', (error) => {
      // After the status line, only the rest of the body is lost.
      if (isAnswered) return;
      clearTimeout(timer);
      const wasIdle = request.reusedSocket && lostIdle.has(codeOf(error) ?? '');
      failed(wasIdle ? new ClosedIdle() : error);
    });
    // Without a listener, Node ends the request and reports nothing.
    request.on('upgrade', (response, socket) => {
      noteAnswer();
      socket.destroy();
      done({ status: response.statusCode ?? null });
    });
    request.on('close', () => {
      if (!isAnswered) failed(new Error(words.ECONNRESET));
    });
    request.on('response', (response) => {
      noteAnswer();
      void read(response).then((text) => {
        done({
          status: response.statusCode ?? null,
          response: text,
          retryAfter: response.headers['retry-after'] ?? null,
        });
      });
    });
    request.end(body);
  });
}

/** The start of the body. A longer or slower one is cut off, together with its connection. */
function read(response: IncomingMessage): Promise<string> {
  return new Promise((done) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = () => {
      clearTimeout(timer);
      if (!response.complete) response.destroy();
      done(storable(Buffer.concat(chunks).toString('utf8')));
    };
    const timer = setTimeout(end, bodyMs);
    response.on('data', (chunk: Buffer) => {
      if (bytes < bodyBytes) chunks.push(chunk.subarray(0, bodyBytes - bytes));
      bytes += chunk.length;
      if (bytes > bodyBytes) end();
    });
    response.on('end', end).on('error', end).on('close', end);
  });
}

/** The start of a text. PostgreSQL stores neither NUL nor half of a character. */
const storable = (text: string) => Buffer.from(text.slice(0, mostShown)).toString('utf8').replaceAll('\0', '\ufffd');

const words: Record<string, string> = {
  ECONNREFUSED: 'The receiver refused the connection.',
  ECONNRESET: 'The receiver closed the connection without a response.',
  ENOTFOUND: 'The name of the host has no address.',
  ENODATA: 'The name of the host has no address.',
  EAI_AGAIN: 'The name server did not respond.',
  ETIMEOUT: 'The name server did not respond.',
  ESERVFAIL: 'The name server could not find the host.',
  ETIMEDOUT: 'The connection timed out.',
  EHOSTUNREACH: 'The host is unreachable.',
  ENETUNREACH: 'The network is unreachable.',
};

function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof TimedOut) return `No response within ${timeoutMs / 1000} seconds.`;
  return words[codeOf(error) ?? ''] ?? storable(messageOf(error));
}
