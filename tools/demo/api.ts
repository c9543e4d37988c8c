import type { FastifyInstance } from 'fastify';
import type { AnonymousPurchases } from '../../src/features/activity/purchases/schema.ts';
import type { ContactWrite } from '../../src/features/guests/write/schema.ts';
import type { Guest } from './model.ts';
import { staff } from './users.ts';

/** The partner systems, each with its own token. */
export const systems = ['tills', 'bookings', 'hotel', 'wifi', 'app', 'mail'] as const;
export type System = (typeof systems)[number];

// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes, and only a few fields are used
type Answer = any;

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The API client of the demo. All data is written through the API. */
export class Api {
  accountId = 0;
  readonly tokens = {} as Record<System, string>;
  readonly #app: FastifyInstance;
  readonly #adminToken: string;
  readonly #sessions = new Map<string, string>();

  constructor(app: FastifyInstance, adminToken: string) {
    this.#app = app;
    this.#adminToken = adminToken;
  }

  /** A contact write of a partner system. */
  async contact(system: System, guest: Guest, body: Partial<ContactWrite>): Promise<void> {
    const known = { email: guest.email, mobile_number: guest.email ? undefined : guest.mobile_number };
    const sent = { full_contact_object: false, ...known, ...body };
    const { id } = await this.#send('POST', '/v1/contact', this.#token(system), sent);
    guest.id ||= id;
  }

  purchases(body: Omit<AnonymousPurchases, 'account_id'>): Promise<Answer> {
    return this.#send('POST', '/v1/purchases', this.#token('tills'), { account_id: this.accountId, ...body });
  }

  redeem(body: { unit_id: number; unique_code: string; redemption_date: string }): Promise<Answer> {
    return this.#send('POST', '/v1/unique_code/redeem', this.#token('tills'), { account_id: this.accountId, ...body });
  }

  /** A request that fails on purpose. */
  async refused(method: Method, path: string, system: System, body?: object): Promise<void> {
    const { status } = await this.#call(method, path, this.#token(system), body);
    if (status < 400 || status >= 500)
      throw new Error(`${method} ${path} should be refused, and was answered ${status}.`);
  }

  /** Other requests of staff in the account. They appear in the audit trail. */
  account(method: Method, path: string, body?: object, by: string = staff): Promise<Answer> {
    return this.admin(method, `/accounts/${this.accountId}${path}`, body, by);
  }

  /** A note of staff on a guest. Skipped if the guest does not exist yet. */
  async about(guest: Guest, what: 'notes' | 'consent', body: object): Promise<void> {
    if (guest.id > 0) await this.account('POST', `/contacts/${guest.id}/${what}`, body);
  }

  admin(method: Method, path: string, body?: object, by?: string): Promise<Answer> {
    return this.#send(method, `/admin/v1${path}`, by ? this.#session(by) : bearer(this.#adminToken), body);
  }

  async signIn(email: string, password: string): Promise<void> {
    const { headers } = await this.#call('POST', '/admin/v1/session', {}, { email, password });
    this.#sessions.set(email, String(headers['set-cookie']).split(';')[0] as string);
  }

  async signOut(): Promise<void> {
    for (const email of this.#sessions.keys()) await this.admin('DELETE', '/session', undefined, email);
  }

  #token(system: System) {
    return bearer(this.tokens[system]);
  }

  #session(email: string) {
    return { cookie: this.#sessions.get(email) ?? '', 'sec-fetch-site': 'same-origin' };
  }

  async #send(method: Method, path: string, as: Record<string, string>, body?: object): Promise<Answer> {
    const { status, text } = await this.#call(method, path, as, body);
    if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${text}\n${JSON.stringify(body)}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async #call(method: Method, url: string, as: Record<string, string>, body?: object) {
    const { statusCode, payload, headers } = await this.#app.inject({
      method,
      url,
      headers: { ...as, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { payload: JSON.stringify(body) }),
    });
    return { status: statusCode, text: payload, headers };
  }
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
