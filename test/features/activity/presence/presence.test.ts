import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';

const { admin, account, call } = await testApp();
const { id: accountId, token } = await account();
const elsewhere = await account('Elsewhere');
const { body: unit } = await admin('POST', `/accounts/${accountId}/units`, { name: 'The Anchor' });

let count = 0;
const fresh = (prefix: string) => `${prefix}-${++count}`;
const newEmail = () => `${fresh('guest')}@gmail.com`;
const written = async (body: object, by = token): Promise<number> => {
  const who = { email: newEmail(), full_contact_object: false };
  const answer = await call('POST', '/v1/contact', { token: by, body: { ...who, ...body } });
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body.id;
};
const purchase = (created_at: string, more: object = {}) => ({
  transaction_reference: fresh('T'),
  unit_id: unit.id,
  provider_id: 12,
  created_at,
  items: [{ description: 'Pale ale', sku: 'ALE-1', quantity: 2, value: 11.5 }],
  ...more,
});
const booking = (party_datetime: string, more: object = {}) => ({
  booking_reference: fresh('B'),
  unit_id: unit.id,
  party_datetime,
  ...more,
});
const wifi = (created_at: string, more: object = {}) => ({
  unit_id: unit.id,
  hotspot_name: 'Guests',
  mac_address: '9c:4e:36:aa:01:02',
  device_type: 'phone',
  interaction_type: 'connected',
  created_at,
  ...more,
});

const march = { account_id: accountId, start_date: '2025-03-01', end_date: '2025-03-31' };
const all = ['purchases', 'wifi', 'booking'];
const search = (body: object, query?: string) =>
  call('GET', `/v1/pop/by_date${query === undefined ? '' : `?${query}`}`, { token, body });
const found = async (body: object, query?: string) => {
  const answer = await search({ ...march, types: all, ...body }, query);
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body;
};
const refused = async (body: object) => {
  const answer = await search(body);
  expect(answer.status).toBe(422);
  return Object.keys(answer.body.errors).sort();
};
const pageKeys = [
  ...['current_page', 'data', 'first_page_url', 'from', 'last_page', 'last_page_url', 'next_page_url', 'path'],
  ...['per_page', 'prev_page_url', 'to', 'total'],
];

