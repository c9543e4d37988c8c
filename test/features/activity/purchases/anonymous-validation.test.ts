import { describe, expect, it } from 'vitest';
import { keys } from '../../../support/till.ts';
import { anonymousSetup, item } from './anonymous-setup.ts';

const setup = await anonymousSetup();
const { admin, call, accountId, token, elsewhere, unit } = setup;
const { made, written, newGroup, newCode, sent, matched, refused, purchasesOf, referencesOf, waiting, contactWithKey } =
  setup;
const { fresh, newEmail, bill } = setup;

describe('an invalid anonymous purchase', () => {
  it('is rejected with every invalid field, including those of lines', async () => {
    const purchases = [
      bill({ items: [item, item, { ...item, quantity: 'many' }] }),
      bill(),
      bill({ created_at: '2025-02-30 10:00:00', order_type_id: 8, items: [{ ...item, value: 'x' }] }),
      { ...bill(), transaction_reference: '', provider_id: 'till', items: [{ ...item, tags: 7 }] },
      bill({ items: 7 }),
      bill({ unit_id: 999_999 }),
    ];
    expect(await refused({ provider_id: 'x', unique_code_group_id: 'x', purchases })).toEqual(
      [
        ...keys,
        ...['provider_id', 'unique_code_group_id', 'purchases.0.items.2.quantity', 'purchases.5.unit_id'],
        ...['purchases.2.created_at', 'purchases.2.order_type_id', 'purchases.2.items.0.value'],
        ...['purchases.3.transaction_reference', 'purchases.3.provider_id', 'purchases.3.items.0.tags'],
        'purchases.4.items',
      ].sort(),
    );
  });
  it.each<[string, object]>([
    ['created_at', { created_at: '2025-02-30 10:00:00' }],
    ['provider_id', { provider_id: 'till' }],
    ['transaction_reference', { transaction_reference: '' }],
    ['order_type_id', { order_type_id: 8 }],
    ['items.0.quantity', { items: [{ ...item, quantity: 'many' }] }],
    ['items', { items: 7 }],
  ])('is rejected with an unknown unit in addition to an invalid %s', async (field, wrong) => {
    const purchases = [bill({ unit_id: 999_999, ...wrong })];
    const fields = [`purchases.0.${field}`, 'purchases.0.unit_id'];
    expect(await refused({ table_number: '1', purchases })).toEqual(fields.sort());
  });
  it.each(keys)('is rejected with an unknown unit in addition to an invalid key: %s', async (key) => {
    const purchases = [bill({ unit_id: 999_999 })];
    const body = { [key]: 'x'.repeat(256), purchases };
    expect(await refused(body)).toEqual([key, 'purchases.0.unit_id'].sort());
  });
  it('is rejected with a missing group in addition to other invalid fields', async () => {
    const [code, contact] = [fresh('CODE'), await written({ email: newEmail() })];
    for (const group of [await newGroup(), await newGroup()]) await newCode(group, code, contact);
    const body = { unique_code: code, table_number: 'x'.repeat(256), purchases: [bill({ unit_id: 999_999 })] };
    const fields = ['purchases.0.unit_id', 'table_number', 'unique_code_group_id'];
    expect(await refused(body)).toEqual(fields);
  });
  it('is rejected with a missing account in addition to other invalid fields', async () => {
    const purchases = [bill({ items: [item, item, { ...item, quantity: 'many' }] })];
    const answer = await call('POST', '/v1/purchases', { token, body: { purchases } });
    expect(answer.status).toBe(422);
    const fields = ['account_id', ...keys, 'purchases.0.items.2.quantity'];
    expect(Object.keys(answer.body.errors).sort()).toEqual(fields.sort());
  });
  it('is rejected with an inaccessible account in addition to other invalid fields', async () => {
    const purchases = [bill({ created_at: 'yesterday' })];
    const fields = await refused({ account_id: elsewhere.id, table_number: '1', purchases });
    expect(fields).toEqual(['account_id', 'purchases.0.created_at']);
  });
  it.each<[string, object, string[]]>([
    ['no account', { account_id: null }, ['account_id']],
    ['an account of another group', { account_id: elsewhere.id }, ['account_id']],
    ['an unknown account', { account_id: 999_999 }, ['account_id']],
    ['no purchases', { purchases: undefined }, ['purchases']],
    ['purchases that are not a list', { purchases: 7 }, ['purchases']],
    ['an empty list', { purchases: [] }, ['purchases']],
    ['a purchase that is not an object', { purchases: [bill(), 7] }, ['purchases.1']],
    ['a unit of another account', { purchases: [bill({ unit_id: elsewhere.root_unit_id })] }, ['purchases.0.unit_id']],
    ['a key too long', { table_number: 'x'.repeat(256) }, ['table_number']],
    ['a key of another type', { membership_number: ['M-1'] }, ['membership_number']],
    ['an unknown order type', { purchases: [bill({ order_type_id: 0 })] }, ['purchases.0.order_type_id']],
    [
      'several, in several purchases',
      { purchases: [bill(), bill({ unit_id: 999_999 }), bill({ unit_id: 'x' })] },
      ['purchases.1.unit_id', 'purchases.2.unit_id'],
    ],
  ])('is rejected with 422: %s', async (_, wrong, fields) => {
    expect(await refused({ table_number: '1', purchases: [bill()], ...wrong })).toEqual(fields);
  });
  it('is rejected with 422: a deleted unit', async () => {
    const closed = await made('units', { name: fresh('Closed') });
    expect((await admin('DELETE', `/accounts/${accountId}/units/${closed.id}`)).status).toBe(204);
    const purchases = [bill({ unit_id: closed.id })];
    expect(await refused({ table_number: '1', purchases })).toEqual(['purchases.0.unit_id']);
  });
  it('stores nothing of the request, not even the valid purchases', async () => {
    const { contact, value } = await contactWithKey('membership_number');
    const [good, before] = [bill(), await waiting()];
    for (const bad of [bill({ unit_id: 999_999 }), bill({ items: [{ ...item, quantity: 'many' }] })]) {
      await refused({ membership_number: value, purchases: [good, bad] });
      await refused({ membership_number: fresh('nobody'), purchases: [good, bad] });
    }
    expect([await referencesOf(contact), await waiting()]).toEqual([[], before]);
  });
  it('does not change a purchase that was stored before', async () => {
    const { contact, value } = await contactWithKey('membership_number');
    const purchase = bill();
    await sent({ membership_number: value, purchases: [purchase] });
    const before = await purchasesOf(contact);
    const changed = { ...purchase, items: [{ ...item, value: 99 }] };
    await refused({ membership_number: value, purchases: [changed, bill({ unit_id: 999_999 })] });
    expect(await purchasesOf(contact)).toEqual(before);
  });
  it('is rejected with 401 without a token', async () => {
    const body = { account_id: accountId, table_number: '1', purchases: [bill()] };
    expect((await call('POST', '/v1/purchases', { body })).status).toBe(401);
  });
});

