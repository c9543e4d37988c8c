import { isFree } from '../../../src/platform/db/embedded/process.ts';

/** Below the range that outgoing connections are given their ports from, and above the one of embedded PostgreSQLs. */
export const ports = { lowest: 30_000, count: 2700 };

/**
 * Gives a port that nobody listens at. Whoever asks takes it only when its process has started: so they are given in
 * turn, and none to two who are both about to.
 */
export function portsFrom(lowest: number, count: number): () => Promise<number> {
  let next = Math.floor(Math.random() * count);
  return async () => {
    for (let tries = 0; tries < count; tries++) {
      const port = lowest + (next++ % count);
      if (await isFree(port)) return port;
    }
    throw new Error(`No port from ${lowest} to ${lowest + count - 1} is free.`);
  };
}

export const freePort = portsFrom(ports.lowest, ports.count);