describe('what comes back', () => {
  it('is purchases, bookings and wifi, with exactly these keys', async () => {
    const one = purchase('2025-03-05 20:05:00', {
      order_type_id: 4,
      items: [
        { description: 'Pale ale', sku: 'ALE-1', quantity: 2, value: 11.5, tags: ['drinks'] },
        { description: 'Taken back', sku: 'PIE-1', quantity: -1, value: -9 },
        { description: 'Cheese, by the kilo', sku: 'CH', quantity: 0.25, value: 4.999 },
      ],
    });
    const seat = booking('2025-03-05 19:30:00', {
      ...{ stage_value: 100, type_id: 2, source_id: 9, party_size: 4, deposit_paid: 20, table_numbers: ['12'] },
      party_enquirytime: '2025-02-20 09:15:00',
    });
    const contact_id = await written({ purchases: [one], bookings: [seat], wifi: [wifi('2025-03-05 19:32:00')] });
    const pops = await found({ contact_id });
    expect(Object.keys(pops).sort()).toEqual(['booking', 'purchases', 'wifi']);
    expect(pops.purchases).toEqual([
      {
        transaction_lines: [
          { id: expect.any(Number), description: 'Pale ale', sku: 'ALE-1', quantity: '2', value: '11.50' },
          { id: expect.any(Number), description: 'Taken back', sku: 'PIE-1', quantity: '-1', value: '-9.00' },
          { id: expect.any(Number), description: 'Cheese, by the kilo', sku: 'CH', quantity: '0.25', value: '5.00' },
        ],
        unit_name: 'The Anchor',
        id: expect.any(Number),
        contact_id,
        transaction_reference: one.transaction_reference,
        unit_id: unit.id,
        provider_id: 12,
        order_type_id: 4,
        transaction_date: '2025-03-05 20:05:00',
      },
    ]);
    const lines: { id: number }[] = pops.purchases[0].transaction_lines;
    expect(new Set(lines.map(({ id }) => id)).size).toBe(3);
    for (const type of ['booking', 'wifi']) {
      expect(Object.keys(pops[type]).sort()).toEqual(pageKeys);
      expect(pops[type]).toMatchObject({ current_page: 1, from: 1, to: 1, total: 1, last_page: 1, per_page: 100 });
      expect([pops[type].next_page_url, pops[type].prev_page_url]).toEqual([null, null]);
    }
    expect(pops.booking.data).toEqual([
      {
        booking_contact_id: String(contact_id),
        booking_reference: seat.booking_reference,
        id: expect.any(Number),
        account_id: String(accountId),
        contact_id: String(contact_id),
        unit_id: String(unit.id),
        stage_value: '100',
        type_id: '2',
        datetime: '2025-02-20 09:15:00',
        source_id: '9',
        party_datetime: '2025-03-05 19:30:00',
        party_size: '4',
        deposit_paid: '20.00',
        hpbr_food: '0.00',
        hpbr_drink: '0.00',
        hpbr_entertainment: '0.00',
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        unit_name: 'The Anchor',
      },
    ]);
    expect(pops.wifi.data).toEqual([
      {
        id: expect.any(Number),
        contact_id,
        unit_id: unit.id,
        unit_name: 'The Anchor',
        hotspot_name: 'Guests',
        mac_address: '9c:4e:36:aa:01:02',
        device_type: 'phone',
        interaction_type: 'connected',
        created_at: '2025-03-05 19:32:00',
      },
    ]);
  });
  it('is nothing in the same shapes where there is nothing', async () => {
    const pops = await found({ contact_id: await written({}) });
    expect(pops.purchases).toEqual([]);
    for (const type of ['booking', 'wifi']) {
      expect(Object.keys(pops[type]).sort()).toEqual(pageKeys);
      const nothing = { data: [], from: null, to: null, total: 0, next_page_url: null, prev_page_url: null };
      expect(pops[type]).toMatchObject({ ...nothing, current_page: 1, last_page: 1 });
    }
  });
  it('has purchases as an array, however many', async () => {
    const made: string[] = [];
    const email = newEmail();
    for (let n = 1; n <= 3; n++) {
      const one = purchase(`2025-03-0${n} 20:05:00`);
      made.unshift(one.transaction_reference);
      const contact_id = await written({ email, purchases: [one] });
      const { purchases } = await found({ contact_id });
      const references = purchases.map((pop: { transaction_reference: string }) => pop.transaction_reference);
      expect(references.sort()).toEqual([...made].sort());
    }
  });
  it('has purchases that came anonymously', async () => {
    const membership_number = fresh('M');
    const contact_id = await written({ membership_number });
    const one = purchase('2025-03-05 20:05:00');
    const body = { account_id: accountId, membership_number, purchases: [one, purchase('2025-04-01 00:00:00')] };
    expect((await call('POST', '/v1/purchases', { token, body })).status).toBe(200);
    const { purchases } = await found({ contact_id });
    expect(purchases).toMatchObject([{ contact_id, transaction_reference: one.transaction_reference }]);
  });
  it('has purchases without provider and lines', async () => {
    const one = purchase('2025-03-05 20:05:00', { provider_id: null, items: null });
    const { purchases } = await found({ contact_id: await written({ purchases: [one] }) });
    expect(purchases).toMatchObject([{ provider_id: null, order_type_id: 1, transaction_lines: [] }]);
  });
  it('is this contact’s alone', async () => {
    const deeds = () => ({
      purchases: [purchase('2025-03-05 20:05:00')],
      bookings: [booking('2025-03-05 20:05:00')],
      wifi: [wifi('2025-03-05 20:05:00')],
    });
    const [contact_id] = [await written(deeds()), await written(deeds())];
    const pops = await found({ contact_id });
    expect([pops.purchases.length, pops.booking.total, pops.wifi.total]).toEqual([1, 1, 1]);
    expect(pops.purchases[0].contact_id).toBe(contact_id);
  });
});

