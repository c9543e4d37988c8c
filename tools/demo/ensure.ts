import { randomBytes } from 'node:crypto';
import { buildApp } from '../../src/app/http-app.ts';
import { EmailDomains } from '../../src/features/guests/domains/check.ts';
import type { Config } from '../../src/platform/config.ts';
import { openDatabase } from '../../src/platform/db/open/open.ts';
import { startStatisticsRefresh } from '../../src/platform/db/statistics.ts';
import type { Logger } from '../../src/platform/log.ts';
import { today } from '../../src/shared/clock.ts';
import { SetupProblem } from '../../src/shared/problem.ts';
import { Api } from './api.ts';
import { timeZone } from './calendar.ts';
import { Clock, type LoadOptions, loadDemo } from './load.ts';
import { unfinishedName } from './setup.ts';
import { users } from './users.ts';

const connections = 10;

/**
 * Loads the demo into an empty database. Does nothing if it is already loaded. Removes the rest of an interrupted load
 * first.
 */
export async function ensureDemo(
  config: Config,
  log: Logger,
  { signal, ...options }: Omit<LoadOptions, 'today'> & { signal: AbortSignal },
): Promise<void> {
  const clock = new Clock();
  const adminToken = randomBytes(32).toString('hex');
  const onEvent = (event: string, level: 'info' | 'warn' = 'info') => log[level](event);
  const opening = { as: 'service', connections, migrate: 'all', now: clock.now, onEvent, signal } as const;
  const { db, close } = await openDatabase(config, opening);
  const statistics = startStatisticsRefresh(db, log);
  try {
    // A separate app with a movable clock and a private token.
    const domains = new EmailDomains(db, { mode: 'off' });
    const own: Config = { ...config, adminToken, rateLimitPerMinute: 0, emailDomainCheck: 'off' };
    const app = await buildApp({ config: own, db, domains, log, now: clock.now });
    try {
      const api = new Api(app, adminToken);
      if (await isLoaded(api)) return;
      await loadDemo(api, clock, { ...options, today: today(new Date(), timeZone), signal });
    } finally {
      await app.close();
    }
  } finally {
    await statistics.stop();
    await close();
  }
}

interface Named {
  id: number;
  name: string;
}

async function isLoaded(api: Api): Promise<boolean> {
  const { data: accounts }: { data: Named[] } = await api.admin('GET', '/accounts');
  const { data: people }: { data: { email: string }[] } = await api.admin('GET', '/users');
  const isOurs = ({ email }: { email: string }) => users.some((user) => user.email === email);
  const unfinished = accounts.filter(({ name }) => name === unfinishedName);
  if (unfinished.length < accounts.length) {
    // The account may have been renamed.
    if (unfinished.length === 0 && people.some(isOurs)) return true;
    throw otherDataError();
  }
  if (!people.every(isOurs)) throw otherDataError();
  for (const { id } of unfinished) await api.admin('DELETE', `/accounts/${id}`);
  return false;
}

function otherDataError(): SetupProblem {
  return new SetupProblem(
    'This database has other accounts or users, so the demo is not loaded. Set DATA_DIR to another folder (default: ./demo-data), or DATABASE_URL to an empty database.',
  );
}
