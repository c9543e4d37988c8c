import type { FastifyRequest } from 'fastify';
import type { Paginate, Slice } from '../../shared/fields.ts';
import { Forbidden, NotFound } from '../../shared/problem.ts';
import { sessionIn } from './cookie.ts';
import { pageNumber, paginated, sliceOf } from './pagination.ts';
import type { Params } from './params.ts';
import type { RequestAuth, User } from './request-auth.ts';
import type { Call } from './route.ts';

/** A call as it came in over HTTP. What few routes ask for is worked out when they do. */
export class RequestCall implements Call<unknown, string> {
  readonly request: FastifyRequest;
  readonly input: unknown;
  readonly ids: Record<string, number>;
  readonly accountId: number;
  readonly receivedAt: Date;
  /** What is to be counted once it is known to stay. */
  readonly outcomes: string[] = [];
  progress: Call['progress'] = () => {};
  /** What the browser is to keep; undefined: what it has. */
  cookie: string | null | undefined;
  /** What the change is about, by name. */
  subject: string | null = null;
  readonly #params: Params;
  readonly #publicUrl: string | undefined;
  readonly #gate: RequestAuth;

  constructor(
    request: FastifyRequest,
    read: { params: Params; input: unknown; ids: Record<string, number>; accountId: number },
    { now, publicUrl, gate }: { now(): Date; publicUrl: string | undefined; gate: RequestAuth },
  ) {
    this.request = request;
    this.input = read.input;
    this.ids = read.ids;
    this.accountId = read.accountId;
    this.receivedAt = now();
    this.#params = read.params;
    this.#publicUrl = publicUrl;
    this.#gate = gate;
  }

  get actor(): string {
    return this.request.admin?.actor ?? '';
  }

  get user(): User {
    const user = this.request.admin?.user;
    if (!user) throw new Forbidden('The admin token is nobody’s. Sign in with e-mail and password.');
    return user;
  }

  get sessionId(): number | null {
    return this.request.admin?.sessionId ?? null;
  }

  get reach(): number[] | null {
    const user = this.request.admin?.user;
    return user && user.role !== 'owner' ? user.account_ids : null;
  }

  get userId(): number | null {
    return this.request.admin?.user?.id ?? null;
  }

  get client(): Call['client'] {
    return { address: this.request.address, userAgent: this.request.headers['user-agent'] ?? '' };
  }

  get userByPassword(): Call['userByPassword'] {
    return (email, password) => this.#gate.userByPassword(this.request, email, password);
  }

  get cookieSent(): string | undefined {
    return sessionIn(this.request);
  }

  get keepCookie(): Call['keepCookie'] {
    return (secret) => {
      this.cookie = secret;
    };
  }

  get about(): Call['about'] {
    return (name) => {
      this.subject = name;
    };
  }

  get tokenId(): number | null {
    return this.request.partner?.tokenId ?? null;
  }

  get slice(): Slice {
    return sliceOf(pageNumber(this.#params.page));
  }

  get root(): string {
    if (this.#publicUrl !== undefined) return this.#publicUrl;
    const { protocol, host, socket } = this.request;
    return `${protocol}://${host || `${socket.localAddress}:${socket.localPort}`}`;
  }

  get paginate(): Paginate {
    return (rows) => paginated(rows, pageNumber(this.#params.page), ...this.#address());
  }

  get count(): (outcome: string) => void {
    return (outcome) => this.outcomes.push(outcome);
  }

  get isGone(): () => boolean {
    return () => this.request.socket.destroyed;
  }

  /** The address that was asked for, without its query, and the query. */
  #address(): [path: string, query: string] {
    // A request may name its whole address (a proxy's does); the path is what counts.
    const address = (this.request.raw.url ?? '').replace(/^https?:\/\/[^/?]*/i, '');
    const [path = '', ...rest] = address.split('?');
    return [`${this.root}${path}`, rest.join('?')];
  }
}

/** An id in a path that is no integer names nothing. */
export function pathIds(request: FastifyRequest): Record<string, number> {
  const ids: Record<string, number> = {};
  for (const [name, text] of Object.entries(request.params as Record<string, string>)) {
    if (!/^\d{1,15}$/.test(text))
      throw new NotFound(`There is no such ${name.replace(/_id$/, '').replaceAll('_', ' ')}.`);
    ids[name] = Number(text);
  }
  return ids;
}
