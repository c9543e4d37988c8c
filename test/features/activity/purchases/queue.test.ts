import { describe, expect, it } from 'vitest';
import { appOver, testApp } from '../../../support/app.ts';
import { openTestDatabase } from '../../../support/database.ts';
import { type Caller, fresh, type Key, keys, named, place, type Stored, ways } from '../../../support/till.ts';

const { account, admin, call } = await testApp();
const home = await place({ account, admin, call });
const { written, bill, sent, staff, read, newGroup, addCodes, booking } = home;

describe('the list of waiting purchases', async () => {
  const at = await place({ account, admin, call });
  const token = at.token;
  const base = `/accounts/${at.id}/purchases`;
  const waitsFor = async (waiting_for?: string) => {
    const { data } = await at.staff(waiting_for === undefined ? 'waiting' : `waiting?waiting_for=${waiting_for}`);
    return data.map(({ id }: { id: number }) => id) as number[];
  };
  const membership_number = fresh('M');
  const byKey: Record<Key, Stored> = {
    booking_reference: await at.sent({ booking_reference: fresh('B') }),
    unique_code: await at.sent({ unique_code: fresh('CODE') }),
    membership_number: await at.sent({ membership_number }),
    card_reference: await at.sent({ card_reference: fresh('C') }),
    table_number: await at.sent({ table_number: fresh('table') }),
  };
  const both = await at.sent({ card_reference: fresh('C'), table_number: fresh('table') });
  const later = fresh('M');
  const found = await at.sent({ membership_number: later });
  await at.written({ membership_number: later });

  it('has the waiting purchases, newest first, and no matched ones', async () => {
    expect(await waitsFor()).toEqual([both.id, ...keys.map((key) => byKey[key].id).reverse()]);
  });
  it('has the keys and the fields of each purchase', async () => {
    const { data, total, per_page } = await at.staff('waiting?waiting_for=membership_number');
    expect([total, per_page]).toEqual([1, 100]);
    expect(data).toEqual([
      {
        transaction_lines: [
          {
            id: expect.any(Number),
            description: 'Pale ale',
            sku: 'ALE-1',
            quantity: '2',
            value: '11.50',
            tags: [],
          },
        ],
        unit_name: 'The Anchor',
        id: byKey.membership_number.id,
        contact_id: null,
        transaction_reference: byKey.membership_number.transaction_reference,
        unit_id: at.unit,
        provider_id: 12,
        order_type_id: 1,
        transaction_date: '2025-03-01 20:05:00',
        matched_by: null,
        matched_at: null,
        booking_reference: null,
        unique_code: null,
        unique_code_group_id: null,
        membership_number,
        card_reference: null,
        table_number: null,
      },
    ]);
    expect(data[0]).toEqual(await at.staff(String(byKey.membership_number.id)));
  });
  it.each(keys)('can be filtered by %s', async (key) => {
    const others = key === 'card_reference' || key === 'table_number' ? [both.id] : [];
    expect(await waitsFor(key)).toEqual([...others, byKey[key].id]);
  });
  it('rejects an unknown filter', async () => {
    const { status, body } = await admin('GET', `${base}/waiting?waiting_for=godot`);
    expect([status, Object.keys(body.errors)]).toEqual([422, ['waiting_for']]);
  });
  it('has counts in total and by key', async () => {
    expect(await at.staff('waiting/counts')).toEqual({
      waiting: 6,
      waiting_for: {
        booking_reference: 1,
        unique_code: 1,
        membership_number: 1,
        card_reference: 2,
        table_number: 2,
      },
    });
  });
  it('contains only the account’s own purchases', async () => {
    const there = await place({ account, admin, call });
    const nothing = { waiting: 0, waiting_for: Object.fromEntries(keys.map((key) => [key, 0])) };
    expect(await there.staff('waiting/counts')).toEqual(nothing);
    expect((await there.staff('waiting')).data).toEqual([]);
    for (const id of [byKey.table_number.id, found.id, 999_999]) {
      for (const path of [`${id}`, `${id}/explanation`]) {
        expect((await admin('GET', `/accounts/${there.id}/purchases/${path}`)).status).toBe(404);
      }
    }
  });
  it('requires at least staff', async () => {
    for (const path of ['waiting', 'waiting/counts', `${found.id}`, `${found.id}/explanation`]) {
      expect((await call('GET', `/admin/v1${base}/${path}`, { token })).status).toBe(401);
      expect((await call('GET', `/admin/v1${base}/${path}`)).status).toBe(401);
    }
  });
});

