import type { AddressInfo } from 'node:net';
import { EmailDomains } from '../features/guests/domains/check.ts';
import { joinDatabase } from '../platform/db/open/open.ts';
import { listen } from '../platform/http/listen.ts';
import { createLog, type Logger } from '../platform/log.ts';
import { shareCores } from '../shared/password.ts';
import { buildApp, type Others } from './http-app.ts';
import { runUntilStopped } from './lifecycle.ts';
import type { Service } from './service.ts';
import { connectIpc } from './workers/ipc.ts';
import type { Main, Worker, WorkerStart } from './workers/messages.ts';

/**
 * One of several processes that answer requests behind one port. It does what the main process tells it to; should that
 * die, Node ends this one with it.
 */
let isOpen = false;
let ours: Parameters<Others['attend']>[0] = { changed: () => {}, figures: async () => [] };

const ask = connectIpc<Main, Worker>(process, {
  begin: (beginning) =>
    new Promise((begun, failed) => {
      const log = createLog(beginning.config.logLevel);
      runUntilStopped({ ...beginning.config, startedByNpm: false }, log, async (signal) => {
        const { address, ...service } = await serve(beginning, log, signal);
        begun(address);
        return service;
        // The main process hears of it, and ends this one.
      }).catch(failed);
    }),
  open: () => {
    isOpen = true;
  },
  changed: () => ours.changed(),
  figures: () => ours.figures(),
  ping: () => {},
});
void ask('here');

async function serve(
  { config, connect, connections, isOpen: wasOpen }: WorkerStart,
  log: Logger,
  signal: AbortSignal,
): Promise<Service & { address: AddressInfo }> {
  isOpen = wasOpen;
  shareCores(config.workers);
  const db = await joinDatabase(connect, {
    connections,
    signal,
    onEvent: (event, level = 'info') => log[level](event),
  });
  const domains = new EmailDomains(db, { mode: config.emailDomainCheck, servers: config.dnsServers });
  const others: Others = {
    limits: {
      // Nobody need be asked where nothing is counted: every request comes by here.
      admit: (tokenId) => (config.rateLimitPerMinute === 0 ? undefined : ask('admit', tokenId)),
      guess: (network, email) => ask('guess', network, email),
      forgive: (network, email) => ask('forgive', network, email),
      takeBack: (network, email) => ask('takeBack', network, email),
      refuseToken: (network, hash) => ask('refuseToken', network, hash),
    },
    changed: () => void ask('changed').catch(() => {}),
    figures: () => ask('figures'),
    attend: (their) => {
      ours = their;
    },
  };
  const app = await buildApp({ config, db, domains, log, isReady: () => isOpen, others });
  // The main process has seen that the port is free. Node would take a second attempt for another port's.
  await listen(() => app.listen({ host: config.host, port: config.port }), config, 0);
  return {
    address: app.server.address() as AddressInfo,
    stop: async () => {
      await app.close();
      await db.close();
    },
  };
}
