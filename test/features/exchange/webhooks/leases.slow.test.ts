import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { answers, receiver, until } from '../../../support/receiver.ts';
import { startSender, webhookAccount } from '../../../support/webhooks.ts';
import { appendMany } from './hurry.ts';

const app = await testApp({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
const sql = await superuser(app.database);
const first = startSender(app.db);

const senderOf = async (accountId: number) => {
  const rows = await sql<{ sender: string | null }>`
    select sender from event_streams where account_id = ${accountId}`;
  return rows[0]?.sender ?? null;
};

describe('an account with webhooks', () => {
  it('has a sender only while it has work, and any process takes it then', async () => {
    const at = await webhookAccount(app);
    const to = await receiver();
    await at.create(to.url, { types: ['contact.created'] });
    await at.write();
    await to.count(1);
    expect(await senderOf(at.id)).not.toBeNull();
    await until(async () => (await senderOf(at.id)) === null);

    // The writer is in this process.
    await at.write();
    await to.count(2);
    await until(async () => (await senderOf(at.id)) === null);

    // The writer is elsewhere.
    await appendMany(sql, at.id, 3, 1);
    await to.count(5);
    await until(async () => (await senderOf(at.id)) === null);
    const before = to.all.length;

    const second = startSender(app.db);
    await first.stop();
    await at.write();
    await to.count(before + 1);
    expect([first.errors, second.errors]).toEqual([[], []]);
    expect(new Set(to.all.map(({ event }) => event.id)).size).toBe(to.all.length);
    await second.stop();
    expect(await senderOf(at.id)).toBeNull();
  });

  it('keeps its sender while a delivery waits for its next attempt', async () => {
    const third = startSender(app.db);
    const at = await webhookAccount(app);
    const to = await receiver();
    to.state.answer = answers.status(500);
    const webhook = await at.create(to.url, { types: ['contact.created'] });
    await at.write();
    // The second attempt comes after 5 seconds, the third after 5 minutes.
    await to.count(2);
    await until(async () => (await at.deliveries(webhook))[0]?.attempts.length === 2);
    const sender = await senderOf(at.id);
    expect(sender).not.toBeNull();
    await new Promise((done) => setTimeout(done, 15_000));
    expect(await senderOf(at.id)).toBe(sender);
    await third.stop();
  });
});
