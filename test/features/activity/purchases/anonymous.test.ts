import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';

const { account, admin, call } = await testApp();
const { id: accountId, token, root_unit_id: root } = await account();
const elsewhere = await account('Elsewhere');
const made = async (path: string, body: object) => (await admin('POST', `/accounts/${accountId}/${path}`, body)).body;
const [unit, other] = [await made('units', { name: 'The Anchor' }), await made('units', { name: 'The Bell' })];

let count = 0;
const fresh = (prefix: string) => `${prefix}-${++count}`;
const newEmail = () => `${fresh('guest')}@gmail.com`;
const newMobile = () => `4477009${String(++count).padStart(5, '0')}`;

const written = async (body: object): Promise<number> => {
  const answer = await call('POST', '/v1/contact', { token, body: { full_contact_object: false, ...body } });
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body.id;
};
const newGroup = async (): Promise<number> => {
  const body = { account_id: accountId, unit_id: root, name: fresh('group') };
  return (await call('POST', '/v1/unique_code/group', { token, body })).body.id;
};
const newCode = async (unique_code_group_id: number, unique_code: string, contact_id?: number) => {
  await made(`unique_code_groups/${unique_code_group_id}/codes`, { codes: [unique_code] });
  if (contact_id === undefined) return;
  const assigned = await made('unique_codes/assign', { unique_code_group_id, unique_code, contact_id });
  expect(assigned.contact_id).toBe(contact_id);
};

const item = { description: 'Pale ale', sku: 'ALE-1', quantity: 2, value: 11.5 };
const bill = (more: object = {}) => ({
  transaction_reference: fresh('T'),
  unit_id: unit.id,
  created_at: '2025-03-01 20:05:00',
  order_type_id: 4,
  items: [item],
  ...more,
});
const send = (body: object) =>
  call('POST', '/v1/purchases', { token, body: { account_id: accountId, provider_id: 12, ...body } });
const sent = async (body: object) => {
  const answer = await send({ purchases: [bill()], ...body });
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body.purchases;
};
const matched = async (body: object) => {
  const [purchase] = await sent(body);
  return [purchase.contact_id, purchase.matched_by];
};
const refused = async (body: object) => {
  const answer = await send(body);
  expect(answer.status).toBe(422);
  return Object.keys(answer.body.errors).sort();
};
const purchasesOf = async (id: number) => (await call('GET', `/v1/contact/${id}/purchases`, { token })).body.data;
const referencesOf = async (id: number): Promise<string[]> =>
  (await purchasesOf(id)).map((one: { transaction_reference: string }) => one.transaction_reference).sort();
const waiting = async () => (await admin('GET', `/accounts/${accountId}/purchases/waiting/counts`)).body.waiting;

const keys = ['booking_reference', 'unique_code', 'membership_number', 'card_reference', 'table_number'] as const;
type Key = (typeof keys)[number];

/** Gives this contact, or a new one, something that the key leads to it by. */
const ways: Record<Key, (who: object) => Promise<{ contact: number; value: string }>> = {
  booking_reference: async (who) => {
    const value = fresh('B');
    return { contact: await written({ ...who, bookings: [{ booking_reference: value, unit_id: unit.id }] }), value };
  },
  unique_code: async (who) => {
    const [contact, value] = [await written(who), fresh('CODE')];
    await newCode(await newGroup(), value, contact);
    return { contact, value };
  },
  membership_number: async (who) => {
    const value = fresh('M');
    return { contact: await written({ ...who, membership_number: value }), value };
  },
  card_reference: async (who) => {
    const value = fresh('C');
    return { contact: await written({ ...who, card_reference: value }), value };
  },
  table_number: async (who) => {
    const value = fresh('table');
    const booking = {
      booking_reference: fresh('B'),
      unit_id: unit.id,
      party_datetime: '2025-03-01 19:30:00',
      table_numbers: [value],
    };
    return { contact: await written({ ...who, bookings: [booking] }), value };
  },
};
const lead = (key: Key) => ways[key]({ email: newEmail() });
const pairs = keys.flatMap((first, index) => keys.slice(index + 1).map((second) => [first, second] as const));

