import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '../../../../src/platform/db/sql.ts';
import { type TestApp, testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { latch } from '../../../support/latch.ts';
import { answers, receiver, until } from '../../../support/receiver.ts';
import { startSender, webhookAccount } from '../../../support/webhooks.ts';
import { hurry } from './hurry.ts';

let app: TestApp;
let sql: Run;
let sending: ReturnType<typeof startSender>;
beforeAll(async () => {
  app = await testApp({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
  sql = await superuser(app.database);
  sending = startSender(app.db);
});

const created = { types: ['contact.created'] };

describe('a change of a webhook', () => {
  it('of the URL counts for new events, and for those that wait', async () => {
    const at = await webhookAccount(app);
    const [before, after] = [await receiver(), await receiver()];
    before.state.answer = answers.status(500);
    const webhook = await at.create(before.url, created);
    const first = await at.write();
    await before.count(1);
    await until(async () => (await at.deliveries(webhook, '?state=pending'))[0]?.attempts.length === 1);
    expect((await app.admin('PATCH', webhook.path, { url: after.url })).status).toBe(200);
    await hurry(sql, at.id);
    await after.count(1);
    const second = await at.write();
    await after.count(2);
    expect(after.all.map(({ event }) => event.data.contact_id)).toEqual([first, second]);
    expect(before.all).toHaveLength(1);
    for (const received of after.all) expect(after.verify(webhook.secret, received)).toEqual(received.event);
  });

  it('of the types counts for events after it', async () => {
    const at = await webhookAccount(app);
    const to = await receiver();
    const webhook = await at.create(to.url, created);
    const id = await at.write({ notes: [{ text: 'hello' }] });
    await to.count(1);
    await until(async () => (await at.deliveries(webhook, '?state=delivered')).length === 1);
    await app.admin('PATCH', webhook.path, { types: ['note.added'] });
    const other = await at.write({ notes: [{ text: 'hello' }] });
    await to.count(2);
    await pause(300);
    expect(to.all.map(({ event }) => [event.type, event.data.contact_id])).toEqual([
      ['contact.created', id],
      ['note.added', other],
    ]);
  });

  it('that deletes it while requests are in flight ends it, and no other one', async () => {
    const at = await webhookAccount(app);
    const [gone, other] = [await receiver(), await receiver()];
    const { opened, open } = latch();
    gone.state.answer = (response) => void opened.then(() => answers.status(500)(response));
    const webhook = await at.create(gone.url, created);
    const kept = await at.create(other.url, created);
    for (let n = 0; n < 3; n++) await at.write();
    await gone.count(3);
    expect((await app.admin('DELETE', webhook.path)).status).toBe(204);
    const last = await at.write();
    await other.count(4);
    open();
    await at.write();
    await other.count(5);
    await hurry(sql, at.id);
    await until(async () => (await at.deliveries(kept, '?state=delivered')).length === 5);
    expect(gone.all.map(({ event }) => event.data.contact_id)).not.toContain(last);
    expect(gone.all).toHaveLength(3);
    expect(sending.errors).toEqual([]);
  });

  it('that pauses it while requests are in flight keeps their results, and the rest waits', async () => {
    const at = await webhookAccount(app);
    const to = await receiver();
    const { opened, open } = latch();
    to.state.answer = (response) => void opened.then(() => response.end('ok'));
    const webhook = await at.create(to.url, created);
    await at.write();
    await to.count(1);
    await app.admin('PATCH', webhook.path, { status: 'paused' });
    await at.write();
    open();
    await until(async () => (await at.deliveries(webhook, '?state=delivered')).length === 1);
    await pause(300);
    expect(to.all).toHaveLength(1);
    await app.admin('PATCH', webhook.path, { status: 'active' });
    await to.count(2);
    await pause(300);
    expect(to.all).toHaveLength(2);
  });
});

describe('what a receiver answers', () => {
  it('is stored, even if it is no text', async () => {
    const at = await webhookAccount(app);
    const to = await receiver();
    // Cut in the middle of a character, and with bytes that are no text.
    const bytes = Buffer.concat([Buffer.from('\0'), Buffer.from([0xff, 0xfe]), Buffer.from(`${'a'.repeat(996)}😀`)]);
    to.state.answer = (response) => void response.writeHead(500).end(bytes);
    const webhook = await at.create(to.url, created);
    await at.write();
    await until(async () => (await at.deliveries(webhook))[0]?.attempts.length === 1);
    const [{ attempts }] = await at.deliveries(webhook);
    expect(attempts[0].response).toHaveLength(1000);
    expect(sending.errors).toEqual([]);
  });
});

describe('an address that is private', () => {
  const urls = [
    ...['http://127.0.0.1/', 'https://localhost/x', 'http://2130706433:8080/', 'http://0x7f.1/', 'http://0177.0.0.1/'],
    ...['http://[::1]/', 'http://[::ffff:10.0.0.1]/', 'http://[64:ff9b::a00:1]/', 'http://[2002:7f00:1::]/'],
    ...[
      'http://169.254.169.254/latest/meta-data',
      'http://127.0.0.1./',
      'http://[fe80::1]/',
      'http://hook.localhost./',
    ],
    ...['http://[fe80::1%25eth0]/', 'http://user:pass@example.com/', 'ftp://example.com/', 'file:///etc/passwd', '//x'],
  ];

  it('is refused when a webhook is created or changed', async () => {
    const strict = await testApp();
    const at = await webhookAccount(strict);
    const webhook = await at.create('https://example.com/hook');
    for (const url of urls) {
      const wanted = { url: [expect.stringMatching(/^The url must .*\.$/)] };
      const made = await strict.admin('POST', `${at.base}/webhooks`, { url, types: ['*'] });
      expect([url, made.status, made.body.errors]).toEqual([url, 422, wanted]);
      const changed = await strict.admin('PATCH', webhook.path, { url });
      expect([url, changed.status, changed.body.errors]).toEqual([url, 422, wanted]);
    }
  });

  it('is refused at the delivery if it was allowed before', async () => {
    const strict = await testApp();
    const superSql = await superuser(strict.database);
    const at = await webhookAccount(strict);
    const to = await receiver();
    const webhook = await at.create('https://example.com/hook', created);
    await superSql`update webhooks set url = ${to.url}`;
    const sender = startSender(strict.db, { allowPrivate: false });
    await at.write();
    await until(async () => (await at.deliveries(webhook, '?state=pending'))[0]?.attempts.length === 1);
    const [{ attempts }] = await at.deliveries(webhook);
    expect(attempts[0]).toMatchObject({ status_code: null, error: expect.stringContaining('private or reserved') });
    const { body } = await strict.admin('POST', `${webhook.path}/test`, {});
    expect(body).toMatchObject({ delivered: false, error: expect.stringContaining('private or reserved') });
    expect(to.all).toEqual([]);
    await sender.stop();
  });
});
