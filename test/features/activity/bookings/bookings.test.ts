import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { omit } from '../../../support/omit.ts';
import { accountIn } from '../../../support/partner.ts';
import { bookingSetup, keys, near } from './setup.ts';

const setup = await bookingSetup();
const { admin, call, accountId, token, root, anchor, bell, there } = setup;
const { written, refused, discarding, pops, look, find, found, book, change, changed, seated } = setup;
const { newEmail, newReference, every, everyAnswered, others, bad } = setup;

describe('a booking on a contact', () => {
  it('is returned with every field; all values except the id are strings', async () => {
    const email = newEmail();
    const booking_reference = newReference();
    const { id } = await written({ email, bookings: [{ booking_reference, ...every }] });
    const booking = await find(booking_reference);
    expect(Object.keys(booking).sort()).toEqual([...keys].sort());
    expect(booking).toEqual({
      ...everyAnswered,
      id: expect.any(Number),
      booking_reference,
      account_id: String(accountId),
      contact_id: String(id),
      booking_contact_id: String(id),
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    });
    expect(near(booking.updated_at)).toBe(true);
  });
  it('requires only a reference; defaults are stage 1, the root unit and the current time', async () => {
    const { datetime, ...booking } = await book({});
    expect(booking).toMatchObject({
      ...{ unit_id: String(root), stage_value: '1', type_id: '', source_id: '', party_datetime: '', party_size: '' },
      ...{ deposit_paid: '0.00', hpbr_food: '0.00', hpbr_drink: '0.00', hpbr_entertainment: '0.00' },
    });
    expect(near(datetime)).toBe(true);
  });
  it.each(others)('returns %s sent as %j', async (field, value, name, answered) => {
    expect(await book({ ...every, [field]: value })).toMatchObject({ ...everyAnswered, [name]: answered });
  });
  it.each([null, '', '  ', undefined, {}])('rejects the reference %j', async (booking_reference) => {
    expect(await refused('bookings', { ...every, booking_reference })).toEqual(['bookings.0.booking_reference']);
  });
  it.each(bad)('rejects %s %j', async (field, value) => {
    const booking_reference = newReference();
    expect(await refused('bookings', { booking_reference, ...every, [field]: value })).toEqual([`bookings.0.${field}`]);
    expect(await found(booking_reference)).toBe(404);
  });
  it('names every invalid field, and stores nothing', async () => {
    const good = newReference();
    expect(
      await refused(
        'bookings',
        { booking_reference: good, ...every },
        { booking_reference: newReference(), unit_id: 999_999, party_size: 'x', table_numbers: ['12', {}] },
        { party_datetime: 'x', deposit_paid: 'x' },
        7,
      ),
    ).toEqual(
      [
        '1.unit_id',
        '1.party_size',
        '1.table_numbers.1',
        '2.booking_reference',
        '2.party_datetime',
        '2.deposit_paid',
        '3',
      ]
        .map((field) => `bookings.${field}`)
        .sort(),
    );
    expect(await found(good)).toBe(404);
  });
  it('names an unknown unit even if the reference is missing', async () => {
    expect(await refused('bookings', { unit_id: 999_999 })).toEqual([
      'bookings.0.booking_reference',
      'bookings.0.unit_id',
    ]);
  });
  it('returns its times in the account’s time zone', async () => {
    const london = await accountIn({ admin }, 'Europe/London');
    const sent = { booking_reference: 'B-london', party_datetime: '2026-07-01T18:30:00Z' };
    const bookings = [{ ...sent, party_enquirytime: '2026-01-01T12:00:00+01:00' }];
    await written({ email: newEmail(), bookings }, london.token);
    const { body } = await look({ account_id: london.accountId, booking_reference: 'B-london' }, london.token);
    expect(body).toMatchObject({ party_datetime: '2026-07-01 19:30:00', datetime: '2026-01-01 11:00:00' });
    const now = new Date().toLocaleString('sv-SE', { timeZone: 'Europe/London' });
    expect(Math.abs(Date.parse(body.updated_at) - Date.parse(now))).toBeLessThan(60_000);
  });
  it('appears in the presence search on the day of its start, with the name of the unit', async () => {
    const booking = await book(every);
    const contact = Number(booking.contact_id);
    expect(await pops(contact, 'booking', '2026-03-01')).toEqual([{ ...booking, unit_name: 'The Anchor' }]);
    expect(await pops(contact, 'booking', '2026-02-20', '2026-02-28')).toEqual([]);
  });
  it('belongs to the survivor after a merge', async () => {
    const email = newEmail();
    const { id } = await written({ email });
    const [phone, booking_reference] = [{ mobile_number: '07700900300' }, newReference()];
    const merged = await written({ ...phone, bookings: [{ booking_reference, ...every }] });
    await written({ email, ...phone });
    expect((await find(booking_reference)).contact_id).toBe(String(id));
    for (const either of [id, merged.id]) {
      expect(await pops(either, 'booking', '2026-03-01')).toMatchObject([
        { booking_reference, contact_id: String(id) },
      ]);
    }
  });
  it('is deleted when its contact is erased; sent again, it is a new booking', async () => {
    const first = await book(every);
    const { booking_reference, contact_id } = first;
    expect((await admin('DELETE', `/accounts/${accountId}/contacts/${contact_id}`)).status).toBe(204);
    expect(await found(booking_reference)).toBe(404);
    expect((await change(first.id, { party_size: 9 })).status).toBe(404);
    const again = await book({ booking_reference, provider_id: 12 });
    expect(again).toMatchObject({ party_size: '', deposit_paid: '0.00' });
    expect(again.id).not.toBe(first.id);
  });
});

