import { type AddressInfo, connect } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adminToken, testApp } from '../../support/app.ts';
import { superuser } from '../../support/database.ts';

const { app, account, admin, call, database } = await testApp();
const { id, token } = await account();
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as AddressInfo;
const sql = await superuser(database);

/** Everything that a refused request must leave as it is. */
async function stored(): Promise<string> {
  const [row] = await sql<{ print: string }>`
    select concat_ws(' ', (select count(*) from contacts), (select count(*) from identities), (select count(*) from notes),
      (select count(*) from sources), (select count(*) from groups), (select count(*) from accounts), (select count(*) from idempotency_records),
      (select count(*) from audit_trail)) as print`;
  return row?.print ?? '';
}

/** Sends just that, and gives each answer's status and body. */
function sendRaw(...parts: (string | Buffer)[]): Promise<[status: number, body: string][]> {
  return new Promise((done, fail) => {
    let heard = '';
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (data) => (heard += data));
    socket.on('error', fail);
    socket.on('close', () =>
      done(
        heard
          .split(/(?=HTTP\/1\.1 \d)/)
          .filter(Boolean)
          .map((answer) => [Number(answer.slice(9, 12)), answer.slice(answer.indexOf('\r\n\r\n') + 4)]),
      ),
    );
    for (const part of parts) socket.write(part);
  });
}

const line = 'POST /v1/contact HTTP/1.1';
const host = 'Host: x';
const mine = `Authorization: Bearer ${token}`;
const length = (body: string | Buffer) => `Content-Length: ${Buffer.byteLength(body)}`;
const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const guest = '{"email":"ana@gmail.com"}';
const chunked = head(line, host, mine, 'Connection: close', 'Transfer-Encoding: chunked');

describe('malformed HTTP', () => {
  const notHttp = 'The request is not valid HTTP.';
  const tooLong = 'The headers are too large: 16 KiB is the most.';
  const tooLarge = 'The body is larger than this service takes. Send it in smaller parts.';
  it.each<[string, (string | Buffer)[], number, string]>([
    [
      'no host',
      [head(line, mine, 'Connection: close', length(guest)), guest],
      400,
      'The request does not say which host it is for.',
    ],
    [
      'an unknown expectation',
      [head(line, host, mine, 'Connection: close', 'Expect: tea', length(guest)), guest],
      417,
      'The Expect header asks for something unknown.',
    ],
    ['a length beyond any', [head(line, host, mine, 'Content-Length: 9007199254740991'), guest], 413, tooLarge],
    ['a length that is no number', [head(line, host, mine, 'Content-Length: 0x10'), guest], 400, notHttp],
    ['two lengths', [head(line, host, mine, length(guest), 'Content-Length: 1'), guest], 400, notHttp],
    ['a length and chunks', [head(line, host, mine, length(guest), 'Transfer-Encoding: chunked'), guest], 400, notHttp],
    ['a chunk without a size', [chunked, `zz\r\n${guest}`], 400, notHttp],
    ['chunks over the limit', [chunked, ...Array(40).fill(`8000\r\n${' '.repeat(0x8000)}\r\n`)], 413, tooLarge],
    ['headers over the limit', [head(line, host, mine, `X-Long: ${'x'.repeat(20_000)}`)], 431, tooLong],
    ['a NUL in a header', [head(line, host, mine, 'X-Request-Id: a\0b', length(guest)), guest], 400, notHttp],
    [
      'a bare line break in a header',
      [head(line, host, mine, 'X-Request-Id: a\rX-Injected: yes', length(guest)), guest],
      400,
      notHttp,
    ],
    ['another protocol', ['EHLO till.example\r\n'], 400, notHttp],
  ])('gets a message, and changes nothing: %s', async (_, parts, status, message) => {
    const before = await stored();
    const [answer] = await sendRaw(...parts);
    expect(answer).toEqual([status, JSON.stringify({ errors: [{ message }] })]);
    expect(await stored()).toBe(before);
  });

  it.each([1, 2, 5])('does not affect the %i requests before it, which get responses first', async (count) => {
    const body = '{"email":"before@gmail.com","full_contact_object":false}';
    const requests = Array(count)
      .fill([head(line, host, mine, length(body)), body])
      .flat();
    const answers = await sendRaw(...requests, 'RUBBISH\r\n\r\n');
    expect(answers.map(([status]) => status)).toEqual([...Array(count).fill(200), 400]);
  });

  it('cannot inject a header or a log line', async () => {
    const { headers, status } = await call('GET', '/v1/contacts?email=a%0d%0aX-Injected:%20yes', {
      token,
      headers: { 'x-request-id': 'a b' },
    });
    expect(status).toBe(422);
    expect(headers).not.toHaveProperty('x-injected');
  });
});

describe('a body', () => {
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

  it.each([
    ['lists in lists', `{"email":"ana@gmail.com","x":${deep(10_000)}}`],
    ['objects in objects', `{"email":"ana@gmail.com","x":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`],
    ['just one level too deep', `{"email":"ana@gmail.com","x":${deep(100)}}`],
  ])('that is nested too deeply is a 400, with or without an idempotency key: %s', async (_, body) => {
    const before = await stored();
    for (const headers of [{}, { 'idempotency-key': 'deep' }]) {
      const answer = await call('POST', '/v1/contact', { token, body, headers });
      expect([answer.status, answer.body.errors[0].message]).toEqual([
        400,
        'The body is nested more than 100 levels deep.',
      ]);
    }
    expect(await stored()).toBe(before);
    const fine = await call('POST', '/v1/contact', { token, body: `{"email":"deep@gmail.com","x":${deep(99)}}` });
    expect(fine.status).toBe(200);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ] as const)('that decompresses to thirty million bytes is not decompressed: %s', async (encoding, compress) => {
    const bomb = compress(Buffer.from(`{"name":"${'a'.repeat(30_000_000)}"}`));
    const headers = head(
      'POST /admin/v1/accounts HTTP/1.1',
      host,
      `Authorization: Bearer ${adminToken}`,
      'Connection: close',
      `Content-Encoding: ${encoding}`,
      length(bomb),
    );
    const [answer] = await sendRaw(headers, bomb);
    expect(answer).toEqual([415, JSON.stringify({ errors: [{ message: 'The body must not be compressed.' }] })]);
  });

  it('may contain a name twice: the last value wins', async () => {
    const name = '{"name":"first","name":"last"}';
    expect((await call('POST', `/admin/v1/accounts/${id}/sources`, { token: adminToken, body: name })).body.name).toBe(
      'last',
    );
  });

  it('of arbitrary JSON is accepted or rejected as a whole, in the documented formats', async () => {
    const fields = [
      'email',
      'mobile_number',
      'source_name',
      'notes',
      'units',
      'purchases',
      'rules',
      'dob',
      'allow_sms',
    ];
    const anything = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.string({ unit: 'binary' }),
      fc.constant('ana@gmail.com'),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...fields), anything), async (body) => {
        const before = await stored();
        // Which holds every answer against its shape.
        const { status } = await call('POST', '/v1/contact', { token, body });
        expect([200, 422]).toContain(status);
        if (status === 422) expect(await stored()).toBe(before);
      }),
      { numRuns: 200 },
    );
  });
});

it('a valid request is still served after all of these', async () => {
  expect((await admin('GET', `/accounts/${id}`)).status).toBe(200);
});
