import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { partner } from '../../../support/partner.ts';

const { account, admin, call } = await testApp();
const { id: accountId, token, root_unit_id: root } = await account();
const newUnit = async (name: string) => (await admin('POST', `/accounts/${accountId}/units`, { name })).body.id;
const [anchor, bell] = [await newUnit('The Anchor'), await newUnit('The Bell')];

const { next, newEmail, discard, write, written } = partner({ call }, { id: accountId, token });
const newReference = () => next('T-');
const buy = (purchases: unknown, email = newEmail()) => written({ email, purchases });
const refused = async (purchases: unknown, besides: object = {}) => {
  const email = newEmail();
  const { status, body, headers } = await write({ email, purchases, ...besides });
  expect([status, headers['discarded-fields']]).toEqual([422, undefined]);
  expect((await call('GET', '/v1/contacts', { token, query: { account_id: `${accountId}`, email } })).status).toBe(404);
  return Object.keys(body.errors).sort();
};
const page = async (id: number, query = '', by = token) =>
  (await call('GET', `/v1/contact/${id}/purchases${query}`, { token: by })).body;
const bought = async (id: number, by = token) => (await page(id, '', by)).data;
const only = async (id: number, by = token) => {
  const list = await bought(id, by);
  expect(list).toHaveLength(1);
  return list[0];
};
const references = async (id: number) =>
  (await bought(id)).map((one: { transaction_reference: string }) => one.transaction_reference);
const lines = ({ transaction_lines }: { transaction_lines: { id: number }[] }) =>
  transaction_lines.map(({ id, ...line }) => line);
const ale = { description: 'Pale ale', sku: 'ALE-1', quantity: 2, value: 11.5, tags: ['drinks', 'draught'] };
const asLine = { description: 'Pale ale', sku: 'ALE-1', quantity: '2', value: '11.50', tags: ['drinks', 'draught'] };

async function accountIn(time_zone: string) {
  const { body } = await admin('POST', '/accounts', { name: time_zone, time_zone });
  const { body: made } = await admin('POST', `/accounts/${body.id}/tokens`, { name: 'test' });
  return made.token as string;
}
const [london, newYork] = [await accountIn('Europe/London'), await accountIn('America/New_York')];

