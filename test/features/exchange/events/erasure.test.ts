import { beforeAll, describe, expect, it } from 'vitest';
import type { Event } from '../../../../src/features/exchange/events/schema.ts';
import { deleteOldEvents } from '../../../../src/platform/outbox/feed.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { expectEvent, readerOf, told } from '../../../support/events.ts';
import { fresh } from '../../../support/till.ts';
import { accepted, type Shop, shop } from '../../../support/vouchers.ts';

const app = await testApp();
const { admin, call, database, db } = app;
const sql = await superuser(database);
let at = {} as Shop;
let token = '';
let reader = {} as ReturnType<typeof readerOf>;
beforeAll(async () => {
  at = await shop(app);
  ({ token } = accepted(await admin('POST', `${at.base}/tokens`, { name: 'events' }), 201));
  reader = readerOf(app, { id: at.id, token });
});

const erase = async (id: number) => accepted(await admin('DELETE', `${at.base}/contacts/${id}`), 204);
/** The stored events that contain this text. */
const holding = async (text: string) => {
  const rows = await sql<{ entries: object[] }>`select entries from events where account_id = ${at.id} order by id`;
  return rows.flatMap(({ entries }) => entries).filter((entry) => JSON.stringify(entry).includes(text));
};
/** The types and times of the events of a contact, in the order of their rows. */
const typesAndTimes = async (contact: number) => {
  const rows = await sql<{ at: Date; entries: { type: string }[] }>`
    select at, entries from events where account_id = ${at.id} and ${contact} = any(contact_ids) order by id`;
  return rows.flatMap((row) => row.entries.map(({ type }) => [type, row.at.toISOString()]));
};
const numbered = async () =>
  (await sql`select from events where account_id = ${at.id} and position is null`).length === 0;

/** A contact with texts of its own in every kind of data. */
async function guest(word = fresh('word')) {
  const body = {
    ...{ email: `${word}@gmail.com`, first_name: word, membership_number: word, allow_email: true },
    notes: [{ text: word }],
    feedback: [{ comments: [{ note: word }] }],
    purchases: [
      { transaction_reference: word, unit_id: at.unit, items: [{ description: word, quantity: 1, value: 2 }] },
    ],
    bookings: [{ booking_reference: word, unit_id: at.unit, table_numbers: [word] }],
  };
  return { word, id: await at.newContact(body) };
}

describe.each([true, false])('the erasure of a contact, with its events read before: %s,', (isRead) => {
  const perhapsRead = async () => {
    if (isRead) await reader.since();
    expect(await numbered()).toBe(isRead);
  };

  it('removes its data from its events, and keeps their ids, types and times', async () => {
    await reader.since();
    const [ana, rui] = [await guest(), await guest()];
    const { unique_code } = await at.newCode(fresh('CODE'), ana.id);
    await at.redeemed({ unique_code });
    await perhapsRead();
    const before = await typesAndTimes(ana.id);
    await erase(ana.id);
    for (const secret of [ana.word, unique_code]) expect(await holding(secret)).toEqual([]);
    expect(await holding(rui.word)).not.toEqual([]);
    const after = await reader.all();
    const ofAna = after.data.filter((one) => one.data.contact_id === ana.id);
    const [erased] = ofAna.slice(-1);
    expect(told(erased as Event)).toEqual({ type: 'contact.erased', contact_id: ana.id, merged_contact_ids: [] });
    expectEvent(erased as Event);
    const left = ofAna.slice(0, -1);
    for (const one of left) {
      expect(one.data).toEqual({ contact_id: ana.id, removed: true });
      expectEvent(one);
    }
    expect(left.map(({ type, timestamp }) => [type, timestamp])).toEqual(before);
    expect(before.length).toBeGreaterThan(7);
    // All except the two of the code.
    expect(after.data.filter((one) => one.data.contact_id === rui.id)).toHaveLength(before.length - 2);
  });

  it('erases the contacts that were merged into it', async () => {
    const [goes, stays] = [await guest(), await guest()];
    await at.merge(goes.id, stays.id);
    await perhapsRead();
    await erase(goes.id);
    for (const { word } of [goes, stays]) expect(await holding(word)).toEqual([]);
    const last = (await reader.since()).at(-1);
    expect(last && told(last)).toEqual({
      ...{ type: 'contact.erased', contact_id: stays.id, merged_contact_ids: [goes.id] },
    });
  });

  it('that was separated again removes all events of the other one from that time, and no others', async () => {
    const [goes, stays] = [await guest(), await at.newContact({ city: fresh('Bath') })];
    const note = async () => {
      const text = fresh('note');
      accepted(await admin('POST', `${at.base}/contacts/${stays}/notes`, { text }), 201);
      return text;
    };
    const before = await note();
    const { id } = await at.merge(goes.id, stays);
    // It can be about either of the two.
    const meanwhile = await note();
    accepted(await admin('POST', `${at.base}/merges/${id}/undo`));
    const after = await note();
    await perhapsRead();
    expect(await holding(goes.word)).not.toEqual([]);
    await erase(goes.id);
    expect(await holding(goes.word)).toEqual([]);
    const left = [await holding(before), await holding(meanwhile), await holding(after)];
    expect(left.map(({ length }) => length)).toEqual([1, 0, 1]);
    const { data } = await reader.all();
    const created = data.find((one) => one.data.contact_id === stays);
    expect(created).toMatchObject({ type: 'contact.created', data: { changes: { city: expect.anything() } } });
  });
});