describe('the keys', () => {
  it.each(keys)('%s leads to the contact, and says that it did', async (key) => {
    const [one, another] = [await lead(key), await lead(key)];
    expect(await matched({ [key]: one.value })).toEqual([one.contact, key]);
    expect(await matched({ [key]: another.value })).toEqual([another.contact, key]);
  });
  it.each(keys)('%s that nobody has leads to nobody, and the purchase is kept', async (key) => {
    const before = await waiting();
    expect(await matched({ [key]: fresh('nobody') })).toEqual([null, null]);
    expect(await waiting()).toBe(before + 1);
  });
  it.each(pairs)('%s comes before %s', async (first, second) => {
    const [winner, loser] = [await lead(first), await lead(second)];
    // As a client may write them: the order of the fields is no order.
    expect(await matched({ [second]: loser.value, [first]: winner.value })).toEqual([winner.contact, first]);
    expect(await referencesOf(loser.contact)).toEqual([]);
  });
  it.each(pairs)('%s that leads nowhere leaves it to %s', async (first, second) => {
    const { contact, value } = await lead(second);
    expect(await matched({ [first]: fresh('nobody'), [second]: value })).toEqual([contact, second]);
  });
  it('of five that lead to five people, the booking’s counts', async () => {
    const leads = await Promise.all(keys.map(lead));
    const all = Object.fromEntries(keys.map((key, index) => [key, leads[index]?.value]));
    expect(await matched(all)).toEqual([leads[0]?.contact, 'booking_reference']);
  });
  it('of two bookings with one reference, the one from the purchase’s own provider leads, or else the last made', async () => {
    const booking_reference = fresh('B');
    const own = await written({ email: newEmail(), bookings: [{ booking_reference, provider_id: 12 }] });
    const last = await written({ email: newEmail(), bookings: [{ booking_reference }] });
    expect(await matched({ booking_reference })).toEqual([own, 'booking_reference']);
    expect(await matched({ booking_reference, provider_id: 13 })).toEqual([last, 'booking_reference']);
  });
  it('a code that is assigned to nobody leads nowhere', async () => {
    const code = fresh('CODE');
    await newCode(await newGroup(), code);
    expect(await matched({ unique_code: code })).toEqual([null, null]);
    const { contact, value } = await lead('membership_number');
    expect(await matched({ unique_code: code, membership_number: value })).toEqual([contact, 'membership_number']);
  });
  it('a membership number is no card, and a card no membership', async () => {
    const [member, card] = [await lead('membership_number'), await lead('card_reference')];
    expect(await matched({ card_reference: member.value, membership_number: card.value })).toEqual([null, null]);
  });
  it.each(keys)('%s of another account leads nowhere', async (key) => {
    const { value } = await lead(key);
    const body = { account_id: elsewhere.id, [key]: value, purchases: [bill({ unit_id: elsewhere.root_unit_id })] };
    const answer = await call('POST', '/v1/purchases', { token: elsewhere.token, body });
    expect([answer.status, answer.body.purchases[0].contact_id]).toEqual([200, null]);
  });
});

describe('no key', () => {
  it.each<[string, object]>([
    ['left out', {}],
    ['null', Object.fromEntries(keys.map((key) => [key, null]))],
    ['blank', Object.fromEntries(keys.map((key) => [key, '']))],
    ['only a group', { unique_code_group_id: null }],
  ])('is a 422 on all five: %s', async (_, none) => {
    const before = await waiting();
    expect(await refused({ ...none, purchases: [bill()] })).toEqual([...keys].sort());
    expect(await waiting()).toBe(before);
  });
  it('is not what a blank key beside a given one is', async () => {
    const { contact, value } = await lead('card_reference');
    const blank = { booking_reference: '', unique_code: '', unique_code_group_id: '', membership_number: null };
    const [purchase] = await sent({ ...blank, card_reference: value, table_number: '' });
    expect([purchase.contact_id, purchase.matched_by]).toEqual([contact, 'card_reference']);
    const { body } = await admin('GET', `/accounts/${accountId}/purchases/${purchase.id}`);
    expect(keys.map((key) => body[key])).toEqual([null, null, null, value, null]);
  });
});

