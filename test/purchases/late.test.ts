import { afterAll, describe, expect, it } from 'vitest';
import { openPool } from '../../src/db/database.ts';
import { appOver, testApp } from '../support/app.ts';
import { openTestDatabase } from '../support/database.ts';

const { account, admin, call } = await testApp();

let count = 0;
const fresh = (prefix: string) => `${prefix}-${++count}`;
const keys = ['booking_reference', 'unique_code', 'membership_number', 'card_reference', 'table_number'] as const;
type Key = (typeof keys)[number];
type Caller = { account: typeof account; admin: typeof admin; call: typeof call };
type Place = Awaited<ReturnType<typeof place>>;

interface Stored {
  id: number;
  transaction_reference: string;
  contact_id: number | null;
  matched_by: Key | null;
}

/** An account with what tests do in it; each thing through whichever app they say. */
async function place(through: Caller = { account, admin, call }) {
  const { id, token, root_unit_id } = await through.account();
  const base = `/accounts/${id}`;
  const { body: unit } = await through.admin('POST', `${base}/units`, { name: 'The Anchor' });

  const written = async (body: object, by = through): Promise<number> => {
    const who = { email: `${fresh('guest')}@gmail.com`, full_contact_object: false };
    const answer = await by.call('POST', '/v1/contact', { token, body: { ...who, ...body } });
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    return answer.body.id;
  };
  const bill = (more: object = {}) => ({
    transaction_reference: fresh('T'),
    unit_id: unit.id,
    created_at: '2025-03-01 20:05:00',
    items: [{ description: 'Pale ale', sku: 'ALE-1', quantity: 2, value: 11.5 }],
    ...more,
  });
  const sentAll = async (body: object, by = through): Promise<Stored[]> => {
    const all = { account_id: id, provider_id: 12, purchases: [bill()], ...body };
    const answer = await by.call('POST', '/v1/purchases', { token, body: all });
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    return answer.body.purchases;
  };
  const sent = async (body: object, by = through) => (await sentAll(body, by))[0] as Stored;
  const staff = async (path: string) => (await through.admin('GET', `${base}/purchases/${path}`)).body;
  const read = async (contact: number): Promise<{ id: number; contact_id: number; matched_by: Key | null }[]> =>
    (await through.call('GET', `/v1/contact/${contact}/purchases`, { token })).body.data;
  const pops = async (contact_id: number): Promise<{ id: number; contact_id: number }[]> => {
    const range = { start_date: '2025-03-01', end_date: '2025-03-01', types: ['purchases'] };
    const answer = await through.call('GET', '/v1/pop/by_date', {
      token,
      body: { account_id: id, contact_id, ...range },
    });
    return answer.body.purchases;
  };
  const newGroup = async (): Promise<number> => {
    const body = { account_id: id, unit_id: root_unit_id, name: fresh('group') };
    return (await through.call('POST', '/v1/unique_code/group', { token, body })).body.id;
  };
  const addCodes = async (group: number, codes: string[]) => {
    const { status } = await through.admin('POST', `${base}/unique_code_groups/${group}/codes`, { codes });
    expect(status).toBe(201);
  };
  const assign = async (group: number, code: string, contact_id: number, by = through) => {
    const body = { unique_code_group_id: group, unique_code: code, contact_id };
    const { status } = await by.admin('POST', `${base}/unique_codes/assign`, body);
    expect(status).toBe(200);
  };
  const booking = (more: object = {}) => ({
    booking_reference: fresh('B'),
    unit_id: unit.id,
    party_datetime: '2025-03-01 19:30:00',
    ...more,
  });
  const bookingId = async (booking_reference: string): Promise<number> =>
    (await through.call('GET', '/v1/bookings', { token, body: { account_id: id, booking_reference } })).body.id;
  const change = async (idOfBooking: number, body: object, by = through) => {
    const { status } = await by.call('POST', `/v1/bookings/${idOfBooking}`, { token, body });
    expect(status).toBe(200);
  };
  return {
    ...{ id, token, unit: unit.id as number, written, bill, sent, sentAll, staff, read, pops },
    ...{ newGroup, addCodes, assign, booking, bookingId, change },
  };
}

const home = await place();
const { written, bill, sent, sentAll, staff, read, pops, newGroup, addCodes, assign, booking } = home;

