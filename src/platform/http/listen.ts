import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { SetupProblem } from '../../shared/problem.ts';
import type { Config } from '../config.ts';

type Place = Pick<Config, 'host' | 'port'>;

/** A predecessor that was killed a moment ago may still be letting go of the port. */
const listenPatienceMs = 3000;

export async function listen(
  attempt: () => Promise<unknown>,
  { host, port }: Place,
  patienceMs = listenPatienceMs,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && Date.now() < deadline) await pause(200);
      else throw listenProblem(code, message, host, port) ?? error;
    }
  }
}

/** For whoever has something to do before anybody listens there. */
export async function mustBeFree(place: Place): Promise<void> {
  const probe = createServer();
  await listen(() => once(probe.listen(place.port, place.host), 'listening'), place);
  await new Promise((closed) => probe.close(closed));
}

function listenProblem(
  code: string | undefined,
  message: string,
  host: string,
  port: number,
): SetupProblem | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return new SetupProblem(
        `Port ${port} on ${host} is already in use, perhaps by another Regulars. Stop it, or set PORT to another.`,
      );
    case 'EACCES':
      return new SetupProblem(
        `Port ${port} on ${host} is not ours to open: ports below 1024 need more rights. Set PORT to another.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new SetupProblem(`HOST ${host} is not an address of this machine (${message}).`);
    default:
      return undefined;
  }
}

export function addressOf({ port }: AddressInfo, host: string): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
