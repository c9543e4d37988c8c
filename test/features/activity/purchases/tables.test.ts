import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';

const { admin, call } = await testApp();

let count = 0;
const fresh = (prefix: string) => `${prefix}-${++count}`;

/** A place whose clock is that of a zone, with two units. */
async function placeIn(time_zone: string) {
  const { body: account } = await admin('POST', '/accounts', { name: time_zone, time_zone });
  expect(account.time_zone).toBe(time_zone);
  const at = `/accounts/${account.id}`;
  const token: string = (await admin('POST', `${at}/tokens`, { name: 'test' })).body.token;
  const [here, there] = [
    (await admin('POST', `${at}/units`, { name: 'The Anchor' })).body.id as number,
    (await admin('POST', `${at}/units`, { name: 'The Bell' })).body.id as number,
  ];

  /** A new guest with a booking. */
  const book = async (booking: object) => {
    const bookings = [{ booking_reference: fresh('B'), unit_id: here, provider_id: 3, ...booking }];
    const body = { email: `${fresh('guest')}@gmail.com`, full_contact_object: false, bookings };
    const answer = await call('POST', '/v1/contact', { token, body });
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    const { booking_reference } = bookings[0] as { booking_reference: string };
    const found = await call('GET', '/v1/bookings', { token, body: { account_id: account.id, booking_reference } });
    return { contact: answer.body.id as number, booking: found.body.id as number, booking_reference };
  };
  const change = async (booking: number, changes: object) => {
    const answer = await call('POST', `/v1/bookings/${booking}`, { token, body: changes });
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    return answer.body;
  };
  /** The purchases of one request, in order: whose they are. */
  const payAll = async (table_number: string, purchases: object[]) => {
    const bills = purchases.map((one) => ({ transaction_reference: fresh('T'), unit_id: here, items: [], ...one }));
    const body = { account_id: account.id, table_number, purchases: bills };
    const answer = await call('POST', '/v1/purchases', { token, body });
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    return answer.body.purchases as { id: number; contact_id: number | null; matched_by: string | null }[];
  };
  const pay = async (table: string, created_at: string, more: object = {}): Promise<number | null> => {
    const [{ contact_id, matched_by } = { contact_id: null, matched_by: null }] = await payAll(table, [
      { created_at, ...more },
    ]);
    expect(matched_by).toBe(contact_id === null ? null : 'table_number');
    return contact_id;
  };
  const purchasesOf = async (contact: number) =>
    (await call('GET', `/v1/contact/${contact}/purchases`, { token })).body.data;
  return {
    account: account.id as number,
    token,
    root: account.root_unit_id as number,
    here,
    there,
    book,
    change,
    payAll,
    pay,
    purchasesOf,
  };
}

interface Purchase {
  transaction_date: string;
  matched_by: string | null;
}

interface Zone {
  zone: string;
  /** What its clock is ahead of UTC on the first of July. */
  july: string;
  /** 23:59 and 00:15 on its clock, that night, as UTC. */
  utc: { late: string; next: string };
  /** Nights on which the clocks change: a start, the last second within 3 hours of it, and the first that is not. */
  forward: [start: string, within: string, beyond: string];
  back: [start: string, within: string, beyond: string];
}

const zones: Zone[] = [
  {
    zone: 'Europe/London',
    july: '+01:00',
    utc: { late: '2025-07-01T22:59:00Z', next: '2025-07-01T23:15:00Z' },
    forward: ['2025-03-30 00:30:00', '2025-03-30 04:30:00', '2025-03-30 04:30:01'],
    back: ['2025-10-26 00:30:00', '2025-10-26 02:30:00', '2025-10-26 02:30:01'],
  },
  {
    zone: 'America/New_York',
    july: '-04:00',
    utc: { late: '2025-07-02T03:59:00Z', next: '2025-07-02T04:15:00Z' },
    forward: ['2025-03-09 00:30:00', '2025-03-09 04:30:00', '2025-03-09 04:30:01'],
    back: ['2025-11-02 00:30:00', '2025-11-02 02:30:00', '2025-11-02 02:30:01'],
  },
  {
    zone: 'Pacific/Auckland',
    july: '+12:00',
    utc: { late: '2025-07-01T11:59:00Z', next: '2025-07-01T12:15:00Z' },
    forward: ['2025-09-28 00:30:00', '2025-09-28 04:30:00', '2025-09-28 04:30:01'],
    back: ['2025-04-06 01:30:00', '2025-04-06 03:30:00', '2025-04-06 03:30:01'],
  },
];