describe('the types', async () => {
  const contact_id = await written({
    purchases: [purchase('2025-03-05 20:05:00')],
    bookings: [booking('2025-03-05 19:30:00')],
    wifi: [wifi('2025-03-05 19:32:00')],
  });
  const query = `account_id=${accountId}&contact_id=${contact_id}&start_date=2025-03-01&end_date=2025-03-31`;

  it.each([
    ...all.map((type) => [type]),
    ['purchases', 'wifi'],
    ['booking', 'purchases'],
    ['wifi', 'booking'],
    all,
    ['wifi', 'wifi'],
  ])('that are asked for appear, and no others: %s %s %s', async (...types) => {
    const wanted = types.filter((type) => type !== undefined);
    const sorted = [...new Set(wanted)].sort();
    expect(Object.keys(await found({ contact_id, types: wanted })).sort()).toEqual(sorted);
    const texts = [
      wanted.map((type) => `types[]=${type}`).join('&'),
      wanted.map((type) => `types%5B%5D=${type}`).join('&'),
      wanted.map((type) => `types=${type}`).join('&'),
      `types=${wanted.join(',')}`,
    ];
    for (const text of texts) {
      const { status, body } = await call('GET', `/v1/pop/by_date?${query}&${text}`, { token });
      expect([status, Object.keys(body).sort()]).toEqual([200, sorted]);
    }
  });
  it('and all else may come in the query as well as in a body, and the query counts', async () => {
    const inBody = await found({ contact_id });
    const inQuery = await call('GET', `/v1/pop/by_date?${query}&types=${all.join(',')}`, { token });
    const data = (pops: typeof inBody) => [pops.purchases, pops.booking.data, pops.wifi.data];
    expect(data(inQuery.body)).toEqual(data(inBody));
    expect(inBody.purchases).toHaveLength(1);
    const both = await search(
      { ...march, contact_id: 999_999, start_date: 'x', types: ['nonsense'] },
      `${query}&types=wifi`,
    );
    expect([both.status, Object.keys(both.body)]).toEqual([200, ['wifi']]);
    const outside = await found({ contact_id }, 'end_date=2025-03-04');
    expect([outside.purchases, outside.booking.total, outside.wifi.total]).toEqual([[], 0, 0]);
  });
});

describe.each([
  { zone: 'UTC', first: '2025-03-01T00:00:00Z', last: '2025-03-31T23:59:59Z', out: '2025-04-01T00:00:00Z' },
  {
    zone: 'America/New_York',
    first: '2025-03-01T05:00:00Z',
    last: '2025-04-01T03:59:59Z',
    out: '2025-04-01T04:00:00Z',
  },
  {
    zone: 'Pacific/Auckland',
    first: '2025-02-28T11:00:00Z',
    last: '2025-03-31T10:59:59Z',
    out: '2025-03-31T11:00:00Z',
  },
])('the days in $zone', async ({ zone, first, last, out }) => {
  const { body: there } = await admin('POST', '/accounts', { name: zone, time_zone: zone });
  const { body: made } = await admin('POST', `/accounts/${there.id}/tokens`, { name: 'test' });
  const times = [
    ...['2025-02-28 23:59:59', '2025-03-01 00:00:00', '2025-03-15 12:00:00', '2025-03-31 23:59:59'],
    '2025-04-01 00:00:00',
  ];
  const inside = times.slice(1, 4).reverse();
  const unit_id = there.root_unit_id;
  const contactAt = (at: string[]) =>
    written(
      {
        purchases: at.map((time) => purchase(time, { unit_id })),
        bookings: at.map((time) => booking(time, { unit_id })),
        wifi: at.map((time) => wifi(time, { unit_id })),
      },
      made.token,
    );
  const timesIn = async (contact_id: number, start_date: string, end_date: string) => {
    const body = { account_id: there.id, contact_id, start_date, end_date, types: all };
    const answer = await call('GET', '/v1/pop/by_date', { token: made.token, body });
    expect(answer.status).toBe(200);
    const { purchases, booking: bookings, wifi: seen } = answer.body;
    return [
      purchases.map((pop: { transaction_date: string }) => pop.transaction_date),
      bookings.data.map((pop: { party_datetime: string }) => pop.party_datetime),
      seen.data.map((pop: { created_at: string }) => pop.created_at),
    ].map((list: string[]) => list.sort().reverse());
  };

  it('count at both ends, from the first second to the last', async () => {
    const contact = await contactAt(times);
    expect(await timesIn(contact, '2025-03-01', '2025-03-31')).toEqual([inside, inside, inside]);
  });
  it('may be one', async () => {
    const contact = await contactAt(times);
    expect(await timesIn(contact, '2025-03-31', '2025-03-31')).toEqual(all.map(() => ['2025-03-31 23:59:59']));
    expect(await timesIn(contact, '2025-03-01', '2025-03-01')).toEqual(all.map(() => ['2025-03-01 00:00:00']));
  });
  it('may be written unpadded', async () => {
    const contact = await contactAt(times);
    expect(await timesIn(contact, '2025-3-1', '2025-3-31')).toEqual([inside, inside, inside]);
    expect(await timesIn(contact, '2025-02-9', '2025-3-1')).toEqual(
      all.map(() => ['2025-03-01 00:00:00', '2025-02-28 23:59:59']),
    );
  });
  it('are those of the account’s clock for what was sent with an offset', async () => {
    const contact = await contactAt([first, last, out]);
    const both = ['2025-03-31 23:59:59', '2025-03-01 00:00:00'];
    expect(await timesIn(contact, '2025-03-01', '2025-03-31')).toEqual([both, both, both]);
    expect(await timesIn(contact, '2025-04-01', '2025-04-01')).toEqual(all.map(() => ['2025-04-01 00:00:00']));
  });
});