describe('the answer', () => {
  it('has an entry for each purchase, in the order sent, and nothing else', async () => {
    const { contact, value } = await lead('booking_reference');
    const purchases = [bill(), bill({ unit_id: other.id }), bill({ created_at: '2024-01-01 10:00:00' })];
    const { status, body } = await send({ booking_reference: value, purchases });
    expect(status).toBe(200);
    expect(body).toEqual({
      purchases: purchases.map(({ transaction_reference }) => ({
        id: expect.any(Number),
        transaction_reference,
        contact_id: contact,
        matched_by: 'booking_reference',
      })),
    });
    expect(new Set(body.purchases.map(({ id }: { id: number }) => id)).size).toBe(3);
    const nobody = await send({ booking_reference: fresh('nobody'), purchases: [bill()] });
    expect(Object.keys(nobody.body.purchases[0])).toEqual(['id', 'transaction_reference', 'contact_id', 'matched_by']);
  });
  it('tells of what is then stored with the contact', async () => {
    const { contact, value } = await lead('membership_number');
    const items = [
      { ...item, tags: ['drinks', 'ale'] },
      { description: 'Returned', sku: 'R', quantity: -1, value: -5.75 },
    ];
    const purchase = bill({ items });
    const [{ id }] = await sent({ membership_number: value, purchases: [purchase] });
    expect(await purchasesOf(contact)).toEqual([
      {
        transaction_lines: [
          {
            id: expect.any(Number),
            ...item,
            quantity: '2',
            value: '11.50',
            tags: ['drinks', 'ale'],
          },
          { id: expect.any(Number), description: 'Returned', sku: 'R', quantity: '-1', value: '-5.75', tags: [] },
        ],
        unit_name: 'The Anchor',
        id,
        contact_id: contact,
        transaction_reference: purchase.transaction_reference,
        unit_id: unit.id,
        provider_id: 12,
        order_type_id: 4,
        transaction_date: '2025-03-01 20:05:00',
        matched_by: 'membership_number',
      },
    ]);
  });
  it('takes the root unit and the time of the request where these are not given', async () => {
    const { contact, value } = await lead('card_reference');
    const before = Date.now();
    await sent({ card_reference: value, purchases: [{ transaction_reference: fresh('T'), items: [item] }] });
    const [stored] = await purchasesOf(contact);
    expect([stored.unit_id, stored.order_type_id]).toEqual([root, 1]);
    const at = Date.parse(`${stored.transaction_date.replace(' ', 'T')}Z`);
    expect(at).toBeGreaterThanOrEqual(before - 1000);
    expect(at).toBeLessThanOrEqual(Date.now());
  });
});

describe('the provider', () => {
  const providerOf = async (onRequest: object, onPurchase: object) => {
    const { contact, value } = await lead('membership_number');
    const body = { account_id: accountId, membership_number: value, purchases: [bill(onPurchase)] };
    const answer = await call('POST', '/v1/purchases', { token, body: { ...body, ...onRequest } });
    expect(answer.status).toBe(200);
    return (await purchasesOf(contact))[0].provider_id;
  };
  it.each<[string, object, object, number | null]>([
    ['of the request counts for a purchase that names none', { provider_id: 7 }, {}, 7],
    ['of the purchase counts where the request names none', {}, { provider_id: 8 }, 8],
    ['of the purchase wins', { provider_id: 7 }, { provider_id: 8 }, 8],
    ['of the request counts for a purchase that has a blank one', { provider_id: 7 }, { provider_id: null }, 7],
    ['may be left out', {}, {}, null],
  ])('%s', async (_, onRequest, onPurchase, provider) => {
    expect(await providerOf(onRequest, onPurchase)).toBe(provider);
  });
  it('is the same provider wherever it was given: the purchase is the same', async () => {
    const { contact, value } = await lead('membership_number');
    const purchase = bill();
    const [first] = await sent({ membership_number: value, provider_id: 7, purchases: [purchase] });
    const again = { ...purchase, provider_id: 7 };
    const [second] = await sent({ membership_number: value, provider_id: 8, purchases: [again] });
    expect(second.id).toBe(first.id);
    const [third] = await sent({ membership_number: value, provider_id: 8, purchases: [purchase] });
    expect(third.id).not.toBe(first.id);
    expect(await referencesOf(contact)).toHaveLength(2);
  });
});

