import type { Socket } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { codeOf, messageOf } from '../../shared/errors.ts';
import { type ConnectionHandler, dispatch, refusalOf } from '../internals/undici.ts';
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
/** Idle connections are kept for this long. */
const idleMs = 30_000;

/** A client for addresses that customers choose. It follows no redirects. */
export function createPost({
  allowPrivate,
  dnsServers,
  timeoutMs = usualTimeoutMs,
}: PostOptions): Post & { close(): void } {
  const lookup = allowPrivate && !dnsServers ? {} : { lookup: lookupBy(dnsServers, allowPrivate) };
  const options = {
    ...{ connect: { ...lookup, timeout: timeoutMs }, keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs },
    // An exchange has its own limits.
    ...{ headersTimeout: 0, bodyTimeout: 0 },
  };
  const agents = { kept: new Agent(options), fresh: new Agent({ ...options, pipelining: 0 }) };

  const running = new Set<Exchange>();
  async function exchange(
    agent: Agent,
    request: Dispatcher.DispatchOptions,
    limitMs: number,
  ): Promise<Partial<Posted>> {
    const exchange = new Exchange(limitMs);
    running.add(exchange);
    dispatch(agent, request, exchange);
    try {
      return await exchange.result;
    } finally {
      running.delete(exchange);
    }
  }

  const post: Post = async (url, headers, body) => {
    const began = performance.now();
    const duration = () => Math.round(performance.now() - began);
    const posted = { status: null, response: '', error: null, retryAfter: null };
    try {
      const { origin, hostname, pathname, search } = new URL(url);
      if (!allowPrivate && isSpecial(hostname)) throw new ForbiddenAddress(hostname);
      const request = { origin, path: pathname + search, method: 'POST', headers, body } as const;
      const result = await exchange(agents.kept, request, timeoutMs).catch((error) => {
        // The receiver closed an idle connection at the moment at which it was used again. Others that are idle may be
        // closed too, so the next one is new.
        if (error instanceof ClosedIdle) return exchange(agents.fresh, request, Math.max(1, timeoutMs - duration()));
        throw error;
      });
      return { ...posted, ...result, durationMs: duration() };
    } catch (error) {
      return { ...posted, error: reasonOf(error, timeoutMs), durationMs: duration() };
    }
  };
  const close = () => {
    for (const one of running) one.fail(new Error('The service stopped.'));
    for (const agent of Object.values(agents)) agent.destroy().catch(() => {});
  };
  return Object.assign(post, { close });
}

class ClosedIdle extends Error {}
class TimedOut extends Error {}
/** No more of the response is wanted. */
class CutOff extends Error {}

/** One request and its response: the status, and the start of the body. */
class Exchange implements ConnectionHandler {
  readonly result: Promise<Partial<Posted>>;
  #done: (posted: Partial<Posted>) => void = () => {};
  #failed: (error: Error) => void = () => {};
  #timer: NodeJS.Timeout;
  #connection: Socket | undefined;
  #isUsed = false;
  #isOver = false;
  #status: number | null = null;
  #retryAfter: string | null = null;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(limitMs: number) {
    this.result = new Promise((done, failed) => {
      [this.#done, this.#failed] = [done, failed];
    });
    this.#timer = setTimeout(() => this.fail(new TimedOut()), limitMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The connection came too late. Nothing was sent yet.
    if (this.#isOver) controller.abort(new CutOff());
  }

  onConnection(connection: Socket, isUsed: boolean): void {
    [this.#connection, this.#isUsed] = [connection, isUsed];
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // A provisional response comes before the real one.
    if (this.#isOver || status < 200) return;
    this.#status = status;
    this.#retryAfter = [headers['retry-after']].flat()[0] ?? null;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), bodyMs);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#chunks.push(chunk.subarray(0, bodyBytes - this.#bytes));
    this.#bytes += chunk.length;
    if (this.#bytes > bodyBytes) this.#end();
  }

  onResponseEnd(): void {
    this.#connection = undefined;
    // undici frees the connection for the next request in the turn after this one. Before that, it would open another.
    setImmediate(() => setImmediate(() => this.#end()));
  }

  onResponseError(_: unknown, error: Error): void {
    this.#connection = undefined;
    const reason = refusalOf(error);
    // After the status line, only the rest of the body is lost.
    if (this.#status !== null) this.#end();
    else if (reason !== undefined) this.fail(new Error(reason));
    else this.fail(this.#isUsed && closed.has(codeOf(error) ?? '') ? new ClosedIdle() : error);
  }

  #end(): void {
    if (!this.#stop()) return;
    const response = storable(Buffer.concat(this.#chunks).toString('utf8'));
    this.#done({ status: this.#status, response, retryAfter: this.#retryAfter });
  }

  fail(error: Error): void {
    if (this.#stop()) this.#failed(error);
  }

  /** Closes the connection if the response is not complete. False: the exchange was over already. */
  #stop(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    // If undici itself aborts a request that was sent, it opens another connection for nothing.
    this.#connection?.destroy(new CutOff());
    return true;
  }
}

/** A name can come more than once. */
type Headers = Record<string, string | string[] | undefined>;

/** The start of a text. PostgreSQL stores neither NUL nor half of a character. */
const storable = (text: string) => Buffer.from(text.slice(0, mostShown)).toString('utf8').replaceAll('\0', '\ufffd');

/** The codes of a connection that the receiver closed. */
const closed = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const words: Record<string, string> = {
  ECONNREFUSED: 'The receiver refused the connection.',
  ECONNRESET: 'The receiver closed the connection without a response.',
  EPIPE: 'The receiver closed the connection without a response.',
  UND_ERR_SOCKET: 'The receiver closed the connection without a response.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out.',
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