describe('pages', async () => {
  const at = (n: number) => new Date(Date.UTC(2025, 2, 5, 10, n)).toISOString().slice(0, 19).replace('T', ' ');
  const minutes = Array.from({ length: 105 }, (_, n) => n);
  const contact_id = await written({
    purchases: minutes.map((n) => purchase(at(n))),
    bookings: minutes.map((n) => booking(at(n))),
    wifi: minutes.map((n) => wifi(at(n))),
  });
  const url = (page: number) =>
    expect.stringMatching(new RegExp(`^http://[^/?]+/v1/pop/by_date\\?(.*&)?page=${page}$`));

  it.each(['booking', 'wifi'])('of %s hold a hundred', async (type) => {
    const pageOne = (await found({ contact_id, types: [type] }))[type];
    const pageTwo = (await found({ contact_id, types: [type] }, 'page=2'))[type];
    for (const page of [pageOne, pageTwo]) {
      expect(Object.keys(page).sort()).toEqual(pageKeys);
      expect(page.path).toMatch(/^http:\/\/[^/?]+\/v1\/pop\/by_date$/);
      const same = { first_page_url: url(1), last_page_url: url(2), last_page: 2, per_page: 100, total: 105 };
      expect(page).toMatchObject(same);
    }
    expect(pageOne).toMatchObject({ current_page: 1, from: 1, to: 100, prev_page_url: null, next_page_url: url(2) });
    expect(pageTwo).toMatchObject({ current_page: 2, from: 101, to: 105, prev_page_url: url(1), next_page_url: null });
    const ids = [...pageOne.data, ...pageTwo.data].map(({ id }) => id);
    expect([pageOne.data.length, pageTwo.data.length, new Set(ids).size]).toEqual([100, 5, 105]);
    const pastTheEnd = (await found({ contact_id, types: [type] }, 'page=3'))[type];
    expect(pastTheEnd).toMatchObject({ current_page: 3, data: [], from: null, to: null, total: 105, last_page: 2 });
  });
  it('of both go together, and all purchases are on each', async () => {
    for (const [page, size] of [
      [1, 100],
      [2, 5],
    ]) {
      const pops = await found({ contact_id }, `page=${page}`);
      expect([pops.booking.data.length, pops.wifi.data.length, pops.purchases.length]).toEqual([size, size, 105]);
    }
  });
  it.each(['0', '-1', 'x', '1.5', ''])('start with the first where the page is none: %j', async (page) => {
    const { booking: bookings } = await found({ contact_id, types: ['booking'] }, `page=${page}`);
    expect([bookings.current_page, bookings.data.length]).toEqual([1, 100]);
  });
  it('keep the query’s other parameters in their urls, which lead on', async () => {
    const query = new URLSearchParams({ account_id: String(accountId), contact_id: String(contact_id) });
    query.set('start_date', '2025-03-01');
    query.set('end_date', '2025-03-31');
    const answer = await call('GET', `/v1/pop/by_date?${query}&types[]=booking&types[]=wifi`, { token });
    const next = new URL(answer.body.booking.next_page_url);
    expect([next.pathname, next.searchParams.get('page')]).toEqual(['/v1/pop/by_date', '2']);
    const { status, body } = await call('GET', `${next.pathname}${next.search}`, { token });
    expect([status, body.booking?.data.length, body.wifi?.data.length]).toEqual([200, 5, 5]);
    const back = new URL(body.wifi.prev_page_url);
    const first = await call('GET', `${back.pathname}${back.search}`, { token });
    expect(first.body).toEqual(answer.body);
  });
});

