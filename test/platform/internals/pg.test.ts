import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { announcedPid, isConnectionError, sendTogether } from '../../../src/platform/internals/pg.ts';
import { createDatabase } from '../../support/database.ts';

const { url } = await createDatabase('empty');

it('sends the statements of one turn in one write', async () => {
  const client = new pg.Client({ connectionString: url, pipeline: true } as pg.ClientConfig);
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  const [one, many] = [vi.spyOn(stream, '_write'), vi.spyOn(stream as Required<Socket>, '_writev')];
  const ask = () => {
    sendTogether(client);
    return client.query('select $1::int as n', [1]);
  };
  const results = await Promise.all([ask(), ask(), ask()]);
  expect(results.map(({ rows }) => rows)).toEqual([[{ n: 1 }], [{ n: 1 }], [{ n: 1 }]]);
  expect([one.mock.calls.length, many.mock.calls.length]).toEqual([0, 1]);
  await client.end();
});

it('knows the process id that the server announced', async () => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  expect(announcedPid(client)).toBe(rows[0].pid);
  await client.end();
});

describe('the driver’s connection errors are known by their messages', () => {
  const errorOf = async (work: Promise<unknown>) => {
    const error = (await work.then(
      () => undefined,
      (thrown) => thrown,
    )) as Error & { code?: string };
    return { message: error.message, code: error.code, isConnectionError: isConnectionError(error) };
  };
  const known = (message: string) => ({
    message: expect.stringContaining(message),
    code: undefined,
    isConnectionError: true,
  });
  const connected = async (options: pg.ClientConfig = {}) => {
    const client = new pg.Client({ connectionString: url, ...options });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const serverWith = async (handle: (socket: Socket) => void) => {
    const server = createServer(handle).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, port: (server.address() as AddressInfo).port };
  };

  it('a server that closes the connection', async () => {
    const { server, port } = await serverWith((socket) => socket.once('data', () => socket.end()));
    const client = new pg.Client({ host: '127.0.0.1', port });
    expect(await errorOf(client.connect())).toEqual(known('Connection terminated'));
    server.close();
  });
  it('a server that accepts nothing in time', async () => {
    const { server, port } = await serverWith(() => {});
    const client = new pg.Client({ host: '127.0.0.1', port, connectionTimeoutMillis: 50 });
    expect(await errorOf(client.connect())).toEqual(known('timeout expired'));
    server.close();
  });
  it('a statement that takes too long', async () => {
    const client = await connected({ query_timeout: 50 });
    expect(await errorOf(client.query('select pg_sleep(5)'))).toEqual(known('Query read timeout'));
    await client.end();
  });
  it('a pool without a free connection', async () => {
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    const held = await pool.connect();
    pool.options.connectionTimeoutMillis = 50;
    expect(await errorOf(pool.connect())).toEqual(known('timeout exceeded when trying to connect'));
    held.release();
    await pool.end();
  });
  it('a client that was closed', async () => {
    const client = await connected();
    await client.end();
    expect(await errorOf(client.query('select 1'))).toEqual(known('Client was closed'));
  });
  it('a client whose connection broke', async () => {
    const client = await connected();
    const broken = new Promise((done) => client.once('end', done));
    (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy(new Error('broken'));
    await broken;
    expect(await errorOf(client.query('select 1'))).toEqual(known('Client has encountered a connection error'));
  });
  it('other errors are not connection errors', () => {
    expect(isConnectionError(new Error('syntax error'))).toBe(false);
  });
});
