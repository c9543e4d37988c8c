import { describe, expect, it, vi } from 'vitest';
import { Sweeper } from '../../../../src/app/jobs/sweeper.ts';
import { recheckDomain } from '../../../../src/features/guests/domains/recheck.ts';
import { mostLearnt } from '../../../../src/features/guests/domains/schema.ts';
import { deleteOldDomains } from '../../../../src/features/guests/domains/store.ts';
import { isDistributed } from '../../../support/database.ts';
import { probeDomains, startDnsServer } from '../../../support/dns-server.ts';
import { domainService, gate } from '../../../support/domains.ts';

const { accountId, sql, db, dns, freshList, service, write, writeAt } = await domainService();
const erase = async (id: number) =>
  expect((await service.admin('DELETE', `/accounts/${accountId}/contacts/${id}`)).status).toBe(204);
const stored = async (domain: string) => [
  ...(await sql`select takes_mail, vouched_for from email_domains where domain = ${domain}`),
];
const learnt = [{ takes_mail: true, vouched_for: false }];

describe('the table of e-mail domains', () => {
  it('stores nothing for a rejected write, and a domain that accepts mail with the write that stores the e-mail', async () => {
    const domain = 'refused-first.example';
    dns.says(domain, 'mx');
    expect((await write(service, { email: `ana@${domain}`, dob: 'yesterday' })).status).toBe(422);
    expect((await write(service, { email: `ana@${domain}`, rules: [{ rule_name: 'update_only' }] })).status).toBe(422);
    expect(await stored(domain)).toEqual([]);
    const { status, body } = await write(service, { email: `ana@${domain}` });
    expect(status).toBe(200);
    const [writers] = await sql`
      select (select xmin::text from contacts where account_id = ${accountId} and id = ${body.id}) as contact,
        (select xmin::text from email_domains where domain = ${domain}) as domain`;
    // The rows of a distributed server are on two nodes, which count their transactions separately.
    if (!isDistributed())
      expect(writers).toEqual({ contact: expect.stringMatching(/^\d+$/), domain: writers?.contact });
    expect(dns.asked(domain)).toBe(1);
  });

  it('stores an unanswered domain at the second look-up, and no domain that accepts no mail', async () => {
    const domains = ['late-yes.example', 'late-no.example'];
    dns.says(domains, 'servfail');
    for (const domain of domains) expect((await writeAt(service, domain)).status).toBe(200);
    dns.says('late-yes.example', 'mx');
    dns.says('late-no.example', 'nxdomain');
    for (const domain of domains) await recheckDomain(db, freshList(dns), { account_id: accountId, domain });
    expect(await stored('late-yes.example')).toEqual(learnt);
    expect(await stored('late-no.example')).toEqual([]);
  });

  it('deletes the domain of an erased contact; entries by staff stay', async () => {
    dns.says(['silva-family.example', 'xn--bcher-kva.example', 'known.example'], 'mx');
    await service.admin('POST', '/email_domains', { domain: 'known.example' });
    const ids: number[] = [];
    for (const domain of ['silva-family.example', 'bücher.example', 'known.example'])
      ids.push((await writeAt(service, domain)).body.id);
    expect(await stored('silva-family.example')).toEqual(learnt);
    expect(await stored('xn--bcher-kva.example')).toEqual(learnt);
    for (const id of ids) await erase(id);
    expect(await stored('silva-family.example')).toEqual([]);
    expect(await stored('xn--bcher-kva.example')).toEqual([]);
    expect(await stored('known.example')).toEqual([{ takes_mail: true, vouched_for: true }]);
  });

  it('removes the jobs for the domain of an erased contact, unless another contact waits for it', async () => {
    dns.says(['waiting-alone.example', 'waiting-together.example'], 'servfail');
    const alone = (await writeAt(service, 'waiting-alone.example')).body.id;
    const together = (await writeAt(service, 'waiting-together.example')).body.id;
    await writeAt(service, 'waiting-together.example');
    for (const id of [alone, together]) await erase(id);
    const jobs = await sql<{ domain: string }>`
      select payload->>'domain' as domain from graphile_worker._private_jobs where key ~ 'waiting-(alone|together)'`;
    expect(jobs.map(({ domain }) => domain)).toEqual(['waiting-together.example']);
  });

  it('deletes domains that were stored 90 days ago and not used since; others and entries by staff stay', async () => {
    await sql`
      insert into email_domains (domain, takes_mail, vouched_for, checked_at) values
        ('old.example', true, false, now() - interval '91 days'), ('young.example', true, false, now() - interval '89 days'),
        ('old-staff.example', true, true, now() - interval '1 year'), ('old-refused.example', false, true, now() - interval '1 year')`;
    await sql`
      insert into email_domains (domain, takes_mail, checked_at)
      select format('old%s.example', n), true, now() - interval '1 year' from generate_series(1, 7000) as n`;
    const sweeper = new Sweeper(db, { shared: [deleteOldDomains] }, (error) => expect.fail(String(error)));
    expect(await sweeper.sweep()).toBe(7001);
    sweeper.close();
    const left = await sql<{ domain: string }>`
      select domain from email_domains where domain ~ '^(old|young)' order by domain`;
    expect(left.map(({ domain }) => domain)).toEqual(['old-refused.example', 'old-staff.example', 'young.example']);
  });

  it('has a maximum size; beyond it, contacts are still accepted', async () => {
    await sql`delete from email_domains where not vouched_for`;
    await sql`
      insert into email_domains (domain, takes_mail)
      select format('full%s.example', n), true from generate_series(1, ${mostLearnt - 1}) as n`;
    dns.says(['last-one.example', 'one-too-many.example'], 'mx');
    for (const domain of ['last-one.example', 'one-too-many.example'])
      expect((await writeAt(service, domain)).status).toBe(200);
    expect(await stored('last-one.example')).toEqual(learnt);
    expect(await stored('one-too-many.example')).toEqual([]);
    expect((await writeAt(service, 'one-too-many.example')).status).toBe(200);
    expect(dns.asked('one-too-many.example')).toBe(1);
    await sql`delete from email_domains where not vouched_for`;
  });
});

