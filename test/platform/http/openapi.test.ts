import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { routes } from '../../../src/app/http-app.ts';
import type { openApiDocument } from '../../../src/platform/http/openapi.ts';
import { reader } from '../../../src/shared/read.ts';
import { testApp } from '../../support/app.ts';

interface Shape {
  type?: string;
  description?: string;
  $ref?: string;
  anyOf?: unknown[];
  examples?: unknown[];
  properties?: Record<string, Shape>;
}
interface Body {
  content?: Record<string, { schema: object }>;
}
interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: { $ref?: string; description?: string }[];
  requestBody?: Body;
  responses: Record<string, Body>;
}

/** Each document has its own usual security. */
function withoutSecurity(methods: Record<string, unknown> = {}) {
  return Object.entries(methods).map(([method, operation]) => [
    method,
    { ...(operation as object), security: undefined },
  ]);
}

const { call, app } = await testApp();
const document = (await call('GET', '/openapi.json')).body as ReturnType<typeof openApiDocument>;

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1 according to an independent validator', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document) as never);
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
    const broken = structuredClone(document) as unknown as { paths: Record<string, Record<string, unknown>> };
    broken.paths['/v1/account/units'] = { get: { responses: 'none' } };
    expect((await new Validator().validate(broken as never)).valid).toBe(false);
  });

  it('describes every route that is served, and no other', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const own = ['GET /health', 'GET /metrics'];
    expect(described.filter((one) => !own.includes(one)).sort()).toEqual(
      routes.map((one) => `${one.method} ${one.path.replace(/:(\w+)/g, '{$1}')}`).sort(),
    );
    for (const operation of routes) expect(app.hasRoute({ method: operation.method, url: operation.path })).toBe(true);
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((one) => (one as { operationId: string }).operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(routes.map((one) => [`${one.method} ${one.path}`, one] as const))(
    'has an example for %s that its own schema accepts',
    (_, route) => {
      const { example = {}, input, response, method } = route;
      if (response) expect([...Value.Errors(response as TSchema, example.response)]).toEqual([]);
      if (method === 'POST' || method === 'PATCH') {
        expect(example.input).toBeDefined();
        expect({ ...reader(input)(example.input).errors.fields }).toEqual({});
      }
    },
  );

  it('lists the errors of every route', () => {
    for (const methods of Object.values(document.paths)) {
      for (const operation of Object.values(methods)) {
        const { responses, security = document.security } = operation as {
          responses: Record<string, unknown>;
          security?: object[];
        };
        if (security.length === 0) continue;
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['422', '429', '500', '503']));
        expect('401' in responses).toBe(security.length > 0);
      }
    }
  });
});

describe('the components', () => {
  const schemas = document.components.schemas as Record<string, Shape>;
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods) as Operation[]);

  it('name every body', () => {
    const bodies = operations
      .filter(({ tags }) => !tags.includes('Monitoring'))
      .flatMap(({ requestBody, responses }) => [requestBody, ...Object.values(responses)])
      .flatMap((one) => (one?.content?.['application/json'] ? [one.content['application/json'].schema] : []));
    expect(bodies.length).toBeGreaterThan(100);
    for (const schema of bodies) expect(Object.keys(schema)).toEqual(['$ref']);
  });

  it('have no object twice', () => {
    const seen = new Map<string, string>();
    const visit = (node: unknown, at: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const shape = node as Shape;
      if (shape.type === 'object' && shape.properties) {
        const { description, examples, ...rest } = shape;
        const text = JSON.stringify(rest);
        // An update may take the same as a creation, and still be another thing.
        const isComponent = /^\/\w+$/.test(at);
        if (!isComponent) expect(seen.get(text), `${at} is the same as`).toBeUndefined();
        seen.set(text, at);
      }
      for (const [key, value] of Object.entries(shape)) if (key !== 'examples') visit(value, `${at}/${key}`);
    };
    visit(schemas, '');
    visit(document.paths, 'paths');
  });

  it('use only keywords and formats that every tool knows', () => {
    const formats = new Set<unknown>();
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const [key, value] of Object.entries(node)) {
        if (key === 'format' && typeof value === 'string') formats.add(value);
        if (key === 'examples' || key === 'example') continue;
        expect(key).not.toMatch(/^x-|^patternProperties$|^~/);
        visit(value);
      }
    };
    visit(document.components);
    visit(document.paths);
    expect([...formats].sort()).toEqual(['date', 'date-time', 'email', 'int64', 'password']);
  });

  it('have a description for every field and parameter, and every route has one', () => {
    const parameters = operations
      .flatMap((one) => one.parameters ?? [])
      .concat(Object.values(document.components.parameters));
    expect(parameters.length).toBeGreaterThan(100);
    expect(parameters.filter((one) => !one.$ref && !one.description?.endsWith('.'))).toEqual([]);
    for (const { operationId, summary, description } of operations) {
      expect(summary, operationId).toMatch(/^[A-Z].*[^.]$/);
      expect(description, operationId).toMatch(/\.$/);
    }
    const bare = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, field]) => !field.description && !field.$ref && !field.anyOf)
        .map(([field]) => `${name}.${field}`),
    );
    expect(bare).toEqual([]);
  });

  it('has a description for every tag', () => {
    const described = document.tags.map(({ name }) => name);
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(described));
    expect(document['x-tagGroups'].flatMap(({ tags }) => tags)).toEqual(described);
    for (const { description } of document.tags) expect(description).toMatch(/\.$/);
  });
});

