import { beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '../../../../src/platform/db/sql.ts';
import { type TestApp, testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { answers, receiver, until } from '../../../support/receiver.ts';
import { startSender, webhookAccount } from '../../../support/webhooks.ts';
import { hurry } from './hurry.ts';

let app: TestApp;
let sql: Run;
beforeAll(async () => {
  app = await testApp({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
  sql = await superuser(app.database);
});

/** An account with a webhook for new contacts, whose receiver answers this. */
async function failing(answer = answers.status(500)) {
  const at = await webhookAccount(app);
  const to = await receiver();
  to.state.answer = answer;
  const webhook = await at.create(to.url, { types: ['contact.created'] });
  /** Waits until this many attempts of the first delivery are stored. */
  const attempted = async (count: number) => {
    await until(async () => (await at.deliveries(webhook)).at(-1)?.attempts.length >= count);
    return (await at.deliveries(webhook)).at(-1);
  };
  return { at, to, webhook, attempted, shown: async () => (await app.admin('GET', webhook.path)).body };
}

/** The seconds from the last attempt to the next. */
const pauseOf = (delivery: { next_attempt_at: string; attempts: { at: string }[] }) =>
  (Date.parse(delivery.next_attempt_at) - Date.parse(delivery.attempts.at(-1)?.at ?? '')) / 1000;

const minute = 60;
const hour = 60 * minute;
const pauses = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];

describe('the schedule of attempts', () => {
  it('has the pauses of the contract, also for a sender that starts in between, and then gives up', async () => {
    let sending = startSender(app.db);
    const { at, to, webhook, attempted } = await failing();
    const id = await at.write({ email: `one-${at.id}@gmail.com` });
    for (const [place, seconds] of pauses.entries()) {
      const delivery = await attempted(place + 1);
      expect(delivery.state).toBe('pending');
      expect(pauseOf(delivery), `pause ${place + 1}`).toBeGreaterThanOrEqual(seconds - 0.1);
      expect(pauseOf(delivery), `pause ${place + 1}`).toBeLessThan(seconds * 1.1 + 3);
      if (place === 4) {
        await sending.stop();
        await hurry(sql, at.id);
        sending = startSender(app.db);
      } else await hurry(sql, at.id);
    }
    const last = await attempted(10);
    expect([last.state, last.next_attempt_at, last.attempts.length]).toEqual(['failed', null, 10]);
    expect(to.all.map(({ event }) => event.data.contact_id)).toEqual(Array.from({ length: 10 }, () => id));
    expect(new Set(to.all.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    // The events after it go on, and it can still be sent by hand.
    to.state.answer = answers.ok;
    await at.write();
    await to.count(11);
    await app.admin('POST', `${webhook.path}/deliveries/${last.id}/resend`, {});
    await to.count(12);
    await until(async () => (await at.deliveries(webhook, '?state=delivered')).length === 2);
    expect(sending.errors).toEqual([]);
    await sending.stop();
  });

  it('starts again, at once, if a delivery that waits is sent again', async () => {
    const sending = startSender(app.db);
    const { at, to, webhook, attempted } = await failing();
    await at.write();
    await attempted(1);
    await hurry(sql, at.id);
    // The next attempt is in five minutes.
    const delivery = await attempted(2);
    await app.admin('POST', `${webhook.path}/deliveries/${delivery.id}/resend`, {});
    const again = await attempted(3);
    expect(pauseOf(again)).toBeLessThan(10);
    expect(to.all).toHaveLength(3);
    await sending.stop();
  });
});

describe('an attempt that staff ask for', () => {
  it('while one is in flight comes after it, and starts the schedule again', async () => {
    const sending = startSender(app.db);
    const { at, to, webhook, attempted } = await failing();
    await at.write();
    await attempted(1);
    const waiting: (() => void)[] = [];
    to.state.answer = (response) => void waiting.push(() => response.writeHead(500).end());
    await hurry(sql, at.id);
    await to.count(2);
    const [delivery] = await at.deliveries(webhook);
    await app.admin('POST', `${webhook.path}/deliveries/${delivery.id}/resend`, {});
    // The sender has read the request when it has read the pause of the webhook that came after it.
    await app.admin('PATCH', webhook.path, { status: 'paused' });
    await at.write();
    await until(
      async () => (await sql`select from events where account_id = ${at.id} and position is null`).length === 0,
    );
    await app.admin('PATCH', webhook.path, { status: 'active' });
    to.state.answer = answers.status(500);
    for (const answer of waiting) answer();
    const again = await attempted(3);
    expect(to.all.filter(({ event }) => event.id === delivery.event_id)).toHaveLength(3);
    expect(pauseOf(again)).toBeLessThan(10);
    await sending.stop();
  });
});

describe('Retry-After', () => {
  const date = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();
  it.each([
    ['seconds', 429, () => '1800', 1800],
    ['a date', 503, () => date(900), 900],
    ['seconds for another status', 500, () => '600', 600],
    ['less than the usual pause', 429, () => '1', 5],
    ['a date in the past', 503, () => date(-900), 5],
    ['more than a day', 429, () => '99999999', 24 * hour],
    ['no time', 503, () => 'soon', 5],
    ['a negative number', 503, () => '-1000', 5],
  ])('%s is honoured', async (_, status, header, seconds) => {
    const sending = startSender(app.db);
    const { at, attempted } = await failing(answers.status(status, { 'retry-after': header() }));
    await at.write();
    const delivery = await attempted(1);
    expect(pauseOf(delivery)).toBeGreaterThanOrEqual(seconds - 3);
    expect(pauseOf(delivery)).toBeLessThan(seconds + 10);
    await sending.stop();
  });
});

describe('a webhook that failed for 5 days', () => {
  async function failingFor(days: number) {
    let sending = startSender(app.db);
    const { at, to, webhook, attempted, shown } = await failing();
    await at.write();
    await attempted(1);
    expect(await shown()).toMatchObject({ status: 'active', failing_since: expect.any(String) });
    await sending.stop();
    await sql`
      update webhooks set failing_since = now() - make_interval(secs => ${days * 24 * hour}) where id = ${webhook.id}`;
    await hurry(sql, at.id);
    sending = startSender(app.db);
    await to.count(2);
    return { sending, at, to, webhook, attempted, shown };
  }

  it('is disabled at the next failure, and staff see why', async () => {
    const { sending, at, to, webhook, attempted, shown } = await failingFor(5.01);
    await attempted(2);
    await until(async () => (await shown()).status === 'disabled');
    expect((await shown()).disabled_reason).toBe('All attempts failed for 5 days.');
    expect(sending.disabled).toEqual(['All attempts failed for 5 days.']);
    const audit = await sql`select from audit_trail where account_id = ${at.id} and action = 'webhook.disable'`;
    expect(audit).toHaveLength(1);
    // Events wait for staff.
    await hurry(sql, at.id);
    await at.write();
    to.state.answer = answers.ok;
    await app.admin('PATCH', webhook.path, { status: 'active' });
    await to.count(4);
    await until(async () => (await shown()).failing_since === null);
    expect((await shown()).status).toBe('active');
    await until(async () => (await at.deliveries(webhook, '?state=delivered')).length === 2);
    await sending.stop();
  });

  it('is not disabled before', async () => {
    const { sending, attempted, shown } = await failingFor(4.9);
    await attempted(2);
    expect((await shown()).status).toBe('active');
    expect(sending.disabled).toEqual([]);
    await sending.stop();
  });

  it('is not disabled if an attempt succeeds', async () => {
    const { sending, at, to, attempted, shown } = await failingFor(4.9);
    await attempted(2);
    to.state.answer = answers.ok;
    await hurry(sql, at.id);
    await until(async () => (await shown()).failing_since === null);
    expect((await shown()).status).toBe('active');
    await sending.stop();
  });
});