describe('the types of an anonymous purchase', () => {
  it('may be numbers as strings', async () => {
    const { contact, value } = await contactWithKey('membership_number');
    const items = [{ ...item, quantity: '-1.5', value: '-8.630' }];
    const purchase = bill({ unit_id: String(unit.id), provider_id: '13', order_type_id: '5', items });
    const body = { account_id: String(accountId), provider_id: '12', membership_number: value, purchases: [purchase] };
    await sent(body);
    const [stored] = await purchasesOf(contact);
    expect(stored).toMatchObject({ unit_id: unit.id, provider_id: 13, order_type_id: 5 });
    expect(stored.transaction_lines[0]).toMatchObject({ quantity: '-1.5', value: '-8.63' });
  });
  it('may be a number as a key', async () => {
    const number = 700_001;
    const contact = await written({ email: newEmail(), membership_number: String(number) });
    expect(await matched({ membership_number: number })).toEqual([contact, 'membership_number']);
  });
  it('may not be numbers too large to be exact, because two references would become one', async () => {
    const purchases = [bill({ transaction_reference: 2 ** 60 }), bill({ transaction_reference: 42 })];
    expect(await refused({ membership_number: 1e300, purchases })).toEqual([
      'membership_number',
      'purchases.0.transaction_reference',
    ]);
  });
  it('are ignored for unknown fields', async () => {
    const { contact, value } = await contactWithKey('membership_number');
    const purchases = [bill({ waiter: 'Jo', items: [{ ...item, colour: 'amber' }] })];
    expect(await matched({ membership_number: value, till: 4, purchases })).toEqual([contact, 'membership_number']);
  });
});