describe('the document for partners', () => {
  it('has the partner API alone', async () => {
    const partners = (await call('GET', '/v1/openapi.json')).body as typeof document;
    const all = Object.keys(document.paths).filter((path) => path.startsWith('/v1/'));
    expect(Object.keys(partners.paths)).toEqual(all);
    for (const path of all)
      expect(withoutSecurity(partners.paths[path])).toEqual(withoutSecurity(document.paths[path]));
    expect(Object.keys(partners.components.securitySchemes)).toEqual(['token']);
    expect(JSON.stringify(partners)).not.toMatch(/\/admin|ADMIN_TOKEN/);
    expect(partners.info.title).toBe('Regulars partner API');
  });
});

describe.each(['/openapi.json', '/v1/openapi.json'])('%s', (url) => {
  const get = (headers: Record<string, string> = {}) => app.inject({ url, headers });

  it('is compressed as the client accepts it', async () => {
    const plain = await get();
    expect(plain.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    for (const [accepted, encoding, decode] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, *', 'gzip', gunzipSync],
      ['br;q=0.5, gzip;q=0.9', 'gzip', gunzipSync],
    ] as const) {
      const answer = await get({ 'accept-encoding': accepted });
      expect(answer.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
      expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5);
      expect(decode(answer.rawPayload).toString()).toBe(plain.body);
    }
    for (const accepted of ['identity', 'deflate', 'gzip;q=0', '', ';'])
      expect((await get({ 'accept-encoding': accepted })).headers).not.toHaveProperty('content-encoding');
  });

  it('is sent again only if it changed, with a strong ETag for each encoding', async () => {
    const etags = new Set<string>();
    for (const encoding of ['identity', 'gzip', 'br']) {
      const { etag = '' } = (await get({ 'accept-encoding': encoding })).headers;
      expect(etag).toMatch(/^"[\w-]+"$/);
      etags.add(String(etag));
      for (const wanted of [String(etag), `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get({ 'accept-encoding': encoding, 'if-none-match': wanted });
        expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
      }
      expect((await get({ 'accept-encoding': encoding, 'if-none-match': '"other"' })).statusCode).toBe(200);
    }
    expect(etags.size).toBe(3);
  });

  it('is public and requires no token', async () => {
    expect((await get()).statusCode).toBe(200);
    expect((await app.inject({ method: 'HEAD', url })).statusCode).toBe(200);
    expect((await app.inject({ method: 'POST', url })).statusCode).toBe(405);
  });
});

describe('/docs', () => {
  it('is a page that loads everything from this service', async () => {
    const page = await call('GET', '/docs');
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(page.headers['content-security-policy']).toMatch(
      /default-src 'self'; script-src 'self' 'sha256-\S+';.*frame-ancestors 'none'/,
    );
    const script = await call('GET', '/docs/reference.js');
    expect(script.status).toBe(200);
    expect(script.body.length).toBeGreaterThan(100_000);
  });
});
