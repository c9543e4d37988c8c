import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Budget } from '../../../../src/features/exchange/webhooks/sender/budget.ts';
import { until } from '../../../support/receiver.ts';

let server: Server;
let budget: Budget;

beforeEach(async () => {
  server = createServer((request, response) => {
    if (request.url === '/soon') setTimeout(() => response.end(), 20);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  budget = new Budget();
});

afterEach(() => {
  budget.close();
  server.closeAllConnections();
  server.close();
});

const addressOf = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

function ask(path: string): Promise<void> {
  return new Promise((done) => {
    get(addressOf(path), (response) => response.resume().on('end', done)).on('error', () => done());
  });
}

/** Keeps a number of requests to the process in progress. Returns a function that ends them. */
function keepBusy(count: number): () => Promise<void> {
  let isEnded = false;
  const clients = Array.from({ length: count }, async () => {
    while (!isEnded) await ask('/soon');
  });
  return async () => {
    isEnded = true;
    for (const client of clients) await client;
  };
}

/** Has a number of requests to send, each of which is answered at once. */
class Sender {
  sent = 0;
  #left: number;

  constructor(count: number) {
    this.#left = count;
  }

  pump(most = Infinity): void {
    for (let begun = 0; this.#left > 0; begun++) {
      if (begun >= most) {
        budget.wait(this);
        return;
      }
      if (!budget.mayBegin(this)) return;
      this.#left--;
      this.sent++;
      setImmediate(budget.enter());
    }
  }
}

describe('while requests to the process wait for each other', () => {
  it('few requests of webhooks begin, and the rest when there is time', async () => {
    const end = keepBusy(30);
    await until(() => budget.isLimited);
    const sender = new Sender(5000);
    sender.pump();
    await pause(1000);
    expect(sender.sent).toBeGreaterThan(5);
    expect(sender.sent).toBeLessThan(200);
    await end();
    await until(() => sender.sent === 5000);
    expect(budget.isLimited).toBe(false);
  });

  it('each webhook has its turn', async () => {
    const end = keepBusy(30);
    await until(() => budget.isLimited);
    const senders = [new Sender(5000), new Sender(5000), new Sender(10)];
    for (const sender of senders) sender.pump();
    await until(() => senders[2]?.sent === 10);
    for (const { sent } of senders) expect(sent).toBeLessThan(20);
    await end();
  });
});

it('requests that wait for events do not count', async () => {
  for (let count = 0; count < 40; count++) void ask('/wait');
  await pause(500);
  expect(budget.isLimited).toBe(false);
});

it('at most 256 are in flight, and more when some are answered', () => {
  const ends: (() => void)[] = [];
  const sender = {
    pump(most = Infinity): void {
      for (let begun = 0; begun < most && budget.mayBegin(sender); begun++) ends.push(budget.enter());
      if (most === 1) budget.wait(sender);
    },
  };
  sender.pump();
  expect(ends).toHaveLength(256);
  for (const end of ends.slice(0, 10)) end();
  expect(ends).toHaveLength(266);
});