describe('a flood of unknown domains', () => {
  it('checks once, not per domain, whether the resolver reaches the internet', async () => {
    const server = await startDnsServer();
    const list = freshList(server, 'dns', 20_000);
    const domains = Array.from({ length: 150 }, (_, index) => `nowhere${index}.example`);
    // The first probe is not answered before all domains were asked about.
    const { release, after } = gate();
    server.says(probeDomains, 'mx', { after });
    const asking = Promise.all(domains.map((domain) => list.takesMail(`ana@${domain}`)));
    await vi.waitFor(() => expect(server.questions().filter((name) => domains.includes(name))).toHaveLength(150), {
      timeout: 120_000,
    });
    release();
    expect(await asking).toEqual(Array(150).fill('no'));
    const probes = server.questions().filter((name) => probeDomains.includes(name));
    expect(probes.length).toBeLessThan(150);
    expect(await sql`select from email_domains where domain like 'nowhere%'`).toHaveLength(0);
  });

  it('leaves at most 10,000 verdicts in memory; a domain in use stays', async () => {
    const list = freshList(dns, 'list');
    const check = (name: string) => list.takesMail(`ana@${name}.example`);
    for (const name of ['unused', 'used']) expect(await check(name)).toBe('no');
    expect(check('unused')).toBe('no');
    for (let first = 0; first < 10_000; first += 1000) {
      await Promise.all(Array.from({ length: 1000 }, (_, index) => check(`flood${first + index}`)));
      expect(await check('used')).toBe('no');
    }
    expect(check('flood9999')).toBe('no');
    expect(check('used')).toBe('no');
    expect(check('unused')).toBeInstanceOf(Promise);
  });
});