describe.each(zones)('a purchase at a table, in $zone', async ({ zone, july, utc, forward, back }) => {
  const { book, pay, payAll, change, purchasesOf, here, there, root } = await placeIn(zone);

  describe.each<[string, string, string, boolean]>([
    ['at the very start', '2025-07-01 19:30:00', '2025-07-01 19:30:00', true],
    ['after the start', '2025-07-01 19:30:00', '2025-07-01 20:05:00', true],
    ['before the start', '2025-07-01 19:30:00', '2025-07-01 18:55:00', true],
    ['late on the same day', '2025-07-01 22:00:00', '2025-07-01 23:59:59', true],
    ['early on the same day', '2025-07-01 02:59:00', '2025-07-01 00:00:00', true],
    ['after midnight', '2025-07-01 23:30:00', '2025-07-02 00:15:00', false],
    ['at midnight', '2025-07-01 23:30:00', '2025-07-02 00:00:00', false],
    ['on the day before', '2025-07-02 00:15:00', '2025-07-01 23:30:00', false],
    ['a day later', '2025-07-01 19:30:00', '2025-07-02 19:30:00', false],
    ['3 hours after', '2025-07-01 18:00:00', '2025-07-01 21:00:00', true],
    ['3 hours and a second after', '2025-07-01 18:00:00', '2025-07-01 21:00:01', false],
    ['3 hours before', '2025-07-01 21:00:00', '2025-07-01 18:00:00', true],
    ['3 hours and a second before', '2025-07-01 21:00:00', '2025-07-01 17:59:59', false],
    ['in winter', '2025-01-15 22:00:00', '2025-01-15 23:59:00', true],
    ['after midnight in winter', '2025-01-15 23:30:00', '2025-01-16 00:15:00', false],
  ])('%s', (_, party_datetime, created_at, matches) => {
    it(`${matches ? 'is' : 'is not'} matched to the booking`, async () => {
      const table = fresh('table');
      const { contact } = await book({ party_datetime, table_numbers: [table] });
      expect(await pay(table, created_at)).toBe(matches ? contact : null);
    });
    it(`${matches ? 'is' : 'is not'} matched to a booking that arrives later`, async () => {
      const table = fresh('table');
      expect(await pay(table, created_at)).toBeNull();
      const { contact } = await book({ party_datetime, table_numbers: [table] });
      expect(await purchasesOf(contact)).toHaveLength(matches ? 1 : 0);
    });
  });

  describe('a time with an offset', () => {
    it.each<[string, string, string, boolean, string]>([
      ['in UTC', '2025-07-01 22:00:00', utc.late, true, '2025-07-01 23:59:00'],
      ['in UTC with fractions', '2025-07-01 22:00:00', utc.late.replace('Z', '.000Z'), true, '2025-07-01 23:59:00'],
      ['in UTC', '2025-07-01 23:30:00', utc.next, false, '2025-07-02 00:15:00'],
      ['of its own', '2025-07-01 22:00:00', `2025-07-01T23:59:00${july}`, true, '2025-07-01 23:59:00'],
      ['of its own', '2025-07-01 23:30:00', `2025-07-02T00:15:00${july}`, false, '2025-07-02 00:15:00'],
      ['of its own', '2025-07-01 18:00:00', `2025-07-01T21:00:00${july}`, true, '2025-07-01 21:00:00'],
      ['of its own', '2025-07-01 18:00:00', `2025-07-01T21:00:01${july}`, false, '2025-07-01 21:00:01'],
    ])('%s is converted to the account’s time zone: %s, %s', async (_, party_datetime, created_at, matches, shown) => {
      const table = fresh('table');
      const { contact } = await book({ party_datetime, table_numbers: [table] });
      expect(await pay(table, created_at)).toBe(matches ? contact : null);
      // It was converted, not cut off: on the account's clock it is this second, and no other.
      const nearby = await book({ party_datetime: shown, table_numbers: [table] });
      expect(await purchasesOf(nearby.contact)).toHaveLength(matches ? 0 : 1);
      const [stored] = await purchasesOf(matches ? contact : nearby.contact);
      expect(stored.transaction_date).toBe(shown);
    });
    it('is converted for bookings too', async () => {
      const table = fresh('table');
      const { contact } = await book({ party_datetime: utc.late, table_numbers: [table] });
      expect(await pay(table, '2025-07-01 22:00:00')).toBe(contact);
      expect(await pay(table, utc.late)).toBe(contact);
      expect(await pay(table, '2025-07-02 00:15:00')).toBeNull();
    });
  });

  describe('when the clocks change', () => {
    it.each<[string, Zone['forward']]>([
      ['forward', forward],
      ['back', back],
    ])('%s, the elapsed hours count', async (_, [start, within, beyond]) => {
      const [early, late, outside] = [fresh('table'), fresh('table'), fresh('table')];
      const { contact } = await book({ party_datetime: start, table_numbers: [early] });
      expect([await pay(early, within), await pay(early, beyond)]).toEqual([contact, null]);
      const { contact: after } = await book({ party_datetime: within, table_numbers: [late] });
      expect(await pay(late, start)).toBe(after);
      await book({ party_datetime: beyond, table_numbers: [outside] });
      expect(await pay(outside, start)).toBeNull();
    });
    it.each<[string, Zone['forward']]>([
      ['forward', forward],
      ['back', back],
    ])('%s, the elapsed hours count for a waiting purchase too', async (_, [start, within, beyond]) => {
      const table = fresh('table');
      expect([await pay(table, within), await pay(table, beyond)]).toEqual([null, null]);
      const { contact } = await book({ party_datetime: start, table_numbers: [table] });
      expect((await purchasesOf(contact)).map((one: Purchase) => one.transaction_date)).toEqual([within]);
    });
    it('the day is the local day', async () => {
      for (const [start] of [forward, back]) {
        const table = fresh('table');
        const day = start.slice(0, 10);
        const { contact } = await book({ party_datetime: `${day} 00:05:00`, table_numbers: [table] });
        const before = new Date(Date.parse(`${day}T00:00:00Z`) - 1000).toISOString().slice(0, 10);
        expect(await pay(table, `${before} 23:55:00`)).toBeNull();
        expect(await pay(table, `${day} 00:10:00`)).toBe(contact);
      }
    });
  });

  it('several purchases in one request are matched independently', async () => {
    const table = fresh('table');
    const at = (unit_id: number, party_datetime: string) => book({ unit_id, party_datetime, table_numbers: [table] });
    const lunch = await at(here, '2025-07-01 12:30:00');
    const dinner = await at(here, '2025-07-01 19:30:00');
    const elsewhere = await at(there, '2025-07-01 19:30:00');
    const atRoot = await at(root, '2025-07-01 19:30:00');
    const purchases = await payAll(table, [
      { created_at: '2025-07-01 20:15:00' },
      { created_at: '2025-07-01 13:15:00' },
      { created_at: '2025-07-01 20:15:00', unit_id: there },
      { created_at: '2025-07-01 13:15:00', unit_id: there },
      { created_at: '2025-07-01 20:15:00', unit_id: root },
      { created_at: '2025-07-02 20:15:00' },
    ]);
    expect(purchases.map((one) => one.contact_id)).toEqual([
      dinner.contact,
      lunch.contact,
      elsewhere.contact,
      null,
      atRoot.contact,
      null,
    ]);
    expect(purchases.map((one) => one.matched_by)).toEqual([
      'table_number',
      'table_number',
      'table_number',
      null,
      'table_number',
      null,
    ]);
  });

  it('a table that the booking platform reports later matches the waiting purchase', async () => {
    const table = fresh('table');
    const { contact, booking } = await book({ party_datetime: '2025-07-01 23:00:00' });
    expect([await pay(table, '2025-07-01 23:59:59'), await pay(table, '2025-07-02 00:30:00')]).toEqual([null, null]);
    await change(booking, { table_numbers: [table] });
    expect((await purchasesOf(contact)).map((one: Purchase) => [one.transaction_date, one.matched_by])).toEqual([
      ['2025-07-01 23:59:59', 'table_number'],
    ]);
    expect(await pay(table, '2025-07-01 23:10:00')).toBe(contact);
  });
});