describe('the explanation of a match', () => {
  interface Candidate {
    booking_reference: string;
    contact_id: number;
    chosen: boolean;
    turned_down: string[];
  }
  const explain = async ({ id }: Stored) => staff(`${id}/explanation`);
  /** Each candidate's reasons, by its reference; for the chosen one there are none. */
  const verdicts = (candidates: Candidate[]) =>
    Object.fromEntries(
      candidates.map((one) => [one.booking_reference, one.chosen ? 'chosen' : one.turned_down.join(' ')]),
    );

  it('names the keys of a waiting purchase, and why each matches no contact', async () => {
    const [unique_code, group] = [fresh('CODE'), await newGroup()];
    await addCodes(group, [unique_code]);
    const values = { booking_reference: fresh('B'), membership_number: fresh('M'), card_reference: fresh('C') };
    const { keys: tried, ...rest } = await explain(await sent({ ...values, unique_code, table_number: fresh('t') }));
    expect(tried.map(({ key }: { key: Key }) => key)).toEqual(keys);
    for (const one of tried) expect(one).toMatchObject({ outcome: 'no_contact', contact_id: null });
    expect(tried[0]).toMatchObject({ value: values.booking_reference, reason: expect.stringMatching(/no booking/) });
    expect(tried[1]).toMatchObject({ value: unique_code, reason: expect.stringMatching(/assigned to nobody/) });
    expect(rest.purchase.contact_id).toBeNull();
    expect(rest.summary).toMatch(/^No contact is known yet/);
    const unknown = await explain(await sent({ unique_code: fresh('CODE') }));
    expect(unknown.keys[0].reason).not.toBe(tried[1].reason);
  });
  it.each(named)('states that the purchase was %s', async (_, { key, prepare }) => {
    const value = fresh('value');
    const contact = await (await prepare(home, value))();
    const earlier = Object.fromEntries(keys.slice(0, keys.indexOf(key)).map((one) => [one, fresh('nobody')]));
    const later = Object.fromEntries(keys.slice(keys.indexOf(key) + 1).map((one) => [one, fresh('nobody')]));
    const stored = await sent({ ...earlier, [key]: value, ...later });
    const { summary, purchase, keys: tried } = await explain(stored);
    expect(summary).toContain(String(contact));
    expect(summary).toContain(key.replaceAll('_', ' '));
    expect(purchase).toEqual(await staff(String(stored.id)));
    expect(tried.map((one: { key: Key; outcome: string }) => [one.key, one.outcome])).toEqual(
      keys.map((one) => [one, one in earlier ? 'no_contact' : one === key ? 'matched' : 'not_needed']),
    );
    expect(tried.find((one: { key: Key }) => one.key === key)).toMatchObject({ value, contact_id: contact });
  });
  it('gives a reason for each booking that does not match', async () => {
    const table_number = fresh('table');
    const tables = { table_numbers: [table_number] };
    const all = {
      'B-chosen': booking({ ...tables, party_datetime: '2025-03-01 22:00:00' }),
      'B-other-table': booking({ table_numbers: ['9'], party_datetime: '2025-03-01 22:30:00' }),
      'B-other-day': booking({ ...tables, party_datetime: '2025-03-02 00:15:00' }),
      'B-too-far': booking({ ...tables, party_datetime: '2025-03-01 20:29:59' }),
      'B-cancelled': booking({ ...tables, party_datetime: '2025-03-01 23:30:00', stage_value: 550 }),
      'B-farther': booking({ ...tables, party_datetime: '2025-03-01 21:30:00' }),
      'B-everything': booking({ table_numbers: [], party_datetime: '2025-03-02 03:00:00', stage_value: 550 }),
    };
    const bookings = Object.entries(all).map(([booking_reference, one]) => ({ ...one, booking_reference }));
    const whose: Record<string, number> = {};
    for (const one of bookings) whose[one.booking_reference] = await written({ bookings: [one] });
    await written({ bookings: [booking({ ...tables, unit_id: undefined, party_datetime: '2025-03-01 23:30:00' })] });

    const stored = await sent({ table_number, purchases: [bill({ created_at: '2025-03-01 23:30:00' })] });
    expect(stored).toMatchObject({ contact_id: whose['B-chosen'], matched_by: 'table_number' });
    const { candidates } = await explain(stored);
    // Other tests' bookings of that unit and day may be among them.
    const ours = candidates.filter((one: Candidate) => one.booking_reference in all);
    expect(verdicts(ours)).toEqual({
      'B-chosen': 'chosen',
      'B-other-table': expect.stringMatching(/^It is at another table\.$/),
      'B-other-day': expect.stringMatching(/^It is on another day\.$/),
      'B-too-far': expect.stringMatching(/^It starts more than 3 hours from the purchase\.$/),
      'B-cancelled': expect.stringMatching(/^It was cancelled\.$/),
      'B-farther': expect.stringMatching(/nearer/),
      'B-everything': expect.stringMatching(/another table.*another day.*3 hours.*cancelled/),
    });
    for (const one of ours) expect(one.contact_id).toBe(whose[one.booking_reference]);
    expect(ours[0].booking_reference).toBe('B-chosen');
    expect(candidates.filter((one: Candidate) => one.chosen)).toHaveLength(1);
  });
  it('shows the rejected bookings of a table, and the chosen one after it is reported', async () => {
    const at = await place({ account, admin, call });
    const [table_number, one] = [fresh('table'), at.booking({ table_numbers: ['9'] })];
    const contact = await at.written({ bookings: [one] });
    const { id } = await at.sent({ table_number });
    const before = await at.staff(`${id}/explanation`);
    expect(before.candidates).toMatchObject([
      { booking_reference: one.booking_reference, chosen: false, turned_down: ['It is at another table.'] },
    ]);
    await at.change(before.candidates[0].booking_id, { table_numbers: [table_number] });
    const after = await at.staff(`${id}/explanation`);
    expect(after.candidates).toMatchObject([{ contact_id: contact, chosen: true, turned_down: [] }]);
    expect(after.keys).toMatchObject([{ key: 'table_number', outcome: 'matched', contact_id: contact }]);
  });
  it('names the original contact if the key now matches another contact', async () => {
    const one = booking();
    const [ana, purchase] = [await written({ bookings: [one] }), bill()];
    const stored = await sent({ booking_reference: one.booking_reference, purchases: [purchase] });
    const rui = await written({ bookings: [one] });
    const { summary, keys: tried } = await explain(stored);
    expect(summary).toContain(`contact ${ana}`);
    const reason = `It led to contact ${ana}. By now: It leads to contact ${rui}.`;
    expect(tried).toMatchObject([{ outcome: 'matched', reason, contact_id: rui }]);
  });
  it('shows the table that matched, even after a table that matches no contact is sent', async () => {
    const [table_number, purchases] = [fresh('table'), [bill()]];
    const contact = await written({ bookings: [booking({ table_numbers: [table_number] })] });
    const stored = await sent({ table_number, purchases });
    expect(await sent({ table_number: fresh('nowhere'), purchases })).toEqual(stored);
    const { keys: tried } = await explain(stored);
    expect(tried).toMatchObject([{ value: table_number, outcome: 'matched', contact_id: contact }]);
  });
  it('states that the purchase was sent with a contact', async () => {
    const contact = await written({ purchases: [bill()] });
    const [{ id = 0 } = {}] = await read(contact);
    const { summary, keys: tried, candidates } = await staff(`${id}/explanation`);
    expect([tried, candidates]).toEqual([[], []]);
    expect(summary).toContain(`contact ${contact}`);
  });
});

