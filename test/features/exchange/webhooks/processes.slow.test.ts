import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Run } from '../../../../src/platform/db/sql.ts';
import { createDatabase, superuser } from '../../../support/database.ts';
import { temporaryFolder } from '../../../support/leftovers.ts';
import { clientOf, type Running, start } from '../../../support/process.ts';
import { type Received, receiver, until } from '../../../support/receiver.ts';

const allow = { WEBHOOK_PRIVATE_ADDRESSES: 'allow', EMAIL_DOMAIN_CHECK: 'list', RATE_LIMIT_PER_MINUTE: '0' };

/** A database, an account in it, and a webhook for its contacts. */
async function setUp(more: Record<string, string> = {}) {
  const { url, ...database } = await createDatabase();
  const sql = await superuser({ url, ...database });
  const env = { ...allow, DATABASE_URL: url, ...more };
  const first = await start({ env });
  const account = await clientOf(first).account('Harbour');
  const webhookTo = async (to: string, service = first) => {
    const made = await service.admin('POST', `/accounts/${account.id}/webhooks`, { url: to, types: ['*'] });
    expect(made.status).toBe(201);
    return made.body as { id: number; secret: string };
  };
  return { sql, env, first, account, webhookTo };
}

/** Changes the names of some guests again and again, also while services end, until `finish` is called. */
function writeTo(services: () => Running[], token: string) {
  let going = true;
  let answered = 0;
  /** The service that answered each client last. */
  const lastService: Running[] = [];
  const clients = Array.from({ length: 4 }, async (_, client) => {
    for (let n = 0; going; n++) {
      const body = { email: `guest${n % 5}-${client}@gmail.com`, first_name: `name ${n}` };
      for (const service of services().slice(0, 1)) {
        const answer = await clientOf(service)
          .call('POST', '/v1/contact', { token, body })
          .catch(() => undefined);
        lastService[client] = service;
        if (answer?.status === 200) answered++;
        else await pause(20);
      }
      await pause(5);
    }
  });
  return {
    answered: () => answered,
    /** Waits until no client waits for another service. */
    moved: (to: Running) => until(() => lastService.length === 4 && lastService.every((service) => service === to)),
    finish: async () => {
      going = false;
      await Promise.all(clients);
    },
  };
}

/** The ids of the events in the database, in order, by contact. */
async function committed(service: Running, accountId: number, token: string): Promise<Map<number, string[]>> {
  const ids = new Map<number, string[]>();
  for (let after: string | null = null; ; ) {
    const query = new URLSearchParams({ account_id: String(accountId), limit: '1000', ...(after && { after }) });
    const { status, body } = await clientOf(service).call('GET', `/v1/events?${query}`, { token });
    expect(status).toBe(200);
    for (const { id, data } of body.data) ids.set(data.contact_id, [...(ids.get(data.contact_id) ?? []), id]);
    if (body.data.length === 0) return ids;
    after = body.next;
  }
}

/** The ids that arrived, each at its first arrival, by contact. */
function arrived(all: Received[]): Map<number, string[]> {
  const ids = new Map<number, string[]>();
  for (const { event } of all) {
    const known = ids.get(event.data.contact_id) ?? [];
    if (!known.includes(event.id)) ids.set(event.data.contact_id, [...known, event.id]);
  }
  return ids;
}

async function allArrive(service: Running, account: { id: number; token: string }, all: Received[]) {
  const wanted = await committed(service, account.id, account.token);
  const count = [...wanted.values()].flat().length;
  await until(
    () => new Set(all.map(({ event }) => event.id)).size >= count,
    40_000,
    () => `${all.length} of ${count}`,
  );
  expect(Object.fromEntries(arrived(all))).toEqual(Object.fromEntries(wanted));
}

const senderOf = async (sql: Run) =>
  (await sql<{ sender: string | null }>`select sender from event_streams`)[0]?.sender ?? null;