describe('a purchase', () => {
  it('is answered with every field, its amounts as text', async () => {
    const { id } = await buy([
      {
        transaction_reference: 'T-every-field',
        unit_id: anchor,
        created_at: '2026-03-01 20:05:00',
        provider_id: 12,
        order_type_id: 4,
        items: [ale, { description: 'Crisps', sku: 'CR', quantity: 1, value: 0.9 }],
      },
    ]);
    const purchase = await only(id);
    expect(purchase).toEqual({
      transaction_lines: [
        { ...asLine, id: expect.any(Number) },
        { id: expect.any(Number), description: 'Crisps', sku: 'CR', quantity: '1', value: '0.90', tags: [] },
      ],
      unit_name: 'The Anchor',
      id: expect.any(Number),
      contact_id: id,
      transaction_reference: 'T-every-field',
      unit_id: anchor,
      provider_id: 12,
      order_type_id: 4,
      transaction_date: '2026-03-01 20:05:00',
      matched_by: null,
    });
    expect(purchase.transaction_lines[0].id).not.toBe(purchase.transaction_lines[1].id);
  });
  it.each([1, 2, 3, 4, 5, 6, 7])('may be of order type %i', async (order_type_id) => {
    const { id } = await buy([{ transaction_reference: newReference(), order_type_id }]);
    expect((await only(id)).order_type_id).toBe(order_type_id);
  });
  it.each([0, 8, -1, 1.5, 'dine in', true])('is not of order type %j', async (order_type_id) => {
    expect(await refused([{ transaction_reference: newReference(), order_type_id }])).toEqual([
      'purchases.0.order_type_id',
    ]);
  });
  it('needs no more than its reference: at the root unit, now, of unknown type, by nobody in particular', async () => {
    const { id } = await buy([{ transaction_reference: newReference() }]);
    const { transaction_date, ...purchase } = await only(id);
    expect(purchase).toMatchObject({ unit_id: root, provider_id: null, order_type_id: 1, transaction_lines: [] });
    expect(Math.abs(Date.parse(`${transaction_date}Z`) - Date.now())).toBeLessThan(60_000);
  });
  it('reads numeric strings and numbers for text', async () => {
    const { id } = await buy([
      {
        ...{ transaction_reference: 88123, unit_id: String(anchor), provider_id: '12', order_type_id: '4' },
        items: [{ description: 7, sku: 501, quantity: '2', value: '11.5', tags: [1] }],
      },
    ]);
    const purchase = await only(id);
    expect(purchase).toMatchObject({
      transaction_reference: '88123',
      unit_id: anchor,
      provider_id: 12,
      order_type_id: 4,
    });
    expect(lines(purchase)).toEqual([{ description: '7', sku: '501', quantity: '2', value: '11.50', tags: ['1'] }]);
  });
  it.each([
    [-1, -5.75, '-1', '-5.75'],
    ['-2', '-0.5', '-2', '-0.50'],
    [0, 0, '0', '0.00'],
    [0.25, 1.1, '0.25', '1.10'],
    [1.5, 1234567.89, '1.5', '1234567.89'],
    [10, 100, '10', '100.00'],
    [3, 0.3, '3', '0.30'],
  ])('of %j for %j has the quantity "%s" and the value "%s"', async (quantity, value, q, v) => {
    const { id } = await buy([{ transaction_reference: newReference(), items: [{ sku: 'X', quantity, value }] }]);
    expect(lines(await only(id))).toEqual([{ description: '', sku: 'X', quantity: q, value: v, tags: [] }]);
  });
  it('keeps its lines in their order, also where two are the same', async () => {
    const items = ['c', 'a', 'b', 'a'].map((sku) => ({ sku, quantity: 1, value: 1 }));
    const { id } = await buy([{ transaction_reference: newReference(), items }]);
    expect(lines(await only(id)).map(({ sku }: { sku?: string }) => sku)).toEqual(['c', 'a', 'b', 'a']);
  });
  it('is also found among the PoPs of its day', async () => {
    const { id } = await buy([
      { transaction_reference: newReference(), created_at: '2026-03-01 23:59:59', items: [ale] },
    ]);
    const pops = async (day: string) => {
      const asked = { account_id: accountId, contact_id: id, start_date: day, end_date: day, types: ['purchases'] };
      return (await call('GET', '/v1/pop/by_date', { token, body: asked })).body.purchases;
    };
    const { tags, ...line } = asLine;
    expect(await pops('2026-03-01')).toMatchObject([{ contact_id: id, transaction_lines: [line] }]);
    expect(await pops('2026-03-02')).toEqual([]);
  });
});

