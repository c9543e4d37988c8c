import cluster from 'node:cluster';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { closeLostConnections, currentResponse, jsonErrorPosition } from '../../../src/platform/internals/node.ts';

it('finds the response that Node sends on a connection, until it is finished', async () => {
  let seen: ServerResponse | null | undefined;
  let finish: (response: ServerResponse | null | undefined) => void = () => {};
  const finished = new Promise<ServerResponse | null | undefined>((done) => {
    finish = done;
  });
  const server = createServer((request, response) => {
    seen = currentResponse(request.socket);
    expect(seen).toBe(response);
    response.on('close', () => finish(currentResponse(request.socket)));
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }, (response) => response.resume());
  expect(await finished).toBeNull();
  expect(seen).toBeDefined();
  server.close();
});

it.each<[string, number]>([
  ['{"a":1,x}', 7],
  ['{"a" 1}', 5],
])('finds where JSON.parse failed in %s', (text, position) => {
  let error: Error | undefined;
  try {
    JSON.parse(text);
  } catch (thrown) {
    error = thrown as Error;
  }
  expect(jsonErrorPosition(error as Error)).toBe(position);
});

it('closes the connection that Node was handing to a worker when it was killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'regulars-worker-'));
  const exec = join(folder, 'worker.mjs');
  // Listens, and then blocks, so that the worker never confirms a connection.
  writeFileSync(
    exec,
    `import { createServer } from 'node:net';
    const server = createServer().listen(0, '127.0.0.1', () => process.send(server.address(), () => { for (;;); }));`,
  );
  cluster.setupPrimary({ exec, args: [], execArgv: [] });
  const worker = cluster.fork();
  closeLostConnections(worker.process);
  const [{ port }] = (await once(worker, 'message')) as [AddressInfo];
  const send = vi.spyOn(worker.process, 'send');
  const client = connect(port, '127.0.0.1');
  await vi.waitFor(() => {
    const handed = send.mock.calls.filter(([message, handle]) => (message as { seq?: number }).seq && handle);
    expect(handed).toHaveLength(1);
  }, 60_000);
  const closed = once(client, 'close');
  worker.process.kill('SIGKILL');
  await closed;
  rmSync(folder, { recursive: true });
});
