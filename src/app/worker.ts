import type { AddressInfo } from 'node:net';
import { EmailDomains } from '../features/guests/domains/check.ts';
import { joinDatabase } from '../platform/db/open/open.ts';
import { openReplica } from '../platform/db/open/replica.ts';
import { boundAddress, listen } from '../platform/http/listen.ts';
import { createLog, type Logger } from '../platform/log.ts';
import { shareCores } from '../shared/password.ts';
import { buildApp, type OtherProcesses } from './http-app.ts';
import { runUntilStopped } from './lifecycle.ts';
import type { Service } from './service.ts';
import { forwardSignals } from './workers/forward-signals.ts';
import { connectIpc } from './workers/ipc.ts';
import type { Main, Worker, WorkerStart } from './workers/messages.ts';

/** A worker process behind the shared port. The main process controls it. If the main process dies, Node ends the worker. */
let isOpen = false;
let own: Parameters<OtherProcesses['register']>[0] = { adminChanged: () => {}, metrics: async () => [] };

const ask = connectIpc<Main, Worker>(process, {
  start: (options) =>
    new Promise((started, failed) => {
      const log = createLog(options.config.logLevel);
      runUntilStopped({ ...options.config, startedByNpm: false }, log, async (signal) => {
        const { address, ...service } = await serve(options, log, signal);
        started(address);
        return service;
        // The main process receives the error and ends this process.
      }).catch(failed);
    }),
  open: () => {
    isOpen = true;
  },
  adminChanged: () => own.adminChanged(),
  metrics: () => own.metrics(),
  ping: () => {},
});
void ask('ready');

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
  const others: OtherProcesses = {
    limits: {
      // Without a limit there is nothing to count. This runs for every request.
      admit: (accountId, tokenId) => (config.rateLimitPerMinute === 0 ? undefined : ask('admit', accountId, tokenId)),
      guess: (network, email) => ask('guess', network, email),
      forgive: (network, email) => ask('forgive', network, email),
      takeBack: (network, email) => ask('takeBack', network, email),
      refuseToken: (network, hash) => ask('refuseToken', network, hash),
    },
    adminChanged: () => void ask('adminChanged').catch(() => {}),
    metrics: () => ask('metrics'),
    register: (functions) => {
      own = functions;
    },
  };
  const endSignals = forwardSignals((accountIds) => void ask('eventsAppended', accountIds).catch(() => {}));
  const replica = openReplica(config, db, { connections, onEvent: (event, level) => log[level](event) });
  const app = await buildApp({ config, db, replica, domains, log, isReady: () => isOpen, others });
  // The main process checked that the port is free. Node would treat a second attempt as a request for another port.
  await listen(() => app.listen({ host: config.host, port: config.port }), config, 0);
  return {
    address: boundAddress(app.server),
    stop: async () => {
      endSignals();
      await app.close();
      await replica?.close();
      await db.close();
    },
  };
}
