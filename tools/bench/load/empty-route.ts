import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface EmptyRoute {
  url: string;
  /** Sets the response of the empty route. Returns its serialised form. */
  answering(answer: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a bare Fastify in a separate process. */
export async function startEmptyRoute(): Promise<EmptyRoute> {
  const child = fork(fileURLToPath(new URL('./empty.js', import.meta.url)), { stdio: 'inherit' });
  const ended = once(child, 'exit');
  const [url] = (await Promise.race([
    once(child, 'message'),
    ended.then(() => {
      throw new Error('The empty route did not start.');
    }),
  ])) as [string];
  return {
    url,
    answering: async (answer) => {
      const written = JSON.stringify(JSON.parse(answer));
      child.send(written);
      while ((await (await fetch(`${url}/v1/empty`)).text()) !== written) await pause(10);
      return written;
    },
    stop: async () => {
      child.disconnect();
      await ended;
    },
  };
}