interface Way {
  name: string;
  key: Key;
  /** What there is before the purchase; gives what brings a guest by this value. */
  prepare(at: Place, value: string): Promise<(by?: Caller) => Promise<number>>;
}
const ways: Way[] = [
  {
    name: 'a booking on the contact write',
    key: 'booking_reference',
    prepare: async (at, value) => (by) => at.written({ bookings: [at.booking({ booking_reference: value })] }, by),
  },
  {
    name: 'a booking that gets its reference later',
    key: 'booking_reference',
    prepare: async (at, value) => {
      const one = at.booking();
      const contact = await at.written({ bookings: [one] });
      const id = await at.bookingId(one.booking_reference);
      return async (by) => {
        await at.change(id, { booking_reference: value }, by);
        return contact;
      };
    },
  },
  {
    name: 'a code that is assigned',
    key: 'unique_code',
    prepare: async (at, value) => {
      const [group, contact] = [await at.newGroup(), await at.written({})];
      await at.addCodes(group, [value]);
      return async (by) => {
        await at.assign(group, value, contact, by);
        return contact;
      };
    },
  },
  {
    name: 'a membership',
    key: 'membership_number',
    prepare: async (at, value) => (by) => at.written({ membership_number: value }, by),
  },
  {
    name: 'a membership of somebody who was there',
    key: 'membership_number',
    prepare: async (at, value) => {
      const email = `${fresh('guest')}@gmail.com`;
      const contact = await at.written({ email, membership_number: fresh('M') });
      return async (by) => {
        expect(await at.written({ email, membership_number: value }, by)).toBe(contact);
        return contact;
      };
    },
  },
  {
    name: 'a card',
    key: 'card_reference',
    prepare: async (at, value) => (by) => at.written({ card_reference: value }, by),
  },
  {
    name: 'a table on the contact write',
    key: 'table_number',
    prepare: async (at, value) => (by) => at.written({ bookings: [at.booking({ table_numbers: ['x', value] })] }, by),
  },
  {
    name: 'a table on the contact write of a booking that was there',
    key: 'table_number',
    prepare: async (at, value) => {
      const [email, one] = [`${fresh('guest')}@gmail.com`, at.booking()];
      await at.written({ email, bookings: [one] });
      const { booking_reference } = one;
      return (by) => at.written({ email, bookings: [{ booking_reference, table_numbers: [value] }] }, by);
    },
  },
  {
    name: 'a table that the booking platform reports',
    key: 'table_number',
    prepare: async (at, value) => {
      const one = at.booking();
      const contact = await at.written({ bookings: [one] });
      const id = await at.bookingId(one.booking_reference);
      return async (by) => {
        await at.change(id, { table_numbers: [value] }, by);
        return contact;
      };
    },
  },
];
const named = ways.map((one) => [one.name, one] as const);
const way = (name: string) => ways.find((one) => one.name === name) as Way;

