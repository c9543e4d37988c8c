import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, messageOf } from '../../shared/errors.ts';
import { SetupProblem } from '../../shared/problem.ts';
import type { Config } from '../config.ts';

type Address = Pick<Config, 'host' | 'port'>;

/** A process that was killed a moment ago may still hold the port. */
const listenTimeoutMs = 3000;

export async function listen(
  tryListen: () => Promise<unknown>,
  { host, port }: Address,
  timeoutMs = listenTimeoutMs,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      await tryListen();
      return;
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EADDRINUSE' && Date.now() < deadline) await pause(200);
      else throw listenProblem(code, messageOf(error), host, port) ?? error;
    }
  }
}

/** Throws if the port is in use. For work that must be done before the service listens. */
export async function mustBeFree(address: Address): Promise<void> {
  const probe = createServer();
  await listen(() => once(probe.listen(address.port, address.host), 'listening'), address);
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
        `Port ${port} on ${host} cannot be opened: ports below 1024 need more rights. Set PORT to another.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new SetupProblem(`HOST ${host} is not an address of this machine (${message}).`);
    default:
      return undefined;
  }
}

/** The address of a server that listens on a port. */
export function boundAddress(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.');
  return address;
}

export function addressOf({ port }: AddressInfo, host: string): string {
  const isWildcard = host === '0.0.0.0' || host === '::';
  const name = isWildcard ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
