import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { serveDashboard } from '../../../src/platform/http/dashboard.ts';
import { testApp } from '../../support/app.ts';

const { app, call } = await testApp();
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const index = readFileSync('dist/dashboard/index.html', 'utf8');
const names = readdirSync('dist/dashboard/assets');
const script = `/assets/${names.find((name) => /^index-.*\.js$/.test(name))}`;

describe('the dashboard’s page', () => {
  it.each(['/', '/sign-in', '/accounts/1', '/accounts/1/guests/5?x=1', '/profile', '/v1x', '/nowhere'])(
    'is served to a browser at %s',
    async (path) => {
      const { status, body, headers } = await call('GET', path, { headers: html });
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(body).toBe(index);
      expect(headers['cache-control']).toBe('no-cache');
    },
  );

  it('is served at / to all clients', async () => {
    expect((await call('GET', '/')).body).toBe(index);
  });

  it('responds to HEAD without a body', async () => {
    for (const path of ['/', '/accounts/1', script]) {
      const get = await call('GET', path, { headers: html });
      const head = await call('HEAD', path, { headers: html });
      expect([head.status, head.body]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length', 'cache-control', 'content-security-policy'])
        expect(head.headers[name], `${name} of ${path}`).toBe(get.headers[name]);
    }
  });

  it('has a policy against foreign resources, other scripts and framing', async () => {
    const { headers } = await call('GET', '/', { headers: html });
    const policy = Object.fromEntries(
      String(headers['content-security-policy'])
        .split('; ')
        .map((part) => [part.split(' ')[0], part.split(' ').slice(1)]),
    );
    expect(policy['default-src']).toEqual(["'self'"]);
    expect(policy['script-src'].slice(0, 1)).toEqual(["'self'"]);
    expect(policy['script-src'].slice(1).every((source: string) => source.startsWith("'sha256-"))).toBe(true);
    expect(policy['frame-ancestors']).toEqual(["'none'"]);
    expect(policy['base-uri']).toEqual(["'none'"]);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
    });
    expect(index).not.toMatch(/(src|href)="(https?:)?\/\//);
  });
});

describe('a path outside the dashboard', () => {
  it.each([
    ['GET', '/v1/nothing'],
    ['GET', '/v1'],
    ['GET', '/admin/v1/nothing'],
    ['GET', '/docs/nothing'],
    ['GET', '/metrics/nothing'],
    ['GET', '/health/nothing'],
    ['GET', '/assets/nothing.js'],
    ['GET', '/assets/'],
    ['GET', '/openapi.json/x'],
    ['POST', '/accounts/1'],
  ])('%s %s is a 404 in the interface’s format, also for a browser', async (method, path) => {
    const { status, body } = await call(method, path, { headers: html });
    expect(status).toBe(404);
    expect(body).toEqual({ errors: [{ message: expect.stringContaining('There is nothing at') }] });
  });

  it('is a 404 in that format for clients that do not accept HTML', async () => {
    const { status, body } = await call('GET', '/accounts/1', { headers: { accept: '*/*' } });
    expect([status, Object.keys(body)]).toEqual([404, ['errors']]);
  });
});

describe('the dashboard’s files', () => {
  it('can be cached forever, because their names change with their content', async () => {
    const { status, headers } = await call('GET', script);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each([
    ['js', 'application/javascript; charset=utf-8'],
    ['css', 'text/css; charset=utf-8'],
    ['svg', 'image/svg+xml'],
  ])('of the kind %s are %s', async (kind, type) => {
    const { headers } = await call('GET', `/assets/${names.find((name) => name.endsWith(`.${kind}`))}`);
    expect(headers['content-type']).toBe(type);
  });

  it('are compressed as the browser accepts', async () => {
    for (const path of [script, '/'])
      for (const [accepted, encoding, unpack] of [
        ['gzip, deflate, br', 'br', brotliDecompressSync],
        ['gzip', 'gzip', gunzipSync],
        ['identity', undefined, (body: Buffer) => body],
      ] as const) {
        const answer = await app.inject({ url: path, headers: { 'accept-encoding': accepted } });
        expect(answer.headers['content-encoding'], `${path} for ${accepted}`).toBe(encoding);
        expect(answer.headers['content-type']).toMatch(path === '/' ? /^text\/html/ : /^application\/javascript/);
        const file = path === '/' ? 'index.html' : path.slice(1);
        expect(unpack(answer.rawPayload).equals(readFileSync(`dist/dashboard/${file}`))).toBe(true);
        expect(answer.headers.vary).toBe('accept-encoding');
      }
  });

  it('give no access to other files', async () => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as { port: number };
    /** As it is written, which a URL would not leave it. */
    const raw = (path: string) =>
      new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
        request({ host: '127.0.0.1', port, path }, async (response) => {
          let body = '';
          for await (const part of response) body += part;
          resolve({ status: response.statusCode, body });
        })
          .on('error', reject)
          .end();
      });
    expect((await raw(script)).status).toBe(200);
    for (const path of [
      '/assets/../index.html',
      '/assets/../../main.js',
      '/assets/%2e%2e/%2e%2e/main.js',
      '/assets/..%2f..%2fmain.js',
      '/assets/..%5c..%5cmain.js',
      '/assets/..%2f.vite%2fmanifest.json',
      '/assets/%2e%2e%2f%2e%2e%2f%2e%2e%2fpackage.json',
      '/assets//etc/passwd',
      '/assets/%00',
      '/../package.json',
      '/.vite/manifest.json',
    ]) {
      const { status, body } = await raw(path);
      expect([400, 403, 404], path).toContain(status);
      expect(Object.keys(JSON.parse(body)), path).toEqual(['errors']);
    }
  });
});

describe('a dashboard that was not built', () => {
  it('responds with instructions to build it', async () => {
    const bare = fastify();
    await serveDashboard(bare, { folder: '/nowhere' });
    const { statusCode, headers, body } = await bare.inject('/');
    expect([statusCode, headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8']);
    expect(body).toContain('npm run build');
    await bare.close();
  });
});
