import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Received } from './receive.ts';

/** The pause between two reports, and the longest wait for an event. */
const [everyMs, mostMs] = [20, 60_000];

export interface Receiver {
  url: string;
  /** Waits until this number of requests has arrived in all. Returns what came since the last call. */
  until(requests: number): Promise<Received>;
  /** Waits until nothing has arrived for some time. */
  untilQuiet(): Promise<Received>;
  stop(): Promise<void>;
}

/** Starts a receiver of webhooks in a separate process. */
export async function startReceiver(): Promise<Receiver> {
  const child = fork(fileURLToPath(new URL('./receive.js', import.meta.url)), { stdio: 'inherit' });
  const ended = once(child, 'exit');
  const reply = () =>
    Promise.race([
      once(child, 'message').then(([message]) => message),
      ended.then(() => {
        throw new Error('The receiver has ended.');
      }),
    ]);
  const port = (await reply()) as number;

  async function collect(isDone: (count: number, quietMs: number) => boolean): Promise<Received> {
    const all: Received = { requests: {}, delays: [] };
    let last = performance.now();
    for (;;) {
      child.send('report');
      const { requests, delays } = (await reply()) as Received;
      for (const [path, count] of Object.entries(requests)) all.requests[path] = (all.requests[path] ?? 0) + count;
      for (const delay of delays) all.delays.push(delay);
      if (delays.length > 0) last = performance.now();
      const quietMs = performance.now() - last;
      if (isDone(all.delays.length, quietMs)) return all;
      if (quietMs > mostMs) throw new Error(`Only ${all.delays.length} events were delivered.`);
      await pause(everyMs);
    }
  }
  return {
    url: `http://127.0.0.1:${port}`,
    until: (requests) => collect((count) => count >= requests),
    untilQuiet: () => collect((_, quietMs) => quietMs > 2000),
    stop: async () => {
      child.disconnect();
      await ended;
    },
  };
}