type Guest = Awaited<ReturnType<typeof guest>>;
const post = (path: string, body: object) => call('POST', path, { token, body: { account_id: at.id, ...body } });
/** What a contact has, and a change of it that does not name the contact. `secret`: a text of the event. */
const ownActivity: [string, (who: Guest) => Promise<{ secret: string; change: () => Promise<unknown> }>][] = [
  [
    'booking',
    async ({ word }) => ({
      secret: word,
      change: async () => accepted(await post('/v1/bookings', { booking_reference: word, party_size: 7 })),
    }),
  ],
  [
    'anonymous purchase',
    async ({ word }) => {
      const secret = fresh('bill');
      const send = async (order_type_id: number) => {
        const purchases = [{ transaction_reference: secret, unit_id: at.unit, order_type_id }];
        accepted(await post('/v1/purchases', { membership_number: word, purchases }));
      };
      await send(4);
      return { secret, change: () => send(5) };
    },
  ],
  [
    'code',
    async ({ id }) => {
      const { unique_code } = await at.newCode(fresh('CODE'), id);
      return { secret: unique_code, change: () => at.redeemed({ unique_code }) };
    },
  ],
];

describe('the erasure of a contact', () => {
  it('that was separated again removes its values from later events of the other one', async () => {
    const word = fresh('secret');
    const goes = await at.newContact({ membership_type: word });
    const email = `${fresh('stays')}@gmail.com`;
    const stays = await at.newContact({ email });
    const { id } = await at.merge(goes, stays);
    await at.newContact({ email, membership_type: 'Gold' });
    accepted(await admin('POST', `${at.base}/merges/${id}/undo`));
    expect(await holding(word)).not.toEqual([]);
    await erase(goes);
    expect(await holding(word)).toEqual([]);
  });

  it.each(ownActivity)('that was separated again removes its %s from events of the other one', async (_, prepare) => {
    const [goes, stays] = [await guest(), await at.newContact()];
    const { secret, change } = await prepare(goes);
    const { id } = await at.merge(goes.id, stays);
    const events = await reader.made(change);
    // While they are merged, the event names the contact that stays.
    expect(events.map((one) => one.contact_id)).toEqual([stays]);
    expect(JSON.stringify(events)).toContain(secret);
    accepted(await admin('POST', `${at.base}/merges/${id}/undo`));
    await erase(goes.id);
    expect(await holding(secret)).toEqual([]);
  });

  it('that is not there makes no event', async () => {
    const unknown = async () => expect((await admin('DELETE', `${at.base}/contacts/999999999`)).status).toBe(404);
    expect(await reader.made(unknown)).toEqual([]);
  });
});

describe('events that are older than 30 days', () => {
  it('are deleted oldest first, with what tells whom they are about, and no others are', async () => {
    const through = await shop(app);
    const { token } = accepted(await admin('POST', `${through.base}/tokens`, { name: 'events' }), 201);
    const { all } = readerOf(app, { id: through.id, token });
    const ids: number[] = [];
    for (let n = 0; n < 5; n++) ids.push(await through.newContact());
    await all();
    const age = (contact: number, days: number) => sql`
      update events set at = now() - make_interval(days => ${days}) where account_id = ${through.id} and ${contact} = any(contact_ids)`;
    const [first, second, third, young] = ids as [number, number, number, number];
    for (const id of [first, second, third]) await age(id, 31);
    await age(young, 29);
    const sweep = (limit: number) => db.tenant(through.id, (tx) => deleteOldEvents(tx, through.id, limit));
    const left = async () => (await all()).data.map((one) => one.data.contact_id);
    const linked = async () => {
      const rows = await sql<{ id: number }>`
        select contact_id as id from event_contacts where account_id = ${through.id} order by 1`;
      return rows.map(({ id }) => id);
    };
    expect([await left(), await linked()]).toEqual([ids, ids]);
    expect(await sweep(2)).toBe(2);
    expect([await left(), await linked()]).toEqual([ids.slice(2), ids.slice(2)]);
    expect(await sweep(100)).toBe(1);
    expect(await sweep(100)).toBe(0);
    expect([await left(), await linked()]).toEqual([ids.slice(3), ids.slice(3)]);
    // Those of another account stay.
    expect((await reader.all()).data.length).toBeGreaterThan(0);
  });

  it('do not change where a reader goes on', async () => {
    const through = await shop(app);
    const { token } = accepted(await admin('POST', `${through.base}/tokens`, { name: 'events' }), 201);
    const { all, feed } = readerOf(app, { id: through.id, token });
    await through.newContact();
    const { next } = await all();
    await sql`update events set at = now() - interval '31 days' where account_id = ${through.id}`;
    await db.tenant(through.id, (tx) => deleteOldEvents(tx, through.id, 100));
    expect(await feed()).toEqual({ data: [], next: expect.any(String) });
    const ana = await through.newContact();
    expect((await feed({ after: next })).data).toMatchObject([{ data: { contact_id: ana } }]);
  });
});
