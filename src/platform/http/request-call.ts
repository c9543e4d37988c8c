import type { FastifyRequest } from 'fastify';
import type { Paginate, Slice } from '../../shared/fields.ts';
import { NotFound } from '../../shared/problem.ts';
import type { ReadResult } from '../../shared/read.ts';
import { propertiesOf } from '../../shared/record.ts';
import type { Call, Services } from './call.ts';
import { pageNumber, paginated, sliceOf } from './pagination.ts';
import type { Params } from './params.ts';
import type { RequestAuth } from './request-auth.ts';

/** The call of one HTTP request. What few routes need is computed on access. */
export class RequestCall implements Call<unknown, string> {
  readonly request: FastifyRequest;
  readonly read: ReadResult<unknown>;
  /** A handler runs only if the input is valid. */
  readonly input: unknown;
  readonly ids: Record<string, number>;
  readonly accountId: number;
  readonly receivedAt: Date;
  readonly auth: RequestAuth;
  readonly services: Services;
  /** Counted after the commit. */
  readonly outcomes: string[] = [];
  progress: Call['progress'] = () => {};
  /** The session cookie to set; null: delete it; undefined: leave it unchanged. */
  newCookie: string | null | undefined;
  /** The name of the changed object. */
  subject: string | null = null;
  readonly #params: Params;
  readonly #publicUrl: string | undefined;

  constructor(
    request: FastifyRequest,
    parts: { params: Params; input: ReadResult<unknown>; ids: Record<string, number>; accountId: number },
    {
      now,
      publicUrl,
      auth,
      services,
    }: { now(): Date; publicUrl: string | undefined; auth: RequestAuth; services: Services },
  ) {
    this.request = request;
    this.read = parts.input;
    this.input = parts.input.partial;
    this.ids = parts.ids;
    this.accountId = parts.accountId;
    this.receivedAt = now();
    this.auth = auth;
    this.services = services;
    this.#params = parts.params;
    this.#publicUrl = publicUrl;
  }

  get actor(): string {
    return this.request.admin?.actor ?? '';
  }

  get userId(): number | null {
    return this.request.admin?.user?.id ?? null;
  }

  get accountIds(): number[] | null {
    const user = this.request.admin?.user;
    return user && user.role !== 'owner' ? user.account_ids : null;
  }

  get tokenId(): number | null {
    return this.request.partner?.tokenId ?? null;
  }

  get setSubject(): Call['setSubject'] {
    return (name) => {
      this.subject = name;
    };
  }

  get slice(): Slice {
    return sliceOf(pageNumber(this.#params.page));
  }

  get baseUrl(): string {
    if (this.#publicUrl !== undefined) return this.#publicUrl;
    const { protocol, host, socket } = this.request;
    return `${protocol}://${host || `${socket.localAddress}:${socket.localPort}`}`;
  }

  get paginate(): Paginate {
    return (rows) => paginated(rows, pageNumber(this.#params.page), ...this.#address());
  }

  get count(): Call['count'] {
    return (outcome) => this.outcomes.push(outcome);
  }

  get isGone(): Call['isGone'] {
    return () => this.request.socket.destroyed || this.request.server.isStopping();
  }

  /** The URL of the request without its query, and the query. */
  #address(): [path: string, query: string] {
    // The request line can contain an absolute URL, as proxies send it. Only its path and query are used.
    const address = (this.request.raw.url ?? '').replace(/^https?:\/\/[^/?]*/i, '');
    const [path = '', ...rest] = address.split('?');
    return [`${this.baseUrl}${path}`, rest.join('?')];
  }
}

/** An id that is not an integer cannot exist: 404. */
export function pathIds(request: FastifyRequest): Record<string, number> {
  const ids: Record<string, number> = {};
  for (const [name, value] of Object.entries(propertiesOf(request.params))) {
    const text = String(value);
    if (!/^\d{1,15}$/.test(text))
      throw new NotFound(`There is no such ${name.replace(/_id$/, '').replaceAll('_', ' ')}.`);
    ids[name] = Number(text);
  }
  return ids;
}
