import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll } from 'vitest';

/** Tests wait for conditions. This only ends one that hangs, also on a busy machine. */
const mostMs = 40_000;

/** A request that a receiver got. */
export interface Received {
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look at events of every type
  event: any;
}

export type Answer = (response: ServerResponse, received: Received) => void;

export const answers = {
  ok: (response: ServerResponse) => void response.end('ok'),
  /** Never answers. */
  hang: () => {},
  /** Closes the connection without an answer. */
  reset: (response: ServerResponse) => void response.socket?.resetAndDestroy(),
  status:
    (status: number, headers: Record<string, string> = {}) =>
    (response: ServerResponse) =>
      void response.writeHead(status, headers).end(`status ${status}`),
};

/** A real HTTP server, or HTTPS with a key and a certificate. `answer` can be replaced at any time. */
export async function receiver(options: { key: string; cert: string } | undefined = undefined) {
  const all: Received[] = [];
  const state = { answer: answers.ok as Answer };
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (text: string) => {
      body += text;
    });
    request.on('error', () => {});
    request.on('end', () => {
      const received = {
        at: Date.now(),
        path: request.url ?? '',
        headers: request.headers,
        body,
        event: JSON.parse(body),
      };
      all.push(received);
      state.answer(response, received);
    });
  };
  const server = options ? createSecureServer(options, listener) : createServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    all,
    state,
    port,
    url: `${options ? 'https' : 'http'}://127.0.0.1:${port}/hook`,
    /** Waits for this number of requests in all. */
    count: (wanted: number, ms = mostMs) =>
      until(
        () => all.length >= wanted,
        ms,
        () => `${all.length} of ${wanted}`,
      ),
    /** Checks the signature with the library of the specification. Throws if it is wrong. */
    verify: (secret: string, { headers, body }: Received) =>
      new Webhook(secret).verify(body, headers as Record<string, string>),
  };
}

/** A server that speaks by `serve` on each connection, perhaps no HTTP. */
export async function rawReceiver(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createSocketServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    serve(socket);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/hook`, connections: () => connections, open: () => sockets.size };
}

export async function until(isSo: () => boolean | Promise<boolean>, ms = mostMs, state = () => ''): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; await pause(10)) if (await isSo()) return;
  throw new Error(`This did not happen within ${ms} ms: ${isSo} (${state()})`);
}
