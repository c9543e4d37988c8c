import { connect, createServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';
import { freePort } from './port.ts';

/** "ready for query", with which a server ends its greeting. */
const ready = Buffer.from('Z\0\0\0\x05I', 'latin1');
const shutdownMessage = fatalMessage('57P01', 'terminating connection due to administrator command');

/** The last message of a server on a connection. */
export function fatalMessage(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`, 'latin1');
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  return Buffer.concat([Buffer.from('E'), length, fields]);
}

/**
 * A way to the server on which the first so many connections are ended by an administrator in the very moment in which
 * they are ready: in the same packet. Gives the address through it.
 */
export async function cuttingProxy(url: string, cuts: number): Promise<{ url: string; cut(): number }> {
  const { hostname, port: portBehind } = new URL(url);
  const open = new Set<Socket>();
  let cut = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(portBehind), hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
    }
    client.pipe(upstream);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.end());
    upstream.on('data', (chunk: Buffer) => {
      if (cut >= cuts || !chunk.subarray(-ready.length).equals(ready)) return client.write(chunk);
      cut++;
      client.end(Buffer.concat([chunk, shutdownMessage]));
      upstream.destroy();
      return true;
    });
  });
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  afterAll(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const through = Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) });
  return { url: through.href, cut: () => cut };
}
