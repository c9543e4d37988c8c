import type { FastifyInstance } from 'fastify';
import type { ContactWrite } from '../contacts/schema.ts';
import type { AnonymousPurchases } from '../purchases/schema.ts';
import type { Guest } from './people.ts';

/** The partners' systems, each with a token of its own. */
export const doors = ['tills', 'bookings', 'hotel', 'wifi', 'app', 'mail'] as const;
export type Door = (typeof doors)[number];

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape, of which a field or two is looked at
type Answer = any;

/** The service as partners and staff see it: what the demo does, it does by these calls. */
export class Api {
  accountId = 0;
  readonly tokens = {} as Record<Door, string>;
  readonly #app: FastifyInstance;
  readonly #adminToken: string;

  constructor(app: FastifyInstance, adminToken: string) {
    this.#app = app;
    this.#adminToken = adminToken;
  }

  /** What a partner's system knows of a guest. */
  async contact(door: Door, guest: Guest, body: Partial<ContactWrite>): Promise<void> {
    const known = { email: guest.email, mobile_number: guest.email ? undefined : guest.mobile_number };
    const sent = { full_contact_object: false, ...known, ...body };
    const { id } = await this.send('POST', '/v1/contact', this.bearer(door), sent);
    guest.id ||= id;
  }

  purchases(body: Omit<AnonymousPurchases, 'account_id'>): Promise<Answer> {
    return this.send('POST', '/v1/purchases', this.bearer('tills'), { account_id: this.accountId, ...body });
  }

  redeem(body: { unit_id: number; unique_code: string; redemption_date: string }): Promise<Answer> {
    const sent = { account_id: this.accountId, ...body };
    return this.send('POST', '/v1/unique_code/redeem', this.bearer('tills'), sent);
  }

  /** Something that goes wrong, as it does at times. */
  async refused(method: 'GET' | 'POST', path: string, door: Door, body: object): Promise<void> {
    const { status } = await this.#call(method, path, this.bearer(door), body);
    if (status < 400 || status >= 500)
      throw new Error(`${method} ${path} should be refused, and was answered ${status}.`);
  }

  /** Staff's calls, within the account. */
  account(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object, as?: string): Promise<Answer> {
    return this.admin(method, `/accounts/${this.accountId}${path}`, body, as);
  }

  /** `as` is who does it, where that is to be remembered: e-mail and password. */
  admin(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object, as?: string): Promise<Answer> {
    const authorization = as ? `Basic ${Buffer.from(as).toString('base64')}` : `Bearer ${this.#adminToken}`;
    return this.send(method, `/admin/v1${path}`, authorization, body);
  }

  bearer(door: Door): string {
    return `Bearer ${this.tokens[door]}`;
  }

  async send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, authorization: string, body?: object) {
    const { status, text } = await this.#call(method, path, authorization, body);
    if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${text}\n${JSON.stringify(body)}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  async #call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, authorization: string, body?: object) {
    const { statusCode, payload } = await this.#app.inject({
      method,
      url,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { payload: JSON.stringify(body) }),
    });
    return { status: statusCode, text: payload };
  }
}
