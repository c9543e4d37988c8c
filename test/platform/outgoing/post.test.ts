import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createPost, failureOf } from '../../../src/platform/outgoing/post.ts';
import { answers, rawReceiver, receiver, until } from '../../support/receiver.ts';

const timeoutMs = 700;
const post = createPost({ allowPrivate: true, timeoutMs });
afterAll(() => post.close());
const send = (url: string) => post(url, { 'webhook-id': 'evt_1' }, '{"id":"evt_1"}');

/** A receiver that writes this when the request is there. */
const saying = (text: string | Buffer, then: (socket: Socket) => void = () => {}) =>
  rawReceiver((socket) =>
    socket.once('data', () => {
      socket.write(text);
      then(socket);
    }),
  );
const head = (lines: string) => `HTTP/1.1 ${lines}\r\n\r\n`;

describe('a request fails', () => {
  it.each([
    [500, 'The receiver answered 500.'],
    [404, 'The receiver answered 404.'],
    [410, 'The receiver answered 410.'],
    [429, 'The receiver answered 429.'],
    [304, 'The receiver answered 304, a redirect. Redirects are not followed.'],
  ])('with the status %i', async (status, error) => {
    const to = await receiver();
    to.state.answer = answers.status(status);
    const posted = await send(to.url);
    expect(posted).toMatchObject({ status, error: null });
    expect(failureOf(posted)).toBe(error);
  });

  it.each([301, 302, 303, 307, 308])('with the redirect %i, which is not followed', async (status) => {
    const [to, other] = [await receiver(), await receiver()];
    to.state.answer = answers.status(status, { location: other.url });
    const posted = await send(to.url);
    expect(posted.status).toBe(status);
    expect(failureOf(posted)).toContain('Redirects are not followed.');
    await pause(100);
    expect([to.all.length, other.all.length]).toEqual([1, 0]);
  });

  it('if nothing comes back in time', async () => {
    const to = await receiver();
    to.state.answer = answers.hang;
    const posted = await send(to.url);
    expect(posted).toMatchObject({ status: null, error: 'No response within 0.7 seconds.' });
    expect(posted.durationMs).toBeGreaterThanOrEqual(timeoutMs - 10);
    await pause(200);
    expect(to.all).toHaveLength(1);
  });

  it('if there is no response in time, without another connection', async () => {
    const to = await rawReceiver((socket) => void socket.resume());
    expect(await send(to.url)).toMatchObject({ status: null, error: 'No response within 0.7 seconds.' });
    await pause(200);
    expect([to.open(), to.connections()]).toEqual([0, 1]);
  });

  it.each(['nonsense', 'http://', 'http://a b/'])('if the address is none: %s', async (url) => {
    expect(await send(url)).toMatchObject({ status: null, error: expect.stringMatching(/URL/) });
  });

  it('if the client is closed', async () => {
    const own = createPost({ allowPrivate: true });
    const to = await rawReceiver((socket) => void socket.resume());
    const posted = own(to.url, {}, '{}');
    await until(() => to.open() === 1);
    own.close();
    expect(await posted).toMatchObject({ status: null, error: 'The service stopped.' });
    await until(() => to.open() === 0);
  });

  it('if the headers come byte by byte, and closes the connection', async () => {
    const to = await rawReceiver((socket) => {
      const text = `HTTP/1.1 200 OK\r\nx-slow: ${'a'.repeat(10_000)}`;
      let at = 0;
      const timer = setInterval(() => socket.write(text[at++] ?? 'a'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await send(to.url)).toMatchObject({ status: null, error: 'No response within 0.7 seconds.' });
    await until(() => to.open() === 0);
  });

  it('if there are only provisional responses', async () => {
    const to = await rawReceiver((socket) => {
      const timer = setInterval(() => socket.write(head('102 Processing')), 20);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await send(to.url)).toMatchObject({ status: null, error: 'No response within 0.7 seconds.' });
  });

  it.each([
    ['resets it', (socket: Socket) => void socket.resetAndDestroy()],
    ['closes it', (socket: Socket) => void socket.end()],
  ])('if the receiver accepts the connection and %s', async (_, end) => {
    const to = await rawReceiver((socket) => socket.once('data', () => end(socket)));
    expect(await send(to.url)).toMatchObject({
      ...{ status: null, error: 'The receiver closed the connection without a response.' },
    });
    expect(to.connections()).toBe(1);
  });

  it('if nobody listens', async () => {
    expect(await send('http://127.0.0.1:1/hook')).toMatchObject({
      ...{ status: null, error: 'The receiver refused the connection.' },
    });
  });

  it.each([
    ['text', 'SSH-2.0-OpenSSH_9.2\r\n\r\n', 'The response is not valid HTTP.'],
    ['bytes', Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]), 'The response is not valid HTTP.'],
    ['huge headers', head(`200 OK\r\nx-huge: ${'a'.repeat(200_000)}`), 'The response has too large headers.'],
    [
      'a protocol that nobody asked for',
      head('101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket'),
      'The receiver switched to another protocol.',
    ],
    ['a request for the body', head('100 Continue'), 'The receiver asked for the body, which it had.'],
  ])('if the response is not one that is expected: %s', async (_, text, reason) => {
    const to = await saying(text);
    const posted = await send(to.url);
    expect(posted.status).toBeNull();
    expect(posted.error).toContain(reason);
    expect(to.connections()).toBe(1);
    await until(() => to.open() === 0);
  });
});

describe('a request succeeds', () => {
  it.each([200, 201, 202, 204, 299])('with the status %i', async (status) => {
    const to = await saying(head(`${status} Fine\r\ncontent-length: 0`));
    const posted = await send(to.url);
    expect([posted.status, failureOf(posted)]).toEqual([status, null]);
  });

  it('after provisional responses', async () => {
    const to = await saying(head('102 Processing') + head('103 Early Hints') + head('200 OK\r\ncontent-length: 0'));
    expect(failureOf(await send(to.url))).toBeNull();
  });

  it.each([
    ['is cut off', `${head('200 OK\r\ncontent-length: 10')}abc`],
    ['is not as announced', `${head('200 OK\r\ntransfer-encoding: chunked')}zz\r\nabc`],
  ])('with a body that %s', async (_, text) => {
    const to = await saying(text, (socket) => socket.end());
    expect(failureOf(await send(to.url))).toBeNull();
  });

  it('with a body without an end: little of it is read, and the connection is closed', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const to = await saying(head(`200 OK\r\ncontent-length: ${2 ** 30}`), (socket) => {
      const more = () => {
        while (!socket.destroyed && sent < 2 ** 30) {
          sent += chunk.length;
          if (!socket.write(chunk)) break;
        }
      };
      socket.on('drain', more);
      more();
    });
    const posted = await send(to.url);
    expect(failureOf(posted)).toBeNull();
    expect(posted.response).toBe('x'.repeat(1000));
    await until(() => to.open() === 0);
    expect(sent).toBeLessThan(32 * 2 ** 20);
    await pause(200);
    expect(to.connections()).toBe(1);
  });

  it('with a body that comes byte by byte, which is cut off', async () => {
    const to = await saying(head('200 OK\r\ntransfer-encoding: chunked'), (socket) => {
      const timer = setInterval(() => socket.write('1\r\nx\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const posted = await send(to.url);
    expect(failureOf(posted)).toBeNull();
    expect(posted.response).toMatch(/^x+$/);
    await until(() => to.open() === 0);
  });
});

describe('a connection that the receiver closes while it is idle', () => {
  it('is replaced by a new one, also if several were idle', async () => {
    let requests = 0;
    // Each connection serves one request. The second request on it gets a reset, as from a server that ends just then.
    const to = await rawReceiver((socket) => {
      let isUsed = false;
      socket.on('data', () => {
        if (isUsed) return void socket.resetAndDestroy();
        isUsed = true;
        requests++;
        setTimeout(() => socket.write(head('200 OK\r\ncontent-length: 0')), 100);
      });
    });
    const ofMany = await Promise.all(Array.from({ length: 4 }, () => send(to.url)));
    expect(ofMany.map(failureOf)).toEqual([null, null, null, null]);
    expect(to.open()).toBe(4);
    expect(failureOf(await send(to.url))).toBeNull();
    expect(requests).toBe(5);
  });

  it('is used for the next request if it is still open', async () => {
    const to = await rawReceiver((socket) =>
      socket.on('data', () => void socket.write(head('200 OK\r\ncontent-length: 0'))),
    );
    for (let n = 0; n < 10; n++) expect(failureOf(await send(to.url))).toBeNull();
    expect(to.connections()).toBe(1);
  });

  it('is not what a receiver does that refuses each second request of a connection', async () => {
    let requests = 0;
    const to = await rawReceiver((socket) =>
      socket.on('data', () => {
        requests++;
        socket.write(head(requests > 4 ? '101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: x' : '204 Done'));
      }),
    );
    for (let n = 0; n < 4; n++) expect(failureOf(await send(to.url))).toBeNull();
    expect(failureOf(await send(to.url))).toBe('The receiver switched to another protocol.');
    expect(requests).toBe(5);
  });
});

describe('the start of the body', () => {
  it('is kept as text that PostgreSQL can store', async () => {
    const to = await receiver();
    // The limit is in the middle of the character.
    to.state.answer = (response) => void response.end(`\0${'a'.repeat(998)}😀`);
    const { response } = await send(to.url);
    expect(response).toBe(`\ufffd${'a'.repeat(998)}\ufffd`);
  });
});

describe('the header Retry-After', () => {
  it('is returned', async () => {
    const to = await receiver();
    for (const wanted of ['120', 'Wed, 21 Oct 2026 07:28:00 GMT']) {
      to.state.answer = answers.status(503, { 'retry-after': wanted });
      expect((await send(to.url)).retryAfter).toBe(wanted);
    }
  });

  it('counts once if it comes twice', async () => {
    const to = await saying(head('503 Busy\r\nretry-after: 7\r\nretry-after: 9\r\ncontent-length: 0'));
    expect((await send(to.url)).retryAfter).toBe('7');
  });
});
