import { EmailDomains } from '../../src/features/guests/domains/check.ts';
import { appOver, type TestApp } from './app.ts';
import { openTestDatabase, superuser } from './database.ts';
import { type DnsServer, startDnsServer } from './dns-server.ts';

/** Delays answers until `release` is called. */
export function gate(): { release: () => void; after: Promise<void> } {
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

/** A service with a DNS server of the test, and helpers that write to the service and read its database. */
export async function domainService() {
  const { db, ...database } = await openTestDatabase();
  const sql = await superuser(database);
  const dns = await startDnsServer();

  /** Another service over the same database, with empty caches. */
  const serviceThatAsks = (server: DnsServer, settings: Record<string, string> = {}): Promise<TestApp> =>
    appOver(db, database, { EMAIL_DOMAIN_CHECK: 'dns', DNS_SERVERS: server.address, ...settings });
  const service = await serviceThatAsks(dns);
  const { id: accountId, token } = await service.account();

  let people = 0;
  const somebodyAt = (domain: string) => `guest${++people}@${domain}`;
  const write = (to: TestApp, body: object) => to.call('POST', '/v1/contact', { token, body });
  return {
    db,
    sql,
    dns,
    service,
    accountId,
    token,
    serviceThatAsks,
    somebodyAt,
    write,
    writeAt: (to: TestApp, domain: string) => write(to, { email: somebodyAt(domain) }),
    /** The domain check without HTTP. The default timeout is long, so that a busy machine does not change the result. */
    freshList: (server: DnsServer, mode: 'dns' | 'list' | 'off' = 'dns', patienceMs = 10_000) =>
      new EmailDomains(db, { mode, servers: [server.address], patienceMs }),
    statusOf: async (contactId: number): Promise<string | null> =>
      (await service.admin('GET', `/accounts/${accountId}/contacts/${contactId}`)).body.email_status,
    jobsAbout: async (domain: string): Promise<Job[]> => [
      ...(await sql<Job>`
        select jobs.key, payload, extract(epoch from jobs.run_at - now())::float8 as delay
        from graphile_worker.jobs join graphile_worker._private_jobs as private on private.id = jobs.id
        where task_identifier = 'look_again_at_email_domain' and payload->>'domain' = ${domain} order by jobs.id`),
    ],
  };
}
