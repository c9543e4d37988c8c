import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { accountIn, partner } from '../../../support/partner.ts';

const { account, admin, call } = await testApp();
const { id: accountId, token, root_unit_id: root } = await account();
const newUnit = async (name: string) => (await admin('POST', `/accounts/${accountId}/units`, { name })).body.id;
const [anchor, bell] = [await newUnit('The Anchor'), await newUnit('The Bell')];
const there = await account('Next door');

const { next, newEmail, written, refused, discarding, pops } = partner({ call }, { id: accountId, token });
const newReference = () => next('B-');
const look = (asked: object, by = token) => call('GET', '/v1/bookings', { token: by, body: asked });
const find = async (booking_reference: string, besides: object = {}) => {
  const { status, body } = await look({ account_id: accountId, booking_reference, ...besides });
  expect(status).toBe(200);
  return body;
};
const found = async (booking_reference: string) => (await look({ account_id: accountId, booking_reference })).status;
const book = async (booking: object, email = newEmail()) => {
  const sent = { booking_reference: newReference(), ...booking };
  await written({ email, bookings: [sent] });
  return find(String(sent.booking_reference));
};
const change = (id: number | string, body: object, by = token) =>
  call('POST', `/v1/bookings/${id}`, { token: by, body });
const changed = async (id: number, body: object) => {
  const answer = await change(id, body);
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body;
};
/** Whose a purchase at this table is. */
const seated = async (table_number: string, created_at: string, unit_id = anchor) => {
  const purchases = [{ transaction_reference: newReference(), unit_id, created_at }];
  const { body } = await call('POST', '/v1/purchases', {
    token,
    body: { account_id: accountId, table_number, purchases },
  });
  return body.purchases[0].contact_id;
};
const omit = (from: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));
const near = (time: string) => Math.abs(Date.parse(`${time}Z`) - Date.now()) < 60_000;

const every = {
  unit_id: anchor,
  provider_id: 12,
  source_id: 3,
  type_id: 5,
  stage_value: 100,
  party_datetime: '2026-03-01 19:30:00',
  party_enquirytime: '2026-02-20 09:15:00',
  party_size: 4,
  deposit_paid: 25,
  hpbr_food: 30.5,
  hpbr_drink: 12.25,
  hpbr_entertainment: 0.1,
};
/** What an answer says of them. */
const everyAnswered = {
  unit_id: String(anchor),
  source_id: '3',
  type_id: '5',
  stage_value: '100',
  party_datetime: '2026-03-01 19:30:00',
  datetime: '2026-02-20 09:15:00',
  party_size: '4',
  deposit_paid: '25.00',
  hpbr_food: '30.50',
  hpbr_drink: '12.25',
  hpbr_entertainment: '0.10',
};
const keys = [
  ...['booking_contact_id', 'booking_reference', 'id', 'account_id', 'contact_id', 'unit_id', 'stage_value', 'type_id'],
  ...['datetime', 'source_id', 'party_datetime', 'party_size', 'deposit_paid', 'hpbr_food', 'hpbr_drink'],
  ...['hpbr_entertainment', 'updated_at'],
];
/** Each field with another value than above: what is sent, what is answered under which name. */
const others: [string, unknown, string, string][] = [
  ['unit_id', bell, 'unit_id', String(bell)],
  ['source_id', 8, 'source_id', '8'],
  ['type_id', '9', 'type_id', '9'],
  ['stage_value', 550, 'stage_value', '550'],
  ['stage_value', 275, 'stage_value', '275'],
  ['party_datetime', '2026-3-2 20:00:00', 'party_datetime', '2026-03-02 20:00:00'],
  ['party_datetime', '2026-03-02T20:00:00+01:00', 'party_datetime', '2026-03-02 19:00:00'],
  ['party_enquirytime', '2026-02-21 10:00:00', 'datetime', '2026-02-21 10:00:00'],
  ['party_size', '6', 'party_size', '6'],
  ['deposit_paid', 0, 'deposit_paid', '0.00'],
  ['deposit_paid', '1234.5', 'deposit_paid', '1234.50'],
  ['hpbr_food', 1, 'hpbr_food', '1.00'],
  ['hpbr_drink', 2.05, 'hpbr_drink', '2.05'],
  ['hpbr_entertainment', '3.1', 'hpbr_entertainment', '3.10'],
];
/** What no booking takes. */
const bad: [string, unknown][] = [
  ['unit_id', 999_999],
  ['unit_id', there.root_unit_id],
  ['unit_id', 'x'],
  ['provider_id', 1.5],
  ['source_id', 'x'],
  ['type_id', {}],
  ['stage_value', 'new'],
  ['party_datetime', '2026-02-29 19:30:00'],
  ['party_datetime', '2026-03-01 25:00:00'],
  ['party_enquirytime', 'yesterday'],
  ['party_size', -1],
  ['party_size', 2.5],
  ['deposit_paid', 'much'],
  ['hpbr_food', {}],
  ['hpbr_drink', 'x'],
  ['hpbr_entertainment', true],
  ['table_numbers', 7],
];

