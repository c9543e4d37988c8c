import { describe, expect, it, vi } from 'vitest';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { EmailDomains } from '../../src/domains/check.ts';
import { commonDomains } from '../../src/domains/common.ts';
import { createLog } from '../../src/log.ts';
import { adminToken, appOver, type TestApp } from '../support/app.ts';
import { openTestDatabase, superuser } from '../support/database.ts';
import { beacons, type DnsServer, type Says, startDnsServer } from '../support/dns-server.ts';

const { db, ...database } = await openTestDatabase();
const behind = await superuser(database);
const dns = await startDnsServer();
const service = await serviceThatAsks(dns);
const { id: accountId, token } = await service.account();

/** A service of its own, with nothing in its memory, over the same database. */
function serviceThatAsks(server: DnsServer, settings: Record<string, string> = {}): Promise<TestApp> {
  return appOver(db, database, { EMAIL_DOMAIN_CHECK: 'dns', DNS_SERVERS: server.address, ...settings });
}

/** The same without the HTTP around it. It waits long enough for a busy machine, so that only what is meant to counts. */
function freshList(server: DnsServer, mode: 'dns' | 'list' | 'off' = 'dns', patienceMs = 10_000): EmailDomains {
  return new EmailDomains(db, { mode, servers: [server.address], patienceMs });
}

/** For answers that are not given before they are let go. */
function held(): { release: () => void; after: Promise<void> } {
  let release = () => {};
  const after = new Promise<void>((done) => {
    release = done;
  });
  return { release, after };
}

let people = 0;
const somebodyAt = (domain: string) => `guest${++people}@${domain}`;
const write = (to: TestApp, body: object) => to.call('POST', '/v1/contact', { token, body });
const writeAt = (to: TestApp, domain: string) => write(to, { email: somebodyAt(domain) });

async function statusOf(contactId: number): Promise<string | null> {
  return (await service.admin('GET', `/accounts/${accountId}/contacts/${contactId}`)).body.email_status;
}

interface Job {
  key: string;
  payload: { account_id: number; domain: string };
  delay: number;
}

async function jobsAbout(domain: string): Promise<Job[]> {
  const jobs = await behind<Job>`
    select jobs.key, payload, extract(epoch from jobs.run_at - now())::float8 as delay
    from graphile_worker.jobs join graphile_worker._private_jobs as private on private.id = jobs.id
    where task_identifier = 'look_again_at_email_domain' and payload->>'domain' = ${domain} order by jobs.id`;
  return [...jobs];
}

const refusedEmail = [422, { email: ['The email must be at a domain that takes mail.'] }];
const refusal = ({ status, body }: { status: number; body: { errors: object } }) => [status, body.errors];

