import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { fresh, type Key, keys, named, place, ways } from '../../../support/till.ts';

const { account, admin, call } = await testApp();
const home = await place({ account, admin, call });
const { written, bill, sent, sentAll, staff, read, pops, newGroup, addCodes, assign, booking } = home;

describe('a waiting purchase is matched by', () => {
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
  it.each(named)('%s, together with others that wait for the same key', async (_, { key, prepare }) => {
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
  it.each(named)('%s, but not by one in another account', async (_, { key, prepare }) => {
    const [value, there] = [fresh('value'), await place({ account, admin, call })];
    const bring = await prepare(there, value);
    const { id } = await sent({ [key]: value });
    await bring();
    expect((await staff(String(id))).contact_id).toBeNull();
    expect((await there.staff('waiting/counts')).waiting).toBe(0);
  });
  it('stored data only, not by a write that is rejected', async () => {
    const membership_number = fresh('M');
    const { id } = await sent({ membership_number });
    const body = { email: 'guest@gmail.com', membership_number, notes: [{ text: 'x'.repeat(501) }] };
    expect((await call('POST', '/v1/contact', { token: home.token, body })).status).toBe(422);
    expect((await staff(String(id))).contact_id).toBeNull();
  });
  it('a code that is created later', async () => {
    const [unique_code, contact, group] = [fresh('CODE'), await written({}), await newGroup()];
    const { id } = await sent({ unique_code });
    await addCodes(group, [unique_code]);
    expect((await staff(String(id))).contact_id).toBeNull();
    await assign(group, unique_code, contact);
    expect(await read(contact)).toMatchObject([{ id, matched_by: 'unique_code' }]);
  });
  it('the code of the group it named, not of another group', async () => {
    const [unique_code, ana, rui] = [fresh('CODE'), await written({}), await written({})];
    const [spring, summer] = [await newGroup(), await newGroup()];
    for (const group of [spring, summer]) await addCodes(group, [unique_code]);
    const { id } = await sent({ unique_code, unique_code_group_id: summer });
    await assign(spring, unique_code, ana);
    expect((await staff(String(id))).contact_id).toBeNull();
    await assign(summer, unique_code, rui);
    expect([await read(ana), await read(rui)]).toMatchObject([[], [{ id }]]);
  });
  it('a booking near its time, not by one on another day', async () => {
    const table_number = fresh('table');
    const [near, far] = [
      await sent({ table_number }),
      await sent({ table_number, purchases: [bill({ created_at: '2025-03-02 20:05:00' })] }),
    ];
    const contact = await written({ bookings: [booking({ table_numbers: [table_number] })] });
    expect((await read(contact)).map(({ id }) => id)).toEqual([near.id]);
    expect((await staff(String(far.id))).contact_id).toBeNull();
  });
  it('a contact that is then merged: it belongs to the survivor', async () => {
    const [membership_number, email, mobile_number] = [fresh('M'), `${fresh('guest')}@gmail.com`, '447700912345'];
    const { id } = await sent({ membership_number });
    const stays = await written({ email, membership_number: fresh('M') });
    const merged = await written({ email: null, mobile_number, membership_number });
    expect(await written({ email, mobile_number })).toBe(stays);
    expect(await read(stays)).toMatchObject([{ id, contact_id: stays, matched_by: 'membership_number' }]);
    expect(await read(merged)).toEqual(await read(stays));
  });
});

describe('a purchase with several keys', () => {
  const all = ways.filter(({ key }, index) => ways.findIndex((one) => one.key === key) === index);
  it.each(all.map((one) => [one.name, one.key] as const))(
    'is matched by the first one that arrives: %s',
    async (_, key) => {
      const values = Object.fromEntries(keys.map((one) => [one, fresh('value')])) as Record<Key, string>;
      const brings = new Map(
        await Promise.all(all.map(async (one) => [one.key, await one.prepare(home, values[one.key])] as const)),
      );
      const { id } = await sent(values);
      const contact = (await brings.get(key)?.()) as number;
      for (const [other, bring] of brings) if (other !== key) expect(await read(await bring())).toEqual([]);
      expect(await read(contact)).toMatchObject([{ id, matched_by: key }]);
    },
  );
  it('is matched by the first of its keys if one write adds several', async () => {
    const [booking_reference, membership_number, card_reference] = [fresh('B'), fresh('M'), fresh('C')];
    const { id } = await sent({ card_reference, membership_number, booking_reference });
    const bookings = [booking({ booking_reference })];
    const contact = await written({ card_reference, membership_number, bookings });
    expect(await read(contact)).toMatchObject([{ id, matched_by: 'booking_reference' }]);
  });
  it('is matched by any key it was ever sent with, and is stored once', async () => {
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
  it('is stored once if it is sent again unchanged', async () => {
    const [membership_number, purchase] = [fresh('M'), bill()];
    const before = (await staff('waiting/counts')).waiting;
    const first = await sent({ membership_number, purchases: [purchase] });
    expect(await sent({ membership_number, purchases: [purchase] })).toEqual(first);
    expect((await staff('waiting/counts')).waiting).toBe(before + 1);
    expect(await read(await written({ membership_number }))).toHaveLength(1);
  });
});
