import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountTurns } from '../../../../src/features/exchange/webhooks/sender/account-turns.ts';
import { Budget } from '../../../../src/features/exchange/webhooks/sender/budget.ts';
import { RequestLoad } from '../../../../src/features/exchange/webhooks/sender/request-load.ts';
import { until } from '../../../support/receiver.ts';

let server: Server;
let budget: Budget;
let load: RequestLoad;

beforeEach(async () => {
  server = createServer((request, response) => {
    // Work that waits for other work, as that of a busy process does.
    for (const end = performance.now() + 4; performance.now() < end; );
    if (request.url === '/soon') setTimeout(() => response.end(), 20);
    else setTimeout(() => response.end(), 300);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  load = new RequestLoad();
  budget = new Budget(() => load.measure());
});

afterEach(() => {
  budget.close();
  load.close();
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
function keepBusy(count: number, path = '/soon'): () => Promise<void> {
  let isEnded = false;
  const clients = Array.from({ length: count }, async () => {
    while (!isEnded) await ask(path);
  });
  return async () => {
    isEnded = true;
    for (const client of clients) await client;
  };
}

/** Sends a number of requests. Each one ends at once. */
class Sender {
  sent = 0;
  #left: number;
  readonly #turns: AccountTurns;

  constructor(count: number, turns = new AccountTurns(budget)) {
    this.#left = count;
    this.#turns = turns;
  }

  pump(most = Infinity): void {
    for (let begun = 0; this.#left > 0; begun++) {
      if (begun >= most) {
        this.#turns.wait(this);
        return;
      }
      if (!this.#turns.mayBegin(this)) return;
      this.#left--;
      this.sent++;
      setImmediate(this.#turns.enter());
    }
  }
}

describe('while requests to the process wait for each other', () => {
  it('few requests of webhooks begin, and the rest when there is time', async () => {
    const end = keepBusy(100);
    await until(() => budget.isLimited);
    const sender = new Sender(5000);
    sender.pump();
    await pause(1000);
    const { sent } = sender;
    await end();
    expect(sent).toBeGreaterThan(5);
    // 60 in a second, and 1,500 if the process did not count as busy. If other processes take the processor for a moment,
    // it does not count as busy for some steps.
    expect(sent).toBeLessThan(1000);
    await until(() => sender.sent === 5000);
    expect(budget.isLimited).toBe(false);
  });

  it('each account has its turn, and in it each of its webhooks', async () => {
    const end = keepBusy(100);
    await until(() => budget.isLimited);
    const large = new AccountTurns(budget);
    const ofLarge = Array.from({ length: 20 }, () => new Sender(5000, large));
    const ofSmall = new Sender(40);
    for (const sender of [...ofLarge, ofSmall]) sender.pump();
    await until(() => ofSmall.sent === 40);
    const sent = ofLarge.map((sender) => sender.sent);
    await end();
    expect(Math.min(...sent)).toBeGreaterThan(0);
    expect(Math.max(...sent)).toBeLessThan(15);
  });
});

it('while some requests are in progress, what waited is sent at a limited rate', async () => {
  const end = keepBusy(8);
  await pause(1000);
  const sender = new Sender(50_000);
  sender.pump();
  await pause(1000);
  const { sent } = sender;
  expect(budget.isLimited).toBe(false);
  await end();
  expect(sent).toBeGreaterThan(200);
  expect(sent).toBeLessThan(3000);
  await until(() => sender.sent === 50_000);
});

it('requests that wait for events do not count', async () => {
  const end = keepBusy(40, '/v1/events?wait=20');
  let wasLimited = false;
  for (let times = 0; times < 20; times++) {
    await pause(50);
    wasLimited ||= budget.isLimited;
  }
  await end();
  expect(wasLimited).toBe(false);
});

it('at most 256 are in flight, and more when some are answered', () => {
  const ends: (() => void)[] = [];
  const turns = new AccountTurns(budget);
  const sender = {
    pump(most = Infinity): void {
      for (let begun = 0; begun < most && turns.mayBegin(sender); begun++) ends.push(turns.enter());
      if (most === 1) turns.wait(sender);
    },
  };
  sender.pump();
  expect(ends).toHaveLength(256);
  for (const end of ends.slice(0, 10)) end();
  expect(ends).toHaveLength(266);
});
