import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { noteAdded } from '../../../../src/features/guests/notes/event-schema.ts';
import { appendEvents } from '../../../../src/platform/outbox/append.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { readerOf, types } from '../../../support/events.ts';
import { partner } from '../../../support/partner.ts';
import { refusal } from '../../../support/vouchers.ts';

const app = await testApp();
const { call, database, db } = app;
const sql = await superuser(database);

/** An account of its own, with its feed and the requests of a partner. */
async function open() {
  const own = await app.account();
  const { written, newEmail } = partner(app, own);
  const contact = async (more: object = {}): Promise<number> => (await written({ email: newEmail(), ...more })).id;
  const note = (text: string) => noteAdded.of({ contact_id: 1, text, created_at: '2026-03-01 12:30:00' });
  const append = (...texts: string[]) => db.tenant(own.id, (tx) => appendEvents(tx, own.id, texts.map(note)));
  return { ...own, ...readerOf(app, own), contact, append, note };
}
const textsOf = (events: { data: Record<string, unknown> }[]) => events.map((one) => one.data.text);
const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);

describe('the event feed', () => {
  it('returns the events oldest first, with ids in that order', async () => {
    const { id, contact, all, feed } = await open();
    const start = Date.now();
    const contacts: number[] = [];
    for (let n = 0; n < 5; n++) contacts.push(await contact({ notes: [{ text: `${n}` }] }));
    const { data } = await feed();
    expect(data.map((one) => one.data.contact_id)).toEqual(contacts.flatMap((one) => [one, one]));
    expect(types(data)).toEqual(contacts.flatMap(() => ['contact.created', 'note.added']));
    const ids = data.map((one) => one.id);
    expect([...new Set(ids)].sort()).toEqual(ids);
    for (const { timestamp, account_id } of data) {
      expect(account_id).toBe(id);
      expect(Math.abs(Date.parse(timestamp) - start)).toBeLessThan(600_000);
    }
    // Reading changes nothing, in pages of any size.
    for (const limit of [1, 3, 1000]) expect((await all(undefined, limit)).data).toEqual(data);
  });

  it('of an account without events is empty, and goes on from there', async () => {
    const { feed, contact } = await open();
    const { data, next } = await feed();
    expect(data).toEqual([]);
    expect(await feed({ after: next })).toEqual({ data: [], next });
    const id = await contact();
    expect((await feed({ after: next })).data).toMatchObject([{ data: { contact_id: id } }]);
  });

  it('returns at most 100 events, or as many as are wanted', async () => {
    const { append, feed, get } = await open();
    await append(...numbers(130));
    expect(textsOf((await feed()).data)).toEqual(numbers(100));
    expect(textsOf((await feed({ limit: '120' })).data)).toEqual(numbers(120));
    const { data, next } = await feed({ limit: '7' });
    expect(textsOf(data)).toEqual(numbers(7));
    expect(next).toBe(data.at(-1)?.id);
    for (const limit of ['0', '1001', 'x']) expect(refusal(await get({ limit }))).toEqual(['limit']);
  });

  it('returns only the wanted types', async () => {
    const { contact, feed, get } = await open();
    for (let n = 0; n < 3; n++) await contact({ notes: [{ text: `${n}` }], allow_email: true });
    const notes = await feed('types[]=note.added');
    expect(textsOf(notes.data)).toEqual(numbers(3));
    const two = await feed('types[]=note.added&types[]=consent.changed&limit=4');
    expect(types(two.data)).toEqual(['consent.changed', 'note.added', 'consent.changed', 'note.added']);
    const rest = await feed(`types[]=note.added&types[]=consent.changed&after=${two.next}`);
    expect(types(rest.data)).toEqual(['consent.changed', 'note.added']);
    const none = await feed('types[]=stay.recorded');
    expect(none.data).toEqual([]);
    expect((await feed({ after: none.next })).data).toEqual([]);
    expect(refusal(await get('types[]=note.removed'))).toEqual(['types.0']);
  });

  it('passes many events of other types, with a new place to go on from', async () => {
    const { id, feed, append } = await open();
    const other = JSON.stringify([{ type: 'contact.created', data: { contact_id: 1 } }]);
    await sql`
      insert into events (account_id, at, contact_ids, entries, size, bytes)
      select ${id}, now(), '{1}', ${other}::json, 1, 50 from generate_series(1, 2500)`;
    await append('at the end');
    let { data, next } = await feed('types[]=note.added');
    const places = new Set([next]);
    for (let n = 0; n < 10 && data.length === 0; n++) {
      ({ data, next } = await feed(`types[]=note.added&after=${next}`));
      expect(places).not.toContain(next);
      places.add(next);
    }
    expect(textsOf(data)).toEqual(['at the end']);
  });

  it('keeps the order of many events of one transaction, in several rows', async () => {
    const { id, append, all } = await open();
    await append(...numbers(1203));
    await append('last');
    for (const limit of [1000, 400])
      expect(textsOf((await all(undefined, limit)).data)).toEqual([...numbers(1203), 'last']);
    const rows = await sql<{ size: number }>`select size from events where account_id = ${id} order by id`;
    expect(rows.map(({ size }) => size)).toEqual([500, 500, 203, 1]);
  });

  it('splits long events into rows, and returns them over several pages', async () => {
    const { id, append, all } = await open();
    const long = numbers(40).map((n) => n.padEnd(200_000, 'x'));
    await append(...long, 'short');
    expect((await sql`select from events where account_id = ${id}`).length).toBeGreaterThan(20);
    expect(textsOf((await all()).data)).toEqual([...long, 'short']);
  });

  it('goes on after an event of any size', async () => {
    const { append, all } = await open();
    const huge = 'x'.repeat(5_000_000);
    await append(huge);
    await append('next');
    const { data } = await all();
    expect(data.map((one) => String(one.data.text).length)).toEqual([huge.length, 4]);
  });

  it('refuses an id that is not one of an event of the account', async () => {
    const [here, there] = [await open(), await open()];
    await there.contact();
    const { data, next } = await there.feed();
    const empty = (await (await open()).feed()).next;
    const shape = String(data[0]?.id);
    const wrong = [shape, next, empty, 'x', 'evt_', '1', shape.toUpperCase(), `${shape}0`, shape.slice(0, -1)];
    for (const after of wrong) expect(refusal(await here.get({ after })), after).toEqual(['after']);
    // Also if nothing is there yet, and with other errors.
    expect(refusal(await here.get({ after: shape, limit: '0' }))).toContain('limit');
  });

  it('shows an account only its own events', async () => {
    const [here, there] = [await open(), await open()];
    const [mine, other] = [await here.contact(), await there.contact()];
    expect((await here.feed()).data.map((one) => one.data.contact_id)).toEqual([mine]);
    expect((await there.feed()).data.map((one) => one.data.contact_id)).toEqual([other]);
    const own = await call('GET', '/v1/events', { token: here.token });
    expect(own.body.data.map((one: { account_id: number }) => one.account_id)).toEqual([here.id]);
    const foreign = await call('GET', '/v1/events', { token: here.token, query: { account_id: `${there.id}` } });
    expect(foreign.status).toBeGreaterThanOrEqual(400);
    expect((await call('GET', '/v1/events', { query: { account_id: `${here.id}` } })).status).toBe(401);
  });
});