describe('the metrics of matching', async () => {
  const { db, ...database } = await openTestDatabase();
  const first = await appOver(db, database);
  const [here, there] = [await place(first), await place(first)];

  const metrics = async (from: Caller) => String((await from.call('GET', '/metrics')).body).split('\n');
  const outcomes = async () =>
    Object.fromEntries(
      (await metrics(first)).flatMap((line) => {
        const [, route, outcome, value] =
          /^regulars_outcomes_total\{route="([^"]*)",outcome="([^"]*purchase[^"]*)"\} (\d+)$/.exec(line) ?? [];
        return value === undefined ? [] : [[`${route}: ${outcome}`, Number(value)]];
      }),
    );
  const waiting = async (from: Caller) =>
    Object.fromEntries(
      (await metrics(from)).flatMap((line) => {
        const [, key, value] = /^regulars_purchases_waiting\{key="([^"]*)"\} (\d+)$/.exec(line) ?? [];
        return key === undefined ? [] : [[key, Number(value)]];
      }),
    );

  it('count purchases matched immediately, matched later and waiting', async () => {
    expect(await outcomes()).toEqual({});
    for (const { key, prepare } of ways) {
      const value = fresh('value');
      const bring = await prepare(here, value);
      await here.sentAll({ [key]: value, purchases: [here.bill(), here.bill()] });
      await bring();
      await here.sent({ [key]: value });
    }
    const counts = { booking_reference: 2, unique_code: 1, membership_number: 2, card_reference: 1, table_number: 3 };
    const direct = Object.entries(counts).map(([key, n]) => [`/v1/purchases: purchase_matched_by_${key}`, n]);
    const late = [
      ['/v1/contact', 'booking_reference', 2],
      ['/v1/bookings/:booking_id', 'booking_reference', 2],
      ['/admin/v1/accounts/:account_id/unique_codes/assign', 'unique_code', 2],
      ['/v1/contact', 'membership_number', 4],
      ['/v1/contact', 'card_reference', 2],
      ['/v1/contact', 'table_number', 4],
      ['/v1/bookings/:booking_id', 'table_number', 2],
    ].map(([route, key, n]) => [`${route}: waiting_purchase_matched_by_${key}`, n]);
    expect(await outcomes()).toEqual(Object.fromEntries([...direct, ...late, ['/v1/purchases: purchase_waiting', 18]]));
  });
  it('count the waiting purchases of all accounts by key', async () => {
    for (const at of [here, there]) {
      await at.sent({ card_reference: fresh('C'), table_number: fresh('table') });
      await at.sent({ membership_number: fresh('M') });
    }
    await there.sent({ table_number: fresh('table') });
    // The number is a minute old at most; an app that has just started has none yet.
    expect(await waiting(await appOver(db, database))).toEqual({
      booking_reference: 0,
      unique_code: 0,
      membership_number: 2,
      card_reference: 2,
      table_number: 3,
    });
  });
});
