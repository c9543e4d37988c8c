import { describe, expect, it } from 'vitest';
import { keys } from '../../../support/till.ts';
import { anonymousSetup, item, pairs } from './anonymous-setup.ts';

const setup = await anonymousSetup();
const { admin, call, accountId, token, root, elsewhere, unit, other } = setup;
const { written, newGroup, newCode, send, sent, matched, refused, purchasesOf, referencesOf, waiting, contactWithKey } =
  setup;
const { fresh, newEmail, bill } = setup;

describe('the keys of an anonymous purchase', () => {
  it.each(keys)('%s matches the contact and is returned as matched_by', async (key) => {
    const [one, another] = [await contactWithKey(key), await contactWithKey(key)];
    expect(await matched({ [key]: one.value })).toEqual([one.contact, key]);
    expect(await matched({ [key]: another.value })).toEqual([another.contact, key]);
  });
  it.each(keys)('%s without a contact leaves the purchase waiting', async (key) => {
    const before = await waiting();
    expect(await matched({ [key]: fresh('nobody') })).toEqual([null, null]);
    expect(await waiting()).toBe(before + 1);
  });
  it.each(pairs)('%s takes precedence over %s', async (first, second) => {
    const [winner, loser] = [await contactWithKey(first), await contactWithKey(second)];
    // As a client may write them: the order of the fields is no order.
    expect(await matched({ [second]: loser.value, [first]: winner.value })).toEqual([winner.contact, first]);
    expect(await referencesOf(loser.contact)).toEqual([]);
  });
  it.each(pairs)('%s without a contact falls back to %s', async (first, second) => {
    const { contact, value } = await contactWithKey(second);
    expect(await matched({ [first]: fresh('nobody'), [second]: value })).toEqual([contact, second]);
  });
  it('of five keys that match five contacts, the booking reference wins', async () => {
    const contacts = await Promise.all(keys.map(contactWithKey));
    const all = Object.fromEntries(keys.map((key, index) => [key, contacts[index]?.value]));
    expect(await matched(all)).toEqual([contacts[0]?.contact, 'booking_reference']);
  });
  it('of two bookings with the same reference, the one of the purchase’s provider wins, or else the latest', async () => {
    const booking_reference = fresh('B');
    const own = await written({ email: newEmail(), bookings: [{ booking_reference, provider_id: 12 }] });
    const last = await written({ email: newEmail(), bookings: [{ booking_reference }] });
    expect(await matched({ booking_reference })).toEqual([own, 'booking_reference']);
    expect(await matched({ booking_reference, provider_id: 13 })).toEqual([last, 'booking_reference']);
  });
  it('a code that is not assigned matches no contact', async () => {
    const code = fresh('CODE');
    await newCode(await newGroup(), code);
    expect(await matched({ unique_code: code })).toEqual([null, null]);
    const { contact, value } = await contactWithKey('membership_number');
    expect(await matched({ unique_code: code, membership_number: value })).toEqual([contact, 'membership_number']);
  });
  it('a membership number does not match a card, nor a card a membership number', async () => {
    const [member, card] = [await contactWithKey('membership_number'), await contactWithKey('card_reference')];
    expect(await matched({ card_reference: member.value, membership_number: card.value })).toEqual([null, null]);
  });
  it.each(keys)('%s of another account matches no contact', async (key) => {
    const { value } = await contactWithKey(key);
    const body = { account_id: elsewhere.id, [key]: value, purchases: [bill({ unit_id: elsewhere.root_unit_id })] };
    const answer = await call('POST', '/v1/purchases', { token: elsewhere.token, body });
    expect([answer.status, answer.body.purchases[0].contact_id]).toEqual([200, null]);
  });
});

describe('an anonymous purchase without a key', () => {
  it.each<[string, object]>([
    ['left out', {}],
    ['null', Object.fromEntries(keys.map((key) => [key, null]))],
    ['blank', Object.fromEntries(keys.map((key) => [key, '']))],
    ['only a group', { unique_code_group_id: null }],
  ])('is a 422 that names all five keys: %s', async (_, none) => {
    const before = await waiting();
    expect(await refused({ ...none, purchases: [bill()] })).toEqual([...keys].sort());
    expect(await waiting()).toBe(before);
  });
  it('is accepted if one key is sent and the others are blank', async () => {
    const { contact, value } = await contactWithKey('card_reference');
    const blank = { booking_reference: '', unique_code: '', unique_code_group_id: '', membership_number: null };
    const [purchase] = await sent({ ...blank, card_reference: value, table_number: '' });
    expect([purchase.contact_id, purchase.matched_by]).toEqual([contact, 'card_reference']);
    const { body } = await admin('GET', `/accounts/${accountId}/purchases/${purchase.id}`);
    expect(keys.map((key) => body[key])).toEqual([null, null, null, value, null]);
  });
});

