import { describe, expect, it } from 'vitest';
import type { Event } from '../../../../src/features/exchange/events/schema.ts';
import { eventKinds, eventOf } from '../../../../src/features/exchange/events/schema.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { expectEvent, readerOf, type Told, types } from '../../../support/events.ts';
import { partner } from '../../../support/partner.ts';
import { fresh } from '../../../support/till.ts';
import { shop } from '../../../support/vouchers.ts';

const app = await testApp();
const { call, database } = app;
const sql = await superuser(database);
const own = await app.account();
const { made } = readerOf(app, own);
const { written, write, newEmail } = partner(app, own);

/** The transactions of an account that made events. */
const transactions = async () => (await sql`select from events where account_id = ${own.id}`).length;
const range = (count: number) => Array.from({ length: count }, (_, n) => n);
interface Change {
  from: string | null;
  to: string | null;
}
const changeOf = (event: Told | undefined, field: string) =>
  (event?.changes as Record<string, Change> | undefined)?.[field];

describe('concurrent contact writes in one batch', () => {
  it('make one event for each write that changes something, and none for the others', async () => {
    const [changing, unchanged, refused] = [range(8).map(newEmail), range(4).map(newEmail), range(4).map(newEmail)];
    for (const email of [...changing, ...unchanged, ...refused]) await written({ email, city: 'Bath' });
    const before = await transactions();
    const events = await made(async () => {
      const sent = range(8).flatMap((n) => [
        write({ email: changing[n], city: `Town ${n}` }),
        ...(n < 4 ? [write({ email: unchanged[n], city: 'Bath' })] : []),
        ...(n < 4 ? [write({ email: refused[n], city: 'York', dob: 'never' })] : []),
      ]);
      const statuses = (await Promise.all(sent)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 422)).toHaveLength(4);
      expect(statuses.filter((status) => status === 200)).toHaveLength(12);
    });
    expect(types(events)).toEqual(changing.map(() => 'contact.updated'));
    expect(events.map((one) => changeOf(one, 'city')?.to).sort()).toEqual(range(8).map((n) => `Town ${n}`));
    // They really were written together.
    expect((await transactions()) - before).toBeLessThan(8);
  });

  it('of one contact make events in the order in which they were applied', async () => {
    const email = newEmail();
    const { id } = await written({ email, city: 'Start' });
    const cities = range(20).map((n) => `Town ${n}`);
    const before = await transactions();
    const events = await made(() =>
      Promise.all(cities.map((city) => written({ email, city, notes: [{ text: city }], full_contact_object: false }))),
    );
    const updates = events.filter(({ type }) => type === 'contact.updated');
    expect(updates).toHaveLength(20);
    let last: string | null | undefined = 'Start';
    for (const one of updates) {
      const change = changeOf(one, 'city');
      expect([one.contact_id, change?.from]).toEqual([id, last]);
      last = change?.to;
    }
    expect((await call('GET', `/v1/contact/${id}`, { token: own.token })).body.city).toBe(last);
    // The events of a write stay together.
    const texts = events.map((one) => (one.type === 'note.added' ? one.text : changeOf(one, 'city')?.to));
    for (const n of range(20)) expect(texts[2 * n]).toBe(texts[2 * n + 1]);
    expect((await transactions()) - before).toBeLessThan(20);
  });

  it('that create the same contact, source and group make one event of the new contact', async () => {
    const [email, source_name, name] = [newEmail(), fresh('Source'), fresh('Group')];
    const units = [{ id: own.root_unit_id, groups: [{ name }] }];
    const body = { email, source_name, units, allow_email: true };
    const events = await made(() =>
      Promise.all(range(6).map((n) => written(n % 2 ? body : { ...body, source_name: source_name.toUpperCase() }))),
    );
    expect(types(events)).toEqual(['contact.created', 'consent.changed']);
    expect(events[0]?.added_group_ids).toHaveLength(1);
    expect(changeOf(events[0], 'source_id')?.to).toMatch(/^\d+$/);
    expect(`${events[1]?.source_id}`).toBe(changeOf(events[0], 'source_id')?.to);
  });

  it('that merge two contacts tell the merge once, and what follows of the contact that stays', async () => {
    const [email, mobile_number] = [newEmail(), '447700900123'];
    const { id: stays } = await written({ email });
    const { id: goes } = await written({ mobile_number, last_name: 'Silva' });
    const events = await made(() =>
      Promise.all(range(5).map((n) => written({ email, mobile_number, notes: [{ text: `${n}` }] }))),
    );
    expect(types(events).slice(0, 2)).toEqual(['contact.merged', 'contact.updated']);
    expect(events[0]).toMatchObject({ contact_id: stays, merged_contact_id: goes });
    expect(types(events).slice(2)).toEqual(range(5).map(() => 'note.added'));
    for (const one of events) expect(one.contact_id).toBe(stays);
  });
});

describe('other concurrent writes', () => {
  it('of anonymous purchases make the events of each', async () => {
    const membership_number = fresh('M');
    const { id: contact } = await written({ email: newEmail(), membership_number });
    const bills = range(10).map(() => fresh('T'));
    const send = (transaction_reference: string, keys: object) => {
      const purchases = [{ transaction_reference, unit_id: own.root_unit_id }];
      return call('POST', '/v1/purchases', { token: own.token, body: { account_id: own.id, ...keys, purchases } });
    };
    const before = await transactions();
    const events = await made(() =>
      Promise.all(
        bills.map((bill, n) => send(bill, n % 2 ? { membership_number } : { membership_number: fresh('M') })),
      ),
    );
    const ofBill = (bill: string) => events.filter((one) => one.transaction_reference === bill);
    bills.forEach((bill, n) => {
      expect(types(ofBill(bill))).toEqual(n % 2 ? ['purchase.recorded', 'purchase.matched'] : ['purchase.recorded']);
      expect(ofBill(bill).map((one) => one.contact_id)).toEqual(n % 2 ? [contact, contact] : [null]);
    });
    expect(events).toHaveLength(15);
    expect((await transactions()) - before).toBeLessThan(10);
  });

  it('of codes make one event for each', async () => {
    const at = await shop(app);
    const { body } = await app.admin('POST', `${at.base}/tokens`, { name: 'events' });
    const reader = readerOf(app, { id: at.id, token: body.token });
    const codes = range(12).map(() => fresh('CODE'));
    await at.add(await at.newGroup(), ...codes);
    const events = await reader.made(() => Promise.all(codes.map((unique_code) => at.redeemed({ unique_code }))));
    expect(types(events)).toEqual(codes.map(() => 'voucher.redeemed'));
    expect(events.map((one) => one.unique_code).sort()).toEqual([...codes].sort());
  });
});

describe('the catalogue of events', () => {
  it('has the types of the contract, each with an example that conforms to its schema', () => {
    expect(types([...eventKinds])).toEqual([
      ...['contact.created', 'contact.updated', 'contact.merged', 'contact.unmerged', 'contact.erased'],
      ...['consent.changed', 'note.added', 'feedback.received', 'purchase.recorded', 'purchase.matched'],
      ...['booking.recorded', 'stay.recorded', 'voucher.assigned', 'voucher.redeemed'],
      ...['segment.entered', 'segment.left', 'import.finished'],
    ]);
    for (const kind of eventKinds) expectEvent(eventOf(kind).example as Event);
  });
});