describe('the time of a purchase', () => {
  it.each([
    ['2026-3-1 20:05:00', '2026-03-01 20:05:00'],
    ['2026-12-31 23:59:59', '2026-12-31 23:59:59'],
    ['2024-02-29 00:00:00', '2024-02-29 00:00:00'],
    ['2026-07-01T12:00:00Z', '2026-07-01 13:00:00'],
    ['2026-01-01T12:00:00Z', '2026-01-01 12:00:00'],
    ['2026-07-01T12:00:00+02:00', '2026-07-01 11:00:00'],
    ['2026-07-01T00:30:00+05:30', '2026-06-30 20:00:00'],
    ['2026-07-01T23:30:00.123456Z', '2026-07-02 00:30:00'],
    ['2026-07-01T12:00:00-0400', '2026-07-01 17:00:00'],
    ['2026-03-29T00:59:59Z', '2026-03-29 00:59:59'],
    ['2026-03-29T01:00:00Z', '2026-03-29 02:00:00'],
  ])('%s is %s in London', async (created_at, expected) => {
    const body = { email: newEmail(), purchases: [{ transaction_reference: newReference(), created_at }] };
    const { id } = await written(body, london);
    expect((await only(id, london)).transaction_date).toBe(expected);
  });
  it.each([
    ['2026-03-08T06:59:59Z', '2026-03-08 01:59:59'],
    ['2026-03-08T07:00:00Z', '2026-03-08 03:00:00'],
    ['2026-01-01T04:59:59Z', '2025-12-31 23:59:59'],
    ['2026-01-01T05:00:00Z', '2026-01-01 00:00:00'],
    ['2026-01-01 05:00:00', '2026-01-01 05:00:00'],
  ])('%s is %s in New York', async (created_at, expected) => {
    const body = { email: newEmail(), purchases: [{ transaction_reference: newReference(), created_at }] };
    const { id } = await written(body, newYork);
    expect((await only(id, newYork)).transaction_date).toBe(expected);
  });
  it('keeps its year on the account’s clock, also where a till sends its zero date', async () => {
    const created_at = '0001-06-01T12:00:00Z';
    const body = { email: newEmail(), purchases: [{ transaction_reference: newReference(), created_at }] };
    const { id } = await written(body, london);
    expect((await only(id, london)).transaction_date).toMatch(/^0001-06-01 /);
  });
  it('can’t be in a year that yyyy-mm-dd does not hold on the account’s clock', async () => {
    const tokyo = await accountIn('Asia/Tokyo');
    const purchases = [{ transaction_reference: newReference(), created_at: '9999-12-31T23:59:59Z' }];
    const { status, body } = await write({ email: newEmail(), purchases }, tokyo);
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ['purchases.0.created_at']]);
  });
  it('is that of the request on the account’s clock, unless it is said', async () => {
    const body = { email: newEmail(), purchases: [{ transaction_reference: newReference() }] };
    const { id } = await written(body, newYork);
    const now = new Date().toLocaleString('sv-SE', { timeZone: 'America/New_York' });
    const { transaction_date } = await only(id, newYork);
    expect(Math.abs(Date.parse(`${transaction_date}Z`) - Date.parse(`${now}Z`))).toBeLessThan(60_000);
  });
  it.each([
    ...['2026-02-29 12:00:00', '2026-04-31 12:00:00', '2026-13-01 12:00:00', '2026-00-10 12:00:00'],
    ...['2026-03-01 24:00:00', '2026-03-01 12:60:00', '2026-03-01 12:00:60', '01/03/2026 12:00', 'yesterday'],
    ...['2026-02-30T12:00:00Z', '2026-03-01T12:00:00+25:00', true],
  ])('can’t be %j', async (created_at) => {
    expect(await refused([{ transaction_reference: newReference(), created_at }])).toEqual(['purchases.0.created_at']);
  });
});

