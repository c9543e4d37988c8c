import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '../../../../src/platform/db/sql.ts';
import { type TestApp, testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { freePort } from '../../../support/port.ts';
import { answers, receiver, until } from '../../../support/receiver.ts';
import { startSender, webhookAccount } from '../../../support/webhooks.ts';
import { appendMany, hurry } from './hurry.ts';

let app: TestApp;
let sql: Run;
beforeAll(async () => {
  app = await testApp({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
  sql = await superuser(app.database);
});

const only = { types: ['contact.created'] };

/** The number of rows of deliveries. */
async function countRows(webhookId: number, state: string): Promise<number> {
  const [row] = await sql<{ n: number }>`
    select count(*) as n from webhook_deliveries where webhook_id = ${webhookId} and state = ${state}`;
  return row?.n ?? 0;
}

describe('a hundred webhooks', () => {
  const [healthy, writes] = [98, 20];
  /** Sends events to them, and perhaps to two broken ones. Returns the time. */
  async function run(withBroken: boolean): Promise<number> {
    const sending = startSender(app.db, { timeoutMs: 120_000 });
    const at = await webhookAccount(app);
    const to = await receiver();
    for (let n = 0; n < healthy; n++) await at.create(`${to.url}/${n}`, only);
    const hanging = await receiver();
    hanging.state.answer = answers.hang;
    const dead = withBroken ? await at.create(`http://127.0.0.1:${await freePort()}/`, only) : undefined;
    if (withBroken) await at.create(hanging.url, only);
    const began = Date.now();
    const ids: number[] = [];
    for (let n = 0; n < writes; n++) ids.push(await at.write());
    await to.count(healthy * writes, 60_000);
    const took = Date.now() - began;
    for (let n = 0; n < healthy; n++) {
      const own = to.all.filter(({ path }) => path === `/hook/${n}`);
      expect(own.map(({ event }) => event.data.contact_id).sort((a, b) => a - b)).toEqual(ids);
    }
    if (dead) {
      // The broken ones still have work.
      await until(async () => (await countRows(dead.id, 'pending')) === writes);
      expect(hanging.all.length).toBeGreaterThan(0);
    }
    expect(sending.errors).toEqual([]);
    hanging.state.answer = answers.ok;
    await sending.stop();
    return took;
  }

  it('get all events in about the same time if one is dead and one hangs', async () => {
    const without = await run(false);
    const withBroken = await run(true);
    expect(withBroken).toBeLessThan(3 * without + 5000);
  });
});

describe('webhooks that hang', () => {
  it('do not take the room of others, even if they are many', async () => {
    const sending = startSender(app.db, { timeoutMs: 120_000 });
    const [bad, good] = [await webhookAccount(app), await webhookAccount(app)];
    const hanging = await receiver();
    hanging.state.answer = answers.hang;
    for (let n = 0; n < 40; n++) await bad.create(hanging.url, only);
    // Each has 8 requests in flight: more in all than the service has at a time.
    await appendMany(sql, bad.id, 1, 20);
    await hanging.count(250, 30_000);
    const to = await receiver();
    await good.create(to.url, only);
    for (let n = 0; n < 20; n++) await good.write();
    await to.count(20, 30_000);
    expect(sending.errors).toEqual([]);
    await sending.stop();
  });
});

describe('a webhook that is down', () => {
  it('gets few rows for many events, and reads little', async () => {
    const sending = startSender(app.db);
    const at = await webhookAccount(app);
    const webhook = await at.create(`http://127.0.0.1:${await freePort()}/`, only);
    await appendMany(sql, at.id, 100, 500);
    await until(async () => (await countRows(webhook.id, 'pending')) >= 20);
    // It had time for more.
    await pause(3000);
    expect(await countRows(webhook.id, 'pending')).toBeLessThan(600);
    const [place] = await sql<{ read: number; last: number }>`
      select w.position as read, last_position as last from webhooks w join event_streams using (account_id) where w.id = ${webhook.id}`;
    expect(place?.last).toBe(100);
    expect(place?.read).toBeLessThan(5);
    expect(sending.errors).toEqual([]);
    await sending.stop();
  });

  it('gets everything when it is back, also the rest of a transaction with many events', async () => {
    const sending = startSender(app.db);
    const at = await webhookAccount(app);
    const to = await receiver();
    to.state.answer = answers.status(503);
    const webhook = await at.create(to.url, only);
    await appendMany(sql, at.id, 2, 500);
    // The first row, and one event of the second, with which the sender looks whether the webhook is back.
    await until(async () => (await countRows(webhook.id, 'pending')) >= 501);
    to.state.answer = answers.ok;
    await hurry(sql, at.id);
    const distinct = () => new Set(to.all.map(({ event }) => event.id)).size;
    await until(
      () => distinct() === 1000,
      60_000,
      () => `${distinct()} of 1000`,
    );
    await until(async () => (await countRows(webhook.id, 'delivered')) === 1000);
    expect(sending.errors).toEqual([]);
    await sending.stop();
  });
});

describe('transactions with many events', () => {
  it('arrive whole if a process ended in the middle of one, and no event follows', async () => {
    const at = await webhookAccount(app);
    const to = await receiver();
    const webhook = await at.create(to.url, only);
    await appendMany(sql, at.id, 1, 500);
    const feed = await app.call('GET', `/v1/events?account_id=${at.id}&limit=1`, { token: at.token });
    expect(feed.body.data).toHaveLength(1);
    // The first 100 events were sent, and nothing else is stored.
    await sql`
      update webhooks set position = last_position, place = 99
      from event_streams where webhooks.id = ${webhook.id} and event_streams.account_id = webhooks.account_id`;
    const sending = startSender(app.db);
    await to.count(400);
    expect(new Set(to.all.map(({ event }) => event.id)).size).toBe(400);
    expect(sending.errors).toEqual([]);
    await sending.stop();
  });

  it.each([0, 100])('arrive whole, also if no event follows (an answer takes %i ms)', async (ms) => {
    const sending = startSender(app.db);
    const at = await webhookAccount(app);
    const to = await receiver();
    to.state.answer = (response) => void setTimeout(() => response.end('ok'), ms);
    await at.create(to.url, only);
    await appendMany(sql, at.id, 4, 500);
    await to.count(2000, 60_000);
    expect(sending.errors).toEqual([]);
    await sending.stop();
  });
});
