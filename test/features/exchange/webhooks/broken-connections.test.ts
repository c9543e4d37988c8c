import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool } from '../../../../src/platform/db/database.ts';
import type { Run } from '../../../../src/platform/db/sql.ts';
import { type TestApp, testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { answers, receiver, until } from '../../../support/receiver.ts';
import { startSender, webhookAccount } from '../../../support/webhooks.ts';
import { hurry } from './hurry.ts';
import { tappingProxy } from './tapping-proxy.ts';

let app: TestApp;
let sql: Run;
let proxy: Awaited<ReturnType<typeof tappingProxy>>;
beforeAll(async () => {
  app = await testApp({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
  sql = await superuser(app.database);
  // The sender alone is behind the proxy.
  proxy = await tappingProxy(app.database.url);
});

/** A sender whose connections are new: later ones send only the names of statements. */
function startCutSender() {
  const db = openPool({ url: proxy.url, connections: 4 });
  afterAll(() => db.close());
  return startSender(db);
}

describe('a database connection that breaks', () => {
  it.each([
    ['while results are stored', { text: 'update webhooks w set', when: 'before' }],
    ['at the commit of results', { text: 'update webhooks w set', when: 'after' }],
    ['while events are read', { text: 'sum(bytes) over (order by position) - bytes', when: 'before' }],
    ['while positions are given', { text: 'update events set position', when: 'before' }],
  ] as const)('%s loses nothing, and no further event is needed', async (_, cut) => {
    const at = await webhookAccount(app);
    const to = await receiver();
    let fails = true;
    to.state.answer = (response, received) => {
      if (fails && received.event.data.contact_id === ids[0]) answers.status(500)(response);
      else answers.ok(response);
    };
    const webhook = await at.create(to.url, { types: ['contact.created'] });
    const ids = [await at.write()];
    for (let n = 0; n < 4; n++) ids.push(await at.write());
    const before = proxy.state.cuts;
    proxy.state.cut = cut;
    const sending = startCutSender();
    await until(() => proxy.state.cuts === before + 1);
    const contacts = () => new Set(to.all.map(({ event }) => event.data.contact_id));
    await until(() => contacts().size === ids.length);
    await until(async () => (await at.deliveries(webhook, '?state=delivered')).length >= ids.length - 1);
    fails = false;
    await until(async () => {
      await hurry(sql, at.id);
      await pause(300);
      return (await at.deliveries(webhook, '?state=pending')).length === 0;
    });
    expect([...contacts()].sort((a, b) => a - b)).toEqual(ids);
    // Results that were sent to the database twice are stored once.
    const rows: { event_id: string }[] = await at.deliveries(webhook, '?state=delivered');
    expect(new Set(rows.map(({ event_id }) => event_id)).size).toBe(ids.length);
    expect(rows).toHaveLength(ids.length);
    await sending.stop();
  });

  it('again and again under writes loses nothing', async () => {
    const at = await webhookAccount(app);
    const to = await receiver();
    const webhook = await at.create(to.url, { types: ['contact.created'] });
    const sending = startCutSender();
    const ids: number[] = [];
    for (let n = 0; n < 40; n++) {
      ids.push(await at.write());
      if (n % 8 !== 4) continue;
      await to.count(1);
      const { cuts } = proxy.state;
      proxy.state.cut = { text: 'app.account_id', when: n % 16 === 4 ? 'before' : 'after' };
      await until(() => proxy.state.cuts > cuts);
    }
    const contacts = () => new Set(to.all.map(({ event }) => event.data.contact_id));
    await until(
      () => contacts().size === ids.length,
      20_000,
      () => `${contacts().size} of ${ids.length}`,
    );
    // The results of the last ones may be stored a second later.
    await until(async () => (await at.deliveries(webhook, '?state=delivered')).length === ids.length);
    expect(await at.deliveries(webhook, '?state=pending')).toEqual([]);
    await sending.stop();
  });
});