describe('the domain of an e-mail', () => {
  it('is known without a question where it is a common mailbox provider’s', async () => {
    const down = await startDnsServer();
    down.saysOfAll('silence');
    const list = freshList(down);
    expect(commonDomains.size).toBeGreaterThan(100);
    for (const domain of commonDomains) expect(await list.takesMail(`ana@${domain}`), domain).toBe('yes');
    const answer = await writeAt(await serviceThatAsks(down), 'GMail.com');
    expect([answer.status, await statusOf(answer.body.id)]).toEqual([200, null]);
    expect(down.questions()).toEqual([]);
  });

  it('is asked about once if it has mail servers, then known to this process, and by the table to all others', async () => {
    const domain = 'harbour.example';
    dns.says(domain, 'mx');
    const answer = await writeAt(service, domain);
    expect([answer.status, await statusOf(answer.body.id)]).toEqual([200, null]);
    expect(dns.asked(domain)).toBe(1);
    expect((await writeAt(await serviceThatAsks(dns), domain)).status).toBe(200);
    expect(dns.asked(domain)).toBe(1);
    await behind`delete from email_domains where domain = ${domain}`;
    expect((await writeAt(service, domain)).status).toBe(200);
    expect(dns.asked(domain)).toBe(1);
    // Known to neither, it is a question again.
    expect((await writeAt(await serviceThatAsks(dns), domain)).status).toBe(200);
    expect(dns.asked(domain)).toBe(2);
    expect(await jobsAbout(domain)).toEqual([]);
  });

  it.each<[string, Says]>([
    ['does not exist', 'nxdomain'],
    ['has no mail server', 'nothing'],
    ['says by a null MX that it takes no mail', 'null mx'],
  ])('that %s is a 422, asked about once and then known here and elsewhere', async (_, says) => {
    const domain = `${says.replace(' ', '-')}.example`;
    dns.says(domain, says);
    expect(refusal(await writeAt(service, domain))).toEqual(refusedEmail);
    expect(dns.asked(domain)).toBe(1);
    expect(await freshList(dns).takesMail(`ana@${domain}`)).toBe('no');
    await behind`delete from email_domains where domain = ${domain}`;
    expect(refusal(await writeAt(service, domain))).toEqual(refusedEmail);
    expect(dns.asked(domain)).toBe(1);
    expect(await freshList(dns).takesMail(`ana@${domain}`)).toBe('no');
    expect(dns.asked(domain)).toBe(2);
    expect(await behind`select from contacts where email like ${`%@${domain}`}`).toHaveLength(0);
  });

  it.each<[Says]>([['nxdomain'], ['nothing'], ['null mx']])(
    'that takes no mail (%s) is dropped with discard_invalid_data, and the rest is stored',
    async (says) => {
      const domain = `dropped-${says.replace(' ', '-')}.example`;
      dns.says(domain, says);
      const rules = [{ rule_name: 'discard_invalid_data' }];
      const mobile_number = `4477009${String(++people).padStart(5, '0')}`;
      const answer = await write(service, { email: `ana@${domain}`, mobile_number, first_name: 'Ana', rules });
      expect([answer.status, answer.headers['discarded-fields']]).toEqual([200, 'email']);
      expect(answer.body).toMatchObject({ email: '', mobile_number, first_name: 'Ana' });
      expect(await statusOf(answer.body.id)).toBeNull();
      expect(refusal(await write(service, { email: `ana@${domain}`, rules }))).toEqual(refusedEmail);
    },
  );

  it.each([
    'gmail.com/x.y',
    'gmail.com?x.y',
    'gmail.com#a.b',
    'gm%61il.com',
    'gm\u00adail.com',
    '\uff47mail.com',
    `${'a'.repeat(64)}.com`,
    '-a.example',
    '[127.0.0.1]',
  ])('is refused without a question where it is no domain: %s', async (name) => {
    expect(refusal(await writeAt(service, name))).toEqual(refusedEmail);
  });

  it('is accepted where staff vouch for it, whatever DNS says', async () => {
    dns.says('known-to-staff.example', 'nxdomain');
    const vouched = await service.admin('POST', '/email_domains', { domain: 'Known-To-Staff.example' });
    expect(vouched).toMatchObject({ status: 201, body: { domain: 'known-to-staff.example', vouched_for: true } });
    expect((await writeAt(service, 'known-to-staff.example')).status).toBe(200);
    const { body } = await service.admin('GET', '/email_domains');
    expect(body.data.map((one: { domain: string }) => one.domain)).toContain('known-to-staff.example');
    expect((await service.admin('POST', '/email_domains', { domain: 'no domain' })).status).toBe(422);
  });

  it.each(['invalid', 'test', 'localhost'])(
    'is refused without a question where it ends in .%s, whatever DNS says',
    async (ending) => {
      const names = [`harbour.${ending}`, `mail.harbour.${ending}`, `Harbour.${ending.toUpperCase()}`];
      dns.says(
        names.map((name) => name.toLowerCase()),
        'mx',
      );
      for (const name of names) {
        expect(refusal(await writeAt(service, name)), name).toEqual(refusedEmail);
        expect(dns.asked(name.toLowerCase())).toBe(0);
      }
      // Only the last part counts.
      const lookalike = `${ending}.harbour-${ending}.example`;
      dns.says(lookalike, 'mx');
      expect((await writeAt(service, lookalike)).status).toBe(200);
    },
  );

  it('is one and the same in capitals, and an internationalised one is asked about as DNS knows it', async () => {
    dns.says(['quay.example', 'xn--bcher-kva.example'], 'mx');
    expect((await writeAt(service, 'QUAY.Example')).body.email).toMatch(/@quay\.example$/);
    expect((await writeAt(service, 'quay.example')).status).toBe(200);
    expect(dns.asked('quay.example')).toBe(1);
    const { status, body } = await writeAt(service, 'Bücher.example');
    expect([status, body.email]).toEqual([200, expect.stringMatching(/@bücher\.example$/)]);
    expect((await writeAt(service, 'xn--bcher-kva.example')).status).toBe(200);
    expect(dns.asked('xn--bcher-kva.example')).toBe(1);
    expect(refusal(await writeAt(service, 'kafé.example'))).toEqual(refusedEmail);
    expect(dns.asked('xn--kaf-dma.example')).toBe(1);
  });

  it('may have more mail servers than fit a datagram', async () => {
    dns.says('many.example', 'mx', { large: true });
    expect(await freshList(dns).takesMail('ana@many.example')).toBe('yes');
  });

  it('is asked about once by many writes at the same time', async () => {
    dns.says('rush.example', 'mx', { afterMs: 100 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => writeAt(service, 'rush.example')));
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
    expect(dns.asked('rush.example')).toBe(1);
    const list = freshList(dns);
    dns.says('rush-again.example', 'mx', { afterMs: 100 });
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => list.takesMail('ana@rush-again.example')));
    expect(verdicts).toEqual(Array(20).fill('yes'));
    expect(dns.asked('rush-again.example')).toBe(1);
  });

  it('is asked about again when it was found to take mail 60 days ago, and stays accepted while DNS is out', async () => {
    const [kept, lost] = ['kept.example', 'lost.example'];
    dns.says([kept, lost], 'mx');
    for (const domain of [kept, lost]) expect(await freshList(dns).takesMail(`ana@${domain}`)).toBe('yes');
    await behind`update email_domains set checked_at = now() - interval '60 days' where domain in (${kept}, ${lost})`;
    dns.says([kept, lost], 'servfail');
    const answer = await writeAt(service, kept);
    expect([answer.status, await statusOf(answer.body.id), dns.asked(kept)]).toEqual([200, null, 2]);
    expect(await jobsAbout(kept)).toEqual([]);
    dns.says(kept, 'mx');
    expect(await freshList(dns).takesMail(`ana@${kept}`)).toBe('yes');
    expect(dns.asked(kept)).toBe(3);
    // That was news, and the next one believes it.
    expect(await freshList(dns).takesMail(`ana@${kept}`)).toBe('yes');
    expect(dns.asked(kept)).toBe(3);
    // A domain may also end.
    dns.says(lost, 'nxdomain');
    expect(refusal(await writeAt(service, lost))).toEqual(refusedEmail);
  });

  it('is asked about again a while after it was found to take no mail, as it may have been registered since', async () => {
    const domain = 'newly-registered.example';
    expect(await freshList(dns).takesMail(`ana@${domain}`)).toBe('no');
    dns.says(domain, 'mx');
    expect(await freshList(dns).takesMail(`ana@${domain}`)).toBe('no');
    await behind`update email_domains set checked_at = now() - interval '2 hours' where domain = ${domain}`;
    expect(await freshList(dns).takesMail(`ana@${domain}`)).toBe('yes');
  });

  it('is never asked about when staff vouch for it', async () => {
    const domain = 'vouched.example';
    await behind`
      insert into email_domains (domain, takes_mail, vouched_for, checked_at)
      values (${domain}, true, true, now() - interval '1 year')`;
    expect((await writeAt(service, domain)).status).toBe(200);
    expect(dns.asked(domain)).toBe(0);
  });
});

