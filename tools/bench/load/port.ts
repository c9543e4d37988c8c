import { isFree } from '../../../src/platform/db/embedded/process.ts';

/** Below the range of ephemeral ports, and above the range of embedded PostgreSQL. */
export const ports = { lowest: 30_000, count: 2700 };

/**
 * Returns a free port. The caller binds it later, so ports are handed out in sequence and never twice in a row.
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
