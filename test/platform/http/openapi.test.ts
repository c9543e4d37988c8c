import { Validator } from '@seriousme/openapi-schema-validator';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { routes } from '../../../src/app/http-app.ts';
import type { openApiDocument } from '../../../src/platform/http/openapi.ts';
import { reader } from '../../../src/shared/read.ts';
import { testApp } from '../../support/app.ts';

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
        const { responses, security } = operation as { responses: Record<string, unknown>; security: object[] };
        if (security.length === 0) continue;
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['422', '429', '500', '503']));
        expect('401' in responses).toBe(security.length > 0);
      }
    }
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