describe('every committed event arrives, in the order of each contact', () => {
  it('if the service is killed while it sends, and started again', async () => {
    const { env, first, account, webhookTo } = await setUp();
    const to = await receiver();
    to.state.answer = (response) => void setTimeout(() => response.end('ok'), 20);
    await webhookTo(to.url);
    const services = [first];
    const writing = writeTo(() => services, account.token);
    await to.count(100);
    await first.stop('SIGKILL');
    const arrivedBefore = to.all.length;
    services[0] = await start({ env });
    const answeredBefore = writing.answered();
    await until(() => writing.answered() > answeredBefore + 50);
    await writing.finish();
    await allArrive(services[0], account, to.all);
    expect(to.all.length).toBeGreaterThan(arrivedBefore);
    expect(await services[0].stop()).toBe(0);
  });

  it.each(['SIGSTOP', 'SIGTERM'] as const)(
    'if a second process runs, and the one that sends gets a %s',
    async (signal) => {
      const { sql, env, first, account, webhookTo } = await setUp();
      const to = await receiver();
      to.state.answer = (response) => void setTimeout(() => response.end('ok'), 5);
      await webhookTo(to.url);
      const services = [first];
      const writing = writeTo(() => services, account.token);
      await to.count(10);
      const sender = await senderOf(sql);
      const second = await start({ env });
      services[0] = second;
      await writing.moved(second);
      await to.count(100);
      expect(await senderOf(sql)).toBe(sender);
      if (signal === 'SIGSTOP') first.child.kill(signal);
      else expect(await first.stop(signal)).toBe(0);
      // A sender that is stopped gives the account back. One that says nothing is replaced when its lease has ended.
      await until(async () => ![null, sender].includes(await senderOf(sql)));
      const seen = to.all.length;
      await to.count(seen + 100);
      if (signal === 'SIGSTOP') {
        const successor = await senderOf(sql);
        first.child.kill('SIGCONT');
        const later = to.all.length;
        await to.count(later + 100);
        expect(await senderOf(sql)).toBe(successor);
        expect(await first.stop()).toBe(0);
      }
      await writing.finish();
      await allArrive(second, account, to.all);
      expect(await second.stop()).toBe(0);
    },
  );
});

describe('a receiver with HTTPS', () => {
  it('gets signed events if its certificate is trusted, and nothing if it is not', async () => {
    const folder = temporaryFolder();
    const file = (name: string) => join(folder, name);
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
    const key = ['-newkey', 'rsa:2048', '-nodes'];
    openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test CA', '-days', '2');
    const certificate = (name: string, alternative: string) => {
      openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
      execFileSync(
        'bash',
        [
          '-c',
          `openssl x509 -req -in ${name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out ${name}.pem -extfile <(printf 'subjectAltName=${alternative}')`,
        ],
        { cwd: folder, stdio: 'pipe' },
      );
      return { key: readFileSync(file(`${name}.key`), 'utf8'), cert: readFileSync(file(`${name}.pem`), 'utf8') };
    };
    const trusted = await receiver(certificate('trusted', 'IP:127.0.0.1'));
    const misnamed = await receiver(certificate('misnamed', 'DNS:other.example'));
    openssl('req', '-x509', ...key, '-keyout', 'own.key', '-out', 'own.pem', '-subj', '/CN=own', '-days', '2');
    const own = { key: readFileSync(file('own.key'), 'utf8'), cert: readFileSync(file('own.pem'), 'utf8') };
    const untrusted = await receiver(own);

    const { first, account, webhookTo } = await setUp({ NODE_EXTRA_CA_CERTS: file('ca.pem') });
    const webhook = await webhookTo(trusted.url);
    const body = { email: 'ana@gmail.com' };
    expect((await clientOf(first).call('POST', '/v1/contact', { token: account.token, body })).status).toBe(200);
    await trusted.count(1);
    const [received] = trusted.all;
    expect(received && trusted.verify(webhook.secret, received)).toEqual(received?.event);
    expect(received?.event.type).toBe('contact.created');
    expect(() => received && trusted.verify('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', received)).toThrow();

    for (const [to, error] of [
      [untrusted, /self-signed certificate/],
      [misnamed, /does not match certificate's altnames/],
    ] as const) {
      const { id } = await webhookTo(to.url);
      const answer = await first.admin('POST', `/accounts/${account.id}/webhooks/${id}/test`, {});
      expect(answer.body).toMatchObject({ delivered: false, status_code: null, error: expect.stringMatching(error) });
      expect(to.all).toEqual([]);
    }
    expect(await first.stop()).toBe(0);
  });
});
