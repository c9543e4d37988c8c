import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createServer } from '../../src/http/server.ts';
import { createLog } from '../../src/log.ts';
import { testApp } from '../support/app.ts';

const bareServer = (patience: { slowestSendMs?: number; slowestReadMs?: number }) =>
  createServer({
    bodyLimitBytes: 1000,
    publicUrl: undefined,
    trustedProxies: [],
    log: createLog('fatal', { write: () => {} }),
    onAnswered: () => {},
    ...patience,
  });

describe('a service under load', () => {
  it('takes in so many bytes at once and no more, and the next when there is room', async () => {
    const { app, account } = await testApp();
    const { token } = await account();
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const half = `POST /v1/contact HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 1048576\r\n\r\n{`;
    const answers: string[] = [];
    const sockets = Array.from({ length: 300 }, () => connect(port, '127.0.0.1'));
    for (const socket of sockets) {
      socket.on('error', () => {}).on('data', (data) => answers.push(String(data)));
      socket.write(half);
    }
    await expect.poll(() => answers.length).toBe(300 - 256);
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 503 .*\r\nretry-after: 1\r\n/s);
    const write = () =>
      fetch(`${url}/v1/contact`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'ana@gmail.com' }),
      });
    expect((await write()).status).toBe(503);
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await write()).status).toBe(200);
  });

  it('forgets what came on a connection that is gone, also what stood behind an answer that never came', async () => {
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

  it('keeps nothing of what is sent behind an answer that nobody reads', async () => {
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

  it('takes no more from a stranger than a stranger has to say', async () => {
    const { call } = await testApp();
    const { status } = await call('POST', '/admin/v1/session', { body: { email: 'x'.repeat(9000), password: 'y' } });
    expect(status).toBe(413);
  });

  it('lets go of whoever does not come to the end of a request', async () => {
    const server = bareServer({ slowestSendMs: 200 });
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

  it('lets go of whoever asks for much and takes nothing of it', async () => {
    const server = bareServer({ slowestReadMs: 200 });
    server.get('/much', () => 'x'.repeat(50_000_000));
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.pause();
    socket.write('GET /much HTTP/1.1\r\nHost: x\r\n\r\n');
    const [served] = await once(server.server, 'connection');
    await once(served, 'close');
    // Whoever takes it gets all of it.
    expect((await (await fetch(`${url}/much`)).text()).length).toBe(50_000_000);
    socket.destroy();
    await server.close();
  });
});

describe('every answer', () => {
  it('is to be kept by nobody, and taken for nothing else', async () => {
    const { call, account } = await testApp();
    const { token } = await account();
    for (const { headers } of [await call('GET', '/v1/account/units', { token }), await call('GET', '/v1/nowhere')])
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  });

  it('asks browsers to come by https from then on, where that is its address', async () => {
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