describe('a purchase that is sent again', () => {
  const known = () => ({ transaction_reference: newReference(), unit_id: anchor, provider_id: 12 });
  it('replaces its lines, time and type rather than counting twice', async () => {
    const email = newEmail();
    const key = known();
    const { id } = await buy([{ ...key, created_at: '2026-03-01 20:00:00', items: [ale, ale] }], email);
    const first = await only(id);
    const crisps = { description: 'Crisps', sku: 'CR', quantity: 1, value: 1 };
    await buy([{ ...key, created_at: '2026-03-01 21:00:00', order_type_id: 2, items: [crisps] }], email);
    const again = await only(id);
    expect(lines(again)).toEqual([{ ...crisps, quantity: '1', value: '1.00', tags: [] }]);
    expect(again).toMatchObject({ id: first.id, transaction_date: '2026-03-01 21:00:00', order_type_id: 2 });
  });
  it('keeps what it does not tell anew', async () => {
    const email = newEmail();
    const key = known();
    const { id } = await buy([{ ...key, created_at: '2026-03-01 20:00:00', order_type_id: 5, items: [ale] }], email);
    const first = await only(id);
    await buy([key], email);
    expect(await only(id)).toEqual(first);
    await buy([{ ...key, created_at: null, order_type_id: '', items: null }], email);
    expect(await only(id)).toEqual(first);
  });
  it('is another one from another provider, from none, at another unit, or with another reference', async () => {
    const key = known();
    const others = [
      { ...key, provider_id: 13 },
      { ...key, provider_id: undefined },
      { ...key, unit_id: bell },
      { ...key, unit_id: undefined },
      { ...key, transaction_reference: `${key.transaction_reference}a` },
    ];
    const { id } = await buy([key, ...others]);
    const all = await bought(id);
    expect(all).toHaveLength(6);
    expect(new Set(all.map((one: { id: number }) => one.id)).size).toBe(6);
  });
  it.each([{}, { provider_id: 12 }, { unit_id: 0 }])(
    'is the same one without a provider or unit too: %j',
    async (key) => {
      const email = newEmail();
      const at = 'unit_id' in key ? { unit_id: anchor } : key;
      const sent = { transaction_reference: newReference(), ...at, items: [ale] };
      const { id } = await buy([sent], email);
      await buy([sent], email);
      expect(lines(await only(id))).toEqual([asLine]);
    },
  );
  it('at the root unit is the same one whether the unit is said or not', async () => {
    const email = newEmail();
    const { unit_id, ...key } = known();
    const { id } = await buy([{ ...key, items: [ale] }], email);
    await buy([{ ...key, unit_id: root, items: [ale] }], email);
    expect((await only(id)).unit_id).toBe(root);
  });
  it('within one request counts once: the last is what stands', async () => {
    const key = known();
    const { id } = await buy([
      { ...key, items: [ale, ale] },
      { ...key, items: [ale] },
    ]);
    expect(lines(await only(id))).toEqual([asLine]);
  });
  it('by many at once counts once', async () => {
    const [key, email] = [known(), newEmail()];
    const all = await Promise.all(Array.from({ length: 20 }, () => buy([{ ...key, items: [ale] }], email)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(lines(await only(all[0].id))).toEqual([asLine]);
  });
  it('on another contact moves to that one', async () => {
    const key = known();
    const { id: first } = await buy([{ ...key, items: [ale] }]);
    const { id: before } = await only(first);
    const { id: second } = await buy([{ ...key, items: [{ ...ale, quantity: 3 }] }]);
    expect(await bought(first)).toEqual([]);
    expect(await only(second)).toMatchObject({
      id: before,
      contact_id: second,
      transaction_lines: [{ quantity: '3' }],
    });
  });
  it('in another account is another one, and leaves the first alone', async () => {
    const there = await account('Elsewhere');
    const key = { transaction_reference: newReference(), provider_id: 12 };
    const email = newEmail();
    const { id } = await buy([{ ...key, items: [ale] }], email);
    const { id: other } = await written({ email, purchases: [{ ...key, items: [] }] }, there.token);
    expect((await only(other, there.token)).transaction_lines).toEqual([]);
    expect(lines(await only(id))).toEqual([asLine]);
  });
});

describe('a contact’s purchases', () => {
  it('come newest first, 100 a page', async () => {
    const email = newEmail();
    const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString().slice(0, 10);
    const many = Array.from({ length: 201 }, (_, n) => ({
      transaction_reference: `page-${n}`,
      created_at: `${day(n + 1)} 12:00:00`,
    }));
    const { id } = await buy(many, email);
    const at = `http://localhost:80/v1/contact/${id}/purchases`;
    const { data, ...first } = await page(id);
    expect(first).toEqual({
      ...{ current_page: 1, last_page: 3, per_page: 100, from: 1, to: 100, total: 201, path: at },
      ...{ first_page_url: `${at}?page=1`, last_page_url: `${at}?page=3` },
      ...{ next_page_url: `${at}?page=2`, prev_page_url: null },
    });
    const second = await page(id, '?page=2');
    const third = await page(id, '?page=3');
    expect([second.from, second.to, third.from, third.to, third.next_page_url]).toEqual([101, 200, 201, 201, null]);
    const seen = [...data, ...second.data, ...third.data].map((one) => one.transaction_reference);
    expect(seen).toEqual(many.map((one) => one.transaction_reference).reverse());
    expect(await page(id, '?page=4')).toMatchObject({ data: [], from: null, to: null, total: 201, current_page: 4 });
  });
  it('answer at the address that the contact object gives, empty where there are none', async () => {
    const { id, purchases } = await written({ email: newEmail() });
    expect(purchases).toBe(`http://localhost:80/v1/contact/${id}/purchases`);
    const { body } = await call('GET', new URL(purchases).pathname, { token });
    expect(body).toMatchObject({ data: [], total: 0, from: null, to: null, last_page: 1 });
  });
  it('are no news where a contact object is sent back as it came', async () => {
    const contact = await buy([{ transaction_reference: newReference(), items: [ale] }]);
    expect(await written(contact)).toEqual(contact);
    expect(lines(await only(contact.id))).toEqual([asLine]);
  });
  it('are found under either id after a merge, and also what comes after', async () => {
    const email = newEmail();
    const [byEmail, byPhone, later] = [newReference(), newReference(), newReference()];
    const at = (n: number, transaction_reference: string) => ({
      transaction_reference,
      created_at: `2026-03-0${n} 12:00`,
    });
    const { id } = await buy([at(1, byEmail)], email);
    const phone = { mobile_number: '07700900100' };
    const { id: merged } = await written({ ...phone, purchases: [at(2, byPhone)] });
    await written({ email, ...phone, purchases: [at(3, later)] });
    for (const either of [id, merged]) expect(await references(either)).toEqual([later, byPhone, byEmail]);
    expect((await bought(merged)).map((one: { contact_id: number }) => one.contact_id)).toEqual([id, id, id]);
    await buy([{ ...at(4, byPhone), items: [ale] }], email);
    expect(await references(id)).toEqual([byPhone, later, byEmail]);
  });
  it('are each one’s own again when the merge is undone', async () => {
    const email = newEmail();
    const [byEmail, byPhone, later] = [newReference(), newReference(), newReference()];
    const { id } = await buy([{ transaction_reference: byEmail }], email);
    const phone = { mobile_number: '07700900101' };
    const { id: merged } = await written({ ...phone, purchases: [{ transaction_reference: byPhone }] });
    await written({ email, ...phone, purchases: [{ transaction_reference: later }] });
    const [merge] = (await admin('GET', `/accounts/${accountId}/merges`)).body.data;
    expect((await admin('POST', `/accounts/${accountId}/merges/${merge.id}/undo`)).status).toBeLessThan(300);
    expect((await references(id)).sort()).toEqual([byEmail, later].sort());
    expect(await references(merged)).toEqual([byPhone]);
  });
  it('go with the contact that is erased: sent again, they are new', async () => {
    const key = { transaction_reference: newReference(), provider_id: 12 };
    const { id } = await buy([{ ...key, order_type_id: 4, items: [ale] }]);
    const { id: first } = await only(id);
    expect((await admin('DELETE', `/accounts/${accountId}/contacts/${id}`)).status).toBe(204);
    expect((await call('GET', `/v1/contact/${id}/purchases`, { token })).status).toBe(404);
    const again = await only((await buy([key])).id);
    expect([again.order_type_id, again.transaction_lines]).toEqual([1, []]);
    expect(again.id).not.toBe(first);
  });
  it('are added by update_only where the contact is known, and stored for nobody where it is not', async () => {
    const rules = [{ rule_name: 'update_only' }];
    const email = newEmail();
    const sent = { transaction_reference: newReference(), items: [ale] };
    const { status, body } = await write({ email, purchases: [sent], rules });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['email']]);
    const { id } = await written({ email });
    expect(await bought(id)).toEqual([]);
    await written({ email, purchases: [sent], rules });
    expect(lines(await only(id))).toEqual([asLine]);
  });
  it('of another account’s contact, or of nobody, are a 404', async () => {
    const there = await account('Not ours');
    const { id } = await buy([{ transaction_reference: newReference() }]);
    for (const [by, contact] of [
      [there.token, id],
      [token, 999_999],
    ]) {
      const { status, body } = await call('GET', `/v1/contact/${contact}/purchases`, { token: `${by}` });
      expect([status, body]).toEqual([404, { errors: [{ message: expect.any(String) }] }]);
    }
    const query = { account_id: String(there.id) };
    const { status, body } = await call('GET', `/v1/contact/${id}/purchases`, { token, query });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['account_id']]);
  });
});