describe('EMAIL_DOMAIN_CHECK', () => {
  it('list never asks DNS: it takes the common domains and those learnt before, and refuses all others', async () => {
    const silent = await startDnsServer();
    dns.says(['learnt.example', 'not-learnt.example'], 'mx');
    expect(await freshList(dns).takesMail('ana@learnt.example')).toBe('yes');
    await behind`update email_domains set checked_at = now() - interval '60 days' where domain = 'learnt.example'`;
    const list = await serviceThatAsks(silent, { EMAIL_DOMAIN_CHECK: 'list' });
    for (const domain of ['gmail.com', 'learnt.example'])
      expect((await writeAt(list, domain)).status, domain).toBe(200);
    for (const domain of ['not-learnt.example', 'harbour.invalid']) {
      expect(refusal(await writeAt(list, domain)), domain).toEqual(refusedEmail);
    }
    expect(silent.questions()).toEqual([]);
  });

  it('off accepts every domain and never asks', async () => {
    const silent = await startDnsServer();
    const off = await serviceThatAsks(silent, { EMAIL_DOMAIN_CHECK: 'off' });
    for (const domain of ['nobody-knows.example', 'harbour.invalid', 'harbour.test', 'bücher.example']) {
      const { status, body } = await writeAt(off, domain);
      expect([status, await statusOf(body.id)], domain).toEqual([200, null]);
    }
    expect(silent.questions()).toEqual([]);
  });
});