describe('a contact', () => {
  const deeds = (day: string) => ({
    purchases: [purchase(`${day} 20:05:00`)],
    bookings: [booking(`${day} 19:30:00`)],
    wifi: [wifi(`${day} 19:32:00`)],
  });
  it('that was merged into another is found under either id, with what both did', async () => {
    const [email, mobile_number] = [newEmail(), '447700912345'];
    const stays = await written({ email, ...deeds('2025-03-05') });
    const goes = await written({ email: null, mobile_number, ...deeds('2025-03-06') });
    expect(goes).not.toBe(stays);
    expect(await written({ email, mobile_number })).toBe(stays);
    const pops = await found({ contact_id: stays });
    expect([pops.purchases.length, pops.booking.total, pops.wifi.total]).toEqual([2, 2, 2]);
    const ids = (list: { contact_id: number | string }[]) => list.map(({ contact_id }) => Number(contact_id));
    for (const list of [pops.purchases, pops.booking.data, pops.wifi.data]) expect(ids(list)).toEqual([stays, stays]);
    expect(await found({ contact_id: goes })).toEqual(pops);
  });
  it('that is unknown or another account’s is a 422 on contact_id', async () => {
    const foreign = await written({ purchases: [purchase('2025-03-05 20:05:00', { unit_id: null })] }, elsewhere.token);
    for (const contact_id of [foreign, 999_999, 0, -1]) {
      expect(await refused({ ...march, contact_id, types: all })).toEqual(['contact_id']);
    }
  });
  it('may be written as text', async () => {
    const contact_id = await written(deeds('2025-03-05'));
    const pops = await found({ account_id: String(accountId), contact_id: String(contact_id) });
    expect(pops.purchases).toHaveLength(1);
  });
});

describe('what is wrong', async () => {
  const contact_id = await written({});
  const right = { ...march, contact_id, types: all };

  it('is right otherwise', async () => {
    expect((await search(right)).status).toBe(200);
  });
  it.each<[string, object, string[]]>([
    ['everything is missing', {}, ['account_id', 'contact_id', 'end_date', 'start_date', 'types']],
    [
      'everything is blank',
      { account_id: '', contact_id: '', start_date: '', end_date: '', types: '' },
      ['account_id', 'contact_id', 'end_date', 'start_date', 'types'],
    ],
    [
      'everything is of another kind',
      { account_id: 'x', contact_id: 'x', start_date: 'x', end_date: 7, types: 7 },
      ['account_id', 'contact_id', 'end_date', 'start_date', 'types'],
    ],
    ...['account_id', 'contact_id', 'start_date', 'end_date', 'types'].map((field): [string, object, string[]] => [
      `no ${field}`,
      { ...right, [field]: undefined },
      [field],
    ]),
    ['another’s account', { ...right, account_id: elsewhere.id }, ['account_id']],
    ['an unknown account', { ...right, account_id: 999_999 }, ['account_id']],
    ['the end before the start', { ...right, end_date: '2025-02-28' }, ['end_date']],
    ['a day that is none', { ...right, start_date: '2025-02-30', end_date: '2025-13-01' }, ['end_date', 'start_date']],
    ['no types at all', { ...right, types: [] }, ['types']],
    ['a type that is none', { ...right, types: ['purchases', 'stays'] }, ['types.1']],
    ['a type in another case', { ...right, types: ['Purchases'] }, ['types.0']],
  ])('is named: %s', async (_, body, fields) => {
    expect(await refused(body)).toEqual(fields);
  });
  it('is named: a type that is none, in a query', async () => {
    const answer = await search({ ...right, types: undefined }, 'types=wifi,stays');
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['types.1']]);
  });
  it('is named all at once: an unknown contact and an end before the start', async () => {
    const body = { ...right, contact_id: 999_999, end_date: '2025-02-28' };
    expect(await refused(body)).toEqual(['contact_id', 'end_date']);
  });
  it('is named all at once: an unknown contact and a day that is none', async () => {
    expect(await refused({ ...right, contact_id: 999_999, start_date: '2025-02-30' })).toEqual([
      'contact_id',
      'start_date',
    ]);
  });
  it('is named all at once: an account out of reach and a type that is none', async () => {
    expect(await refused({ ...right, account_id: elsewhere.id, types: ['stays'] })).toEqual(['account_id', 'types.0']);
  });
  it('needs a token', async () => {
    expect((await call('GET', '/v1/pop/by_date', { body: right })).status).toBe(401);
  });
});