describe('a booking that is sent again', () => {
  it('updates the fields that are sent and keeps the others', async () => {
    const email = newEmail();
    const first = await book(every, email);
    const key = { booking_reference: first.booking_reference, provider_id: 12 };
    const sent = { ...key, party_size: 8, stage_value: 550, unit_id: bell };
    expect(await book(sent, email)).toEqual({
      ...first,
      ...{ party_size: '8', stage_value: '550', unit_id: String(bell), updated_at: expect.any(String) },
    });
    const blank = Object.fromEntries(Object.keys(omit(every, 'provider_id')).map((name) => [name, '']));
    expect(await book({ ...blank, ...key }, email)).toMatchObject({
      id: first.id,
      party_size: '8',
      deposit_paid: '25.00',
    });
  });
  it('updates the same booking if no provider is given', async () => {
    const email = newEmail();
    const { id, booking_reference } = await book({ party_size: 2 }, email);
    expect(await book({ booking_reference, party_size: 3 }, email)).toMatchObject({ id, party_size: '3' });
  });
  it('creates another booking for another provider; each is found by its provider', async () => {
    const email = newEmail();
    const first = await book({ provider_id: 12, party_size: 2 }, email);
    const { booking_reference } = first;
    const second = await book({ booking_reference, provider_id: 13, party_size: 3 }, email);
    expect(second).toMatchObject({ party_size: '3' });
    expect(second.id).not.toBe(first.id);
    expect(await find(booking_reference, { provider_id: 12 })).toEqual(first);
    expect(await find(booking_reference, { provider_id: 13 })).toEqual(second);
  });
  it('creates another booking in another account', async () => {
    const first = await book({ party_size: 2 });
    const { booking_reference } = first;
    await written({ email: newEmail(), bookings: [{ booking_reference, party_size: 9 }] }, there.token);
    expect(await find(booking_reference)).toEqual(first);
    const { body } = await look({ account_id: there.id, booking_reference }, there.token);
    expect(body).toMatchObject({ account_id: String(there.id), party_size: '9' });
    expect(body.id).not.toBe(first.id);
  });
  it('moves to another contact if it is sent with that contact', async () => {
    const { id, booking_reference, contact_id, ...first } = await book(every);
    const moved = await book({ booking_reference, provider_id: 12 });
    expect(moved).toMatchObject({ ...omit(first, 'booking_contact_id', 'updated_at'), id });
    expect(moved.contact_id).not.toBe(contact_id);
    expect(await pops(Number(contact_id), 'booking', '2026-03-01')).toEqual([]);
    expect(await pops(Number(moved.contact_id), 'booking', '2026-03-01')).toHaveLength(1);
  });
  it('is stored once if a request contains it twice; the last one wins', async () => {
    const booking_reference = newReference();
    const sent = { booking_reference, ...every };
    const { id } = await written({ email: newEmail(), bookings: [sent, { ...sent, party_size: 7 }] });
    expect(await pops(id, 'booking', '2026-03-01')).toMatchObject([{ party_size: '7' }]);
  });
  it('is stored once if many requests send it at the same time', async () => {
    const [email, sent] = [newEmail(), { booking_reference: newReference(), ...every }];
    const all = await Promise.all(Array.from({ length: 20 }, () => written({ email, bookings: [sent] })));
    expect(await pops(all[0].id, 'booking', '2026-03-01')).toHaveLength(1);
  });
  it('changes updated_at only when it is sent again or changed', async () => {
    const email = newEmail();
    const { id, updated_at: made, ...first } = await book(every, email);
    await wait(1100);
    const { booking_reference } = first;
    expect((await find(booking_reference)).updated_at).toBe(made);
    const { updated_at: resent } = await book({ booking_reference, provider_id: 12, party_size: 5 }, email);
    expect(resent > made).toBe(true);
    await wait(1100);
    const { updated_at: after } = await changed(id, { party_size: 6 });
    expect(after > resent).toBe(true);
    expect(await find(booking_reference)).toEqual({ ...first, id, party_size: '6', updated_at: after });
  });
});

