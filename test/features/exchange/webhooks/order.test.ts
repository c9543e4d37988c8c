import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '../../../../src/platform/db/sql.ts';
import { type TestApp, testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { latch } from '../../../support/latch.ts';
import { type Answer, answers, receiver, until } from '../../../support/receiver.ts';
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

/** An account whose webhook gets the changes of first names. */
async function setUp() {
  const at = await webhookAccount(app);
  const to = await receiver();
  const webhook = await at.create(to.url, { types: ['contact.created', 'contact.updated'] });
  /** The events that were answered with a 2xx, in the order of the answers. */
  const delivered: { id: string; contactId: number }[] = [];
  const accepting = (answer: Answer) => {
    to.state.answer = (response, received) => {
      response.on('finish', () => {
        const { id, data } = received.event;
        if (response.statusCode < 300) delivered.push({ id, contactId: data.contact_id });
      });
      answer(response, received);
    };
  };
  accepting(answers.ok);
  const name = (guest: number, first_name: string) =>
    at.write({ email: `guest-${guest}-${at.id}@gmail.com`, first_name });
  /** The ids of the events of each contact, in the order of the feed. */
  const feed = async () => {
    const { body } = await app.call('GET', '/v1/events', {
      token: at.token,
      query: { account_id: String(at.id), limit: '1000', 'types[]': 'contact.created' },
    });
    const { body: updated } = await app.call('GET', '/v1/events', {
      token: at.token,
      query: { account_id: String(at.id), limit: '1000', 'types[]': 'contact.updated' },
    });
    return [...body.data, ...updated.data].sort((a, b) => (a.id < b.id ? -1 : 1));
  };
  const settled = () =>
    until(async () => {
      await hurry(sql, at.id);
      await pause(300);
      return (await at.deliveries(webhook, '?state=pending')).length === 0;
    }, 150_000);
  return { at, to, webhook, delivered, accepting, name, feed, settled };
}

/** The ids by contact, each once: where it came first. */
function firstOfEach(all: { id: string; contactId: number }[]): Map<number, string[]> {
  const ids = new Map<number, string[]>();
  for (const { id, contactId } of all) {
    const known = ids.get(contactId) ?? [];
    if (!known.includes(id)) ids.set(contactId, [...known, id]);
  }
  return ids;
}

const failures: Answer[] = [answers.status(500), answers.status(429), answers.status(302), answers.reset];

describe('events of one contact', () => {
  it('arrive in order and at least once, whatever fails, is sent again or replayed', async () => {
    const guests = 30;
    const step = fc.record({
      guest: fc.nat({ max: guests - 1 }),
      next: fc.constantFrom('nothing', 'nothing', 'nothing', 'hurry', 'resend', 'replay'),
    });
    const run = fc.record({
      steps: fc.array(step, { minLength: 100, maxLength: 140 }),
      // Rarely enough that no delivery fails ten times.
      fails: fc.infiniteStream(
        fc.oneof(
          { weight: 3, arbitrary: fc.constant(answers.ok) },
          { weight: 1, arbitrary: fc.constantFrom(...failures) },
        ),
      ),
    });
    await fc.assert(
      fc.asyncProperty(run, async ({ steps, fails }) => {
        const { at, to, webhook, delivered, accepting, name, feed, settled } = await setUp();
        const since = new Date().toISOString();
        accepting((response, received) => {
          const { value = answers.ok } = fails.next();
          value(response, received);
        });
        for (const [number, { guest, next }] of steps.entries()) {
          await name(guest, `name ${number}`);
          if (next === 'hurry') await hurry(sql, at.id);
          if (next === 'replay') await app.admin('POST', `${webhook.path}/replay`, { since });
          if (next !== 'resend') continue;
          const [one] = await at.deliveries(webhook);
          if (one) await app.admin('POST', `${webhook.path}/deliveries/${one.id}/resend`, {});
        }
        const expected = await feed();
        const isDone = async () => {
          await hurry(sql, at.id);
          await pause(300);
          return distinct() === expected.length;
        };
        const distinct = () => new Set(delivered.map(({ id }) => id)).size;
        await until(isDone, 150_000, () => `${distinct()} of ${expected.length}`);
        accepting(answers.ok);
        await settled();
        const wanted = firstOfEach(expected.map(({ id, data }) => ({ id, contactId: data.contact_id })));
        expect(Object.fromEntries(firstOfEach(delivered))).toEqual(Object.fromEntries(wanted));
        expect(to.all.length).toBeGreaterThan(expected.length);
        expect(sending.errors).toEqual([]);
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });

  it('that a replay finds in flight are sent once more after the earlier ones', async () => {
    const { at, to, webhook, accepting, name } = await setUp();
    const since = new Date().toISOString();
    await name(1, 'A');
    await name(1, 'B');
    await to.count(2);
    const { opened, open } = latch();
    accepting((response) => void opened.then(() => response.end('ok')));
    await name(1, 'C');
    await to.count(3);
    expect((await app.admin('POST', `${webhook.path}/replay`, { since })).status).toBe(202);
    // The sender has gone back when the stored place has.
    await until(async () => {
      const [row] = await sql<{ replay_position: number | null }>`
        select replay_position from webhooks where account_id = ${at.id}`;
      return row?.replay_position === null;
    });
    accepting(answers.ok);
    open();
    await to.count(6);
    expect(to.all.slice(3).map(({ event }) => event.id)).toEqual(to.all.slice(0, 3).map(({ event }) => event.id));
  });

  it('wait for a receiver that hangs for one contact, and those of other contacts do not', async () => {
    const { to, accepting, name } = await setUp();
    const { opened, open } = latch();
    const first = await name(1, 'A');
    await to.count(1);
    accepting((response, { event }) => {
      if (event.data.contact_id === first) void opened.then(() => response.end('ok'));
      else answers.ok(response);
    });
    for (const text of ['B', 'C']) await name(1, text);
    for (let guest = 2; guest < 60; guest++) await name(guest, 'A');
    await to.count(60);
    const ofFirst = () => to.all.filter(({ event }) => event.data.contact_id === first);
    expect(ofFirst()).toHaveLength(2);
    open();
    await to.count(61);
    expect(ofFirst()).toHaveLength(3);
  });
});
