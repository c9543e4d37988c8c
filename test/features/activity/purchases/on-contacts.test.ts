import { describe, expect, it } from 'vitest';
import { accountIn } from '../../../support/partner.ts';
import { ale, asLine, lines, purchaseSetup } from './on-contacts-setup.ts';

const setup = await purchaseSetup();
const { account, admin, call, accountId, token, root, newUnit, anchor } = setup;
const { write, written, buy, refused, bought, only, references } = setup;
const { newEmail, discard, newReference } = setup;

const tokenIn = async (timeZone: string) => (await accountIn({ admin }, timeZone)).token;
const [london, newYork] = [await tokenIn('Europe/London'), await tokenIn('America/New_York')];

describe('a purchase', () => {
  it('is returned with every field, with amounts as strings', async () => {
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
  it.each([1, 2, 3, 4, 5, 6, 7])('can have order type %i', async (order_type_id) => {
    const { id } = await buy([{ transaction_reference: newReference(), order_type_id }]);
    expect((await only(id)).order_type_id).toBe(order_type_id);
  });
  it.each([0, 8, -1, 1.5, 'dine in', true])('cannot have order type %j', async (order_type_id) => {
    expect(await refused([{ transaction_reference: newReference(), order_type_id }])).toEqual([
      'purchases.0.order_type_id',
    ]);
  });
  it('requires only a reference; defaults are the root unit, the current time and order type 1', async () => {
    const { id } = await buy([{ transaction_reference: newReference() }]);
    const { transaction_date, ...purchase } = await only(id);
    expect(purchase).toMatchObject({ unit_id: root, provider_id: null, order_type_id: 1, transaction_lines: [] });
    expect(Math.abs(Date.parse(`${transaction_date}Z`) - Date.now())).toBeLessThan(60_000);
  });
  it('accepts numeric strings, and numbers for text', async () => {
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
  ])('with quantity %j and value %j returns "%s" and "%s"', async (quantity, value, q, v) => {
    const { id } = await buy([{ transaction_reference: newReference(), items: [{ sku: 'X', quantity, value }] }]);
    expect(lines(await only(id))).toEqual([{ description: '', sku: 'X', quantity: q, value: v, tags: [] }]);
  });
  it('keeps the order of its lines, including equal ones', async () => {
    const items = ['c', 'a', 'b', 'a'].map((sku) => ({ sku, quantity: 1, value: 1 }));
    const { id } = await buy([{ transaction_reference: newReference(), items }]);
    expect(lines(await only(id)).map(({ sku }: { sku?: string }) => sku)).toEqual(['c', 'a', 'b', 'a']);
  });
  it('appears in the presence search of its day', async () => {
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
  it('keeps its year in the account’s time zone, even for the zero date of a till', async () => {
    const created_at = '0001-06-01T12:00:00Z';
    const body = { email: newEmail(), purchases: [{ transaction_reference: newReference(), created_at }] };
    const { id } = await written(body, london);
    expect((await only(id, london)).transaction_date).toMatch(/^0001-06-01 /);
  });
  it('is rejected if its year exceeds four digits in the account’s time zone', async () => {
    const tokyo = await tokenIn('Asia/Tokyo');
    const purchases = [{ transaction_reference: newReference(), created_at: '9999-12-31T23:59:59Z' }];
    const { status, body } = await write({ email: newEmail(), purchases }, tokyo);
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ['purchases.0.created_at']]);
  });
  it('defaults to the time of the request in the account’s time zone', async () => {
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
  ])('rejects %j', async (created_at) => {
    expect(await refused([{ transaction_reference: newReference(), created_at }])).toEqual(['purchases.0.created_at']);
  });
});

describe('an invalid purchase', () => {
  it('is rejected with every invalid field, and nothing is stored', async () => {
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
  it('is rejected with an unknown unit even if the reference is missing', async () => {
    expect(await refused([{ unit_id: 999_999 }])).toEqual(['purchases.0.transaction_reference', 'purchases.0.unit_id']);
  });
  it('is rejected together with the invalid fields of other lists', async () => {
    const others = { dob: 'x', stays: 7, wifi: [{ interaction_type: 'x' }] };
    expect(await refused([{}], others)).toEqual([
      'dob',
      'purchases.0.transaction_reference',
      'stays',
      'wifi.0.interaction_type',
    ]);
  });
  it('is rejected at a unit of another account and at a deleted unit', async () => {
    const there = await account('Next door');
    const gone = await newUnit('Closed');
    expect((await admin('DELETE', `/accounts/${accountId}/units/${gone}`)).status).toBe(204);
    for (const unit_id of [there.root_unit_id, gone, 0]) {
      expect(await refused([{ transaction_reference: newReference(), unit_id }])).toEqual(['purchases.0.unit_id']);
    }
  });
  it.each([null, '', '  ', undefined])('is rejected with the reference %j', async (transaction_reference) => {
    expect(await refused([{ transaction_reference, items: [ale] }])).toEqual(['purchases.0.transaction_reference']);
  });
  it.each([{ purchases: 7 }, { purchases: { 0: {} } }])(
    'is rejected if purchases is not a list: %j',
    async ({ purchases }) => {
      expect(await refused(purchases)).toEqual(['purchases']);
    },
  );
  it('leaves stored data unchanged', async () => {
    const email = newEmail();
    const key = { transaction_reference: newReference() };
    const { id } = await buy([{ ...key, items: [ale] }], email);
    expect((await write({ email, purchases: [{ ...key, items: [] }, {}] })).status).toBe(422);
    expect(lines(await only(id))).toEqual([asLine]);
  });
});

describe('purchases with discard_invalid_data', () => {
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
  it('lose an invalid item; the others are stored', async () => {
    const items = [ale, { ...ale, quantity: 'two' }, 7, { sku: 'OK', quantity: 1, value: 1 }, { sku: 'none' }];
    const { id, dropped } = await discarding([{ transaction_reference: newReference(), unit_id: anchor, items }]);
    expect(dropped).toEqual(['1.quantity', '2', '4.quantity', '4.value'].map((field) => `purchases.0.items.${field}`));
    const purchase = await only(id);
    expect(purchase.unit_id).toBe(anchor);
    expect(lines(purchase)).toEqual([asLine, { description: '', sku: 'OK', quantity: '1', value: '1.00', tags: [] }]);
  });
  it('lose only an invalid tag or description', async () => {
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
  ])('with an invalid %s are skipped; the others are stored: %j', async (field, bad) => {
    const [first, third] = [newReference(), newReference()];
    const { id, dropped } = await discarding([
      { transaction_reference: first, created_at: '2026-03-02 12:00:00', items: [ale] },
      { transaction_reference: newReference(), items: [ale], ...bad },
      { transaction_reference: third, created_at: '2026-03-01 12:00:00' },
    ]);
    expect(dropped).toEqual([`purchases.1.${field}`]);
    expect(await references(id)).toEqual([first, third]);
  });
  it('lose only an invalid order type', async () => {
    const { id, dropped } = await discarding([
      { transaction_reference: newReference(), order_type_id: 9, items: [ale] },
    ]);
    expect(dropped).toEqual(['purchases.0.order_type_id']);
    const purchase = await only(id);
    expect([purchase.order_type_id, lines(purchase)]).toEqual([1, [asLine]]);
  });
  it('are skipped if they are not a list, and the contact is stored', async () => {
    const { id, dropped } = await discarding(7);
    expect(dropped).toEqual(['purchases']);
    expect(await bought(id)).toEqual([]);
  });
  it('keep their lines if the new items are not a list', async () => {
    const email = newEmail();
    const key = { transaction_reference: newReference() };
    const { id } = await buy([{ ...key, items: [ale] }], email);
    expect((await discarding([{ ...key, items: 7, order_type_id: 3 }], email)).dropped).toEqual(['purchases.0.items']);
    const purchase = await only(id);
    expect([purchase.order_type_id, lines(purchase)]).toEqual([3, [asLine]]);
  });
});
