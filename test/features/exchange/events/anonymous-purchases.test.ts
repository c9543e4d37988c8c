import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { readerOf, types } from '../../../support/events.ts';
import { fresh, type Key, keys, named, place, type Stored } from '../../../support/till.ts';
import { accepted } from '../../../support/vouchers.ts';

const app = await testApp();
const { admin, call } = app;
let at = {} as Awaited<ReturnType<typeof place>>;
let made = {} as ReturnType<typeof readerOf>['made'];
beforeAll(async () => {
  at = await place(app);
  ({ made } = readerOf(app, at));
});

const lines = [{ description: 'Pale ale', sku: 'ALE-1', quantity: '2', value: '11.50', tags: [] }];
/** What all events of a bill tell. */
const reference = (transaction_reference: string) => ({
  ...{ transaction_reference, unit_id: at.unit, provider_id: 12 },
  ...{ created_at: '2025-03-01 20:05:00', total: 11.5 },
});
const recorded = (bill: string, contact_id: number | null, matched_by: Key | null) => ({
  ...{ type: 'purchase.recorded', contact_id, ...reference(bill) },
  ...{ order_type_id: 1, matched_by, items: lines },
});
const matched = (bill: string, contact_id: number, matched_by: Key) => ({
  ...{ type: 'purchase.matched', contact_id, ...reference(bill), matched_by },
});

describe.each(named)('a purchase with the key of %s', (_, { key, prepare }) => {
  it('makes one event while it waits, and one when it is matched', async () => {
    const value = fresh('late');
    const arrive = await prepare(at, value);
    const one = at.bill();
    const send = () => at.sent({ [key]: value, purchases: [one] });
    expect(await made(send)).toEqual([recorded(one.transaction_reference, null, null)]);
    let contact = 0;
    const events = await made(async () => {
      contact = await arrive();
    });
    expect(events.filter(({ type }) => type.startsWith('purchase'))).toEqual([
      matched(one.transaction_reference, contact, key),
    ]);
    // What led to the match comes first.
    expect(types(events).at(-1)).toBe('purchase.matched');
    expect(events.length).toBeGreaterThan(1);
    // A retry changes nothing.
    let again: Stored | undefined;
    const retry = async () => {
      again = await send();
    };
    expect(await made(retry)).toEqual([]);
    expect(again).toMatchObject({ contact_id: contact, matched_by: key });
  });

  it('makes both events at once if the key is there already', async () => {
    const value = fresh('early');
    const contact = await (await prepare(at, value))();
    const one = at.bill();
    const send = () => at.sent({ [key]: value, purchases: [one] });
    const { transaction_reference: bill } = one;
    expect(await made(send)).toEqual([recorded(bill, contact, key), matched(bill, contact, key)]);
    expect(await made(send)).toEqual([]);
  });
});