describe('while DNS is out', () => {
  it.each<[string, Says | 'refused']>([
    ['says that it failed', 'servfail'],
    ['does not answer in time', 'silence'],
    ['is not there', 'refused'],
  ])(
    'a server that %s turns nobody away: the address is taken in unchecked, to be looked up again',
    async (_, says) => {
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
      expect(await behind`select from email_domains where domain = ${domain}`).toHaveLength(0);
      if (says !== 'refused') expect(server.asked(domain)).toBeGreaterThan(0);
    },
  );

  it('the second look is put off in the transaction that stores the contact, and by no write that is refused', async () => {
    const domain = 'same-transaction.example';
    dns.says(domain, 'servfail');
    expect((await write(service, { email: `ana@${domain}`, dob: 'yesterday' })).status).toBe(422);
    expect((await write(service, { email: `ana@${domain}`, rules: [{ rule_name: 'update_only' }] })).status).toBe(422);
    expect(await jobsAbout(domain)).toEqual([]);
    const { body } = await write(service, { email: `ana@${domain}` });
    const [writers] = await behind`
      select
        (select xmin::text from contacts where account_id = ${accountId} and id = ${body.id}) as contact,
        (select xmin::text from graphile_worker._private_jobs where payload->>'domain' = ${domain}) as job`;
    expect(writers).toEqual({ contact: expect.stringMatching(/^\d+$/), job: writers?.contact });
  });

  it('there is one second look for each account and domain, however many guests wait for it', async () => {
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
    await behind`
      update graphile_worker._private_jobs set run_at = now() + interval '10 seconds' where payload->>'domain' = 'crowd.example'`;
    expect((await writeAt(service, 'crowd.example')).status).toBe(200);
    const [job, ...rest] = await jobsAbout('crowd.example');
    expect([job?.payload.account_id, rest.length]).toEqual([accountId, 1]);
    expect(job?.delay).toBeLessThan(60);
  });

  it('an address is checked after all when it is written again once DNS is back', async () => {
    const domain = 'back-again.example';
    dns.says(domain, 'servfail');
    const { body } = await write(service, { email: `ana@${domain}` });
    expect(await statusOf(body.id)).toBe('unchecked');
    dns.says(domain, 'mx');
    const again = await write(await serviceThatAsks(dns), { email: `ana@${domain}` });
    expect([again.body.id, await statusOf(body.id)]).toEqual([body.id, null]);
  });

  it('a resolver that finds nothing at all is not believed', async () => {
    const blind = await startDnsServer();
    blind.saysOfAll('nxdomain');
    const domain = 'unseen.example';
    const { status, body } = await writeAt(await serviceThatAsks(blind), domain);
    expect([status, await statusOf(body.id)]).toEqual([200, 'unchecked']);
    expect(await jobsAbout(domain)).toHaveLength(1);
    expect(await behind`select from email_domains where domain = ${domain}`).toHaveLength(0);
    expect(blind.asked(domain)).toBe(1);
    // One that finds a single large provider sees enough.
    for (const beacon of beacons) {
      const sighted = await startDnsServer();
      sighted.saysOfAll('nxdomain');
      sighted.says(beacon, 'mx');
      const verdict = await freshList(sighted).takesMail(`ana@seen-by-${beacon.replace('.', '-')}.example`);
      expect(verdict, beacon).toBe('no');
    }
  });

  it('writes to known domains are answered while 30 to dead ones wait', async () => {
    const server = await startDnsServer();
    // So patient that what is slow is slow on any machine, until DNS answers after all.
    const config = readConfig({ ADMIN_TOKEN: adminToken });
    const app = await buildApp({ config, db, domains: freshList(server), log: createLog('silent') });
    const dead = Array.from({ length: 30 }, (_, index) => `dead${index % 15}.example`);
    const { release, after } = held();
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
    await vi.waitFor(() => expect(server.questions()).toHaveLength(15), { timeout: 5000, interval: 5 });
    const fast = Array.from({ length: 30 }, () => writeAndNote('gmail.com'));
    expect(await Promise.all(fast)).toEqual(Array(30).fill(200));
    expect(answered).toEqual(Array(30).fill('gmail.com'));
    release();
    expect(await Promise.all(slow)).toEqual(Array(30).fill(200));
    expect(answered.slice(30).sort()).toEqual([...dead].sort());
    await app.close();
  });

  it('no more than 200 questions are open at a time; the address of the next is put off at once', async () => {
    const server = await startDnsServer();
    const { release, after } = held();
    const domains = Array.from({ length: 220 }, (_, index) => `flood${index}.example`);
    server.says(domains, 'mx', { after });
    const list = freshList(server, 'dns', 20_000);
    const verdicts = domains.map((domain) => list.takesMail(`ana@${domain}`));
    expect(await Promise.all(verdicts.slice(200))).toEqual(Array(20).fill('unknown'));
    await vi.waitFor(() => expect(server.questions()).toHaveLength(200), { timeout: 10_000 });
    release();
    expect(await Promise.all(verdicts.slice(0, 200))).toEqual(Array(200).fill('yes'));
    expect(server.questions()).toHaveLength(200);
  });
});