describe('a code that stands in several groups', async () => {
  const code = fresh('CODE');
  const [ana, rui] = [await written({ email: newEmail() }), await written({ email: newEmail() })];
  const [spring, summer, winter] = [await newGroup(), await newGroup(), await newGroup()];
  await newCode(spring, code, ana);
  await newCode(summer, code, rui);
  const theirs = { account_id: elsewhere.id, unit_id: elsewhere.root_unit_id, name: 'Theirs' };
  const foreign = await call('POST', '/v1/unique_code/group', { token: elsewhere.token, body: theirs });

  it('is meant in the group that is given', async () => {
    expect(await matched({ unique_code: code, unique_code_group_id: spring })).toEqual([ana, 'unique_code']);
    expect(await matched({ unique_code: code, unique_code_group_id: summer })).toEqual([rui, 'unique_code']);
    expect(await matched({ unique_code: code, unique_code_group_id: String(summer) })).toEqual([rui, 'unique_code']);
  });
  it('needs its group, and nothing is stored without', async () => {
    const before = [await waiting(), await referencesOf(ana), await referencesOf(rui)];
    expect(await refused({ unique_code: code, purchases: [bill()] })).toEqual(['unique_code_group_id']);
    expect([await waiting(), await referencesOf(ana), await referencesOf(rui)]).toEqual(before);
  });
  it('leads nowhere in a group that does not have it', async () => {
    expect(await matched({ unique_code: code, unique_code_group_id: winter })).toEqual([null, null]);
  });
  it.each<[string, number]>([
    ['unknown', 999_999],
    ['another account’s', foreign.body.id],
  ])('is refused in a group that is %s', async (_, unique_code_group_id) => {
    const before = await waiting();
    const body = { unique_code: code, unique_code_group_id, purchases: [bill()] };
    expect(await refused(body)).toEqual(['unique_code_group_id']);
    expect(await waiting()).toBe(before);
  });
  it('is told apart from one that stands in one group only, which needs none', async () => {
    const single = fresh('CODE');
    await newCode(winter, single, ana);
    expect(await matched({ unique_code: single })).toEqual([ana, 'unique_code']);
    expect(await matched({ unique_code: single, unique_code_group_id: winter })).toEqual([ana, 'unique_code']);
    expect(await matched({ unique_code: single, unique_code_group_id: spring })).toEqual([null, null]);
  });
});

