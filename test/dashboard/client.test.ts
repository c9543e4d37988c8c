import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, adminUrl, api, onSignedOut } from '../../dashboard/src/api/client.ts';

let answer: RequestListener = () => {};
const server = createServer((request, response) => answer(request, response));
const fetchThere = globalThis.fetch;

beforeEach(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  // In a browser an address without a host is the page's own.
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => fetchThere(`http://127.0.0.1:${port}${path}`, init));
});
afterEach(async () => {
  vi.unstubAllGlobals();
  onSignedOut(() => {});
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const json = (status: number, body: unknown) => {
  answer = (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
};

describe('a URL', () => {
  it('contains the given parameters, without blank ones', () => {
    expect(adminUrl('/accounts/1/units', { page: 2, search: 'a b', unit_id: undefined, group_id: null, x: '' })).toBe(
      '/admin/v1/accounts/1/units?page=2&search=a+b',
    );
  });

  it('repeats the name of a list', () => {
    const url = adminUrl('/accounts/1/events', { types: ['note.added', 'stay.recorded'], after: undefined });
    expect(new URL(url, 'http://localhost').search).toBe('?types%5B%5D=note.added&types%5B%5D=stay.recorded');
    expect(adminUrl('/accounts/1/events', { types: [] })).toBe('/admin/v1/accounts/1/events');
  });
});

describe('an error response', () => {
  it('is shown by field', async () => {
    json(422, { message: 'The given data was invalid.', errors: { name: ['One.', 'Two.'], 'codes.3': ['Three.'] } });
    await expect(api.post('/accounts', {})).rejects.toMatchObject({
      status: 422,
      message: 'One.',
      fields: { name: 'One.', 'codes.3': 'Three.' },
    });
  });

  it('is shown with its message if it has no field', async () => {
    json(403, { errors: [{ message: 'Only an owner may do that.' }] });
    await expect(api.delete('/users/1')).rejects.toMatchObject({
      status: 403,
      message: 'Only an owner may do that.',
      fields: {},
    });
  });

  it('without a session leads to the sign-in page, except at sign-in', async () => {
    const listener = vi.fn();
    onSignedOut(listener);
    json(401, { errors: [{ message: 'Unauthorized' }] });
    await expect(api.post('/session', {})).rejects.toMatchObject({ status: 401 });
    await expect(api.get('/session')).rejects.toMatchObject({ status: 401 });
    expect(listener).not.toHaveBeenCalled();
    await expect(api.get('/accounts')).rejects.toMatchObject({ status: 401 });
    expect(listener).toHaveBeenCalledOnce();
  });

  it('is a plain sentence if it is not from the service', async () => {
    answer = (_request, response) => void response.writeHead(502).end('<html>Bad gateway');
    await expect(api.get('/accounts')).rejects.toThrow(ApiError);
    answer = (request) => void request.socket.destroy();
    await expect(api.get('/accounts')).rejects.toMatchObject({
      status: 0,
      message: expect.stringContaining('can’t be reached'),
    });
  });
});

describe('a request with progress', () => {
  const sends = (...parts: string[]) => {
    answer = async (request, response) => {
      expect(request.headers.accept).toBe('application/x-ndjson');
      response.writeHead(201, { 'content-type': 'application/x-ndjson' });
      for (const part of parts) {
        response.write(part);
        await new Promise((sent) => setTimeout(sent, 5));
      }
      response.end();
    };
  };
  const run = async () => {
    const progress: [number, number][] = [];
    const result = api.postWithProgress<{ created: number }>('/x', { count: 3 }, (done, of) =>
      progress.push([done, of]),
    );
    return { progress, result: await result.catch((error: ApiError) => error) };
  };

  it('is read line by line, in any chunks, up to its result', async () => {
    sends('{"done":1,"of":3}\n{"do', 'ne":3,"of":3}\n', '{"created":3}', '\n');
    expect(await run()).toEqual({
      progress: [
        [1, 3],
        [3, 3],
      ],
      result: { created: 3 },
    });
  });

  it('fails with the error in its last line', async () => {
    sends('{"done":1,"of":3}\n', '{"errors":[{"message":"The service can’t answer just now."}]}\n');
    const { result } = await run();
    expect(result).toBeInstanceOf(ApiError);
    expect((result as ApiError).message).toBe('The service can’t answer just now.');
  });

  it('fails if it is cut off before its result', async () => {
    sends('{"done":1,"of":3}\n');
    expect((await run()).result).toMatchObject({ status: 0 });
  });
});