describe('the response to anonymous purchases', () => {
  it('has an entry for each purchase, in the order sent, and nothing else', async () => {
    const { contact, value } = await contactWithKey('booking_reference');
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
  it('has the id under which the purchase is stored with the contact', async () => {
    const { contact, value } = await contactWithKey('membership_number');
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
  it('uses the root unit and the time of the request as defaults', async () => {
    const { contact, value } = await contactWithKey('card_reference');
    const before = Date.now();
    await sent({ card_reference: value, purchases: [{ transaction_reference: fresh('T'), items: [item] }] });
    const [stored] = await purchasesOf(contact);
    expect([stored.unit_id, stored.order_type_id]).toEqual([root, 1]);
    const at = Date.parse(`${stored.transaction_date.replace(' ', 'T')}Z`);
    expect(at).toBeGreaterThanOrEqual(before - 1000);
    expect(at).toBeLessThanOrEqual(Date.now());
  });
});

describe('the provider of an anonymous purchase', () => {
  const providerOf = async (onRequest: object, onPurchase: object) => {
    const { contact, value } = await contactWithKey('membership_number');
    const body = { account_id: accountId, membership_number: value, purchases: [bill(onPurchase)] };
    const answer = await call('POST', '/v1/purchases', { token, body: { ...body, ...onRequest } });
    expect(answer.status).toBe(200);
    return (await purchasesOf(contact))[0].provider_id;
  };
  it.each<[string, object, object, number | null]>([
    ['on the request applies to a purchase without one', { provider_id: 7 }, {}, 7],
    ['on the purchase applies if the request has none', {}, { provider_id: 8 }, 8],
    ['on the purchase takes precedence', { provider_id: 7 }, { provider_id: 8 }, 8],
    ['on the request applies to a purchase with a blank one', { provider_id: 7 }, { provider_id: null }, 7],
    ['is optional', {}, {}, null],
  ])('%s', async (_, onRequest, onPurchase, provider) => {
    expect(await providerOf(onRequest, onPurchase)).toBe(provider);
  });
  it('identifies the purchase, whether it is on the request or on the purchase', async () => {
    const { contact, value } = await contactWithKey('membership_number');
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

describe('a code in several groups', async () => {
  const code = fresh('CODE');
  const [ana, rui] = [await written({ email: newEmail() }), await written({ email: newEmail() })];
  const [spring, summer, winter] = [await newGroup(), await newGroup(), await newGroup()];
  await newCode(spring, code, ana);
  await newCode(summer, code, rui);
  const theirs = { account_id: elsewhere.id, unit_id: elsewhere.root_unit_id, name: 'Theirs' };
  const foreign = await call('POST', '/v1/unique_code/group', { token: elsewhere.token, body: theirs });

  it('matches in the given group', async () => {
    expect(await matched({ unique_code: code, unique_code_group_id: spring })).toEqual([ana, 'unique_code']);
    expect(await matched({ unique_code: code, unique_code_group_id: summer })).toEqual([rui, 'unique_code']);
    expect(await matched({ unique_code: code, unique_code_group_id: String(summer) })).toEqual([rui, 'unique_code']);
  });
  it('requires a group, and nothing is stored without one', async () => {
    const before = [await waiting(), await referencesOf(ana), await referencesOf(rui)];
    expect(await refused({ unique_code: code, purchases: [bill()] })).toEqual(['unique_code_group_id']);
    expect([await waiting(), await referencesOf(ana), await referencesOf(rui)]).toEqual(before);
  });
  it('matches no contact in a group that does not contain it', async () => {
    expect(await matched({ unique_code: code, unique_code_group_id: winter })).toEqual([null, null]);
  });
  it.each<[string, number]>([
    ['unknown', 999_999],
    ['another account’s', foreign.body.id],
  ])('is rejected in a group that is %s', async (_, unique_code_group_id) => {
    const before = await waiting();
    const body = { unique_code: code, unique_code_group_id, purchases: [bill()] };
    expect(await refused(body)).toEqual(['unique_code_group_id']);
    expect(await waiting()).toBe(before);
  });
  it('does not require a group if only one group has it', async () => {
    const single = fresh('CODE');
    await newCode(winter, single, ana);
    expect(await matched({ unique_code: single })).toEqual([ana, 'unique_code']);
    expect(await matched({ unique_code: single, unique_code_group_id: winter })).toEqual([ana, 'unique_code']);
    expect(await matched({ unique_code: single, unique_code_group_id: spring })).toEqual([null, null]);
  });
});
