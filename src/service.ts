import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { buildApp } from './app.ts';
import type { Config } from './config.ts';
import type { Tx } from './db/database.ts';
import { withPatience } from './db/external.ts';
import { openDatabase } from './db/open.ts';
import { keepStatistics } from './db/statistics.ts';
import { EmailDomains } from './domains/check.ts';
import { firstStart, welcome } from './first-start.ts';
import { runJobs } from './jobs/run.ts';
import { tasks } from './jobs/tasks.ts';
import type { Logger } from './log.ts';
import { SetupProblem } from './shared/problem.ts';
import { hasOwner } from './users/store.ts';

export interface Service {
  /** Answers what is in flight, then lets go of everything. */
  stop(): Promise<void>;
}

/** Connections to the database. More would only queue inside PostgreSQL instead of here. */
const connections = 10;

export async function startService(
  config: Config,
  log: Logger,
  print: (text: string) => void,
  signal?: AbortSignal,
): Promise<Service> {
  if (config.adminToken !== undefined && config.adminToken.length < 16) {
    log.warn('ADMIN_TOKEN is short enough to be guessed, and it has every right; try `openssl rand -hex 32`');
  }
  if (config.workers > 1) log.warn({ workers: config.workers }, 'WORKERS: this version runs one process');
  const patience = {
    onEvent: (event: string, level: 'info' | 'warn' = 'info') => log[level](event),
    ...(signal ? { signal } : {}),
  };
  const database = await openDatabase(config, { as: 'service', connections, migrate: 'all', ...patience });
  try {
    if (database.applied.length > 0) log.info({ migrations: database.applied }, 'the database was brought up to date');
    let ready = false;
    const { db, connect } = database;
    const domains = new EmailDomains(db, { mode: config.emailDomainCheck, servers: config.dnsServers });
    const app = await buildApp({ config, db, domains, log, isReady: () => ready });
    // Before anything is made that is shown once: a port that is taken must not cost the operator the secrets.
    await listen(() => app.listen({ host: config.host, port: config.port }), config);
    const jobs = runJobs(connect, tasks(db, domains), log);
    const statistics = keepStatistics(db, log);
    const patiently = <T>(work: (tx: Tx) => Promise<T>) =>
      withPatience(connect.url, () => db.transaction(work), patience);
    // Each on its own: what the first one made is told once, and must not be made to look old by the second.
    const first = await patiently(firstStart);
    const owned = await patiently(hasOwner);
    print(welcome(config.publicUrl ?? addressOf(app.server.address() as AddressInfo, config.host), first, owned));
    ready = true;
    return {
      stop: async () => {
        await app.close();
        await Promise.all([jobs.stop(), statistics.stop()]);
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A predecessor that was killed a moment ago may still be letting go of the port. */
const listenPatienceMs = 3000;

export async function listen(attempt: () => Promise<unknown>, { host, port }: Config): Promise<void> {
  const deadline = Date.now() + listenPatienceMs;
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

function addressOf({ port }: AddressInfo, host: string): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
