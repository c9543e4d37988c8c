import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Load } from '../../../src/platform/http/load.ts';
import { createServer } from '../../../src/platform/http/server.ts';
import { createLog } from '../../../src/platform/log.ts';
import { testApp } from '../../support/app.ts';

const bareServer = (patience: { sendTimeoutMs?: number; readTimeoutMs?: number }) =>
  createServer({
    bodyLimitBytes: 1000,
    publicUrl: undefined,
    trustedProxies: [],
    log: createLog('fatal', { write: () => {} }),
    onCompleted: () => {},
    ...patience,
  });

describe('large answers', () => {
  it('count against their account until they are read, and other accounts have capacity', () => {
    const load = new Load(1, 1000);
    const request = () => {
      const socket = new Socket();
      return { share: load.add({ headers: {}, socket } as IncomingMessage, 1000), socket };
    };
    const first = request();
    expect(first.share.assignTo('account 1')).toBe(true);
    first.share.addResponse(60 * 1024 * 1024);
    const second = request();
    expect([second.share.assignTo('account 1'), second.share.hasRoom]).toEqual([true, true]);
    second.share.addResponse(8 * 1024 * 1024);
    expect(second.share.hasRoom).toBe(false);
    expect(request().share.assignTo('account 1')).toBe(false);
    expect(request().share.assignTo('account 2')).toBe(true);
    first.share.leave();
    expect(second.share.hasRoom).toBe(true);
    second.socket.emit('close');
    // Too late: the client has left.
    second.share.addResponse(500 * 1024 * 1024);
    expect([request().share.assignTo('account 1'), load.isFull]).toEqual([true, false]);
  });
  it('are counted by the server that sends them', async () => {
    const app = bareServer({});
    let held = 0;
    app.get('/:length', async (request) => {
      const { addResponse } = request.load;
      request.load.addResponse = (bytes) => {
        held += bytes;
        addResponse(bytes);
      };
      return 'x'.repeat(Number((request.params as { length: string }).length));
    });
    await app.inject('/1000');
    expect(held).toBe(0);
    await app.inject('/100000');
    expect(held).toBe(100_000);
    await app.close();
  });
});

describe('a service under load', () => {
  it('reads a limited number of bytes at once, per account and in total, and more when there is capacity', async () => {
    const { app, account } = await testApp();
    const accounts = await Promise.all(Array.from({ length: 6 }, () => account()));
    const tokens = accounts.map(({ token }) => token);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const sockets: Socket[] = [];
    /** Begins that many requests with a body of 1 MiB, and gives what is answered. */
    const begin = (token: string | undefined, count: number) => {
      const answers: string[] = [];
      for (let n = 0; n < count; n++) {
        const socket = connect(port, '127.0.0.1');
        sockets.push(socket);
        socket.on('error', () => {}).on('data', (data) => answers.push(String(data)));
        socket.write(
          `POST /v1/contact HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 1048576\r\n\r\n{`,
        );
      }
      return answers;
    };
    const write = (token: string | undefined) =>
      fetch(`${url}/v1/contact`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'ana@gmail.com' }),
      });
    const flooded = begin(tokens[0], 300);
    // A quarter of 256 MiB.
    await expect.poll(() => flooded.length).toBe(300 - 64);
    for (const answer of flooded) expect(answer).toMatch(/^HTTP\/1.1 429 .*\r\nretry-after: 1\r\n/s);
    expect((await write(tokens[0])).status).toBe(429);
    expect((await write(tokens[1])).status).toBe(200);
    for (const token of tokens.slice(1, 4)) begin(token, 64);
    const last = begin(tokens[4], 10);
    await expect.poll(() => last.length).toBeGreaterThan(0);
    for (const answer of last) expect(answer).toMatch(/^HTTP\/1.1 503 .*\r\nretry-after: 1\r\n/s);
    await expect.poll(async () => (await write(tokens[5])).status).toBe(503);
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await write(tokens[0])).status).toBe(200);
  });

  it('releases the bytes of a closed connection, including those behind an unfinished response', async () => {
    const { app, account } = await testApp();
    const { token } = await account();
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const body = JSON.stringify({ email: 'nobody@gmail.com', password: 'takes its time' });
    const first = `POST /admin/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const next = 'POST /v1/contact HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(first + next.repeat(300));
    const status = async () =>
      (await fetch(`${url}/v1/account/units`, { headers: { authorization: `Bearer ${token}` } })).status;
    await expect.poll(status, { interval: 2 }).toBe(503);
    socket.resetAndDestroy();
    await expect.poll(status).toBe(200);
  });

  it('does not buffer requests behind a response that is not read', async () => {
    const server = bareServer({});
    server.get('/much', () => 'x'.repeat(50_000_000));
    await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    let heard = 0;
    server.server.on('clientError', () => heard++);
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.pause();
    socket.write('GET /much HTTP/1.1\r\nHost: x\r\n\r\n');
    for (let n = 0; n < 30; n++) {
      await pause(10);
      socket.write('RUBBISH\r\n\r\n');
    }
    await expect.poll(() => heard).toBeGreaterThan(0);
    expect(heard).toBeLessThan(3);
    expect(warnings).toEqual([]);
    process.off('warning', note);
    socket.destroy();
    await server.close();
  });

  it('reads only a little from an unauthenticated client', async () => {
    const { call } = await testApp();
    const { status } = await call('POST', '/admin/v1/session', { body: { email: 'x'.repeat(9000), password: 'y' } });
    expect(status).toBe(413);
  });

  it('closes a connection that does not complete its request', async () => {
    const server = bareServer({ sendTimeoutMs: 200 });
    await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const halves = [
      'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
    ];
    for (const half of halves) {
      const socket = connect(port, '127.0.0.1');
      socket.write(half);
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1.1 408 .*did not arrive in time/s);
      await once(socket, 'close');
    }
    await server.close();
  });

  it('closes a connection that does not read its response', async () => {
    const server = bareServer({ readTimeoutMs: 1000 });
    server.get('/much', () => 'x'.repeat(50_000_000));
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.pause();
    socket.write('GET /much HTTP/1.1\r\nHost: x\r\n\r\n');
    const [served] = await once(server.server, 'connection');
    await once(served, 'close');
    // A client that reads the response gets all of it.
    expect((await (await fetch(`${url}/much`)).text()).length).toBe(50_000_000);
    socket.destroy();
    await server.close();
  });
});

describe('every response', () => {
  it('must not be cached or sniffed', async () => {
    const { call, account } = await testApp();
    const { token } = await account();
    for (const { headers } of [await call('GET', '/v1/account/units', { token }), await call('GET', '/v1/nowhere')])
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  });

  it('requests HTTPS from browsers if its URL is HTTPS', async () => {
    const settings = [{}, { PUBLIC_URL: 'http://regulars.example' }, { PUBLIC_URL: 'https://regulars.example' }];
    const asked: unknown[] = [];
    for (const setting of settings) {
      const { call } = await testApp(setting);
      for (const path of ['/health', '/', '/docs'])
        asked.push((await call('GET', path)).headers['strict-transport-security']);
    }
    expect(asked).toEqual([...Array(6).fill(undefined), ...Array(3).fill('max-age=31536000')]);
  });
});
