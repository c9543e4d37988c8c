import { describe, expect, it } from 'vitest';
import { bookingSetup } from './setup.ts';

const setup = await bookingSetup();
const { call, accountId, token, anchor, bell, there } = setup;
const { pops, look, find, found, book, change, changed, seated } = setup;
const { newEmail, newReference, every, everyAnswered, others, bad } = setup;

describe('GET /v1/bookings', () => {
  it('accepts a query, a JSON body, or both; the query takes precedence', async () => {
    const booking = await book(every);
    const { booking_reference } = booking;
    const query = { account_id: String(accountId), booking_reference };
    expect((await call('GET', '/v1/bookings', { token, query })).body).toEqual(booking);
    expect((await look({ account_id: accountId, booking_reference })).body).toEqual(booking);
    expect((await look(query)).body).toEqual(booking);
    const body = { account_id: accountId, booking_reference: 'B-none' };
    expect((await call('GET', '/v1/bookings', { token, query: { booking_reference }, body })).body).toEqual(booking);
  });
  it('finds references with any characters', async () => {
    for (const booking_reference of ['1042', 'Ünï/cödé & 100%', "O'Brien; drop", 'a b']) {
      expect((await book({ booking_reference })).booking_reference).toBe(booking_reference);
    }
    expect((await look({ account_id: accountId, booking_reference: 1042 })).body.booking_reference).toBe('1042');
  });
  it('matches only the whole reference', async () => {
    const { booking_reference } = await book({ booking_reference: 'the whole of it' });
    expect(await found(`${booking_reference}x`)).toBe(404);
    expect(await found(booking_reference.slice(0, -1))).toBe(404);
    expect(await found('%')).toBe(404);
  });
  it('returns 404 if the account has no such booking, even if another account has it', async () => {
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
  ])('returns 422 for %j and names %j', async (asked, fields) => {
    const { status, body } = await look(asked);
    expect([status, Object.keys(body.errors).sort()]).toEqual([422, fields]);
  });
  it('returns 401 without a token', async () => {
    const { status, body } = await call('GET', '/v1/bookings', {
      body: { account_id: accountId, booking_reference: 'x' },
    });
    expect([status, body]).toEqual([401, { errors: [{ message: 'Unauthorized' }] }]);
  });
});