describe('a request that waits for an event', { timeout: 60_000 }, () => {
  const timed = async <T>(work: Promise<T>): Promise<{ result: T; ms: number }> => {
    const start = performance.now();
    return { result: await work, ms: performance.now() - start };
  };

  it('returns at once if there is one', async () => {
    const { contact, feed } = await open();
    await contact();
    const { result, ms } = await timed(feed({ wait: '20' }));
    expect(types(result.data)).toEqual(['contact.created']);
    expect(ms).toBeLessThan(10_000);
  });

  it('returns as soon as this process writes one, and holds no connection before', async () => {
    const { contact, feed } = await open();
    const { next } = await feed();
    const waiting = timed(feed({ wait: '20', after: next }));
    await pause(300);
    let busy = 1;
    for (let tries = 0; tries < 100 && busy > 0; tries++) {
      busy = db.pool().busy;
      await pause(5);
    }
    expect(busy).toBe(0);
    const id = await contact();
    const { result, ms } = await waiting;
    expect(result.data).toMatchObject([{ type: 'contact.created', data: { contact_id: id } }]);
    expect(ms).toBeLessThan(15_000);
  });

  it('returns soon after another process writes one', async () => {
    const { id, feed } = await open();
    const { next } = await feed();
    const waiting = timed(feed({ wait: '20', after: next }));
    await pause(300);
    // Without a signal in this process.
    const entries = JSON.stringify([{ type: 'note.added', data: { contact_id: 1, text: 'from afar' } }]);
    await sql`
      insert into events (account_id, at, contact_ids, entries, size, bytes)
      values (${id}, now(), '{1}', ${entries}::json, 1, 50)`;
    const { result, ms } = await waiting;
    expect(textsOf(result.data)).toEqual(['from afar']);
    expect(ms).toBeLessThan(15_000);
  });

  it('waits on if a write is rolled back, or makes an event of another type', async () => {
    const { id, contact, feed, note } = await open();
    const waiting = feed('wait=20&types[]=note.added');
    await pause(100);
    const failing = db.tenant(id, async (tx) => {
      await appendEvents(tx, id, [note('rolled back')]);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await contact();
    await pause(100);
    await contact({ notes: [{ text: 'committed' }] });
    expect(textsOf((await waiting).data)).toEqual(['committed']);
  });

  it('returns nothing after the time, and a place to go on from', async () => {
    const { feed, get, contact } = await open();
    const { result, ms } = await timed(feed({ wait: '1' }));
    expect(result.data).toEqual([]);
    expect(ms).toBeGreaterThan(950);
    const id = await contact();
    expect((await feed({ after: result.next })).data).toMatchObject([{ data: { contact_id: id } }]);
    for (const wait of ['21', '-1', 'x']) expect(refusal(await get({ wait }))).toEqual(['wait']);
  });

  it('does not wait for events of other accounts', async () => {
    const [here, there] = [await open(), await open()];
    const waiting = here.feed({ wait: '1' });
    await pause(100);
    await there.contact();
    expect((await waiting).data).toEqual([]);
  });

  it('does not wait if 50 others of the account do', async () => {
    const { feed, contact } = await open();
    const others = Array.from({ length: 50 }, () => feed({ wait: '20' }));
    await pause(1500);
    const { result, ms } = await timed(feed({ wait: '20' }));
    expect(result.data).toEqual([]);
    expect(ms).toBeLessThan(15_000);
    const id = await contact();
    for (const one of await Promise.all(others)) expect(one.data).toMatchObject([{ data: { contact_id: id } }]);
  });
});
