import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../../support/app.ts';
import { answers, type Received, receiver, until } from '../../../support/receiver.ts';
import { startSender, webhookAccount } from '../../../support/webhooks.ts';

let app: TestApp;
let sending: ReturnType<typeof startSender>;
beforeAll(async () => {
  app = await testApp({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
  sending = startSender(app.db);
});

describe('a webhook', () => {
  it('gets each event once, signed by the specification, in the shape of the feed', async () => {
    const at = await webhookAccount(app);
    const before = await at.write();
    const to = await receiver();
    const webhook = await at.create(to.url);
    const id = await at.write({ first_name: 'Ana', allow_email: true });
    await to.count(2);
    await pause(300);
    const { body: feed } = await app.call('GET', '/v1/events', {
      token: at.token,
      query: { account_id: String(at.id) },
    });
    expect(to.all.map(({ event }) => event)).toEqual(
      feed.data.filter(({ data }: { data: { contact_id: number } }) => data.contact_id === id),
    );
    expect(to.all.map(({ event }) => event.type)).toEqual(['contact.created', 'consent.changed']);
    expect(before).not.toBe(id);
    for (const received of to.all) {
      expect(to.verify(webhook.secret, received)).toEqual(received.event);
      expect(received.headers['webhook-id']).toBe(received.event.id);
      expect(received.headers['content-type']).toBe('application/json');
    }
    expect(() => to.verify(webhook.secret, { ...(to.all[0] as Received), body: `${to.all[0]?.body} ` })).toThrow();
    const all = await at.deliveries(webhook);
    expect(all).toMatchObject([
      { state: 'delivered', event_id: to.all[1]?.event.id, type: 'consent.changed', next_attempt_at: null },
      { state: 'delivered', attempts: [{ status_code: 200, error: null, response: 'ok' }] },
    ]);
    expect(sending.errors).toEqual([]);
  });

  it('gets only events of its types', async () => {
    const at = await webhookAccount(app);
    const to = await receiver();
    await at.create(to.url, { types: ['note.added'] });
    const id = await at.write({ notes: [{ text: 'hello' }] });
    await to.count(1);
    await pause(200);
    expect(to.all.map(({ event }) => [event.type, event.data.contact_id])).toEqual([['note.added', id]]);
  });

  it('tries again after 5 seconds, and holds back only later events of the same contact', async () => {
    const at = await webhookAccount(app);
    const to = await receiver();
    const webhook = await at.create(to.url, { types: ['contact.created', 'contact.updated'] });
    let fails = true;
    let first = -1;
    const one = at.write({ email: `one-${at.id}@gmail.com`, first_name: 'A' });
    to.state.answer = (response, { event }) => {
      if (first === -1) first = event.data.contact_id;
      if (event.data.contact_id === first && fails) answers.status(500)(response);
      else answers.ok(response);
    };
    await one;
    await to.count(1);
    await at.write({ email: `one-${at.id}@gmail.com`, first_name: 'B' });
    const other = await at.write({ email: `two-${at.id}@gmail.com`, first_name: 'C' });
    await to.count(2);
    expect(to.all[1]?.event.data.contact_id).toBe(other);
    await until(async () => (await at.deliveries(webhook, '?state=pending')).length === 2);
    expect(await at.deliveries(webhook, '?state=pending')).toMatchObject([
      { state: 'pending', next_attempt_at: null, attempts: [] },
      { state: 'pending', attempts: [{ status_code: 500, error: 'The receiver answered 500.' }] },
    ]);
    fails = false;
    await to.count(4, 8000);
    expect(to.all.slice(2).map(({ event }) => [event.data.contact_id, event.type])).toEqual([
      [first, 'contact.created'],
      [first, 'contact.updated'],
    ]);
    const wait = (to.all[2]?.at ?? 0) - (to.all[0]?.at ?? 0);
    expect(wait).toBeGreaterThan(4900);
    expect(wait).toBeLessThan(7000);
    await until(async () => (await at.deliveries(webhook, '?state=pending')).length === 0);
    expect(await at.deliveries(webhook)).toHaveLength(3);
  });

  it('is disabled by a 410, waits while it is paused, and goes on where it stopped', async () => {
    const at = await webhookAccount(app);
    const to = await receiver();
    const webhook = await at.create(to.url, { types: ['contact.created'] });
    to.state.answer = answers.status(410);
    await at.write();
    const shown = async () => (await app.admin('GET', webhook.path)).body;
    await until(async () => (await shown()).status === 'disabled');
    expect(await shown()).toMatchObject({ disabled_reason: 'The receiver answered 410 (gone).' });
    to.state.answer = answers.ok;
    const second = await at.write();
    await pause(400);
    expect(to.all).toHaveLength(1);
    await app.admin('PATCH', webhook.path, { status: 'active' });
    await to.count(2);
    expect(to.all[1]?.event.data.contact_id).toBe(second);
    expect(await shown()).toMatchObject({ status: 'active', disabled_reason: null, failing_since: null });
    await app.admin('PATCH', webhook.path, { status: 'paused' });
    await pause(400);
    const third = await at.write();
    await pause(400);
    expect(to.all).toHaveLength(2);
    await app.admin('PATCH', webhook.path, { status: 'active' });
    await to.count(3);
    expect(to.all[2]?.event.data.contact_id).toBe(third);
  });

  it('gets an event again by resend, and all events since a time by replay, in order', async () => {
    const at = await webhookAccount(app);
    const to = await receiver();
    const webhook = await at.create(to.url, { types: ['contact.created'] });
    const since = new Date().toISOString();
    const ids = [await at.write(), await at.write(), await at.write()];
    await to.count(3);
    await until(async () => (await at.deliveries(webhook)).length === 3);
    const [newest] = await at.deliveries(webhook);
    const { status } = await app.admin('POST', `${webhook.path}/deliveries/${newest.id}/resend`, {});
    expect(status).toBe(202);
    await to.count(4);
    expect(to.all[3]?.event).toEqual(to.all.find(({ event }) => event.id === newest.event_id)?.event);
    await until(async () => (await at.deliveries(webhook))[0].attempts.length === 2);
    expect((await app.admin('POST', `${webhook.path}/replay`, { since })).status).toBe(202);
    await to.count(7);
    await pause(400);
    expect(to.all.slice(4).map(({ event }) => event.data.contact_id)).toEqual(ids);
    const fourth = await at.write();
    await to.count(8);
    expect(to.all[7]?.event.data.contact_id).toBe(fourth);
    expect((await app.admin('POST', `${webhook.path}/replay`, { since: '2999-01-01 00:00:00' })).status).toBe(422);
  });

  it('signs with both secrets after a rotation', async () => {
    const at = await webhookAccount(app);
    const to = await receiver();
    const webhook = await at.create(to.url);
    const { body } = await app.admin('POST', `${webhook.path}/rotate_secret`, {});
    expect(body.secret).not.toBe(webhook.secret);
    await pause(400);
    await at.write();
    await to.count(1);
    const received = to.all[0] as Received;
    expect(String(received.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(to.verify(webhook.secret, received)).toEqual(received.event);
    expect(to.verify(body.secret, received)).toEqual(received.event);
  });

  it('gets a test event now, and shows what the receiver answered', async () => {
    const at = await webhookAccount(app);
    const to = await receiver();
    const webhook = await at.create(to.url);
    const test = () => app.admin('POST', `${webhook.path}/test`, {});
    expect((await test()).body).toMatchObject({ delivered: true, status_code: 200, response: 'ok', error: null });
    const received = to.all[0] as Received;
    expect(to.verify(webhook.secret, received)).toMatchObject({ type: 'webhook.test', account_id: at.id });
    to.state.answer = answers.status(301, { location: 'http://127.0.0.1:1/' });
    expect((await test()).body).toMatchObject({ delivered: false, status_code: 301 });
    expect(to.all).toHaveLength(2);
  });
});
