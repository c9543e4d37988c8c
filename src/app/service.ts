import type { AddressInfo } from 'node:net';
import { resumeDeletions } from '../features/access/accounts/delete.ts';
import { deleteOldRequests } from '../features/access/requests/store.ts';
import { deleteEndedSessions } from '../features/access/sessions/store.ts';
import { hasOwner } from '../features/access/users/store.ts';
import { EmailDomains } from '../features/guests/domains/check.ts';
import { deleteOldDomains } from '../features/guests/domains/store.ts';
import type { Config } from '../platform/config.ts';
import type { Tx } from '../platform/db/database.ts';
import { retryWhileUnavailable } from '../platform/db/open/external.ts';
import { mostConnections, type OpenDatabase, openDatabase } from '../platform/db/open/open.ts';
import { keepStatistics } from '../platform/db/statistics.ts';
import { addressOf, listen } from '../platform/http/listen.ts';
import { deleteOldRecords } from '../platform/idempotency/store.ts';
import type { Logger } from '../platform/log.ts';
import { firstStart, welcome } from './first-start.ts';
import { buildApp } from './http-app.ts';
import { runJobs } from './jobs/run.ts';
import { Sweeper } from './jobs/sweeper.ts';
import { tasks } from './jobs/tasks.ts';
import { connectionsInAll, connectionsOfEach } from './workers/connections.ts';
import { startWorkers } from './workers/pool.ts';

export interface Service {
  /** Answers what is in flight, then lets go of everything. */
  stop(): Promise<void>;
}

/** Whoever answers requests: this process, or several others. */
interface Front extends Service {
  address: AddressInfo;
  /** From here on they may call themselves healthy. */
  open(): void;
}

export async function startService(
  config: Config,
  log: Logger,
  print: (text: string) => void,
  signal?: AbortSignal,
): Promise<Service> {
  const patience = {
    onEvent: (event: string, level: 'info' | 'warn' = 'info') => log[level](event),
    ...(signal ? { signal } : {}),
  };
  const inAll = connectionsInAll(config.workers);
  const connections = connectionsOfEach(config.workers).main;
  const opening = { as: 'service', connections, connectionsInAll: inAll, migrate: 'all', ...patience } as const;
  const database = await openDatabase(config, opening);
  try {
    if (database.applied.length > 0) log.info({ migrations: database.applied }, 'the database was brought up to date');
    const { db, connect } = database;
    const patiently = <T>(work: (tx: Tx) => Promise<T>) =>
      retryWhileUnavailable(connect.url, () => db.transaction(work), patience);
    const domains = new EmailDomains(db, { mode: config.emailDomainCheck, servers: config.dnsServers });
    // Before anything is made that is shown once: a port that is taken must not cost the operator the secrets.
    let front: Front;
    if (config.workers === 1) front = await serveHere(config, database, domains, log);
    else {
      const most = await patiently(mostConnections);
      if (most < inAll)
        log.warn(
          { wanted: inAll, most },
          'WORKERS: PostgreSQL lets in fewer connections (max_connections) than wanted',
        );
      front = await startWorkers(config, connect, log, signal);
    }
    await patiently(resumeDeletions);
    const background = startBackground(config, database, domains, log);
    // Each on its own: what the first one made is told once, and must not be made to look old by the second.
    const first = await patiently(firstStart);
    const owned = await patiently(hasOwner);
    print(welcome(config.publicUrl ?? addressOf(front.address, config.host), first, owned));
    front.open();
    return {
      stop: async () => {
        await front.stop();
        await background.stop();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function serveHere(config: Config, { db }: OpenDatabase, domains: EmailDomains, log: Logger): Promise<Front> {
  let ready = false;
  const app = await buildApp({ config, db, domains, log, isReady: () => ready });
  await listen(() => app.listen({ host: config.host, port: config.port }), config);
  return {
    address: app.server.address() as AddressInfo,
    open: () => {
      ready = true;
    },
    stop: () => app.close(),
  };
}

/** What is done beside the requests, once for the whole service. */
function startBackground(config: Config, { db, connect }: OpenDatabase, domains: EmailDomains, log: Logger): Service {
  const jobs = runJobs(connect, tasks(db, domains, log), log);
  const statistics = keepStatistics(db, log);
  const sweeps = {
    ofAccounts: [deleteOldRequests, deleteOldRecords],
    // Where DNS is not asked, nothing is learnt anew, and what was learnt is the list.
    shared: config.emailDomainCheck === 'dns' ? [deleteEndedSessions, deleteOldDomains] : [deleteEndedSessions],
  };
  const sweeper = new Sweeper(db, sweeps, (err) => log.warn({ err }, 'what is past its time could not be deleted'));
  return {
    stop: async () => {
      sweeper.close();
      await Promise.all([jobs.stop(), statistics.stop()]);
    },
  };
}
