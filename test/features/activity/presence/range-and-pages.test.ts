import { describe, expect, it } from 'vitest';
import { allTypes, pageKeys, presenceSetup } from './setup.ts';

const setup = await presenceSetup();
const { admin, call, accountId, token, elsewhere, march } = setup;
const { written, search, found, refused } = setup;
const { purchase, booking, wifi } = setup;

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
])('the range of days in $zone', async ({ zone, first, last, out }) => {
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
    const body = { account_id: there.id, contact_id, start_date, end_date, types: allTypes };
    const answer = await call('GET', '/v1/pop/by_date', { token: made.token, body });
    expect(answer.status).toBe(200);
    const { purchases, booking: bookings, wifi: seen } = answer.body;
    return [
      purchases.map((pop: { transaction_date: string }) => pop.transaction_date),
      bookings.data.map((pop: { party_datetime: string }) => pop.party_datetime),
      seen.data.map((pop: { created_at: string }) => pop.created_at),
    ].map((list: string[]) => list.sort().reverse());
  };

  it('includes the first and the last day, from the first second to the last', async () => {
    const contact = await contactAt(times);
    expect(await timesIn(contact, '2025-03-01', '2025-03-31')).toEqual([inside, inside, inside]);
  });
  it('can be a single day', async () => {
    const contact = await contactAt(times);
    expect(await timesIn(contact, '2025-03-31', '2025-03-31')).toEqual(allTypes.map(() => ['2025-03-31 23:59:59']));
    expect(await timesIn(contact, '2025-03-01', '2025-03-01')).toEqual(allTypes.map(() => ['2025-03-01 00:00:00']));
  });
  it('can be written without leading zeros', async () => {
    const contact = await contactAt(times);
    expect(await timesIn(contact, '2025-3-1', '2025-3-31')).toEqual([inside, inside, inside]);
    expect(await timesIn(contact, '2025-02-9', '2025-3-1')).toEqual(
      allTypes.map(() => ['2025-03-01 00:00:00', '2025-02-28 23:59:59']),
    );
  });
  it('is compared in the account’s time zone for times sent with an offset', async () => {
    const contact = await contactAt([first, last, out]);
    const both = ['2025-03-31 23:59:59', '2025-03-01 00:00:00'];
    expect(await timesIn(contact, '2025-03-01', '2025-03-31')).toEqual([both, both, both]);
    expect(await timesIn(contact, '2025-04-01', '2025-04-01')).toEqual(allTypes.map(() => ['2025-04-01 00:00:00']));
  });
});

describe('the pages of a presence search', async () => {
  const at = (n: number) => new Date(Date.UTC(2025, 2, 5, 10, n)).toISOString().slice(0, 19).replace('T', ' ');
  const minutes = Array.from({ length: 105 }, (_, n) => n);
  const contact_id = await written({
    purchases: minutes.map((n) => purchase(at(n))),
    bookings: minutes.map((n) => booking(at(n))),
    wifi: minutes.map((n) => wifi(at(n))),
  });
  const url = (page: number) =>
    expect.stringMatching(new RegExp(`^http://[^/?]+/v1/pop/by_date\\?(.*&)?page=${page}$`));

  it.each(['booking', 'wifi'])('contain 100 entries of %s', async (type) => {
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
  it('apply to bookings and wifi together; every page has all purchases', async () => {
    for (const [page, size] of [
      [1, 100],
      [2, 5],
    ]) {
      const pops = await found({ contact_id }, `page=${page}`);
      expect([pops.booking.data.length, pops.wifi.data.length, pops.purchases.length]).toEqual([size, size, 105]);
    }
  });
  it.each(['0', '-1', 'x', '1.5', ''])('start at the first page if the page is invalid: %j', async (page) => {
    const { booking: bookings } = await found({ contact_id, types: ['booking'] }, `page=${page}`);
    expect([bookings.current_page, bookings.data.length]).toEqual([1, 100]);
  });
  it('have URLs that keep the other query parameters', async () => {
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

describe('an invalid presence search', async () => {
  const contact_id = await written({});
  const right = { ...march, contact_id, types: allTypes };

  it('differs in one field from this search, which is accepted', async () => {
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
    ['an account of another group', { ...right, account_id: elsewhere.id }, ['account_id']],
    ['an unknown account', { ...right, account_id: 999_999 }, ['account_id']],
    ['the end before the start', { ...right, end_date: '2025-02-28' }, ['end_date']],
    ['an invalid day', { ...right, start_date: '2025-02-30', end_date: '2025-13-01' }, ['end_date', 'start_date']],
    ['no types at all', { ...right, types: [] }, ['types']],
    ['an unknown type', { ...right, types: ['purchases', 'stays'] }, ['types.1']],
    ['a type in another case', { ...right, types: ['Purchases'] }, ['types.0']],
  ])('is rejected and the fields are named: %s', async (_, body, fields) => {
    expect(await refused(body)).toEqual(fields);
  });
  it('is rejected for an unknown type in the query', async () => {
    const answer = await search({ ...right, types: undefined }, 'types=wifi,stays');
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['types.1']]);
  });
  it('names both an unknown contact and an end before the start', async () => {
    const body = { ...right, contact_id: 999_999, end_date: '2025-02-28' };
    expect(await refused(body)).toEqual(['contact_id', 'end_date']);
  });
  it('names both an unknown contact and an invalid day', async () => {
    expect(await refused({ ...right, contact_id: 999_999, start_date: '2025-02-30' })).toEqual([
      'contact_id',
      'start_date',
    ]);
  });
  it('names both an inaccessible account and an unknown type', async () => {
    expect(await refused({ ...right, account_id: elsewhere.id, types: ['stays'] })).toEqual(['account_id', 'types.0']);
  });
  it('is rejected with 401 without a token', async () => {
    expect((await call('GET', '/v1/pop/by_date', { body: right })).status).toBe(401);
  });
});
