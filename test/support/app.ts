import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { afterAll, expect } from 'vitest';
import { buildApp, routes } from '../../src/app/http-app.ts';
import { EmailDomains } from '../../src/features/guests/domains/check.ts';
import { type Config, readConfig } from '../../src/platform/config.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { Page } from '../../src/shared/fields.ts';
import { openTestDatabase, type TestDatabase } from './database.ts';

export const adminToken = 'the-admin-token-of-the-tests';

export interface CallOptions {
  token?: string;
  query?: Record<string, string> | string;
  body?: unknown;
  headers?: Record<string, string>;
  /** The client's address. */
  remoteAddress?: string;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look at answers of every shape
  body: any;
  headers: LightMyRequestResponse['headers'];
}

export interface TestApp {
  app: FastifyInstance;
  db: Database;
  database: TestDatabase;
  logged: string[];
  /** Sends a request to the app. Every response is checked against the schema of its route. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** The same with the admin token, under /admin/v1. */
  admin(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Creates an account with a token. */
  account(name?: string): Promise<{ id: number; root_unit_id: number; token: string; token_id: number }>;
}

export async function testApp(settings: Record<string, string> = {}): Promise<TestApp> {
  const { db, ...database } = await openTestDatabase();
  return appOver(db, database, settings);
}

export async function appOver(
  db: Database,
  database: TestDatabase,
  settings: Record<string, string> = {},
): Promise<TestApp> {
  const usual = { ADMIN_TOKEN: adminToken, EMAIL_DOMAIN_CHECK: 'list', RATE_LIMIT_PER_MINUTE: '0' };
  const config: Config = readConfig({ ...usual, ...settings });
  const logged: string[] = [];
  const log = createLog(config.logLevel, { write: (line) => void logged.push(line) });
  const domains = new EmailDomains(db, { mode: config.emailDomainCheck, servers: config.dnsServers });
  const app = await buildApp({ config, db, domains, log });
  afterAll(() => app.close());

  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { token, query, body, headers = {}, remoteAddress } = options;
    const response = await app.inject({
      method: method as 'GET',
      url: path,
      ...(query === undefined ? {} : { query }),
      ...(remoteAddress === undefined ? {} : { remoteAddress }),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    const answer = {
      status: response.statusCode,
      body: isJson ? response.json() : response.body,
      headers: response.headers,
    };
    expectConforming(method, path, answer);
    return answer;
  }
  const admin = (method: string, path: string, body?: unknown) =>
    call(method, `/admin/v1${path}`, { token: adminToken, ...(body === undefined ? {} : { body }) });

  return {
    app,
    db,
    database,
    logged,
    call,
    admin,
    account: async (name = 'The Harbour Group') => {
      const { body: account } = await admin('POST', '/accounts', { name });
      const { body: token } = await admin('POST', `/accounts/${account.id}/tokens`, { name: 'test' });
      return { ...account, token: token.token, token_id: token.id };
    },
  };
}

/** A success has exactly the keys and types of the operation's answer; a failure has one of the two error shapes. */
function expectConforming(method: string, path: string, { status, body }: Answer): void {
  const operation = routes.find(
    (one) => one.method === method && new RegExp(`^${one.path.replace(/:\w+/g, '[^/]+')}/?(\\?.*)?$`).test(path),
  );
  if (!operation) return;
  if (status === 204) {
    expect(body).toBe('');
    return;
  }
  if (status < 300) {
    expect(status, `${method} ${path}`).toBe(operation.status);
    const schema = operation.paged ? Page(operation.answer as TSchema) : (operation.answer as TSchema);
    const problems = [...Value.Errors(exactly(schema), body)].map((error) => `${error.instancePath}: ${error.message}`);
    expect(problems, `${method} ${path} answered ${JSON.stringify(body)}`).toEqual([]);
    return;
  }
  if (status === 422) {
    const isCut = body.message !== invalid;
    expect(body).toEqual({ message: isCut ? `${invalid} ${more}` : invalid, errors: expect.any(Object) });
    expect(Object.keys(body.errors).length).toBeGreaterThan(isCut ? 99 : 0);
    expect(Object.keys(body.errors).length).toBeLessThan(101);
    for (const messages of Object.values(body.errors)) expect(messages).toEqual([expect.stringMatching(/\.$/)]);
    return;
  }
  expect(body).toEqual({ errors: [{ message: expect.any(String) }] });
}

const invalid = 'The given data was invalid.';
const more = 'There are more errors; the first 100 are listed.';

/** The same shape with no room for other keys. */
function exactly(schema: TSchema): TSchema {
  const copy = structuredClone(schema) as Record<string, unknown>;
  const close = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const shape = node as Record<string, unknown>;
    if (shape.type === 'object' && shape.properties) shape.additionalProperties = false;
    for (const child of Object.values(shape)) close(child);
  };
  close(copy);
  return copy as TSchema;
}