describe('a purchase waits for', () => {
  it.each(named)('%s', async (_, { key, prepare }) => {
    const value = fresh('value');
    const bring = await prepare(home, value);
    const early = await sent({ [key]: value });
    expect([early.contact_id, early.matched_by]).toEqual([null, null]);
    const shown = await staff(String(early.id));
    expect(shown).toMatchObject({ id: early.id, contact_id: null, matched_by: null, matched_at: null, [key]: value });

    const contact = await bring();
    expect(await read(contact)).toMatchObject([{ id: early.id, contact_id: contact, matched_by: key }]);
    expect(await pops(contact)).toMatchObject([{ id: early.id, contact_id: contact }]);
    const after = await staff(String(early.id));
    expect(after).toEqual({ ...shown, contact_id: contact, matched_by: key, matched_at: expect.any(String) });
    expect(Math.abs(Date.parse(after.matched_at) - Date.now())).toBeLessThan(60_000);

    // And what comes next doesn't have to wait.
    expect(await sent({ [key]: value })).toMatchObject({ contact_id: contact, matched_by: key });
    expect(await read(contact)).toHaveLength(2);
  });
  it.each(named)('%s, with others that wait for the same', async (_, { key, prepare }) => {
    const [value, another] = [fresh('value'), fresh('value')];
    const bring = await prepare(home, value);
    const early = await sentAll({ [key]: value, purchases: [bill(), bill(), bill()] });
    early.push(await sent({ [key]: value }), await sent({ [key]: value }));
    const stranger = await sent({ [key]: another });
    const contact = await bring();
    const ids = early.map(({ id }) => id).sort();
    expect((await read(contact)).map(({ id }) => id).sort()).toEqual(ids);
    expect((await pops(contact)).map(({ id }) => id).sort()).toEqual(ids);
    expect((await staff(String(stranger.id))).contact_id).toBeNull();
  });
  it.each(named)('%s, and not in another account', async (_, { key, prepare }) => {
    const [value, there] = [fresh('value'), await place()];
    const bring = await prepare(there, value);
    const { id } = await sent({ [key]: value });
    await bring();
    expect((await staff(String(id))).contact_id).toBeNull();
    expect((await there.staff('waiting/counts')).waiting).toBe(0);
  });
  it('what is brought, which a write that is refused does not do', async () => {
    const membership_number = fresh('M');
    const { id } = await sent({ membership_number });
    const body = { email: 'guest@gmail.com', membership_number, notes: [{ text: 'x'.repeat(501) }] };
    expect((await call('POST', '/v1/contact', { token: home.token, body })).status).toBe(422);
    expect((await staff(String(id))).contact_id).toBeNull();
  });
  it('a code that is not even there yet', async () => {
    const [unique_code, contact, group] = [fresh('CODE'), await written({}), await newGroup()];
    const { id } = await sent({ unique_code });
    await addCodes(group, [unique_code]);
    expect((await staff(String(id))).contact_id).toBeNull();
    await assign(group, unique_code, contact);
    expect(await read(contact)).toMatchObject([{ id, matched_by: 'unique_code' }]);
  });
  it('the code of the group that it named, not of another', async () => {
    const [unique_code, ana, rui] = [fresh('CODE'), await written({}), await written({})];
    const [spring, summer] = [await newGroup(), await newGroup()];
    for (const group of [spring, summer]) await addCodes(group, [unique_code]);
    const { id } = await sent({ unique_code, unique_code_group_id: summer });
    await assign(spring, unique_code, ana);
    expect((await staff(String(id))).contact_id).toBeNull();
    await assign(summer, unique_code, rui);
    expect([await read(ana), await read(rui)]).toMatchObject([[], [{ id }]]);
  });
  it('a booking whose time is near enough, and not for one of another day', async () => {
    const table_number = fresh('table');
    const [near, far] = [
      await sent({ table_number }),
      await sent({ table_number, purchases: [bill({ created_at: '2025-03-02 20:05:00' })] }),
    ];
    const contact = await written({ bookings: [booking({ table_numbers: [table_number] })] });
    expect((await read(contact)).map(({ id }) => id)).toEqual([near.id]);
    expect((await staff(String(far.id))).contact_id).toBeNull();
  });
  it('somebody who is merged into another: the one who stays', async () => {
    const [membership_number, email, mobile_number] = [fresh('M'), `${fresh('guest')}@gmail.com`, '447700912345'];
    const { id } = await sent({ membership_number });
    const stays = await written({ email, membership_number: fresh('M') });
    const goes = await written({ email: null, mobile_number, membership_number });
    expect(await written({ email, mobile_number })).toBe(stays);
    expect(await read(stays)).toMatchObject([{ id, contact_id: stays, matched_by: 'membership_number' }]);
    expect(await read(goes)).toEqual(await read(stays));
  });
});

