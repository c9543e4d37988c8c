import { EmailDomains } from '../../src/features/guests/domains/check.ts';
import { appOver, type TestApp } from './app.ts';
import { openTestDatabase, superuser } from './database.ts';
import { type DnsServer, startDnsServer } from './dns-server.ts';

/** For answers that are not given before they are let go. */
export function held(): { release: () => void; after: Promise<void> } {
  let release = () => {};
  const after = new Promise<void>((done) => {
    release = done;
  });
  return { release, after };
}

interface Job {
  key: string;
  payload: { account_id: number; domain: string };
  delay: number;
}

export const refusedEmail = [422, { email: ['The email must be at a domain that takes mail.'] }];
export const refusal = ({ status, body }: { status: number; body: { errors: object } }) => [status, body.errors];

/** A service that asks a DNS server of the tests' own, and what is needed to write to it and look behind it. */
export async function domainService() {
  const { db, ...database } = await openTestDatabase();
  const behind = await superuser(database);
  const dns = await startDnsServer();

  /** A service of its own, with nothing in its memory, over the same database. */
  const serviceThatAsks = (server: DnsServer, settings: Record<string, string> = {}): Promise<TestApp> =>
    appOver(db, database, { EMAIL_DOMAIN_CHECK: 'dns', DNS_SERVERS: server.address, ...settings });
  const service = await serviceThatAsks(dns);
  const { id: accountId, token } = await service.account();

  let people = 0;
  const somebodyAt = (domain: string) => `guest${++people}@${domain}`;
  const write = (to: TestApp, body: object) => to.call('POST', '/v1/contact', { token, body });
  return {
    db,
    behind,
    dns,
    service,
    accountId,
    token,
    serviceThatAsks,
    somebodyAt,
    write,
    writeAt: (to: TestApp, domain: string) => write(to, { email: somebodyAt(domain) }),
    /** The same without the HTTP around it. It waits long enough for a busy machine, so that only what is meant to counts. */
    freshList: (server: DnsServer, mode: 'dns' | 'list' | 'off' = 'dns', patienceMs = 10_000) =>
      new EmailDomains(db, { mode, servers: [server.address], patienceMs }),
    statusOf: async (contactId: number): Promise<string | null> =>
      (await service.admin('GET', `/accounts/${accountId}/contacts/${contactId}`)).body.email_status,
    jobsAbout: async (domain: string): Promise<Job[]> => [
      ...(await behind<Job>`
        select jobs.key, payload, extract(epoch from jobs.run_at - now())::float8 as delay
        from graphile_worker.jobs join graphile_worker._private_jobs as private on private.id = jobs.id
        where task_identifier = 'look_again_at_email_domain' and payload->>'domain' = ${domain} order by jobs.id`),
    ],
  };
}