describe('the booking that matches a table', async () => {
  const { account, token, book, pay, payAll, change, purchasesOf, here, there } = await placeIn('Europe/London');
  const at = (time: string) => `2025-07-01 ${time}:00`;
  const seated = (time: string, table: string, more: object = {}) =>
    book({ party_datetime: at(time), table_numbers: [table], ...more });

  it('is the one that starts nearest to the purchase', async () => {
    const table = fresh('table');
    const early = await seated('17:30', table);
    const middle = await seated('19:45', table);
    const late = await seated('21:30', table);
    const times = ['18:30', '18:38', '20:05', '20:37', '20:38', '22:00'];
    const whose = [early, middle, middle, middle, late, late].map(({ contact }) => contact);
    expect(await Promise.all(times.map((time) => pay(table, at(time))))).toEqual(whose);
  });
  it('stays the same if a nearer one arrives later', async () => {
    const table = fresh('table');
    const { contact } = await seated('17:30', table);
    expect(await pay(table, at('20:05'))).toBe(contact);
    const nearer = await seated('20:00', table);
    expect([await purchasesOf(contact), await purchasesOf(nearer.contact)].map((all) => all.length)).toEqual([1, 0]);
  });
  it('is never a cancelled one', async () => {
    const table = fresh('table');
    const { contact } = await seated('17:30', table);
    await seated('20:00', table, { stage_value: 550 });
    expect(await pay(table, at('20:05'))).toBe(contact);
    const alone = fresh('table');
    await seated('20:00', alone, { stage_value: 550 });
    expect(await pay(alone, at('20:05'))).toBeNull();
  });
  it.each([1, 100, 7, 551])('can be in stage %d', async (stage_value) => {
    const table = fresh('table');
    const { contact } = await seated('20:00', table, { stage_value });
    expect(await pay(table, at('20:05'))).toBe(contact);
  });
  it('is not one that was cancelled before the purchase', async () => {
    const table = fresh('table');
    const { contact, booking } = await seated('20:00', table);
    expect(await pay(table, at('20:05'))).toBe(contact);
    await change(booking, { stage_value: 550 });
    expect(await pay(table, at('20:06'))).toBeNull();
    expect(await purchasesOf(contact)).toHaveLength(1);
    await change(booking, { stage_value: 1 });
    expect(await purchasesOf(contact)).toHaveLength(2);
  });
  it('is never at another unit, even if that one is nearer', async () => {
    const table = fresh('table');
    const { contact } = await seated('18:00', table, { unit_id: there });
    expect(await pay(table, at('18:05'))).toBeNull();
    expect(await pay(table, at('18:05'), { unit_id: there })).toBe(contact);
    const here = await seated('20:00', table);
    expect(await pay(table, at('18:05'))).toBe(here.contact);
  });
  it('is never at another table', async () => {
    const table = fresh('table');
    await seated('20:00', `${table}0`);
    await seated('20:00', table.slice(0, -1) || 'x');
    expect(await pay(table, at('20:05'))).toBeNull();
  });
  it('has a table and a start', async () => {
    const table = fresh('table');
    await book({ party_datetime: at('20:00') });
    await book({ party_datetime: at('20:00'), table_numbers: [] });
    await book({ table_numbers: [table] });
    expect(await pay(table, at('20:05'))).toBeNull();
  });
  it('has the table among its tables', async () => {
    const [one, two, three] = [fresh('table'), fresh('table'), fresh('table')];
    const { contact } = await book({ party_datetime: at('20:00'), table_numbers: [one, two, three] });
    expect(await Promise.all([one, two, three].map((table) => pay(table, at('20:05'))))).toEqual([
      contact,
      contact,
      contact,
    ]);
    expect(await pay(`${one},${two}`, at('20:05'))).toBeNull();
  });
  it('is found regardless of the case of the table', async () => {
    const name = fresh('Terrasse É');
    const { contact } = await seated('20:00', name);
    for (const table of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(await pay(table, at('20:05'))).toBe(contact);
    }
    const late = fresh('Bar');
    await pay(late.toLowerCase(), at('20:05'));
    await pay(late.toUpperCase(), at('20:05'));
    expect(await purchasesOf((await seated('20:00', late)).contact)).toHaveLength(2);
  });
  it('has the table that was reported last', async () => {
    const [first, second] = [fresh('table'), fresh('table')];
    const { contact, booking } = await seated('20:00', first);
    await change(booking, { table_numbers: [second] });
    expect([await pay(first, at('20:05')), await pay(second, at('20:05'))]).toEqual([null, contact]);
    await change(booking, { party_size: 4 });
    expect(await pay(second, at('20:06'))).toBe(contact);
    await change(booking, { table_numbers: [] });
    expect(await pay(second, at('20:07'))).toBeNull();
  });
  it.each<[string, object, object]>([
    ['the start', { party_datetime: at('12:00') }, { party_datetime: at('20:00') }],
    ['the day', { party_datetime: '2025-06-30 20:00:00' }, { party_datetime: at('20:00') }],
    ['the unit', { unit_id: there }, { unit_id: here }],
    ['the stage', { stage_value: 550 }, { stage_value: 100 }],
  ])('is found when %s is corrected', async (_, wrong, right) => {
    const table = fresh('table');
    const { contact, booking } = await seated('20:00', table, wrong);
    expect(await pay(table, at('20:05'))).toBeNull();
    await change(booking, right);
    expect(await purchasesOf(contact)).toHaveLength(1);
  });
  it('is found for a purchase sent again with its table and no time: it keeps its time', async () => {
    const table = fresh('table');
    const { contact } = await seated('20:00', table);
    const transaction_reference = fresh('T');
    expect(await pay(fresh('nobody'), at('20:05'), { transaction_reference })).toBeNull();
    const [again] = await payAll(table, [{ transaction_reference }]);
    expect(again).toMatchObject({ contact_id: contact, matched_by: 'table_number' });
    expect((await purchasesOf(contact)).map((one: Purchase) => one.transaction_date)).toEqual([at('20:05')]);
  });
  it('is found for a purchase sent again with another time', async () => {
    const table = fresh('table');
    const { contact } = await seated('20:00', table);
    const transaction_reference = fresh('T');
    expect(await pay(table, at('12:05'), { transaction_reference })).toBeNull();
    expect(await pay(table, at('20:05'), { transaction_reference })).toBe(contact);
    expect(await purchasesOf(contact)).toHaveLength(1);
  });
  it('is the nearest one if one write adds several', async () => {
    const table = fresh('table');
    expect(await pay(table, at('20:05'))).toBeNull();
    const bookings = ['17:30', '19:45', '21:30'].map((time) => {
      return { booking_reference: fresh('B'), unit_id: here, party_datetime: at(time), table_numbers: [table] };
    });
    const body = { email: `${fresh('guest')}@gmail.com`, full_contact_object: false, bookings };
    const { id } = (await call('POST', '/v1/contact', { token, body })).body;
    const [{ id: purchase }] = await purchasesOf(id);
    const { body: explained } = await admin('GET', `/accounts/${account}/purchases/${purchase}/explanation`);
    const chosen = explained.candidates.filter((one: { chosen: boolean }) => one.chosen);
    expect(chosen.map((one: { party_datetime: string }) => one.party_datetime)).toEqual([at('19:45')]);
  });
});
