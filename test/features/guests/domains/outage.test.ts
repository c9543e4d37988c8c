import { describe, expect, it, vi } from 'vitest';
import { buildApp } from '../../../../src/app/http-app.ts';
import { readConfig } from '../../../../src/platform/config.ts';
import { createLog } from '../../../../src/platform/log.ts';
import { adminToken } from '../../../support/app.ts';
import { isDistributed } from '../../../support/database.ts';
import { probeDomains, type Says, startDnsServer } from '../../../support/dns-server.ts';
import { domainService, gate } from '../../../support/domains.ts';

const {
  accountId,
  sql,
  db,
  dns,
  freshList,
  jobsAbout,
  service,
  serviceThatAsks,
  somebodyAt,
  statusOf,
  token,
  write,
  writeAt,
} = await domainService();

describe('while DNS is unavailable', () => {
  it.each<[string, Says | 'refused']>([
    ['reports a failure', 'servfail'],
    ['does not answer in time', 'silence'],
    ['is not there', 'refused'],
  ])('a server that %s rejects no write: the address is stored unchecked and looked up again', async (_, says) => {
    const server = await startDnsServer();
    const there = await serviceThatAsks(server);
    if (says === 'refused') await server.stop();
    else server.saysOfAll(says);
    const domain = `out-${says}.example`;
    const { status, body } = await write(there, { email: `ana@${domain}`, first_name: 'Ana' });
    expect([status, body.email, body.first_name]).toEqual([200, `ana@${domain}`, 'Ana']);
    expect(await statusOf(body.id)).toBe('unchecked');
    expect(await jobsAbout(domain)).toEqual([
      { key: expect.any(String), payload: { account_id: accountId, domain, attempt: 1 }, delay: expect.any(Number) },
    ]);
    expect((await jobsAbout(domain))[0]?.delay).toBeGreaterThan(60);
    expect(await sql`select from email_domains where domain = ${domain}`).toHaveLength(0);
    if (says !== 'refused') expect(server.asked(domain)).toBeGreaterThan(0);
  });

  it('the second look-up is enqueued in the transaction that stores the contact, and not for a rejected write', async () => {
    const domain = 'same-transaction.example';
    dns.says(domain, 'servfail');
    expect((await write(service, { email: `ana@${domain}`, dob: 'yesterday' })).status).toBe(422);
    expect((await write(service, { email: `ana@${domain}`, rules: [{ rule_name: 'update_only' }] })).status).toBe(422);
    expect(await jobsAbout(domain)).toEqual([]);
    const { body } = await write(service, { email: `ana@${domain}` });
    const [writers] = await sql`
      select
        (select xmin::text from contacts where account_id = ${accountId} and id = ${body.id}) as contact,
        (select xmin::text from graphile_worker._private_jobs where payload->>'domain' = ${domain}) as job`;
    // The rows of a distributed server are on two nodes, which count their transactions separately.
    if (!isDistributed()) expect(writers).toEqual({ contact: expect.stringMatching(/^\d+$/), job: writers?.contact });
  });

  it('there is one second look-up per account and domain, for any number of contacts', async () => {
    const other = await service.account('Another group');
    const domains = ['crowd.example', 'crowd-two.example'];
    dns.says(domains, 'servfail');
    for (const as of [token, other.token]) {
      for (const domain of domains) {
        const writes = Array.from({ length: 5 }, () =>
          service.call('POST', '/v1/contact', { token: as, body: { email: somebodyAt(domain) } }),
        );
        expect((await Promise.all(writes)).map((answer) => answer.status)).toEqual(Array(5).fill(200));
      }
    }
    const first = await jobsAbout('crowd.example');
    expect(first.map((job) => job.payload.account_id)).toEqual([accountId, other.id]);
    expect((await jobsAbout('crowd-two.example')).map((job) => job.payload.account_id)).toEqual([accountId, other.id]);
    // A guest who comes later does not put it off any further.
    await sql`
      update graphile_worker._private_jobs set run_at = now() + interval '10 seconds' where payload->>'domain' = 'crowd.example'`;
    expect((await writeAt(service, 'crowd.example')).status).toBe(200);
    const [job, ...rest] = await jobsAbout('crowd.example');
    expect([job?.payload.account_id, rest.length]).toEqual([accountId, 1]);
    expect(job?.delay).toBeLessThan(60);
  });

  it('an address is checked if it is written again once DNS is available', async () => {
    const domain = 'back-again.example';
    dns.says(domain, 'servfail');
    const { body } = await write(service, { email: `ana@${domain}` });
    expect(await statusOf(body.id)).toBe('unchecked');
    dns.says(domain, 'mx');
    const again = await write(await serviceThatAsks(dns), { email: `ana@${domain}` });
    expect([again.body.id, await statusOf(body.id)]).toEqual([body.id, null]);
  });

  it('a resolver that finds no domain at all is not trusted', async () => {
    const broken = await startDnsServer();
    broken.saysOfAll('nxdomain');
    const domain = 'unseen.example';
    const { status, body } = await writeAt(await serviceThatAsks(broken), domain);
    expect([status, await statusOf(body.id)]).toEqual([200, 'unchecked']);
    expect(await jobsAbout(domain)).toHaveLength(1);
    expect(await sql`select from email_domains where domain = ${domain}`).toHaveLength(0);
    expect(broken.asked(domain)).toBe(1);
    // One that finds a single large provider sees enough.
    for (const beacon of probeDomains) {
      const working = await startDnsServer();
      working.saysOfAll('nxdomain');
      working.says(beacon, 'mx');
      const verdict = await freshList(working).takesMail(`ana@seen-by-${beacon.replace('.', '-')}.example`);
      expect(verdict, beacon).toBe('no');
    }
  });

  it('writes to known domains complete while 30 to unavailable ones wait', async () => {
    const server = await startDnsServer();
    // So patient that what is slow is slow on any machine, until DNS answers after all.
    const config = readConfig({ ADMIN_TOKEN: adminToken });
    const app = await buildApp({ config, db, domains: freshList(server), log: createLog('silent') });
    const dead = Array.from({ length: 30 }, (_, index) => `dead${index % 15}.example`);
    const { release, after } = gate();
    server.says(dead, 'mx', { after });
    const answered: string[] = [];
    const writeAndNote = async (domain: string) => {
      const { statusCode } = await app.inject({
        method: 'POST',
        url: '/v1/contact',
        headers: { authorization: `Bearer ${token}` },
        payload: { email: somebodyAt(domain) },
      });
      answered.push(domain);
      return statusCode;
    };
    const slow = dead.map(writeAndNote);
    await vi.waitFor(() => expect(server.questions()).toHaveLength(15), { timeout: 120_000, interval: 5 });
    const fast = Array.from({ length: 30 }, () => writeAndNote('gmail.com'));
    expect(await Promise.all(fast)).toEqual(Array(30).fill(200));
    expect(answered).toEqual(Array(30).fill('gmail.com'));
    release();
    expect(await Promise.all(slow)).toEqual(Array(30).fill(200));
    expect(answered.slice(30).sort()).toEqual([...dead].sort());
    await app.close();
  });

  it('at most 200 queries are open at a time; the look-up of the next address is deferred', async () => {
    const server = await startDnsServer();
    const { release, after } = gate();
    const domains = Array.from({ length: 220 }, (_, index) => `flood${index}.example`);
    server.says(domains, 'mx', { after });
    const list = freshList(server, 'dns', 20_000);
    const verdicts = domains.map((domain) => list.takesMail(`ana@${domain}`));
    expect(await Promise.race(verdicts)).toBe('unknown');
    await vi.waitFor(() => expect(server.questions()).toHaveLength(200), { timeout: 120_000 });
    release();
    const answers = await Promise.all(verdicts);
    expect(answers.filter((answer) => answer === 'learnt')).toHaveLength(200);
    expect(answers.filter((answer) => answer === 'unknown')).toHaveLength(20);
    expect(server.questions()).toHaveLength(200);
  });
});
