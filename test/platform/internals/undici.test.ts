import type { Socket } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { afterAll, expect, it } from 'vitest';
import { type ConnectionHandler, dispatch, refusalOf } from '../../../src/platform/internals/undici.ts';
import { rawReceiver } from '../../support/receiver.ts';

const agent = new Agent();
afterAll(() => agent.destroy());

/** Whether the connection was used before, and the error. */
function ask(origin: string): Promise<{ isReused: boolean | undefined; error?: Error }> {
  return new Promise((done) => {
    let isReused: boolean | undefined;
    const handler: ConnectionHandler = {
      onConnection: (_, isUsed) => {
        isReused = isUsed;
      },
      onRequestStart: () => {},
      onResponseStart: () => {},
      onResponseData: () => {},
      // The connection is free a moment later.
      onResponseEnd: () => void setTimeout(() => done({ isReused }), 50),
      onResponseError: (_: Dispatcher.DispatchController, error: Error) => done({ isReused, error }),
    };
    dispatch(agent, { origin, path: '/', method: 'POST', body: 'x' }, handler);
  });
}

const answering = (text: string) =>
  rawReceiver((socket: Socket) => socket.on('data', () => void socket.write(`${text}\r\n\r\n`)));

it('tells whether a request was sent on a connection that had served another one', async () => {
  const { url } = await answering('HTTP/1.1 200 OK\r\ncontent-length: 0');
  const { origin } = new URL(url);
  // Requests of others say nothing about ours.
  await fetch(url, { method: 'POST', body: 'x' }).then((response) => response.text());
  expect(await ask(origin)).toEqual({ isReused: false });
  expect(await ask(origin)).toEqual({ isReused: true });
  const both = await Promise.all([ask(origin), ask(origin)]);
  expect(both.map(({ isReused }) => isReused).sort()).toEqual([false, true]);
});

it.each([
  ['HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: x', 'another protocol'],
  ['HTTP/1.1 100 Continue', 'asked for the body'],
  ['SSH-2.0-OpenSSH_9.2', 'not valid HTTP'],
  [`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(200_000)}`, 'too large headers'],
])('names the reason for which a response was refused: %.30s', async (text, reason) => {
  const { error } = await ask(new URL((await answering(text)).url).origin);
  expect(error && refusalOf(error)).toContain(reason);
});

it('does not take a lost connection for a refused response', async () => {
  const { url } = await rawReceiver((socket) => socket.once('data', () => void socket.end()));
  const { error } = await ask(new URL(url).origin);
  expect(error).toBeInstanceOf(Error);
  expect(error && refusalOf(error)).toBeUndefined();
});