describe('POST /v1/bookings/{id}', () => {
  it.each(others)('changes %s to %j and nothing else', async (field, value, name, answered) => {
    const first = await book(every);
    const after = await changed(first.id, { account_id: accountId, [field]: value });
    expect(after).toEqual({ ...first, [name]: answered, updated_at: expect.any(String) });
    expect(await find(first.booking_reference)).toEqual(after);
  });
  it('changes the provider; the booking is then found under the new provider only', async () => {
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
  it('changes all fields at once', async () => {
    const { id } = await book({});
    const booking_reference = newReference();
    expect(await changed(id, { ...every, booking_reference })).toMatchObject({
      ...everyAnswered,
      id,
      booking_reference,
    });
  });
  it('ignores null, blank, absent and unknown fields', async () => {
    const first = await book(every);
    const names = ['booking_reference', ...Object.keys(every)];
    for (const value of [null, '']) {
      const body = { ...Object.fromEntries(names.map((name) => [name, value])), id: 1, contact_id: 1, nonsense: 'x' };
      expect(await changed(first.id, body)).toEqual({ ...first, updated_at: expect.any(String) });
    }
  });
  it('changes the reference; the booking is no longer found by the old one', async () => {
    const first = await book(every);
    const booking_reference = newReference();
    const after = await changed(first.id, { booking_reference });
    expect(after).toEqual({ ...first, booking_reference, updated_at: expect.any(String) });
    expect(await find(booking_reference)).toEqual(after);
    expect(await found(first.booking_reference)).toBe(404);
    expect((await book({ booking_reference: first.booking_reference, provider_id: 12 })).id).not.toBe(first.id);
  });
  it.each([{ provider_id: 12 }, {}])(
    'rejects a reference that another booking of the same provider has: %j',
    async (provider) => {
      const [first, second] = [await book({ ...provider, party_size: 2 }), await book({ ...provider, party_size: 3 })];
      const { status, body } = await change(second.id, { booking_reference: first.booking_reference, party_size: 9 });
      expect([status, Object.keys(body.errors)]).toEqual([422, ['booking_reference']]);
      expect([await find(first.booking_reference), await find(second.booking_reference)]).toEqual([first, second]);
    },
  );
  it('accepts a reference that a booking of another provider has, and its own', async () => {
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
  it.each(bad)('rejects %s %j and changes nothing', async (field, value) => {
    const first = await book(every);
    const { status, body } = await change(first.id, {
      party_datetime: '2026-04-01 12:00:00',
      party_size: 9,
      [field]: value,
    });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    expect(await find(first.booking_reference)).toEqual(first);
  });
  it('names both a reference that is taken and an unknown unit', async () => {
    const [first, second] = [await book({ provider_id: 12 }), await book({ provider_id: 12 })];
    const { status, body } = await change(second.id, {
      booking_reference: first.booking_reference,
      unit_id: 999_999,
    });
    expect([status, Object.keys(body.errors).sort()]).toEqual([422, ['booking_reference', 'unit_id']]);
  });
  it('names every invalid field', async () => {
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
  it('returns 404 for an unknown booking and for another account’s booking, and changes nothing', async () => {
    const first = await book(every);
    for (const id of [999_999, 0, 'x', '99999999999999999999']) {
      expect((await change(id, { party_size: 9 })).status).toBe(404);
    }
    expect((await change(first.id, { party_size: 9 }, there.token)).status).toBe(404);
    const { status, body } = await change(first.id, { account_id: there.id, party_size: 9 });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['account_id']]);
    expect(await find(first.booking_reference)).toEqual(first);
  });
  it('cancels a booking, which can still be found', async () => {
    const first = await book(every);
    expect(await changed(first.id, { stage_value: 550 })).toMatchObject({ ...everyAnswered, stage_value: '550' });
    expect((await find(first.booking_reference)).stage_value).toBe('550');
    expect(await pops(Number(first.contact_id), 'booking', '2026-03-01')).toMatchObject([{ stage_value: '550' }]);
  });
});

describe('POST /v1/bookings', () => {
  const update = (body: object, by = token) => call('POST', '/v1/bookings', { token: by, body });
  it.each(others)(
    'changes %s of the booking with that reference to %j and nothing else',
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
  it('requires neither a provider nor an account, and keeps the fields that are not sent', async () => {
    const first = await book(every);
    const { status, body } = await update({ booking_reference: first.booking_reference });
    expect([status, body]).toEqual([200, { ...first, updated_at: expect.any(String) }]);
  });
  it('changes the booking of the given provider, or else the latest booking with that reference', async () => {
    const first = await book({ provider_id: 12, party_size: 2 });
    const { booking_reference } = first;
    const second = await book({ booking_reference, provider_id: 13, party_size: 3 });
    expect((await update({ booking_reference, party_size: 4 })).body).toMatchObject({ id: second.id, party_size: '4' });
    const { body } = await update({ booking_reference, provider_id: 12, party_size: 5 });
    expect(body).toMatchObject({ id: first.id, party_size: '5' });
    expect(await find(booking_reference, { provider_id: 13 })).toMatchObject({ party_size: '4' });
  });
  it('creates nothing: an unknown booking, or one of another provider or account, is a 404', async () => {
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
  it.each(bad)('rejects %s %j and changes nothing', async (field, value) => {
    const first = await book(every);
    const { booking_reference } = first;
    const { status, body } = await update({ booking_reference, party_size: 9, [field]: value });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    expect(await find(booking_reference)).toEqual(first);
  });
  it('names every invalid field', async () => {
    const { booking_reference } = await book(every);
    const refusal = async (body: object) => Object.keys((await update(body)).body.errors).sort();
    expect(await refusal({ booking_reference, unit_id: 999_999, party_size: 'x' })).toEqual(['party_size', 'unit_id']);
    expect(await refusal({ unit_id: 'x' })).toEqual(['booking_reference', 'unit_id']);
    expect(await refusal({ booking_reference, account_id: there.id })).toEqual(['account_id']);
  });
  it('matches a waiting purchase to the guest at the table', async () => {
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
  /** A separate day, so that no other booking matches. */
  const evening = () => new Date(Date.UTC(2027, 0, ++day)).toISOString().slice(0, 10);
  it('match a purchase to the contact of the booking at that table', async () => {
    const at = `${evening()} 19:30:00`;
    const { contact_id } = await book({ unit_id: anchor, party_datetime: at, table_numbers: ['12', 14] });
    for (const table of ['12', '14']) expect(String(await seated(table, at))).toBe(contact_id);
    expect(await seated('13', at)).toBe(null);
    expect(await seated('12,14', at)).toBe(null);
    expect(await seated('12', at, bell)).toBe(null);
  });
  it('can be changed; only purchases at the new tables are matched then', async () => {
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
  it('are kept if a booking is sent again without them, and replaced if it has others', async () => {
    const [at, email] = [`${evening()} 19:30:00`, newEmail()];
    const sent = { booking_reference: newReference(), unit_id: anchor, party_datetime: at };
    const { contact_id } = await book({ ...sent, table_numbers: ['30'] }, email);
    await book({ ...sent, party_size: 5 }, email);
    expect(String(await seated('30', at))).toBe(contact_id);
    await book({ ...sent, table_numbers: ['31'] }, email);
    expect(await seated('30', at)).toBe(null);
    expect(String(await seated('31', at))).toBe(contact_id);
  });
  it('of a cancelled booking match no purchase', async () => {
    const at = `${evening()} 19:30:00`;
    const { id } = await book({ unit_id: anchor, party_datetime: at, table_numbers: ['40'] });
    await changed(id, { stage_value: 550 });
    expect(await seated('40', at)).toBe(null);
  });
});
