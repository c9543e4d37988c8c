import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type OtlpSpan, SpanExporter } from '../../../src/platform/tracing/exporter.ts';
import { adminToken, testApp } from '../../support/app.ts';

/** A receiver of OTLP over HTTP. */
async function receiver(respond: 'ok' | 'error' | 'never' = 'ok') {
  const spans: OtlpSpan[] = [];
  const requests: { path: string | undefined; headers: Record<string, unknown>; text: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    requests.push({ path: request.url, headers: request.headers, text });
    spans.push(...JSON.parse(text).resourceSpans[0].scopeSpans[0].spans);
    if (respond !== 'never') response.writeHead(respond === 'ok' ? 200 : 503).end('{}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans, requests };
}

const attributesOf = ({ attributes }: OtlpSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';

describe('with a receiver of traces', async () => {
  const { url, spans, requests } = await receiver();
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_HEADERS: 'api-key=secret' };
  const { account, call } = await testApp(settings);
  const { id, token } = await account();

  /** The span of a request and its children, by the request id of the client. */
  async function traceOf(requestId: string) {
    const find = () => spans.find((span) => attributesOf(span)['regulars.client_request_id'] === requestId);
    await expect.poll(find).toBeDefined();
    const request = find() as OtlpSpan;
    return { request, children: spans.filter(({ parentSpanId }) => parentSpanId === request.spanId) };
  }

  it('sends a span per request and one per transaction, below the caller’s span', async () => {
    const requestId = randomUUID();
    const headers = { traceparent: `00-${traceId}-${parentId}-01`, 'x-request-id': requestId };
    await call('GET', `/admin/v1/accounts/${id}/units`, { token: adminToken, headers });
    const { request, children } = await traceOf(requestId);
    expect(request).toMatchObject({
      traceId,
      parentSpanId: parentId,
      name: 'GET /admin/v1/accounts/:account_id/units',
      kind: 2,
      status: {},
    });
    expect(attributesOf(request)).toEqual({
      'http.request.method': 'GET',
      'http.route': '/admin/v1/accounts/:account_id/units',
      'http.response.status_code': '200',
      'regulars.account_id': String(id),
      'regulars.client_request_id': requestId,
    });
    expect(children).toMatchObject([{ traceId, name: 'database transaction', kind: 3, status: {} }]);
    const [child] = children as [OtlpSpan];
    const times = [request.startTimeUnixNano, child.startTimeUnixNano, child.endTimeUnixNano, request.endTimeUnixNano];
    expect(times.map(BigInt)).toEqual(times.map(BigInt).sort((a, b) => Number(a - b)));
    expect(Math.abs(Number(times[0]) / 1e6 - Date.now())).toBeLessThan(60_000);
    expect(requests[0]).toMatchObject({ path: '/v1/traces', headers: { 'api-key': 'secret' } });
    expect(requests[0]?.text).toContain('{"key":"service.name","value":{"stringValue":"regulars"}}');
  });

  it.each([undefined, 'a-key'])(
    'records the wait and the transaction of batched writes, with the key %s',
    async (key) => {
      const names = Array.from({ length: 4 }, () => randomUUID() as string);
      await Promise.all(
        names.map((name) =>
          call('POST', '/v1/contact', {
            token,
            headers: { 'x-request-id': name, ...(key ? { 'idempotency-key': name } : {}) },
            body: { email: `guest-${name}@gmail.com`, first_name: 'Anastasia' },
          }),
        ),
      );
      for (const name of names) {
        const { request, children } = await traceOf(name);
        expect(request.parentSpanId).toBeUndefined();
        expect(children.map((child) => child.name)).toEqual(['batch wait', 'database transaction']);
        expect(attributesOf(children[1] as OtlpSpan)).toEqual({
          'db.system.name': 'postgresql',
          'regulars.batch_size': '4',
        });
      }
      const sent = requests.map(({ text }) => text).join();
      for (const secret of ['gmail', 'Anastasia', token]) expect(sent).not.toContain(secret);
    },
  );

  it('does not record a request whose caller decided so, and ignores an invalid traceparent', async () => {
    const ask = (requestId: string, traceparent: string) =>
      call('GET', '/v1/account/units', { token, headers: { traceparent, 'x-request-id': requestId } });
    const [notRecorded, invalid] = [randomUUID(), randomUUID()];
    await ask(notRecorded, `00-${traceId}-${parentId}-00`);
    await ask(invalid, `00-${'0'.repeat(32)}-${parentId}-01`);
    const { request } = await traceOf(invalid);
    expect(request.traceId).toMatch(/^(?!0{32})[\da-f]{32}$/);
    expect(spans.some((span) => attributesOf(span)['regulars.client_request_id'] === notRecorded)).toBe(false);
  });

  it('has the request id of a client only if it is a UUID, and under a name of its own', async () => {
    const ask = async (sent?: string) => {
      const own = randomBytes(16).toString('hex');
      const { headers } = await call('GET', '/v1/account/units', {
        token,
        headers: { traceparent: `00-${own}-${parentId}-01`, ...(sent === undefined ? {} : { 'x-request-id': sent }) },
      });
      const find = () => spans.find((span) => span.traceId === own && span.kind === 2);
      await expect.poll(find).toBeDefined();
      const { 'regulars.request_id': made, 'regulars.client_request_id': client } = attributesOf(find() as OtlpSpan);
      return { answered: headers['x-request-id'], made, client };
    };
    const uuid = randomUUID();
    expect(await ask(uuid)).toEqual({ answered: uuid, client: uuid });
    expect(await ask('ana-smith')).toEqual({ answered: 'ana-smith' });
    expect(requests.map(({ text }) => text).join()).not.toContain('ana-smith');
    const { answered, made, client } = await ask();
    expect([made, client]).toEqual([answered, undefined]);
  });
});

it('a receiver that fails costs no request, is logged once, and its spans are counted as dropped', async () => {
  const { url, requests } = await receiver('error');
  const { call, logged } = await testApp({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
  for (const sent of [1, 2]) {
    expect((await call('GET', '/health')).status).toBe(200);
    await expect.poll(() => requests.length).toBe(sent);
  }
  const dropped = async () => (await call('GET', '/metrics')).body.match(/dropped_total\{queue="traces"\} (\d+)/)?.[1];
  await expect.poll(async () => Number(await dropped())).toBeGreaterThanOrEqual(2);
  expect(logged.filter((line) => line.includes('sending traces failed'))).toHaveLength(1);
});

it('the share of recorded requests can be set', async () => {
  const { url, spans } = await receiver();
  const { app, call } = await testApp({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: '0' });
  await call('GET', '/health');
  const recorded = randomUUID();
  await call('GET', '/health', {
    headers: { traceparent: `00-${traceId}-${parentId}-01`, 'x-request-id': recorded },
  });
  await app.close();
  expect(spans.map((span) => attributesOf(span)['regulars.client_request_id'])).toEqual([recorded]);
});

it('without an endpoint the code for traces is not loaded', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const importing = files.filter(
    (path) =>
      !path.includes('platform/tracing/') &&
      /^import (?!type\b)[^;]*\/tracing\//m.test(readFileSync(join('src', path), 'utf8')),
  );
  expect(importing).toEqual([]);
});

/** An exporter to this receiver, and the number of dropped spans. */
function exporterTo(endpoint: string) {
  const count = { dropped: 0 };
  const exporter = new SpanExporter(
    { endpoint, headers: {}, serviceName: 'regulars', share: 1 },
    { dropped: (spans) => (count.dropped += spans), failed: () => {} },
  );
  return { exporter, count };
}

it('the queue is bounded while the receiver does not respond, and the shutdown waits a bounded time', async () => {
  const { url } = await receiver('never');
  const { exporter, count } = exporterTo(url);
  for (let n = 0; n < 20_000; n++) exporter.add({} as OtlpSpan);
  expect(count.dropped).toBe(20_000 - 2048 - 8192);
  const began = performance.now();
  await exporter.close();
  expect(performance.now() - began).toBeLessThan(8000);
  expect(count.dropped).toBe(20_000);
});

it('sends all queued spans at the shutdown', async () => {
  const { url, spans } = await receiver();
  const { exporter, count } = exporterTo(url);
  for (let n = 0; n < 2048 + 8192; n++) exporter.add({} as OtlpSpan);
  await exporter.close();
  expect([spans.length, count.dropped]).toEqual([2048 + 8192, 0]);
});