describe('bookings with discard_invalid_data', () => {
  it.each<[string, unknown]>([
    ['booking_reference', ''],
    ['unit_id', 999_999],
    ['unit_id', 'x'],
    ['provider_id', 'x'],
    ['party_datetime', '2026-02-29 19:30:00'],
  ])('skip a booking with an invalid %s (%j), and store the others', async (field, value) => {
    const [first, second, third] = [newReference(), newReference(), newReference()];
    const { id, dropped } = await discarding({
      bookings: [
        { ...every, booking_reference: first },
        { ...every, booking_reference: second, [field]: value },
        { ...every, booking_reference: third },
      ],
    });
    expect(dropped).toEqual([`bookings.1.${field}`]);
    expect(await Promise.all([first, second, third].map(found))).toEqual([200, 404, 200]);
    expect(await pops(id, 'booking', '2026-03-01')).toHaveLength(2);
  });
  it.each<[string, unknown, object]>([
    ['source_id', 'x', { source_id: '' }],
    ['type_id', 'x', { type_id: '' }],
    ['stage_value', 'x', { stage_value: '1' }],
    ['party_size', -1, { party_size: '' }],
    ['deposit_paid', 'x', { deposit_paid: '0.00' }],
    ['hpbr_food', 'x', { hpbr_food: '0.00' }],
    ['hpbr_drink', 'x', { hpbr_drink: '0.00' }],
    ['hpbr_entertainment', 'x', { hpbr_entertainment: '0.00' }],
  ])('skip only an invalid %s', async (field, value, instead) => {
    const booking_reference = newReference();
    const { dropped } = await discarding({ bookings: [{ ...every, booking_reference, [field]: value }] });
    expect(dropped).toEqual([`bookings.0.${field}`]);
    expect(await find(booking_reference)).toMatchObject({ ...everyAnswered, ...instead });
  });
  it('skip only an invalid table number', async () => {
    const at = '2027-06-01 19:30:00';
    const booking = { booking_reference: newReference(), unit_id: anchor, party_datetime: at };
    const { id, dropped } = await discarding({ bookings: [{ ...booking, table_numbers: [{}, '50'] }] });
    expect([dropped, await seated('50', at)]).toEqual([['bookings.0.table_numbers.0'], id]);
  });
  it('skip a value that is not a list, and store the contact', async () => {
    const { id, dropped } = await discarding({ bookings: 7, wifi: { unit_id: anchor } });
    expect(dropped).toEqual(['bookings', 'wifi']);
    expect((await call('GET', `/v1/contact/${id}`, { token })).status).toBe(200);
  });
});