describe('a purchase that waits for several things', () => {
  const all = ways.filter(({ key }, index) => ways.findIndex((one) => one.key === key) === index);
  it.each(all.map((one) => [one.name, one.key] as const))('takes what comes first: %s', async (_, key) => {
    const values = Object.fromEntries(keys.map((one) => [one, fresh('value')])) as Record<Key, string>;
    const brings = new Map(
      await Promise.all(all.map(async (one) => [one.key, await one.prepare(home, values[one.key])] as const)),
    );
    const { id } = await sent(values);
    const contact = (await brings.get(key)?.()) as number;
    for (const [other, bring] of brings) if (other !== key) expect(await read(await bring())).toEqual([]);
    expect(await read(contact)).toMatchObject([{ id, matched_by: key }]);
  });
  it('takes the first of its keys where one write brings several', async () => {
    const [booking_reference, membership_number, card_reference] = [fresh('B'), fresh('M'), fresh('C')];
    const { id } = await sent({ card_reference, membership_number, booking_reference });
    const bookings = [booking({ booking_reference })];
    const contact = await written({ card_reference, membership_number, bookings });
    expect(await read(contact)).toMatchObject([{ id, matched_by: 'booking_reference' }]);
  });
  it('waits for what it named at any time, and is still one', async () => {
    const [membership_number, card_reference, purchase] = [fresh('M'), fresh('C'), bill()];
    const before = (await staff('waiting/counts')).waiting;
    const first = await sent({ membership_number, purchases: [purchase] });
    const again = { ...purchase, items: [] };
    expect(await sent({ card_reference, purchases: [again] })).toEqual(first);
    expect((await staff('waiting/counts')).waiting).toBe(before + 1);
    expect(await staff(String(first.id))).toMatchObject({ membership_number, card_reference, transaction_lines: [] });
    const contact = await written({ membership_number });
    expect(await read(contact)).toMatchObject([{ id: first.id, matched_by: 'membership_number' }]);
    expect(await read(await written({ card_reference }))).toEqual([]);
  });
  it('sent again as it was is still one', async () => {
    const [membership_number, purchase] = [fresh('M'), bill()];
    const before = (await staff('waiting/counts')).waiting;
    const first = await sent({ membership_number, purchases: [purchase] });
    expect(await sent({ membership_number, purchases: [purchase] })).toEqual(first);
    expect((await staff('waiting/counts')).waiting).toBe(before + 1);
    expect(await read(await written({ membership_number }))).toHaveLength(1);
  });
});

