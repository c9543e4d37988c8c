import type { AddressInfo } from 'node:net';
import { resumeDeletions } from '../features/access/accounts/delete.ts';
import { enqueueCount } from '../features/access/accounts/manage.ts';
import { deleteOldRequests } from '../features/access/requests/store.ts';
import { deleteEndedSessions } from '../features/access/sessions/store.ts';
import { hasOwner } from '../features/access/users/store.ts';
import { deleteOldDeliveries, deleteOldHours } from '../features/exchange/webhooks/delivery-store.ts';
import { unfilledAccounts } from '../features/figures/check-store.ts';
import { EmailDomains } from '../features/guests/domains/check.ts';
import { deleteOldDomains } from '../features/guests/domains/store.ts';
import { deleteOldSegmentChanges } from '../features/insight/segments/keep-store.ts';
import type { Config } from '../platform/config.ts';
import type { Tx } from '../platform/db/database.ts';
import { retryWhileUnavailable } from '../platform/db/open/external.ts';
import { maxConnections, type OpenDatabase, openDatabase } from '../platform/db/open/open.ts';
import { openReplica } from '../platform/db/open/replica.ts';
import { startStatisticsRefresh } from '../platform/db/statistics.ts';
import { createLimits, type OwnLimits } from '../platform/http/limits.ts';
import { addressOf, boundAddress, listen } from '../platform/http/listen.ts';
import { deleteOldRecords } from '../platform/idempotency/store.ts';
import type { Logger } from '../platform/log.ts';
import { deleteOldEvents, givePositionsToAll } from '../platform/outbox/feed.ts';
import { firstStart, welcome } from './first-start.ts';
import { buildApp } from './http-app.ts';
import { CountKeeper } from './jobs/count-keeper.ts';
import { DayTurn } from './jobs/day-turn.ts';
import { countOtherMachines } from './jobs/other-machines.ts';
import { resumeActionsOf, resumeAllActions } from './jobs/resume-actions.ts';
import { runJobs } from './jobs/run.ts';
import { SegmentKeeper } from './jobs/segment-keeper.ts';
import { Sweeper } from './jobs/sweeper.ts';
import { tasks } from './jobs/tasks.ts';
import { Sending } from './sending/sending.ts';
import { connectionsInAll, connectionsOfEach } from './workers/connections.ts';
import { startWorkers } from './workers/pool.ts';

export interface Service {
  /** Completes the requests in flight, then releases everything. */
  stop(): Promise<void>;
}

/** The HTTP front end: this process, or workers. */
interface Front extends Service {
  address: AddressInfo;
  /** From now on /health responds 200. */
  open(): void;
}

export async function startService(
  config: Config,
  log: Logger,
  print: (text: string) => void,
  signal?: AbortSignal,
): Promise<Service> {
  const wait = {
    onEvent: (event: string, level: 'info' | 'warn' = 'info') => log[level](event),
    ...(signal ? { signal } : {}),
  };
  const inAll = connectionsInAll(config.workers);
  const connections = connectionsOfEach(config.workers).main;
  const opening = { as: 'service', connections, connectionsInAll: inAll, migrate: 'all', ...wait } as const;
  const database = await openDatabase(config, opening);
  try {
    if (database.applied.length > 0) log.info({ migrations: database.applied }, 'database migrated');
    const { db, connect } = database;
    const retrying = <T>(work: (tx: Tx) => Promise<T>) =>
      retryWhileUnavailable(connect.url, () => db.transaction(work), wait);
    const domains = new EmailDomains(db, { mode: config.emailDomainCheck, servers: config.dnsServers });
    // Before the first start, whose secrets are shown once. If the port is in use, they must not be lost.
    const limits = createLimits(config.rateLimitPerMinute);
    const sending = new Sending(config, log);
    const shared = { domains, limits, sending };
    let front: Front;
    if (config.workers === 1) front = await serveInProcess(config, database, shared, log);
    else {
      const most = await retrying(maxConnections);
      if (most < inAll)
        log.warn(
          { wanted: inAll, most },
          'WORKERS: max_connections of PostgreSQL is lower than the connections needed',
        );
      front = await startWorkers(config, connect, limits, () => sending.metrics(), log, signal);
    }
    await retrying(resumeDeletions);
    await retrying(resumeFilling);
    const background = startBackground(config, database, shared, log);
    // In separate transactions: if the second fails and is retried, the secrets of the first are not lost.
    const first = await retrying(firstStart);
    const owned = await retrying(hasOwner);
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

/** Enqueues the counting of activity from before an upgrade. */
async function resumeFilling(tx: Tx): Promise<void> {
  const ids = await unfilledAccounts(tx);
  if (ids.length > 0) await enqueueCount(tx, ids);
}

/** What requests and background work share. */
interface Shared {
  domains: EmailDomains;
  limits: OwnLimits;
  sending: Sending;
}

async function serveInProcess(
  config: Config,
  { db }: OpenDatabase,
  { sending, ...shared }: Shared,
  log: Logger,
): Promise<Front> {
  let ready = false;
  const { main: connections } = connectionsOfEach(config.workers);
  const replica = openReplica(config, db, { connections, onEvent: (event, level) => log[level](event) });
  const furtherMetrics = () => sending.metrics();
  const app = await buildApp({ config, db, replica, ...shared, furtherMetrics, log, isReady: () => ready });
  await listen(() => app.listen({ host: config.host, port: config.port }), config);
  return {
    address: boundAddress(app.server),
    open: () => {
      ready = true;
    },
    stop: async () => {
      await app.close();
      await replica?.close();
    },
  };
}

/** Background work, once for the whole service. */
function startBackground(
  config: Config,
  { db, connect }: OpenDatabase,
  { domains, limits, sending }: Shared,
  log: Logger,
): Service {
  const counting = countOtherMachines(db, limits);
  const jobs = runJobs(connect, tasks(db, domains, log), log);
  const statistics = startStatisticsRefresh(db, log);
  const dayTurn = new DayTurn(db, (err) => log.warn({ err }, 'beginning a day failed')).start();
  const segmentKeeper = new SegmentKeeper(db, (err) =>
    log.warn({ err }, 'keeping the members of segments failed'),
  ).start();
  const countKeeper = new CountKeeper(db, (err) =>
    log.warn({ err }, 'counting the changed days of units failed'),
  ).start();
  sending.start(db, connect);
  const stopping = new AbortController();
  const resuming = resumeAllActions(db, stopping.signal).catch((err) => {
    if (!stopping.signal.aborted) log.warn({ err }, 'resuming segment actions failed');
  });
  const sweeps = {
    ofAccounts: [
      ...[deleteOldRequests, deleteOldRecords, deleteOldSegmentChanges, resumeActionsOf],
      ...[givePositionsToAll, deleteOldEvents, deleteOldDeliveries, deleteOldHours],
    ],
    // Without DNS checks nothing new is learnt, and the learnt domains are the list.
    shared: config.emailDomainCheck === 'dns' ? [deleteEndedSessions, deleteOldDomains] : [deleteEndedSessions],
  };
  const sweeper = new Sweeper(db, sweeps, (err) => log.warn({ err }, 'deleting expired rows failed'));
  return {
    stop: async () => {
      sweeper.close();
      stopping.abort();
      const all = [jobs, statistics, counting, dayTurn, segmentKeeper, countKeeper, sending];
      await Promise.all([resuming, ...all.map((one) => one.stop())]);
    },
  };
}