describe('what is wrong', () => {
  it('is named all at once, down to the line', async () => {
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
  ])('is named together with a unit that is unknown: %s', async (field, wrong) => {
    const purchases = [bill({ unit_id: 999_999, ...wrong })];
    const fields = [`purchases.0.${field}`, 'purchases.0.unit_id'];
    expect(await refused({ table_number: '1', purchases })).toEqual(fields.sort());
  });
  it.each(keys)('is named together with a unit that is unknown: %s', async (key) => {
    const purchases = [bill({ unit_id: 999_999 })];
    const body = { [key]: 'x'.repeat(256), purchases };
    expect(await refused(body)).toEqual([key, 'purchases.0.unit_id'].sort());
  });
  it('is named together with a group that is needed', async () => {
    const [code, contact] = [fresh('CODE'), await written({ email: newEmail() })];
    for (const group of [await newGroup(), await newGroup()]) await newCode(group, code, contact);
    const body = { unique_code: code, table_number: 'x'.repeat(256), purchases: [bill({ unit_id: 999_999 })] };
    const fields = ['purchases.0.unit_id', 'table_number', 'unique_code_group_id'];
    expect(await refused(body)).toEqual(fields);
  });
  it('is named together with an account that is missing', async () => {
    const purchases = [bill({ items: [item, item, { ...item, quantity: 'many' }] })];
    const answer = await call('POST', '/v1/purchases', { token, body: { purchases } });
    expect(answer.status).toBe(422);
    const fields = ['account_id', ...keys, 'purchases.0.items.2.quantity'];
    expect(Object.keys(answer.body.errors).sort()).toEqual(fields.sort());
  });
  it('is named together with an account out of reach', async () => {
    const purchases = [bill({ created_at: 'yesterday' })];
    const fields = await refused({ account_id: elsewhere.id, table_number: '1', purchases });
    expect(fields).toEqual(['account_id', 'purchases.0.created_at']);
  });
  it.each<[string, object, string[]]>([
    ['no account', { account_id: null }, ['account_id']],
    ['another’s account', { account_id: elsewhere.id }, ['account_id']],
    ['an unknown account', { account_id: 999_999 }, ['account_id']],
    ['no purchases', { purchases: undefined }, ['purchases']],
    ['purchases that are no list', { purchases: 7 }, ['purchases']],
    ['an empty list', { purchases: [] }, ['purchases']],
    ['a purchase that is none', { purchases: [bill(), 7] }, ['purchases.1']],
    ['another’s unit', { purchases: [bill({ unit_id: elsewhere.root_unit_id })] }, ['purchases.0.unit_id']],
    ['a key too long', { table_number: 'x'.repeat(256) }, ['table_number']],
    ['a key of another type', { membership_number: ['M-1'] }, ['membership_number']],
    ['an order type that is none', { purchases: [bill({ order_type_id: 0 })] }, ['purchases.0.order_type_id']],
    [
      'several, in several purchases',
      { purchases: [bill(), bill({ unit_id: 999_999 }), bill({ unit_id: 'x' })] },
      ['purchases.1.unit_id', 'purchases.2.unit_id'],
    ],
  ])('is a 422: %s', async (_, wrong, fields) => {
    expect(await refused({ table_number: '1', purchases: [bill()], ...wrong })).toEqual(fields);
  });
  it('is a 422: a deleted unit', async () => {
    const closed = await made('units', { name: fresh('Closed') });
    expect((await admin('DELETE', `/accounts/${accountId}/units/${closed.id}`)).status).toBe(204);
    const purchases = [bill({ unit_id: closed.id })];
    expect(await refused({ table_number: '1', purchases })).toEqual(['purchases.0.unit_id']);
  });
  it('stores nothing of the request, not even what was right', async () => {
    const { contact, value } = await lead('membership_number');
    const [good, before] = [bill(), await waiting()];
    for (const bad of [bill({ unit_id: 999_999 }), bill({ items: [{ ...item, quantity: 'many' }] })]) {
      await refused({ membership_number: value, purchases: [good, bad] });
      await refused({ membership_number: fresh('nobody'), purchases: [good, bad] });
    }
    expect([await referencesOf(contact), await waiting()]).toEqual([[], before]);
  });
  it('does not change what was sent before', async () => {
    const { contact, value } = await lead('membership_number');
    const purchase = bill();
    await sent({ membership_number: value, purchases: [purchase] });
    const before = await purchasesOf(contact);
    const changed = { ...purchase, items: [{ ...item, value: 99 }] };
    await refused({ membership_number: value, purchases: [changed, bill({ unit_id: 999_999 })] });
    expect(await purchasesOf(contact)).toEqual(before);
  });
  it('needs a token', async () => {
    const body = { account_id: accountId, table_number: '1', purchases: [bill()] };
    expect((await call('POST', '/v1/purchases', { body })).status).toBe(401);
  });
});

describe('a contact that was merged into another', () => {
  it.each(keys)('is answered with the one that stays: %s', async (key) => {
    const [email, mobile_number] = [newEmail(), newMobile()];
    // Both have a number of each kind, so nothing is taken over.
    const stays = await written({ email, membership_number: fresh('M'), card_reference: fresh('C') });
    const { contact, value } = await ways[key]({ mobile_number });
    const early = bill();
    expect(await matched({ [key]: value, purchases: [early] })).toEqual([contact, key]);
    expect(await written({ email, mobile_number })).toBe(stays);
    const late = bill();
    expect(await matched({ [key]: value, purchases: [late] })).toEqual([stays, key]);
    expect(await matched({ [key]: value, purchases: [early] })).toEqual([stays, key]);
    const both = [early.transaction_reference, late.transaction_reference].sort();
    expect(await referencesOf(stays)).toEqual(both);
    expect(await referencesOf(contact)).toEqual(both);
    const ids = (await purchasesOf(contact)).map((one: { contact_id: number }) => one.contact_id);
    expect(ids).toEqual([stays, stays]);
  });
});

