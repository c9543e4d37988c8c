import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { commonDomains } from '../../../../src/features/guests/domains/common.ts';
import { type Says, startDnsServer } from '../../../support/dns-server.ts';
import { domainService, refusal, refusedEmail } from '../../../support/domains.ts';

const { sql, dns, freshList, jobsAbout, service, serviceThatAsks, statusOf, write, writeAt } = await domainService();

const stored = async (domain: string) => [
  ...(await sql`select takes_mail, vouched_for from email_domains where domain = ${domain}`),
];

describe('the domain of an e-mail', () => {
  it('is accepted without a DNS query if it is a common mailbox provider', async () => {
    const down = await startDnsServer();
    down.saysOfAll('silence');
    const list = freshList(down);
    expect(commonDomains.size).toBeGreaterThan(100);
    for (const domain of commonDomains) expect(await list.takesMail(`ana@${domain}`), domain).toBe('yes');
    const answer = await writeAt(await serviceThatAsks(down), 'GMail.com');
    expect([answer.status, await statusOf(answer.body.id)]).toEqual([200, null]);
    expect(down.questions()).toEqual([]);
  });

  it('is queried once if it has mail servers, then cached by the process and, through the table, by all processes', async () => {
    const domain = 'harbour.example';
    dns.says(domain, 'mx');
    const answer = await writeAt(service, domain);
    expect([answer.status, await statusOf(answer.body.id)]).toEqual([200, null]);
    expect(dns.asked(domain)).toBe(1);
    expect((await writeAt(await serviceThatAsks(dns), domain)).status).toBe(200);
    expect(dns.asked(domain)).toBe(1);
    // A write stores it again if it is missing.
    await sql`delete from email_domains where domain = ${domain}`;
    expect((await writeAt(service, domain)).status).toBe(200);
    expect(dns.asked(domain)).toBe(1);
    expect(await stored(domain)).toEqual([{ takes_mail: true, vouched_for: false }]);
    // Known to neither, it is a question again.
    await sql`delete from email_domains where domain = ${domain}`;
    expect((await writeAt(await serviceThatAsks(dns), domain)).status).toBe(200);
    expect(dns.asked(domain)).toBe(2);
    expect(await jobsAbout(domain)).toEqual([]);
  });

  it.each<[string, Says]>([
    ['does not exist', 'nxdomain'],
    ['has no mail server', 'nothing'],
    ['has a null MX record', 'null mx'],
  ])('that %s is a 422, queried once per process, and not stored', async (_, says) => {
    const domain = `${says.replace(' ', '-')}.example`;
    dns.says(domain, says);
    expect(refusal(await writeAt(service, domain))).toEqual(refusedEmail);
    expect(dns.asked(domain)).toBe(1);
    expect(refusal(await writeAt(service, domain))).toEqual(refusedEmail);
    expect(dns.asked(domain)).toBe(1);
    expect(await freshList(dns).takesMail(`ana@${domain}`)).toBe('no');
    expect(await stored(domain)).toEqual([]);
    expect(dns.asked(domain)).toBe(2);
    expect(await sql`select from contacts where email like ${`%@${domain}`}`).toHaveLength(0);
  });

  it.each<[Says, string]>([
    ['nxdomain', '447700900001'],
    ['nothing', '447700900002'],
    ['null mx', '447700900003'],
  ])(
    'that accepts no mail (%s) is skipped with discard_invalid_data; the other fields are stored',
    async (says, mobile_number) => {
      const domain = `dropped-${says.replace(' ', '-')}.example`;
      dns.says(domain, says);
      const rules = [{ rule_name: 'discard_invalid_data' }];
      const answer = await write(service, { email: `ana@${domain}`, mobile_number, first_name: 'Ana', rules });
      expect([answer.status, answer.headers['discarded-fields']]).toEqual([200, 'email']);
      expect(answer.body).toMatchObject({ email: '', mobile_number, first_name: 'Ana' });
      expect(await statusOf(answer.body.id)).toBeNull();
      expect(refusal(await write(service, { email: `ana@${domain}`, rules }))).toEqual(refusedEmail);
      expect(await stored(domain)).toEqual([]);
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
  ])('is rejected without a DNS query if it is not a domain: %s', async (name) => {
    expect(refusal(await writeAt(service, name))).toEqual(refusedEmail);
  });

  it('is accepted if staff added it, whatever DNS returns', async () => {
    dns.says('known-to-staff.example', 'nxdomain');
    const vouched = await service.admin('POST', '/email_domains', { domain: 'Known-To-Staff.example' });
    expect(vouched).toMatchObject({ status: 201, body: { domain: 'known-to-staff.example', vouched_for: true } });
    expect((await writeAt(service, 'known-to-staff.example')).status).toBe(200);
    const { body } = await service.admin('GET', '/email_domains');
    expect(body.data.map((one: { domain: string }) => one.domain)).toContain('known-to-staff.example');
    expect((await service.admin('POST', '/email_domains', { domain: 'no domain' })).status).toBe(422);
  });

  it.each(['invalid', 'test', 'localhost'])('is rejected without a DNS query if it ends in .%s', async (ending) => {
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
  });

  it('is the same in capitals; an internationalised one is queried in ASCII form', async () => {
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

  it('may have more mail servers than fit in a datagram', async () => {
    dns.says('many.example', 'mx', { large: true });
    expect(await freshList(dns).takesMail('ana@many.example')).toBe('learnt');
  });

  it('is queried once for concurrent writes', async () => {
    dns.says('rush.example', 'mx', { afterMs: 100 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => writeAt(service, 'rush.example')));
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
    expect(dns.asked('rush.example')).toBe(1);
    const list = freshList(dns);
    dns.says('rush-again.example', 'mx', { afterMs: 100 });
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => list.takesMail('ana@rush-again.example')));
    expect(verdicts).toEqual(Array(20).fill('learnt'));
    expect(dns.asked('rush-again.example')).toBe(1);
  });

  it('is queried again 60 days after it was found to accept mail, and stays accepted while DNS is unavailable', async () => {
    const [kept, lost] = ['kept.example', 'lost.example'];
    dns.says([kept, lost], 'mx');
    for (const domain of [kept, lost]) expect((await writeAt(await serviceThatAsks(dns), domain)).status).toBe(200);
    await sql`update email_domains set checked_at = now() - interval '60 days' where domain in (${kept}, ${lost})`;
    dns.says([kept, lost], 'servfail');
    const answer = await writeAt(service, kept);
    expect([answer.status, await statusOf(answer.body.id), dns.asked(kept)]).toEqual([200, null, 2]);
    expect(await jobsAbout(kept)).toEqual([]);
    dns.says(kept, 'mx');
    expect((await writeAt(await serviceThatAsks(dns), kept)).status).toBe(200);
    expect(dns.asked(kept)).toBe(3);
    // That was news, and the next one believes it.
    expect(await freshList(dns).takesMail(`ana@${kept}`)).toBe('yes');
    expect(dns.asked(kept)).toBe(3);
    // A domain may also end.
    dns.says(lost, 'nxdomain');
    expect(refusal(await writeAt(service, lost))).toEqual(refusedEmail);
  });

  it('is queried again an hour after it was found to accept no mail, because it may have been registered since', async () => {
    const domain = 'newly-registered.example';
    const list = freshList(dns);
    expect(await list.takesMail(`ana@${domain}`)).toBe('no');
    dns.says(domain, 'mx');
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now');
    const verdictAfter = async (minutes: number) => {
      clock.mockImplementation(() => now() + minutes * 60_000);
      // The caches read the clock once per millisecond.
      await pause(10);
      return list.takesMail(`ana@${domain}`);
    };
    expect(await verdictAfter(50)).toBe('no');
    expect(await verdictAfter(61)).toBe('learnt');
    clock.mockRestore();
    expect(dns.asked(domain)).toBe(2);
  });

  it('is never queried if staff added it', async () => {
    const domain = 'vouched.example';
    await sql`
      insert into email_domains (domain, takes_mail, vouched_for, checked_at)
      values (${domain}, true, true, now() - interval '1 year')`;
    expect((await writeAt(service, domain)).status).toBe(200);
    expect(dns.asked(domain)).toBe(0);
  });
});

