import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { EmailDomains } from '../../../../src/features/guests/domains/check.ts';
import { recheckDomain } from '../../../../src/features/guests/domains/recheck.ts';
import { openPool } from '../../../../src/platform/db/database.ts';
import { createDatabase, superuser } from '../../../support/database.ts';
import { probeDomains, startDnsServer } from '../../../support/dns-server.ts';
import { type Running, start } from '../../../support/process.ts';

const database = await createDatabase();
const sql = await superuser(database);
const dns = await startDnsServer();
const env = { DATABASE_URL: database.url, DNS_SERVERS: dns.address, EMAIL_DOMAIN_CHECK: 'dns', LOG_LEVEL: 'warn' };
let service = await start({ env });

interface Account {
  id: number;
  token: string;
}

async function account(): Promise<Account> {
  const { body: made } = await service.admin('POST', '/accounts', { name: 'The Harbour Group' });
  const { body: token } = await service.admin('POST', `/accounts/${made.id}/tokens`, { name: 'Till' });
  return { id: made.id as number, token: token.token as string };
}

async function write({ url }: Running, { token }: Account, email: string): Promise<number> {
  const response = await fetch(`${url}/v1/contact`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email, first_name: 'Ana' }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { id: number }).id;
}

async function contact({ id }: Account, contactId: number): Promise<Record<string, unknown>> {
  const { status, body } = await service.admin('GET', `/accounts/${id}/contacts/${contactId}`);
  expect(status).toBe(200);
  return body;
}

interface Job {
  id: number;
  isPutOff: boolean;
}

async function jobs({ id }: Account, domain: string): Promise<Job[]> {
  const found = await sql<Job>`
    select id, run_at > now() and locked_at is null as "isPutOff" from graphile_worker._private_jobs
    where payload->>'account_id' = ${String(id)} and payload->>'domain' = ${domain} order by id`;
  return [...found];
}

/** Makes the second look-up due now. */
async function makeDue({ id }: Account): Promise<void> {
  const { count } = await sql`
    update graphile_worker._private_jobs set run_at = now() where payload->>'account_id' = ${String(id)}`;
  expect(count).toBeGreaterThan(0);
  // Otherwise it would be noticed two seconds later.
  await sql`select pg_notify('jobs:insert', '{"r":1,"count":1}')`;
}

/** The worker runs the look-ups one by one, and an unanswered one takes long. */
const soon = { timeout: 120_000, interval: 100 };

beforeEach(() => dns.saysOfAll('silence'));

describe('the second look-up of a domain that DNS did not answer', () => {
  it('flags the addresses of a domain without mail, clears those of one with mail, and continues past unanswered ones', async () => {
    const group = await account();
    const domains = ['gone.example', 'null.example', 'fine.example', 'quiet.example', 'bücher.example'];
    const ids = await Promise.all(domains.map((domain) => write(service, group, `ana@${domain}`)));
    const statuses = () => Promise.all(ids.map(async (id) => (await contact(group, id)).email_status));
    expect(await statuses()).toEqual(Array(5).fill('unchecked'));
    const before = await Promise.all(domains.map((domain) => jobs(group, domain)));
    expect(before).toEqual(Array(5).fill([{ id: expect.any(Number), isPutOff: true }]));

    dns.says(probeDomains, 'mx');
    dns.says('gone.example', 'nxdomain');
    dns.says('null.example', 'null mx');
    dns.says(['fine.example', 'xn--bcher-kva.example'], 'mx');
    const asked = dns.asked('quiet.example');
    await makeDue(group);
    await vi.waitFor(async () => {
      const after = await Promise.all(domains.map((domain) => jobs(group, domain)));
      expect(after).toEqual([[], [], [], [{ id: expect.any(Number), isPutOff: true }], []]);
    }, soon);
    expect(await statuses()).toEqual(['invalid', 'invalid', null, 'unchecked', null]);
    // It was looked at, and is to be looked at once more.
    expect(dns.asked('quiet.example')).toBeGreaterThan(asked);
    expect((await jobs(group, 'quiet.example'))[0]?.id).not.toBe(before[3]?.[0]?.id);
    // Nothing is deleted for it.
    expect(await contact(group, ids[0] as number)).toMatchObject({ email: 'ana@gone.example', first_name: 'Ana' });
    const listed = await service.admin('GET', `/accounts/${group.id}/contacts?email_status=invalid`);
    expect((listed.body.data as { id: number }[]).map(({ id }) => id).sort()).toEqual([ids[0], ids[1]].sort());

    dns.says('quiet.example', 'nxdomain');
    await makeDue(group);
    await vi.waitFor(async () => expect(await jobs(group, 'quiet.example')).toEqual([]), soon);
    expect(await statuses()).toEqual(['invalid', 'invalid', null, 'invalid', null]);
  });

  it('is separate per account, and another process takes it over if its process is killed', async () => {
    const [ours, theirs] = [await account(), await account()];
    const domain = 'shared.example';
    const [our, their] = await Promise.all([ours, theirs].map((group) => write(service, group, `ana@${domain}`)));
    const statuses = async () => [
      (await contact(ours, our as number)).email_status,
      (await contact(theirs, their as number)).email_status,
    ];
    expect(await service.stop('SIGKILL')).toBe('SIGKILL');
    dns.says(probeDomains, 'mx');
    dns.says(domain, 'nxdomain');
    service = await start({ env });
    await makeDue(ours);
    await vi.waitFor(async () => expect(await jobs(ours, domain)).toEqual([]), soon);
    expect(await statuses()).toEqual(['invalid', 'unchecked']);
    await makeDue(theirs);
    await vi.waitFor(async () => expect(await jobs(theirs, domain)).toEqual([]), soon);
    expect(await statuses()).toEqual(['invalid', 'invalid']);
  });

  it('reaches every address of the domain and no others', async () => {
    const [{ id: ours }, { id: theirs }] = [await account(), await account()];
    await sql`
      insert into contacts (account_id, id, email, email_status)
      select ${ours}::bigint, 10000 + n, format('guest%s@crowd.example', n), 'unchecked' from generate_series(1, 2500) as n`;
    await sql`
      insert into contacts (account_id, id, email, email_status) values
        (${ours}, 20001, 'ana@mail.crowd.example', 'unchecked'), (${ours}, 20002, 'rui@crowd.example', null),
        (${theirs}, 20003, 'ana@crowd.example', 'unchecked')`;
    const db = openPool({ url: database.url, connections: 1 });
    afterAll(() => db.close());
    dns.says(probeDomains, 'mx');
    dns.says('crowd.example', 'nxdomain');
    const domains = new EmailDomains(db, { mode: 'dns', servers: [dns.address], patienceMs: 10_000 });
    await recheckDomain(db, domains, { account_id: ours, domain: 'crowd.example' });
    const found = await sql<{ status: string | null; count: number }>`
      select email_status as status, count(*) as count from contacts where id between 10001 and 12500 group by 1`;
    expect([...found]).toEqual([{ status: 'invalid', count: 2500 }]);
    const others = await sql<{ status: string | null }>`
      select email_status as status from contacts where id > 20000 order by id`;
    expect(others.map(({ status }) => status)).toEqual(['unchecked', null, 'unchecked']);
  });
});