describe('the same purchase again', () => {
  const linesOf = async (id: number) =>
    (await purchasesOf(id)).map((one: { transaction_lines: { description: string }[] }) =>
      one.transaction_lines.map(({ description }) => description),
    );
  const ale = { ...item, description: 'Ale' };
  const pie = { ...item, description: 'Pie' };

  it('counts once, and replaces its lines', async () => {
    const { contact, value } = await lead('card_reference');
    const purchase = bill({ items: [ale, pie] });
    const [first] = await sent({ card_reference: value, purchases: [purchase] });
    const again = { ...purchase, items: [pie], created_at: '2025-03-01 20:30:00', order_type_id: 2 };
    expect(await sent({ card_reference: value, purchases: [again] })).toEqual([first]);
    expect(await linesOf(contact)).toEqual([['Pie']]);
    expect((await purchasesOf(contact))[0]).toMatchObject({
      transaction_date: '2025-03-01 20:30:00',
      order_type_id: 2,
    });
  });
  it('counts once when it stands twice in one request', async () => {
    const { contact, value } = await lead('card_reference');
    const purchase = bill({ items: [ale] });
    const stored = await sent({ card_reference: value, purchases: [purchase, { ...purchase, items: [pie] }] });
    expect(stored).toHaveLength(2);
    expect(stored[1]).toEqual(stored[0]);
    expect(await linesOf(contact)).toEqual([['Pie']]);
  });
  it('counts once when it is sent many times at once', async () => {
    const { contact, value } = await lead('card_reference');
    const purchase = bill({ items: [ale] });
    const all = await Promise.all(
      Array.from({ length: 20 }, () => sent({ card_reference: value, purchases: [purchase] })),
    );
    expect(new Set(all.map(([{ id }]) => id)).size).toBe(1);
    expect(await linesOf(contact)).toEqual([['Ale']]);
  });
  it.each<[string, object]>([
    ['provider', { provider_id: 13 }],
    ['unit', { unit_id: other.id }],
    ['reference', { transaction_reference: 'another' }],
  ])('is another one with another %s', async (_, another) => {
    const { contact, value } = await lead('card_reference');
    const purchase = bill({ items: [ale] });
    await sent({ card_reference: value, purchases: [purchase] });
    await sent({ card_reference: value, purchases: [{ ...purchase, ...another, items: [pie] }] });
    expect((await linesOf(contact)).flat().sort()).toEqual(['Ale', 'Pie']);
  });
  it.each(['waiting', 'matched'])('on a contact after it came anonymously is that contact’s: %s', async (how) => {
    const { contact: somebody, value } = await lead('membership_number');
    const purchase = bill({ items: [ale] });
    const membership_number = how === 'waiting' ? fresh('nobody') : value;
    const [{ id, contact_id }] = await sent({ membership_number, purchases: [purchase] });
    expect(contact_id).toBe(how === 'waiting' ? null : somebody);
    const before = await waiting();
    const contact = await written({ email: newEmail(), purchases: [{ ...purchase, provider_id: 12, items: [pie] }] });
    expect(await waiting()).toBe(how === 'waiting' ? before - 1 : before);
    expect(await linesOf(contact)).toEqual([['Pie']]);
    expect(await linesOf(somebody)).toEqual([]);
    expect((await purchasesOf(contact))[0]).toMatchObject({ id, contact_id: contact, matched_by: null });
    // Whoever gets what it waited for gets nothing of it.
    if (how === 'waiting') expect(await linesOf(await written({ email: newEmail(), membership_number }))).toEqual([]);
    expect(await linesOf(contact)).toEqual([['Pie']]);
  });
  it('anonymously after it came on a contact stays that contact’s, and replaces its lines', async () => {
    const { contact: somebody, value } = await lead('membership_number');
    const purchase = bill({ items: [ale] });
    const contact = await written({ email: newEmail(), purchases: [{ ...purchase, provider_id: 12 }] });
    const [{ id }] = await purchasesOf(contact);
    const again = { ...purchase, items: [pie, ale] };
    const { transaction_reference } = purchase;
    const stays = [{ id, transaction_reference, contact_id: contact, matched_by: null }];
    expect(await sent({ membership_number: value, purchases: [again] })).toEqual(stays);
    expect(await sent({ membership_number: fresh('nobody'), purchases: [again] })).toEqual(stays);
    expect(await linesOf(contact)).toEqual([['Pie', 'Ale']]);
    expect(await linesOf(somebody)).toEqual([]);
  });
  it('with a key that leads nowhere stays whose it is', async () => {
    const { contact, value } = await lead('membership_number');
    const purchase = bill();
    const [first] = await sent({ membership_number: value, purchases: [purchase] });
    expect(await sent({ membership_number: fresh('nobody'), purchases: [purchase] })).toEqual([first]);
    expect(await referencesOf(contact)).toEqual([purchase.transaction_reference]);
  });
  it('is matched by all that it ever said, in the one order', async () => {
    const [booking_reference, membership_number] = [fresh('B'), fresh('M')];
    const booker = await written({ email: newEmail(), bookings: [{ booking_reference }] });
    await written({ email: newEmail(), membership_number });
    const purchases = [bill()];
    expect(await matched({ booking_reference, purchases })).toEqual([booker, 'booking_reference']);
    expect(await matched({ membership_number, purchases })).toEqual([booker, 'booking_reference']);
  });
  it('as it was stays whose it is, whatever became of what led there', async () => {
    const membership_number = fresh('M');
    const member = await written({ email: newEmail(), membership_number });
    const body = { membership_number, purchases: [bill()] };
    expect(await matched(body)).toEqual([member, 'membership_number']);
    const next = await written({ email: newEmail(), membership_number });
    expect(await matched(body)).toEqual([member, 'membership_number']);
    expect(await matched({ membership_number })).toEqual([next, 'membership_number']);
  });
  it('with its code keeps the group that was said of it', async () => {
    const [unique_code, group, purchases] = [fresh('CODE'), await newGroup(), [bill()]];
    const [stored] = await sent({ unique_code, unique_code_group_id: group, purchases });
    await sent({ unique_code, purchases });
    expect((await admin('GET', `/accounts/${accountId}/purchases/${stored.id}`)).body.unique_code_group_id).toBe(group);
  });
  it('with another time is matched by the table that it named before', async () => {
    const table_number = fresh('table');
    const seat = { booking_reference: fresh('B'), unit_id: unit.id, table_numbers: [table_number] };
    const contact = await written({
      email: newEmail(),
      bookings: [{ ...seat, party_datetime: '2025-03-01 12:00:00' }],
    });
    const purchase = bill();
    expect(await matched({ table_number, purchases: [purchase] })).toEqual([null, null]);
    const corrected = { ...purchase, created_at: '2025-03-01 13:00:00' };
    const again = { membership_number: fresh('M'), purchases: [corrected] };
    expect(await matched(again)).toEqual([contact, 'table_number']);
  });
  it('that waited is matched by the key that it comes with now', async () => {
    const { contact, value } = await lead('card_reference');
    const [purchase, before] = [bill(), await waiting()];
    const [{ id }] = await sent({ membership_number: fresh('nobody'), purchases: [purchase] });
    const [again] = await sent({ card_reference: value, purchases: [purchase] });
    expect(again).toMatchObject({ id, contact_id: contact, matched_by: 'card_reference' });
    expect(await waiting()).toBe(before);
  });
});