describe('EMAIL_DOMAIN_CHECK', () => {
  it('list never queries DNS: it accepts common and known domains, and rejects others', async () => {
    const silent = await startDnsServer();
    dns.says(['learnt.example', 'not-learnt.example'], 'mx');
    expect((await writeAt(service, 'learnt.example')).status).toBe(200);
    await sql`update email_domains set checked_at = now() - interval '60 days' where domain = 'learnt.example'`;
    const list = await serviceThatAsks(silent, { EMAIL_DOMAIN_CHECK: 'list' });
    for (const domain of ['gmail.com', 'learnt.example'])
      expect((await writeAt(list, domain)).status, domain).toBe(200);
    for (const domain of ['not-learnt.example', 'harbour.invalid']) {
      expect(refusal(await writeAt(list, domain)), domain).toEqual(refusedEmail);
    }
    // For concurrent writes too.
    const many = await Promise.all(Array.from({ length: 300 }, (_, n) => writeAt(list, `unlisted${n}.example`)));
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([422]));
    expect(silent.questions()).toEqual([]);
  });
  it('list decides domains that DNS had left open', async () => {
    const list = freshList(dns, 'list');
    expect(await list.recheck('gmail.com')).toBe('yes');
    expect(await list.recheck('nobody-knows.example')).toBe('no');
  });

  it('off accepts every domain without a query', async () => {
    const silent = await startDnsServer();
    const off = await serviceThatAsks(silent, { EMAIL_DOMAIN_CHECK: 'off' });
    for (const domain of ['nobody-knows.example', 'harbour.invalid', 'harbour.test', 'bücher.example']) {
      const { status, body } = await writeAt(off, domain);
      expect([status, await statusOf(body.id)], domain).toEqual([200, null]);
    }
    expect(silent.questions()).toEqual([]);
  });
});