describe('the queue', async () => {
  const at = await place();
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

  it('lists those that wait, newest first, and none that is matched', async () => {
    expect(await waitsFor()).toEqual([both.id, ...keys.map((key) => byKey[key].id).reverse()]);
  });
  it('shows of each what it waits for, and what it is', async () => {
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
  it.each(keys)('lists those that wait for %s alone', async (key) => {
    const others = key === 'card_reference' || key === 'table_number' ? [both.id] : [];
    expect(await waitsFor(key)).toEqual([...others, byKey[key].id]);
  });
  it('refuses to list those that wait for nonsense', async () => {
    const { status, body } = await admin('GET', `${base}/waiting?waiting_for=godot`);
    expect([status, Object.keys(body.errors)]).toEqual([422, ['waiting_for']]);
  });
  it('is counted', async () => {
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
  it('is each account’s own', async () => {
    const there = await place();
    const nothing = { waiting: 0, waiting_for: Object.fromEntries(keys.map((key) => [key, 0])) };
    expect(await there.staff('waiting/counts')).toEqual(nothing);
    expect((await there.staff('waiting')).data).toEqual([]);
    for (const id of [byKey.table_number.id, found.id, 999_999]) {
      for (const path of [`${id}`, `${id}/explanation`]) {
        expect((await admin('GET', `/accounts/${there.id}/purchases/${path}`)).status).toBe(404);
      }
    }
  });
  it('is for staff alone', async () => {
    for (const path of ['waiting', 'waiting/counts', `${found.id}`, `${found.id}/explanation`]) {
      expect((await call('GET', `/admin/v1${base}/${path}`, { token })).status).toBe(401);
      expect((await call('GET', `/admin/v1${base}/${path}`)).status).toBe(401);
    }
  });
});

describe('the explanation', () => {
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

  it('of one that waits says for what, and why each key leads nowhere', async () => {
    const [unique_code, group] = [fresh('CODE'), await newGroup()];
    await addCodes(group, [unique_code]);
    const values = { booking_reference: fresh('B'), membership_number: fresh('M'), card_reference: fresh('C') };
    const { keys: tried, ...rest } = await explain(await sent({ ...values, unique_code, table_number: fresh('t') }));
    expect(tried.map(({ key }: { key: Key }) => key)).toEqual(keys);
    for (const one of tried) expect(one).toMatchObject({ outcome: 'led to nobody', contact_id: null });
    expect(tried[0]).toMatchObject({ value: values.booking_reference, reason: expect.stringMatching(/no booking/) });
    expect(tried[1]).toMatchObject({ value: unique_code, reason: expect.stringMatching(/assigned to nobody/) });
    expect(rest.purchase.contact_id).toBeNull();
    expect(rest.summary).toMatch(/wait/);
    const unknown = await explain(await sent({ unique_code: fresh('CODE') }));
    expect(unknown.keys[0].reason).not.toBe(tried[1].reason);
  });
  it.each(named)('says that it was %s', async (_, { key, prepare }) => {
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
      keys.map((one) => [one, one in earlier ? 'led to nobody' : one === key ? 'won' : 'not needed']),
    );
    expect(tried.find((one: { key: Key }) => one.key === key)).toMatchObject({ value, contact_id: contact });
  });
  it('says of each booking why it is not this one', async () => {
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
  it('of one that waits for a table shows who was turned down, and after it is reported, who was chosen', async () => {
    const at = await place();
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
    expect(after.keys).toMatchObject([{ key: 'table_number', outcome: 'won', contact_id: contact }]);
  });
  it('says where a key led when it leads elsewhere by now', async () => {
    const one = booking();
    const [ana, purchase] = [await written({ bookings: [one] }), bill()];
    const stored = await sent({ booking_reference: one.booking_reference, purchases: [purchase] });
    const rui = await written({ bookings: [one] });
    const { summary, keys: tried } = await explain(stored);
    expect(summary).toContain(`contact ${ana}`);
    const reason = `It led to contact ${ana}. By now: It leads to contact ${rui}.`;
    expect(tried).toMatchObject([{ outcome: 'won', reason, contact_id: rui }]);
  });
  it('shows the table that led to the guest, also after another was sent that leads nowhere', async () => {
    const [table_number, purchases] = [fresh('table'), [bill()]];
    const contact = await written({ bookings: [booking({ table_numbers: [table_number] })] });
    const stored = await sent({ table_number, purchases });
    expect(await sent({ table_number: fresh('nowhere'), purchases })).toEqual(stored);
    const { keys: tried } = await explain(stored);
    expect(tried).toMatchObject([{ value: table_number, outcome: 'won', contact_id: contact }]);
  });
  it('of one that came on a contact says so', async () => {
    const contact = await written({ purchases: [bill()] });
    const [{ id = 0 } = {}] = await read(contact);
    const { summary, keys: tried, candidates } = await staff(`${id}/explanation`);
    expect([tried, candidates]).toEqual([[], []]);
    expect(summary).toContain(`contact ${contact}`);
  });
});

describe('the numbers', async () => {
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

  it('tell how purchases were matched, at once and later, and that they wait', async () => {
    expect(await outcomes()).toEqual({});
    for (const { key, prepare } of ways) {
      const value = fresh('value');
      const bring = await prepare(here, value);
      await here.sentAll({ [key]: value, purchases: [here.bill(), here.bill()] });
      await bring();
      await here.sent({ [key]: value });
    }
    const counts = { booking_reference: 2, unique_code: 1, membership_number: 2, card_reference: 1, table_number: 3 };
    const direct = Object.entries(counts).map(([key, n]) => [`/v1/purchases: purchase matched by ${key}`, n]);
    const late = [
      ['/v1/contact', 'booking_reference', 2],
      ['/v1/bookings/:booking_id', 'booking_reference', 2],
      ['/admin/v1/accounts/:account_id/unique_codes/assign', 'unique_code', 2],
      ['/v1/contact', 'membership_number', 4],
      ['/v1/contact', 'card_reference', 2],
      ['/v1/contact', 'table_number', 4],
      ['/v1/bookings/:booking_id', 'table_number', 2],
    ].map(([route, key, n]) => [`${route}: waiting purchase matched by ${key}`, n]);
    expect(await outcomes()).toEqual(Object.fromEntries([...direct, ...late, ['/v1/purchases: purchase waits', 18]]));
  });
  it('tell how many wait in all accounts together, by what for', async () => {
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

describe('at the same moment, through two processes’ worth of apps', async () => {
  const { db, ...database } = await openTestDatabase();
  const otherDb = openPool({ url: database.url, connections: 5 });
  afterAll(() => otherDb.close());
  const apps = [await appOver(db, database), await appOver(otherDb, database)] as const;
  const pairs = 100;

  /** The app for the nth request of a side, so that pairs meet within an app as well as across. */
  const app = (n: number) => apps[n % 2] as Caller;
  const shuffled = (all: (() => Promise<unknown>)[]) => {
    const order = all.map((one) => ({ one, at: Math.random() })).sort((a, b) => a.at - b.at);
    return Promise.all(order.map(({ one }) => one()));
  };
  const expectNoneWaits = async (at: Place) => {
    const { waiting, waiting_for } = await at.staff('waiting/counts');
    expect([waiting, waiting_for]).toEqual([0, Object.fromEntries(keys.map((key) => [key, 0]))]);
  };

  it.each(named)('a purchase and %s: none is left waiting', async (_, { key, prepare }) => {
    const at = await place(apps[0]);
    const values = Array.from({ length: pairs }, () => fresh('value'));
    const brings: ((by?: Caller) => Promise<number>)[] = [];
    for (const value of values) brings.push(await prepare(at, value));
    const contacts: number[] = [];
    const purchases: number[] = [];
    const jobs = values.map((value, n) => [
      async () => {
        purchases[n] = (await at.sent({ [key]: value }, app(n))).id;
      },
      async () => {
        contacts[n] = (await brings[n]?.(app(n >> 1))) as number;
      },
    ]);
    // In rounds: what comes at once is written together, and only the start of a batch can meet another.
    for (let n = 0; n < pairs; n += 10) await shuffled(jobs.slice(n, n + 10).flat());
    await expectNoneWaits(at);
    const found = await Promise.all(contacts.map((contact) => at.read(contact)));
    expect(found.map((all) => all.map(({ id, matched_by }) => [id, matched_by]))).toEqual(
      purchases.map((id) => [[id, key]]),
    );
  });
  it('everything at once: each purchase is somebody’s, once', async () => {
    const at = await place(apps[0]);
    const kinds = [
      'a booking on the contact write',
      'a code that is assigned',
      'a membership',
      'a card',
      'a table on the contact write',
      'a table that the booking platform reports',
    ].map(way);
    const jobs: (() => Promise<unknown>)[] = [];
    const owners: { purchase: Stored; contacts: number[] }[] = [];
    for (let n = 0; n < 60; n++) {
      // Each waits for two things, which two people bring.
      const [one, two] = [kinds[n % kinds.length] as Way, kinds[(n + 1 + (n % 4)) % kinds.length] as Way];
      if (one.key === two.key) continue;
      const [first, second] = [fresh('value'), fresh('value')];
      const bringers = [await one.prepare(at, first), await two.prepare(at, second)];
      const entry = { contacts: [] as number[] } as { purchase: Stored; contacts: number[] };
      owners.push(entry);
      const body = { [one.key]: first, [two.key]: second, purchases: [at.bill()] };
      const send = async (by: Caller) => {
        entry.purchase = await at.sent(body, by);
      };
      jobs.push(
        () => send(app(n)),
        () => send(app(n + 1)),
        ...bringers.map((bring, side) => async () => void entry.contacts.push(await bring(app(n + side)))),
      );
    }
    await shuffled(jobs);
    await expectNoneWaits(at);
    for (const { purchase, contacts } of owners) {
      const theirs = (await Promise.all(contacts.map(at.read))).flat();
      expect(theirs.map(({ id }) => id)).toEqual([purchase.id]);
    }
  });
  it('the same purchase on a contact and anonymously: it is the contact’s, once', async () => {
    const at = await place(apps[0]);
    const membership_number = fresh('M');
    const member = await at.written({ membership_number });
    const bills = Array.from({ length: pairs }, () => at.bill());
    const contacts: number[] = [];
    await shuffled(
      bills.flatMap((one, n) => [
        () => at.sent({ membership_number: n % 2 ? membership_number : fresh('M'), purchases: [one] }, app(n)),
        async () => {
          contacts[n] = await at.written({ purchases: [{ ...one, provider_id: 12 }] }, app(n >> 1));
        },
      ]),
    );
    await expectNoneWaits(at);
    expect(await at.read(member)).toEqual([]);
    const found = await Promise.all(contacts.map((contact) => at.read(contact)));
    expect(found.map((all) => all.map(({ matched_by }) => matched_by))).toEqual(bills.map(() => [null]));
  });
});