describe('types', () => {
  it('are read leniently: numbers as text', async () => {
    const { contact, value } = await lead('membership_number');
    const items = [{ ...item, quantity: '-1.5', value: '-8.630' }];
    const purchase = bill({ unit_id: String(unit.id), provider_id: '13', order_type_id: '5', items });
    const body = { account_id: String(accountId), provider_id: '12', membership_number: value, purchases: [purchase] };
    await sent(body);
    const [stored] = await purchasesOf(contact);
    expect(stored).toMatchObject({ unit_id: unit.id, provider_id: 13, order_type_id: 5 });
    expect(stored.transaction_lines[0]).toMatchObject({ quantity: '-1.5', value: '-8.63' });
  });
  it('are read leniently: a key that is a number', async () => {
    const number = 700_000 + ++count;
    const contact = await written({ email: newEmail(), membership_number: String(number) });
    expect(await matched({ membership_number: number })).toEqual([contact, 'membership_number']);
  });
  it('are refused where a number is too large to be exact: two references would become one', async () => {
    const purchases = [bill({ transaction_reference: 2 ** 60 }), bill({ transaction_reference: 42 })];
    expect(await refused({ membership_number: 1e300, purchases })).toEqual([
      'membership_number',
      'purchases.0.transaction_reference',
    ]);
  });
  it('are read leniently: unknown fields are ignored', async () => {
    const { contact, value } = await lead('membership_number');
    const purchases = [bill({ waiter: 'Jo', items: [{ ...item, colour: 'amber' }] })];
    expect(await matched({ membership_number: value, till: 4, purchases })).toEqual([contact, 'membership_number']);
  });
});