describe('an invalid purchase', () => {
  it('has every failing field named at once, and nothing is stored', async () => {
    const email = newEmail();
    const { id } = await buy([], email);
    const purchases = [
      { transaction_reference: newReference(), items: [ale, ale, { ...ale, quantity: 'two' }, { ...ale, value: 'x' }] },
      { unit_id: 'x', created_at: '2026-02-30 12:00:00', provider_id: 1.5, order_type_id: 9 },
      { transaction_reference: newReference(), unit_id: 999_999, items: [{}] },
      { transaction_reference: newReference(), items: 7 },
      7,
      { transaction_reference: 'x'.repeat(256) },
      { transaction_reference: newReference(), items: [7, { ...ale, tags: [{}] }] },
      { transaction_reference: newReference(), items: [ale] },
    ];
    const { status, body } = await write({ email, first_name: 'Never', purchases });
    expect(status).toBe(422);
    expect(Object.keys(body.errors).sort()).toEqual(
      [
        ...['0.items.2.quantity', '0.items.3.value', '1.transaction_reference', '1.unit_id', '1.created_at'],
        ...['1.provider_id', '1.order_type_id', '2.unit_id', '2.items.0.quantity', '2.items.0.value', '3.items', '4'],
        ...['5.transaction_reference', '6.items.0', '6.items.1.tags.0'],
      ]
        .map((field) => `purchases.${field}`)
        .sort(),
    );
    expect(body.errors['purchases.0.items.2.quantity'][0]).toMatch(/quantity must be a number\.$/);
    expect(await bought(id)).toEqual([]);
    expect((await call('GET', `/v1/contact/${id}`, { token })).body.first_name).toBe('');
  });
  it('has a unit that is none named also where its reference is missing', async () => {
    expect(await refused([{ unit_id: 999_999 }])).toEqual(['purchases.0.transaction_reference', 'purchases.0.unit_id']);
  });
  it('is named together with what else is wrong', async () => {
    const besides = { dob: 'x', stays: 7, wifi: [{ interaction_type: 'x' }] };
    expect(await refused([{}], besides)).toEqual([
      'dob',
      'purchases.0.transaction_reference',
      'stays',
      'wifi.0.interaction_type',
    ]);
  });
  it('is one at a unit of another account, or at one that was deleted', async () => {
    const there = await account('Next door');
    const gone = await newUnit('Closed');
    expect((await admin('DELETE', `/accounts/${accountId}/units/${gone}`)).status).toBe(204);
    for (const unit_id of [there.root_unit_id, gone, 0]) {
      expect(await refused([{ transaction_reference: newReference(), unit_id }])).toEqual(['purchases.0.unit_id']);
    }
  });
  it.each([null, '', '  ', undefined])('is one whose reference is %j', async (transaction_reference) => {
    expect(await refused([{ transaction_reference, items: [ale] }])).toEqual(['purchases.0.transaction_reference']);
  });
  it.each([{ purchases: 7 }, { purchases: { 0: {} } }])('is not even a list: %j', async ({ purchases }) => {
    expect(await refused(purchases)).toEqual(['purchases']);
  });
  it('leaves what was there as it was', async () => {
    const email = newEmail();
    const key = { transaction_reference: newReference() };
    const { id } = await buy([{ ...key, items: [ale] }], email);
    expect((await write({ email, purchases: [{ ...key, items: [] }, {}] })).status).toBe(422);
    expect(lines(await only(id))).toEqual([asLine]);
  });
});

