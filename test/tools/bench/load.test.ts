import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { expectAnswer, load } from '../../../tools/bench/load/load.ts';
import { answerIn } from '../../../tools/bench/load/response.ts';

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

test('a response is complete when its content length has arrived, in bytes', () => {
  const whole = Buffer.from(`${head}content-length: 6\r\n\r\n"Zoë"`);
  for (let length = 0; length < whole.length; length++) expect(answerIn(whole.subarray(0, length))).toBeUndefined();
  expect(answerIn(whole)).toMatchObject({ status: 200 });
  expect(answerIn(whole)?.body.toString()).toBe('"Zoë"');
  expect(() => answerIn(Buffer.concat([whole, Buffer.from('more')]))).toThrow('6 bytes');
});

test('a chunked response is assembled', () => {
  const whole = Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`);
  expect(answerIn(whole.subarray(0, -5))).toBeUndefined();
  expect(answerIn(whole)?.body.toString()).toBe('abcde');
});

test('a response without a length is rejected', () => {
  expect(() => answerIn(Buffer.from(`${head}\r\n{}`))).toThrow('how long');
});

test('a wrong status and an incomplete body are errors that state the expected and the actual value', () => {
  expect(() => expectAnswer(200, '{"a":1,"b":2}', '"a":1', '"b":2')).not.toThrow();
  expect(() => expectAnswer(422, '{"a":1}', '"a":1')).toThrow('Expected 200 with "a":1; what came was 422: {"a":1}');
  expect(() => expectAnswer(200, '{"a":1}', '"a":1', '"b":2')).toThrow('"b":2');
});

/** Answers each request with its body, in two pieces, until it is asked what it won't. */
async function echo(work: (url: string, requests: string[]) => Promise<void>): Promise<void> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('data', (chunk) => {
      requests.push(chunk.toString());
      const body = chunk.toString().split('\r\n\r\n')[1] ?? '';
      socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 2)}`);
      setImmediate(() => socket.write(body.slice(2)));
    });
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    await work(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, requests);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const ask = { path: '/v1/contact', headers: { Authorization: 'Bearer x' }, connections: 3, requests: 20, from: 100 };

test('each n is requested once, and its own response is checked', async () => {
  await echo(async (url, requests) => {
    const checked: number[] = [];
    const measured = await load({
      ...{ ...ask, url, body: (n) => JSON.stringify({ n }) },
      check: (n, status, body) => {
        expectAnswer(status, body, `{"n":${n}}`);
        checked.push(n);
      },
    });
    expect(measured).toMatchObject({ requests: 20, answer: expect.stringMatching(/^.{9}$/) });
    expect(checked.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, place) => 100 + place));
    expect(requests).toHaveLength(20);
    expect(requests[0]).toContain('POST /v1/contact HTTP/1.1\r\n');
    expect(requests[0]).toContain('authorization: Bearer x\r\n');
  });
});

test('one wrong response ends the load with an error', async () => {
  await echo(async (url) => {
    const wrong = load({
      ...{ ...ask, url, body: (n) => JSON.stringify({ n: n === 110 ? 0 : n }) },
      check: (n, status, body) => expectAnswer(status, body, `{"n":${n}}`),
    });
    await expect(wrong).rejects.toThrow('Expected 200 with {"n":110}; what came was 200: {"n":0}');
  });
});
