import { connect } from 'node:net';
import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { openPool } from '../../../src/platform/db/database.ts';
import { collectMethods } from '../../../src/platform/http/methods.ts';
import { adminToken, appOver, testApp } from '../../support/app.ts';
import { superuser } from '../../support/database.ts';
import { freePort } from '../../support/port.ts';

const { call, admin, account, app, db, database, logged } = await testApp();
const units = '/v1/account/units';
const ours = await account('Ours');
const theirs = await account('Theirs');
const { token } = ours;

describe('errors', () => {
  it.each([
    ['{"a":', 400],
    ['{"groups": tru}', 400],
    ['[]', 400],
    ['"text"', 400],
    ['null', 400],
    ['7', 400],
  ])('responds to the body %s with %i', async (body, status) => {
    const answer = await call('GET', units, { token, body });
    expect(answer.status).toBe(status);
    expect(answer.body.errors[0].message).toMatch(/^The body (is not valid|must be a) JSON/);
  });

  it('names the position where a body stops being JSON, without repeating it', async () => {
    const { body } = await call('GET', units, { token, body: '{"secret": "guest",\n oops}' });
    expect(body.errors[0].message).toMatch(/line 2, character 2/);
    expect(JSON.stringify(body)).not.toMatch(/guest|oops/);
  });

  it('responds with 415 to a body that is not JSON, and with 413 to one over the limit', async () => {
    const form = await call('POST', '/admin/v1/accounts', {
      token: adminToken,
      body: 'name=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(form.status).toBe(415);
    const large = await call('POST', '/admin/v1/accounts', {
      token: adminToken,
      body: { name: 'x'.repeat(1_048_576) },
    });
    expect(large.status).toBe(413);
    expect(large.body.errors[0].message).toMatch(/larger/);
  });

  it.each(['json', 'application/json/x', ';', 'text/plain', 'multipart/form-data'])(
    'responds to the content type %s with 415',
    async (type) => {
      const { status, body } = await call('POST', '/admin/v1/accounts', {
        token: adminToken,
        body: '{"name":"x"}',
        headers: { 'content-type': type },
      });
      expect([status, body.errors[0].message]).toEqual([
        415,
        'The body must be JSON, sent with Content-Type: application/json.',
      ]);
    },
  );

  it.each([
    ['GET', '/v1/nothing'],
    ['GET', '/nothing?email=a@b.example'],
    ['PUT', '/v1/nothing'],
    ['POST', '/v1/contact/1/nothing'],
    ['DELETE', '/v1'],
    ['OPTIONS', '/admin/v1/nothing'],
    ['POST', '/assets/nothing.js'],
  ])('responds to %s %s with a 404 in the interface’s format', async (method, path) => {
    const { status, body } = await call(method, path, { token });
    expect(status).toBe(404);
    expect(body).toEqual({ errors: [{ message: expect.stringContaining('There is nothing at') }] });
    expect(JSON.stringify(body)).not.toContain('a@b');
  });

  it.each([
    ['PUT', '/v1/contact', 'POST'],
    ['GET', '/v1/contact?x=1', 'POST'],
    ['HEAD', '/v1/contact', 'POST'],
    ['DELETE', '/v1/contact/', 'POST'],
    ['PATCH', '/v1/bookings', 'GET, HEAD, POST'],
    ['POST', '/v1/contact/7', 'GET, HEAD'],
    ['POST', '/v1/contact/%C3%A9/notes', 'GET, HEAD'],
    ['OPTIONS', units, 'GET, HEAD'],
    ['PUT', '/admin/v1/accounts', 'GET, HEAD, POST'],
    ['POST', '/health', 'GET, HEAD'],
    ['POST', '/metrics', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
    ['PROPFIND', '/v1/contact', 'POST'],
  ])('responds to %s %s, which has other methods, with a 405 that names them: %s', async (method, path, allow) => {
    for (const options of [
      { token },
      { headers: { accept: 'text/html' } },
      { body: 'not json', headers: { 'content-type': 'text/plain' } },
    ]) {
      const { status, body, headers } = await call(method, path, options);
      expect([status, headers.allow]).toEqual([405, allow]);
      expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
      expect(body).toEqual({ errors: [{ message: `This address does not take ${method}, only ${allow}.` }] });
    }
  });

  it('names no methods for a path that cannot be decoded', () => {
    const bare = fastify();
    const methodsAt = collectMethods(bare);
    bare.get('/v1/:name', () => '');
    expect(methodsAt('/v1/contact?a=%zz')).toEqual(['GET', 'HEAD']);
    expect(methodsAt('/v1/contact#%zz')).toEqual(['GET', 'HEAD']);
    expect(methodsAt('/v1/%zz')).toEqual([]);
  });

  it('responds to HEAD as to GET, without a body', async () => {
    const asked = { url: units, headers: { authorization: `Bearer ${token}` } };
    const [get, head] = [await app.inject({ method: 'GET', ...asked }), await app.inject({ method: 'HEAD', ...asked })];
    expect([head.statusCode, head.body]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect((await app.inject({ method: 'HEAD', url: units })).statusCode).toBe(401);
  });

  it('counts wrong methods under one name for all paths', async () => {
    await call('PUT', '/v1/contact/123456789', { token });
    const { body } = await call('GET', '/metrics');
    expect(body).toMatch(/method="PUT",route="unmatched",status="405"/);
    expect(body).not.toContain('123456789');
  });

  it.each(['x', '-1', '1.5', '99999999999999999999', '%00', '1'.repeat(300)])(
    'responds to the id %s in a path with 404',
    async (id) => {
      expect((await admin('GET', `/accounts/${id}`)).status).toBe(404);
      expect((await admin('GET', `/accounts/${ours.id}/units/${id}`)).status).toBe(404);
    },
  );

  it('responds to a malformed URL with 400', async () => {
    const { status, body } = await call('GET', '/v1/%E0%A4%A', {
      token,
      headers: { 'x-request-id': 'broken-address' },
    });
    expect([status, Object.keys(body)]).toEqual([400, ['errors']]);
    expect(logged.find((line) => line.includes('broken-address'))).toContain('"status":400');
  });

  it('responds to an internal error with a 500 that has only the request id, and logs the error', async () => {
    const broken = await testApp();
    const { token } = await broken.account();
    const sql = await superuser(broken.database);
    await sql`alter table units rename to venues`;
    const answer = await broken.call('GET', units, { token, headers: { 'x-request-id': 'my-id' } });
    expect(answer.status).toBe(500);
    expect(answer.body.errors[0].message).toContain('my-id');
    expect(JSON.stringify(answer.body)).not.toMatch(/relation|units/);
    expect(broken.logged.join('')).toContain('relation \\"units\\" does not exist');
  });

  it('responds with 503 and Retry-After while the database is unavailable, and is not healthy', async () => {
    // No server listens on this port.
    const unreachable = openPool({ url: `postgres://regulars:x@127.0.0.1:${await freePort()}/none`, connections: 2 });
    const lost = await appOver(unreachable, database);
    for (const path of [units, '/health']) {
      const answer = await lost.call('GET', path, { token });
      expect(answer.status).toBe(503);
      expect(answer.headers['retry-after']).toBe('1');
      expect(answer.body).toEqual({ errors: [{ message: expect.any(String) }] });
    }
  });
});

describe('a message that is not HTTP', () => {
  it('gets a 400 in the same format', async () => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as { port: number };
    const socket = connect(port, '127.0.0.1');
    socket.end('NONSENSE\r\n\r\n');
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
      errors: [{ message: 'The request is not valid HTTP.' }],
    });
  });
});

describe('request ids', () => {
  it('are taken from the client or generated, returned and logged', async () => {
    const sent = await call('GET', units, { token, headers: { 'x-request-id': 'till-7:42' } });
    expect(sent.headers['x-request-id']).toBe('till-7:42');
    expect(logged.some((line) => JSON.parse(line).request_id === 'till-7:42')).toBe(true);
    const made = await call('GET', units);
    expect(made.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
  it.each(['with space', 'x'.repeat(129), 'line\u00e9', ''])(
    'are generated if the client’s is unsafe in a log: %j',
    async (id) => {
      const { headers } = await call('GET', units, { token, headers: { 'x-request-id': id } });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
  it.each(['ana.silva=gmail.com', 'guest:ana/gmail.com', '07700900123', 'sms-+447700900123', 'call/00447700900123'])(
    'are generated if the client’s resembles a guest’s e-mail or number: %s',
    async (id) => {
      const { headers } = await call('GET', units, { token, headers: { 'x-request-id': id } });
      expect(headers['x-request-id']).not.toBe(id);
      expect(logged.some((line) => line.includes(id))).toBe(false);
    },
  );
  it.each([
    '1700000000123',
    '01hzy3v6m2kq4r5t6w7x8y9z0a',
    '4bf92f3577b34da6a3ce929d0e0e4736',
    'v1.2.3',
    '12345678-1234-4123-8123-447700900123',
  ])('are the client’s if they are only numbers or hashes: %s', async (id) => {
    const { headers } = await call('GET', units, { token, headers: { 'x-request-id': id } });
    expect(headers['x-request-id']).toBe(id);
  });
});

describe('rate limits', () => {
  it('limit the requests per minute and token, with a 429 and Retry-After', async () => {
    const limited = await appOver(db, database, { RATE_LIMIT_PER_MINUTE: '3' });
    // Where it turned meanwhile, there is a new minute, and all of it.
    let minute: number;
    let answers: Awaited<ReturnType<typeof limited.call>>[];
    do {
      minute = Math.floor(Date.now() / 60_000);
      answers = [];
      for (let n = 0; n < 5; n++) answers.push(await limited.call('GET', units, { token }));
    } while (Math.floor(Date.now() / 60_000) !== minute);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    const refused = answers[4] as (typeof answers)[number];
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    const reset = refused.headers['retry-after'];
    expect(refused.headers).toMatchObject({
      'ratelimit-limit': '3',
      'ratelimit-remaining': '0',
      'ratelimit-reset': reset,
    });
    const { headers } = await limited.call('GET', units, { token: theirs.token });
    expect(headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '2' });
    expect(Number(headers['ratelimit-reset'])).toBeLessThanOrEqual(60);
    expect((await limited.call('GET', units, { token: theirs.token })).status).toBe(200);
    expect((await limited.call('GET', units)).status).toBe(401);
  });
});

describe('health and metrics', () => {
  it('report a healthy service', async () => {
    expect((await call('GET', '/health')).body).toEqual({ status: 'ok' });
  });

  it('count requests by route and status, and show latency, the pool, batches and event-loop lag', async () => {
    await call('GET', units, { token });
    await call('GET', units);
    const { body, headers } = await call('GET', '/metrics');
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(body).toMatch(/regulars_http_requests_total\{method="GET",route="\/v1\/account\/units",status="200"\} \d+/);
    expect(body).toMatch(/regulars_http_requests_total\{method="GET",route="\/v1\/account\/units",status="401"\} \d+/);
    expect(body).toMatch(
      /regulars_http_request_duration_seconds_bucket\{le="0.005",method="GET",route="\/v1\/account\/units"\} \d+/,
    );
    for (const state of ['size', 'busy', 'waiting'])
      expect(body).toMatch(new RegExp(`regulars_db_connections\\{state="${state}"\\} \\d+`));
    expect(body).toMatch(/nodejs_eventloop_lag_p99_seconds/);
    expect(body).toMatch(/# TYPE regulars_batch_size histogram/);
    expect(body).not.toContain(token);
  });
});

describe('the log', () => {
  it('names the administrator, the change and the account', async () => {
    const { body: gone } = await admin('POST', '/accounts', { name: 'Gone' });
    await admin('DELETE', `/accounts/${gone.id}`);
    const line = logged
      .map((one) => JSON.parse(one))
      .find((one) => one.method === 'DELETE' && one.account_id === gone.id);
    expect(line).toMatchObject({ route: '/admin/v1/accounts/:account_id', status: 204, caller: 'admin token' });
  });

  it('has one JSON object per line, without any token, password, e-mail, number or value that was sent', async () => {
    const secrets = { email: 'log-test@guests.example', password: 'hunter2-hunter2', mobile: '447700900999' };
    await admin('POST', '/users', { ...secrets, account_ids: [ours.id] });
    await call('GET', `${units}?email=${secrets.email}&mobile_number=${secrets.mobile}`, { token });
    await call('GET', `/v1/contact/${secrets.mobile}?x=${secrets.email}`, { token });
    await call('POST', '/admin/v1/users', {
      body: secrets,
      headers: { authorization: `Basic ${Buffer.from(`${secrets.email}:${secrets.password}`).toString('base64')}` },
    });
    const lines = logged.map((line) => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines)
      expect(line).toMatchObject({ level: expect.any(String), time: expect.any(String), msg: expect.any(String) });
    const text = logged.join('');
    for (const secret of [...Object.values(secrets), token, adminToken]) expect(text).not.toContain(secret);
    expect(text).toContain('"route":"/v1/account/units"');
  });
});