describe('a booking on a contact', () => {
  it('is found with every field: the interface’s own keys, and all but the id as text', async () => {
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
  it('needs no more than its reference: new, at the root unit, made now', async () => {
    const { datetime, ...booking } = await book({});
    expect(booking).toMatchObject({
      ...{ unit_id: String(root), stage_value: '1', type_id: '', source_id: '', party_datetime: '', party_size: '' },
      ...{ deposit_paid: '0.00', hpbr_food: '0.00', hpbr_drink: '0.00', hpbr_entertainment: '0.00' },
    });
    expect(near(datetime)).toBe(true);
  });
  it.each(others)('gives %s of %j back', async (field, value, name, answered) => {
    expect(await book({ ...every, [field]: value })).toMatchObject({ ...everyAnswered, [name]: answered });
  });
  it.each([null, '', '  ', undefined, {}])('needs a reference: not %j', async (booking_reference) => {
    expect(await refused('bookings', { ...every, booking_reference })).toEqual(['bookings.0.booking_reference']);
  });
  it.each(bad)('has no %s of %j', async (field, value) => {
    const booking_reference = newReference();
    expect(await refused('bookings', { booking_reference, ...every, [field]: value })).toEqual([`bookings.0.${field}`]);
    expect(await found(booking_reference)).toBe(404);
  });
  it('has every failing field named at once, and nothing is stored', async () => {
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
  it('has a unit that is none named also where its reference is missing', async () => {
    expect(await refused('bookings', { unit_id: 999_999 })).toEqual([
      'bookings.0.booking_reference',
      'bookings.0.unit_id',
    ]);
  });
  it('has its times on the account’s clock', async () => {
    const london = await accountIn({ admin }, 'Europe/London');
    const sent = { booking_reference: 'B-london', party_datetime: '2026-07-01T18:30:00Z' };
    const bookings = [{ ...sent, party_enquirytime: '2026-01-01T12:00:00+01:00' }];
    await written({ email: newEmail(), bookings }, london.token);
    const { body } = await look({ account_id: london.accountId, booking_reference: 'B-london' }, london.token);
    expect(body).toMatchObject({ party_datetime: '2026-07-01 19:30:00', datetime: '2026-01-01 11:00:00' });
    const now = new Date().toLocaleString('sv-SE', { timeZone: 'Europe/London' });
    expect(Math.abs(Date.parse(body.updated_at) - Date.parse(now))).toBeLessThan(60_000);
  });
  it('is among the PoPs of the day on which it starts, with the unit’s name', async () => {
    const booking = await book(every);
    const contact = Number(booking.contact_id);
    expect(await pops(contact, 'booking', '2026-03-01')).toEqual([{ ...booking, unit_name: 'The Anchor' }]);
    expect(await pops(contact, 'booking', '2026-02-20', '2026-02-28')).toEqual([]);
  });
  it('belongs to the contact that is left after a merge', async () => {
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
  it('goes with the contact that is erased: sent again, it is new', async () => {
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
  it('is updated: what is sent changes, the rest stays', async () => {
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
  it('without a provider is the same one too', async () => {
    const email = newEmail();
    const { id, booking_reference } = await book({ party_size: 2 }, email);
    expect(await book({ booking_reference, party_size: 3 }, email)).toMatchObject({ id, party_size: '3' });
  });
  it('by another provider is another booking, each found by its own', async () => {
    const email = newEmail();
    const first = await book({ provider_id: 12, party_size: 2 }, email);
    const { booking_reference } = first;
    const second = await book({ booking_reference, provider_id: 13, party_size: 3 }, email);
    expect(second).toMatchObject({ party_size: '3' });
    expect(second.id).not.toBe(first.id);
    expect(await find(booking_reference, { provider_id: 12 })).toEqual(first);
    expect(await find(booking_reference, { provider_id: 13 })).toEqual(second);
  });
  it('in another account is another booking', async () => {
    const first = await book({ party_size: 2 });
    const { booking_reference } = first;
    await written({ email: newEmail(), bookings: [{ booking_reference, party_size: 9 }] }, there.token);
    expect(await find(booking_reference)).toEqual(first);
    const { body } = await look({ account_id: there.id, booking_reference }, there.token);
    expect(body).toMatchObject({ account_id: String(there.id), party_size: '9' });
    expect(body.id).not.toBe(first.id);
  });
  it('on another contact moves to that one', async () => {
    const { id, booking_reference, contact_id, ...first } = await book(every);
    const moved = await book({ booking_reference, provider_id: 12 });
    expect(moved).toMatchObject({ ...omit(first, 'booking_contact_id', 'updated_at'), id });
    expect(moved.contact_id).not.toBe(contact_id);
    expect(await pops(Number(contact_id), 'booking', '2026-03-01')).toEqual([]);
    expect(await pops(Number(moved.contact_id), 'booking', '2026-03-01')).toHaveLength(1);
  });
  it('within one request is one: the last is what stands', async () => {
    const booking_reference = newReference();
    const sent = { booking_reference, ...every };
    const { id } = await written({ email: newEmail(), bookings: [sent, { ...sent, party_size: 7 }] });
    expect(await pops(id, 'booking', '2026-03-01')).toMatchObject([{ party_size: '7' }]);
  });
  it('by many at once is one', async () => {
    const [email, sent] = [newEmail(), { booking_reference: newReference(), ...every }];
    const all = await Promise.all(Array.from({ length: 20 }, () => written({ email, bookings: [sent] })));
    expect(await pops(all[0].id, 'booking', '2026-03-01')).toHaveLength(1);
  });
  it('or changed moves its updated_at on, and nothing else does', async () => {
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

describe('GET /v1/bookings', () => {
  it('takes a query, a JSON body, or both, of which the query counts', async () => {
    const booking = await book(every);
    const { booking_reference } = booking;
    const query = { account_id: String(accountId), booking_reference };
    expect((await call('GET', '/v1/bookings', { token, query })).body).toEqual(booking);
    expect((await look({ account_id: accountId, booking_reference })).body).toEqual(booking);
    expect((await look(query)).body).toEqual(booking);
    const body = { account_id: accountId, booking_reference: 'B-none' };
    expect((await call('GET', '/v1/bookings', { token, query: { booking_reference }, body })).body).toEqual(booking);
  });
  it('finds a reference that looks like anything', async () => {
    for (const booking_reference of ['1042', 'Ünï/cödé & 100%', "O'Brien; drop", 'a b']) {
      expect((await book({ booking_reference })).booking_reference).toBe(booking_reference);
    }
    expect((await look({ account_id: accountId, booking_reference: 1042 })).body.booking_reference).toBe('1042');
  });
  it('finds the whole reference only', async () => {
    const { booking_reference } = await book({ booking_reference: 'the whole of it' });
    expect(await found(`${booking_reference}x`)).toBe(404);
    expect(await found(booking_reference.slice(0, -1))).toBe(404);
    expect(await found('%')).toBe(404);
  });
  it('is a 404 where there is no such booking, also where another account has it', async () => {
    const { booking_reference } = await book({});
    for (const [asked, by] of [
      [{ account_id: accountId, booking_reference: 'B-none' }, token],
      [{ account_id: there.id, booking_reference }, there.token],
      [{ account_id: accountId, booking_reference, provider_id: 77 }, token],
    ] as const) {
      const { status, body } = await look(asked, by);
      expect([status, body]).toEqual([404, { errors: [{ message: expect.any(String) }] }]);
    }
  });
  it.each<[object, string[]]>([
    [{}, ['account_id', 'booking_reference']],
    [{ booking_reference: 'B-1' }, ['account_id']],
    [{ account_id: accountId }, ['booking_reference']],
    [{ account_id: accountId, booking_reference: ' ' }, ['booking_reference']],
    [{ account_id: 'x', booking_reference: 'B-1' }, ['account_id']],
    [{ account_id: 999_999, booking_reference: 'B-1' }, ['account_id']],
    [{ account_id: there.id, booking_reference: 'B-1' }, ['account_id']],
    [{ account_id: 999_999 }, ['account_id', 'booking_reference']],
  ])('is a 422 for %j, on %j', async (asked, fields) => {
    const { status, body } = await look(asked);
    expect([status, Object.keys(body.errors).sort()]).toEqual([422, fields]);
  });
  it('is a 401 without a token', async () => {
    const { status, body } = await call('GET', '/v1/bookings', {
      body: { account_id: accountId, booking_reference: 'x' },
    });
    expect([status, body]).toEqual([401, { errors: [{ message: 'Unauthorized' }] }]);
  });
});

describe('POST /v1/bookings/{id}', () => {
  it.each(others)('changes %s to %j, and nothing else', async (field, value, name, answered) => {
    const first = await book(every);
    const after = await changed(first.id, { account_id: accountId, [field]: value });
    expect(after).toEqual({ ...first, [name]: answered, updated_at: expect.any(String) });
    expect(await find(first.booking_reference)).toEqual(after);
  });
  it('changes the provider, by which it is found and known from then on', async () => {
    const email = newEmail();
    const { id, booking_reference } = await book(every, email);
    await changed(id, { provider_id: 99 });
    expect((await find(booking_reference, { provider_id: 99 })).id).toBe(id);
    expect((await look({ account_id: accountId, booking_reference, provider_id: 12 })).status).toBe(404);
    expect(await book({ booking_reference, provider_id: 99, party_size: 9 }, email)).toMatchObject({
      id,
      party_size: '9',
    });
  });
  it('changes everything at once', async () => {
    const { id } = await book({});
    const booking_reference = newReference();
    expect(await changed(id, { ...every, booking_reference })).toMatchObject({
      ...everyAnswered,
      id,
      booking_reference,
    });
  });
  it('keeps what is null, blank, absent or unknown to it', async () => {
    const first = await book(every);
    const names = ['booking_reference', ...Object.keys(every)];
    for (const value of [null, '']) {
      const body = { ...Object.fromEntries(names.map((name) => [name, value])), id: 1, contact_id: 1, nonsense: 'x' };
      expect(await changed(first.id, body)).toEqual({ ...first, updated_at: expect.any(String) });
    }
  });
  it('is found by the changed reference, and no longer by the old one', async () => {
    const first = await book(every);
    const booking_reference = newReference();
    const after = await changed(first.id, { booking_reference });
    expect(after).toEqual({ ...first, booking_reference, updated_at: expect.any(String) });
    expect(await find(booking_reference)).toEqual(after);
    expect(await found(first.booking_reference)).toBe(404);
    expect((await book({ booking_reference: first.booking_reference, provider_id: 12 })).id).not.toBe(first.id);
  });
  it.each([{ provider_id: 12 }, {}])('does not take a reference that another booking has: %j', async (provider) => {
    const [first, second] = [await book({ ...provider, party_size: 2 }), await book({ ...provider, party_size: 3 })];
    const { status, body } = await change(second.id, { booking_reference: first.booking_reference, party_size: 9 });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['booking_reference']]);
    expect([await find(first.booking_reference), await find(second.booking_reference)]).toEqual([first, second]);
  });
  it('takes a reference that another provider’s booking has, and its own', async () => {
    const [first, second] = [await book({ provider_id: 12 }), await book({ provider_id: 13 })];
    const { booking_reference } = first;
    expect((await changed(second.id, { booking_reference })).booking_reference).toBe(booking_reference);
    expect(await changed(second.id, { booking_reference, party_size: 5 })).toMatchObject({
      id: second.id,
      party_size: '5',
    });
    expect((await change(second.id, { provider_id: 12 })).status).toBe(422);
    expect((await find(booking_reference, { provider_id: 13 })).id).toBe(second.id);
  });
  it.each(bad)('refuses %s of %j, and changes nothing', async (field, value) => {
    const first = await book(every);
    const { status, body } = await change(first.id, {
      party_datetime: '2026-04-01 12:00:00',
      party_size: 9,
      [field]: value,
    });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    expect(await find(first.booking_reference)).toEqual(first);
  });
  it('names a reference that is taken together with a unit that is none', async () => {
    const [first, second] = [await book({ provider_id: 12 }), await book({ provider_id: 12 })];
    const { status, body } = await change(second.id, {
      booking_reference: first.booking_reference,
      unit_id: 999_999,
    });
    expect([status, Object.keys(body.errors).sort()]).toEqual([422, ['booking_reference', 'unit_id']]);
  });
  it('names every failing field at once', async () => {
    const { id } = await book(every);
    const { status, body } = await change(id, {
      unit_id: 999_999,
      party_size: 'x',
      table_numbers: [{}],
      hpbr_food: 'x',
    });
    expect(status).toBe(422);
    expect(Object.keys(body.errors).sort()).toEqual(['hpbr_food', 'party_size', 'table_numbers.0', 'unit_id']);
  });
  it('is a 404 for a booking that is none, or another account’s, which stays as it was', async () => {
    const first = await book(every);
    for (const id of [999_999, 0, 'x', '99999999999999999999']) {
      expect((await change(id, { party_size: 9 })).status).toBe(404);
    }
    expect((await change(first.id, { party_size: 9 }, there.token)).status).toBe(404);
    const { status, body } = await change(first.id, { account_id: there.id, party_size: 9 });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['account_id']]);
    expect(await find(first.booking_reference)).toEqual(first);
  });
  it('cancels, after which the booking is still found', async () => {
    const first = await book(every);
    expect(await changed(first.id, { stage_value: 550 })).toMatchObject({ ...everyAnswered, stage_value: '550' });
    expect((await find(first.booking_reference)).stage_value).toBe('550');
    expect(await pops(Number(first.contact_id), 'booking', '2026-03-01')).toMatchObject([{ stage_value: '550' }]);
  });
});

describe('POST /v1/bookings', () => {
  const update = (body: object, by = token) => call('POST', '/v1/bookings', { token: by, body });
  it.each(others)(
    'changes %s of the booking with that reference to %j, and nothing else',
    async (field, value, name, answered) => {
      const first = await book(every);
      const { booking_reference } = first;
      const { status, body } = await update({
        account_id: accountId,
        booking_reference,
        provider_id: 12,
        [field]: value,
      });
      expect([status, body]).toEqual([200, { ...first, [name]: answered, updated_at: expect.any(String) }]);
      expect(await find(booking_reference)).toEqual(body);
    },
  );
  it('needs neither a provider nor an account, and keeps what is not sent', async () => {
    const first = await book(every);
    const { status, body } = await update({ booking_reference: first.booking_reference });
    expect([status, body]).toEqual([200, { ...first, updated_at: expect.any(String) }]);
  });
  it('changes the one that was made last where several providers use the reference, or the one of the provider', async () => {
    const first = await book({ provider_id: 12, party_size: 2 });
    const { booking_reference } = first;
    const second = await book({ booking_reference, provider_id: 13, party_size: 3 });
    expect((await update({ booking_reference, party_size: 4 })).body).toMatchObject({ id: second.id, party_size: '4' });
    const { body } = await update({ booking_reference, provider_id: 12, party_size: 5 });
    expect(body).toMatchObject({ id: first.id, party_size: '5' });
    expect(await find(booking_reference, { provider_id: 13 })).toMatchObject({ party_size: '4' });
  });
  it('creates none: unknown, another provider’s or another account’s is a 404', async () => {
    const first = await book(every);
    const { booking_reference } = first;
    for (const [body, by] of [
      [{ booking_reference: newReference() }, token],
      [{ booking_reference, provider_id: 77, party_size: 9 }, token],
      [{ booking_reference, party_size: 9 }, there.token],
    ] as const) {
      const { status, body: answer } = await update(body, by);
      expect([status, answer]).toEqual([404, { errors: [{ message: 'There is no such booking.' }] }]);
      if (body.booking_reference !== booking_reference) expect(await found(body.booking_reference)).toBe(404);
    }
    expect(await find(booking_reference)).toEqual(first);
  });
  it.each(bad)('refuses %s of %j, and changes nothing', async (field, value) => {
    const first = await book(every);
    const { booking_reference } = first;
    const { status, body } = await update({ booking_reference, party_size: 9, [field]: value });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    expect(await find(booking_reference)).toEqual(first);
  });
  it('names every failing field at once', async () => {
    const { booking_reference } = await book(every);
    const refusal = async (body: object) => Object.keys((await update(body)).body.errors).sort();
    expect(await refusal({ booking_reference, unit_id: 999_999, party_size: 'x' })).toEqual(['party_size', 'unit_id']);
    expect(await refusal({ unit_id: 'x' })).toEqual(['booking_reference', 'unit_id']);
    expect(await refusal({ booking_reference, account_id: there.id })).toEqual(['account_id']);
  });
  it('brings a waiting purchase to the guest who sits at the table', async () => {
    const at = '2028-01-01 19:30:00';
    const { booking_reference, contact_id } = await book({ unit_id: anchor, party_datetime: at });
    expect(await seated('60', at)).toBe(null);
    await update({ booking_reference, table_numbers: ['60'] });
    const { body } = await call('GET', `/v1/contact/${contact_id}/purchases`, { token });
    expect(body.total).toBe(1);
    expect(String(await seated('60', at))).toBe(contact_id);
  });
});

describe('table numbers', () => {
  let day = 0;
  /** A day of its own, so that nobody else sits there. */
  const evening = () => new Date(Date.UTC(2027, 0, ++day)).toISOString().slice(0, 10);
  it('say whose a till’s purchase is, one of several too', async () => {
    const at = `${evening()} 19:30:00`;
    const { contact_id } = await book({ unit_id: anchor, party_datetime: at, table_numbers: ['12', 14] });
    for (const table of ['12', '14']) expect(String(await seated(table, at))).toBe(contact_id);
    expect(await seated('13', at)).toBe(null);
    expect(await seated('12,14', at)).toBe(null);
    expect(await seated('12', at, bell)).toBe(null);
  });
  it('that come with a change seat the guest; others then unseat them', async () => {
    const at = `${evening()} 19:30:00`;
    const { id, contact_id } = await book({ unit_id: anchor, party_datetime: at });
    expect(await seated('20', at)).toBe(null);
    await changed(id, { table_numbers: ['21'] });
    expect(String(await seated('21', at))).toBe(contact_id);
    await changed(id, { table_numbers: ['22'] });
    expect(await seated('21', at)).toBe(null);
    expect(String(await seated('22', at))).toBe(contact_id);
    await changed(id, { party_size: 3, table_numbers: null });
    expect(String(await seated('22', at))).toBe(contact_id);
    await changed(id, { table_numbers: [] });
    expect(await seated('22', at)).toBe(null);
  });
  it('of a booking that is sent again without them stay; those sent anew count', async () => {
    const [at, email] = [`${evening()} 19:30:00`, newEmail()];
    const sent = { booking_reference: newReference(), unit_id: anchor, party_datetime: at };
    const { contact_id } = await book({ ...sent, table_numbers: ['30'] }, email);
    await book({ ...sent, party_size: 5 }, email);
    expect(String(await seated('30', at))).toBe(contact_id);
    await book({ ...sent, table_numbers: ['31'] }, email);
    expect(await seated('30', at)).toBe(null);
    expect(String(await seated('31', at))).toBe(contact_id);
  });
  it('of a cancelled booking seat nobody', async () => {
    const at = `${evening()} 19:30:00`;
    const { id } = await book({ unit_id: anchor, party_datetime: at, table_numbers: ['40'] });
    await changed(id, { stage_value: 550 });
    expect(await seated('40', at)).toBe(null);
  });
});

describe('bookings with discard_invalid_data', () => {
  it.each<[string, unknown]>([
    ['booking_reference', ''],
    ['unit_id', 999_999],
    ['unit_id', 'x'],
    ['provider_id', 'x'],
    ['party_datetime', '2026-02-29 19:30:00'],
  ])('drop the one with a bad %s (%j), and store the others', async (field, value) => {
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
  ])('drop a bad %s alone', async (field, value, instead) => {
    const booking_reference = newReference();
    const { dropped } = await discarding({ bookings: [{ ...every, booking_reference, [field]: value }] });
    expect(dropped).toEqual([`bookings.0.${field}`]);
    expect(await find(booking_reference)).toMatchObject({ ...everyAnswered, ...instead });
  });
  it('drop a bad table number alone', async () => {
    const at = '2027-06-01 19:30:00';
    const booking = { booking_reference: newReference(), unit_id: anchor, party_datetime: at };
    const { id, dropped } = await discarding({ bookings: [{ ...booking, table_numbers: [{}, '50'] }] });
    expect([dropped, await seated('50', at)]).toEqual([['bookings.0.table_numbers.0'], id]);
  });
  it('drop a list that is none, and store the contact', async () => {
    const { id, dropped } = await discarding({ bookings: 7, wifi: { unit_id: anchor } });
    expect(dropped).toEqual(['bookings', 'wifi']);
    expect((await call('GET', `/v1/contact/${id}`, { token })).status).toBe(200);
  });
});