describe('with discard_invalid_data', () => {
  const discarding = async (purchases: unknown, email = newEmail()) => {
    const { status, body, headers } = await write({ email, purchases, ...discard });
    expect(status).toBe(200);
    return {
      id: body.id as number,
      dropped: String(headers['discarded-fields'] ?? '')
        .split(', ')
        .sort(),
    };
  };
  it('a bad item is dropped, and the rest of the purchase is stored', async () => {
    const items = [ale, { ...ale, quantity: 'two' }, 7, { sku: 'OK', quantity: 1, value: 1 }, { sku: 'none' }];
    const { id, dropped } = await discarding([{ transaction_reference: newReference(), unit_id: anchor, items }]);
    expect(dropped).toEqual(['1.quantity', '2', '4.quantity', '4.value'].map((field) => `purchases.0.items.${field}`));
    const purchase = await only(id);
    expect(purchase.unit_id).toBe(anchor);
    expect(lines(purchase)).toEqual([asLine, { description: '', sku: 'OK', quantity: '1', value: '1.00', tags: [] }]);
  });
  it('a bad tag or description is dropped alone', async () => {
    const items = [{ ...ale, description: {}, tags: ['drinks', {}, 'draught'] }];
    const { id, dropped } = await discarding([{ transaction_reference: newReference(), items }]);
    expect(dropped).toEqual(['purchases.0.items.0.description', 'purchases.0.items.0.tags.1']);
    expect(lines(await only(id))).toEqual([{ ...asLine, description: '' }]);
  });
  it.each<[string, object]>([
    ['transaction_reference', { transaction_reference: '' }],
    ['unit_id', { unit_id: 999_999 }],
    ['unit_id', { unit_id: 'x' }],
    ['provider_id', { provider_id: 'x' }],
    ['created_at', { created_at: '2026-02-30 12:00:00' }],
  ])('a purchase with a bad %s is dropped, and the others are stored: %j', async (field, bad) => {
    const [first, third] = [newReference(), newReference()];
    const { id, dropped } = await discarding([
      { transaction_reference: first, created_at: '2026-03-02 12:00:00', items: [ale] },
      { transaction_reference: newReference(), items: [ale], ...bad },
      { transaction_reference: third, created_at: '2026-03-01 12:00:00' },
    ]);
    expect(dropped).toEqual([`purchases.1.${field}`]);
    expect(await references(id)).toEqual([first, third]);
  });
  it('a bad order type is dropped alone', async () => {
    const { id, dropped } = await discarding([
      { transaction_reference: newReference(), order_type_id: 9, items: [ale] },
    ]);
    expect(dropped).toEqual(['purchases.0.order_type_id']);
    const purchase = await only(id);
    expect([purchase.order_type_id, lines(purchase)]).toEqual([1, [asLine]]);
  });
  it('a list that is none is dropped, and the contact is stored', async () => {
    const { id, dropped } = await discarding(7);
    expect(dropped).toEqual(['purchases']);
    expect(await bought(id)).toEqual([]);
  });
  it('items that are no list say nothing of the lines that were there', async () => {
    const email = newEmail();
    const key = { transaction_reference: newReference() };
    const { id } = await buy([{ ...key, items: [ale] }], email);
    expect((await discarding([{ ...key, items: 7, order_type_id: 3 }], email)).dropped).toEqual(['purchases.0.items']);
    const purchase = await only(id);
    expect([purchase.order_type_id, lines(purchase)]).toEqual([3, [asLine]]);
  });
});
