import { connect, createServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';
import { freePort } from '../../../support/port.ts';

/** `before`: the statement is lost. `after`: the transaction is committed, and the answer is lost. */
export type Cut = { text: string; when: 'before' | 'after' };

/** A way to the server that cuts a connection at a statement with a text. */
export async function tappingProxy(url: string) {
  const { hostname, port: portBehind } = new URL(url);
  const open = new Set<Socket>();
  const state: { cut: Cut | undefined; cuts: number } = { cut: undefined, cuts: 0 };
  const server = createServer((client) => {
    const upstream = connect(Number(portBehind), hostname);
    /** The transaction that is cut has not sent its commit yet. */
    let isArmed = false;
    let isDeaf = false;
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
    }
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on('data', (chunk: Buffer) => {
      const { cut } = state;
      if (cut && !isArmed && chunk.includes(cut.text)) {
        state.cut = undefined;
        if (cut.when === 'before') {
          state.cuts++;
          return end();
        }
        isArmed = true;
      }
      if (isArmed && !isDeaf && /commit/i.test(chunk.toString('latin1'))) {
        isDeaf = true;
        state.cuts++;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (!isDeaf) return client.write(chunk);
      if (chunk.includes('COMMIT')) end();
      return true;
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  afterAll(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const through = Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) });
  return { url: through.href, state };
}