describe('a purchase that is sent again', () => {
  it('is an event if it has changed, also while it waits, and is not matched anew', async () => {
    const one = at.bill();
    const membership_number = fresh('M');
    const send = (more = {}) => at.sent({ membership_number, purchases: [{ ...one, ...more }] });
    const bill = one.transaction_reference;
    await send();
    expect(await made(send)).toEqual([]);
    expect(await made(() => send({ order_type_id: 4 }))).toEqual([{ ...recorded(bill, null, null), order_type_id: 4 }]);
    const contact = await at.written({ membership_number });
    const items = [{ quantity: 1, value: 3.5 }];
    expect(await made(() => send({ items }))).toEqual([
      {
        ...recorded(bill, contact, 'membership_number'),
        ...{ order_type_id: 4, total: 3.5 },
        items: [{ description: '', sku: '', quantity: '1', value: '3.50', tags: [] }],
      },
    ]);
    expect(await made(() => send({ items }))).toEqual([]);
    // A field that is not sent keeps its value.
    expect(await made(() => at.sent({ membership_number, purchases: [{ ...one, items: undefined }] }))).toEqual([]);
  });

  it('is matched to another contact if its key is that of another one', async () => {
    const [first, second] = [fresh('M'), fresh('M')];
    await at.written({ membership_number: first });
    const rui = await at.written({ membership_number: second });
    const one = at.bill();
    const bill = one.transaction_reference;
    const send = (membership_number: string) => at.sent({ membership_number, purchases: [one] });
    await send(first);
    const events = await made(() => send(second));
    expect(events).toEqual([recorded(bill, rui, 'membership_number'), matched(bill, rui, 'membership_number')]);
  });

  it('with a contact is an event of that contact, which is no match', async () => {
    const one = at.bill();
    await at.sent({ membership_number: fresh('M'), purchases: [one] });
    const email = `${fresh('named')}@gmail.com`;
    const contact = await at.written({ email });
    const purchases = [{ ...one, provider_id: 12 }];
    const send = () => at.written({ email, purchases });
    expect(await made(send)).toEqual([recorded(one.transaction_reference, contact, null)]);
    expect(await made(send)).toEqual([]);
  });

  it('after a merge is no event, and one that changes names the contact that stays', async () => {
    const membership_number = fresh('M');
    const goes = await at.written({ membership_number });
    const one = at.bill();
    const send = (more = {}) => at.sent({ membership_number, purchases: [{ ...one, ...more }] });
    await send();
    const stays = await at.written({});
    accepted(await admin('POST', `/accounts/${at.id}/contacts/${stays}/merge`, { contact_id: goes }));
    expect(await made(send)).toEqual([]);
    expect(await made(() => send({ order_type_id: 4 }))).toMatchObject([
      { type: 'purchase.recorded', contact_id: stays, order_type_id: 4 },
    ]);
  });
});

describe('one request', () => {
  it('makes the events of its purchases in their order', async () => {
    const membership_number = fresh('M');
    const contact = await at.written({ membership_number });
    const bills = Array.from({ length: 5 }, () => at.bill());
    const changed = { ...bills[0], order_type_id: 4 };
    const first = bills[0]?.transaction_reference ?? '';
    const events = await made(() => at.sentAll({ membership_number, purchases: [...bills, bills[0], changed] }));
    expect(events).toEqual([
      ...bills.flatMap(({ transaction_reference: bill }) => [
        recorded(bill, contact, 'membership_number'),
        matched(bill, contact, 'membership_number'),
      ]),
      { ...recorded(first, contact, 'membership_number'), order_type_id: 4 },
    ]);
  });

  it('makes none if it is rejected or replayed', async () => {
    const body = { account_id: at.id, membership_number: fresh('M'), purchases: [at.bill()] };
    const post = (sent: object, headers = {}) =>
      call('POST', '/v1/purchases', { token: at.token, body: sent, headers });
    const bad = at.bill({ unit_id: 999_999_999 });
    const rejected = [
      { ...body, purchases: [at.bill(), bad] },
      { ...body, membership_number: undefined },
      { ...body, unique_code_group_id: 999_999_999 },
    ];
    const events = await made(async () => {
      for (const sent of rejected) expect((await post(sent)).status).toBe(422);
    });
    expect(events).toEqual([]);
    const headers = { 'idempotency-key': fresh('key') };
    expect(await made(() => post(body, headers))).toHaveLength(1);
    const replay = async () => expect((await post(body, headers)).headers).toHaveProperty('idempotent-replayed');
    expect(await made(replay)).toEqual([]);
  });

  it('that is matched by several keys tells the one that led to the contact', async () => {
    const all = Object.fromEntries(keys.map((key) => [key, fresh(key)]));
    const contact = await at.written({ membership_number: all.membership_number, card_reference: all.card_reference });
    const one = at.bill();
    expect(await made(() => at.sent({ ...all, purchases: [one] }))).toEqual([
      recorded(one.transaction_reference, contact, 'membership_number'),
      matched(one.transaction_reference, contact, 'membership_number'),
    ]);
  });
});
