import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { apiDocuments } from '../../src/app/api-documents.ts';
import { routes } from '../../src/app/http-app.ts';
import { eventTypes } from '../../src/features/exchange/events/schema.ts';
import { testType } from '../../src/features/exchange/webhooks/send-test.ts';
import { newSecret, signedHeaders } from '../../src/shared/webhook-signature.ts';

interface Operation {
  tags: string[];
  summary: string;
  description: string;
  operationId: string;
  security: object[];
  parameters: { $ref: string }[];
  requestBody: { content: { 'application/json': { schema: { $ref: string } } } };
  responses: Record<string, { description: string }>;
}
type Json = Record<string, unknown>;

const { whole, partners } = apiDocuments(routes);

describe.each([
  ['/openapi.json', whole],
  ['/v1/openapi.json', partners],
])('the webhooks in %s', (_, document) => {
  const webhooks = (document as unknown as { webhooks: Record<string, { post: Operation }> }).webhooks;
  const { schemas, parameters } = document.components as unknown as Record<
    'schemas' | 'parameters',
    Record<string, Json>
  >;

  /** The schema without references, as another program sees it. */
  function resolved(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(resolved);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, ...others } = node as Json;
    const target = typeof $ref === 'string' ? (schemas[$ref.split('/').at(-1) ?? ''] ?? {}) : {};
    const entries = Object.entries({ ...target, ...others }).filter(([name]) => name !== 'examples');
    return Object.fromEntries(entries.map(([name, value]) => [name, resolved(value)]));
  }

  it('are all types of the feed, and the test event', () => {
    expect(Object.keys(webhooks)).toEqual([...eventTypes, testType]);
    const ids = Object.values(webhooks).map(({ post }) => post.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([...eventTypes, testType])('describe %s, with an example that fits', (type) => {
    const operation = webhooks[type]?.post;
    expect(operation).toMatchObject({ tags: ['Events'], summary: type, security: [] });
    expect(operation?.description).toMatch(/^[A-Z].*\.$/);
    const name = operation?.requestBody.content['application/json'].schema.$ref.split('/').at(-1) ?? '';
    const { examples } = schemas[name] as { examples: { type: string; data: Json }[] };
    const schema = resolved(schemas[name]) as TSchema;
    const [example] = examples;
    expect(example?.type).toBe(type);
    expect([...Value.Errors(schema, example)]).toEqual([]);
    for (const wrong of [
      { ...example, type: 'another' },
      { ...example, data: undefined },
      { ...example, id: 7 },
    ])
      expect(Value.Check(schema, wrong)).toBe(false);
  });

  it('name the headers that are sent', () => {
    const sent = Object.keys(signedHeaders('evt_1', '{}', [newSecret()], new Date()));
    for (const { post } of Object.values(webhooks)) {
      const named = post.parameters.map(({ $ref }) => parameters[$ref.split('/').at(-1) ?? '']);
      expect(named.map((one) => one?.in)).toEqual(['header', 'header', 'header']);
      expect(named.map((one) => one?.name)).toEqual(sent.filter((header) => header.startsWith('webhook-')));
    }
  });
});
