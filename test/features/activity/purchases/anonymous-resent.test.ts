import { describe, expect, it } from 'vitest';
import { keys } from '../../../support/till.ts';
import { anonymousSetup, item } from './anonymous-setup.ts';

const setup = await anonymousSetup();
const { admin, accountId, unit, other } = setup;
const { written, newGroup, sent, matched, purchasesOf, referencesOf, waiting, contactWithKey } = setup;
const { fresh, newEmail, newMobile, bill, addKey } = setup;

describe('a contact that was merged', () => {
  it.each(keys)('is replaced by the survivor in the response: %s', async (key) => {
    const [email, mobile_number] = [newEmail(), newMobile()];
    // Both have a number of each kind, so nothing is taken over.
    const stays = await written({ email, membership_number: fresh('M'), card_reference: fresh('C') });
    const { contact, value } = await addKey[key]({ mobile_number });
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

describe('an anonymous purchase that is sent again', () => {
  const linesOf = async (id: number) =>
    (await purchasesOf(id)).map((one: { transaction_lines: { description: string }[] }) =>
      one.transaction_lines.map(({ description }) => description),
    );
  const ale = { ...item, description: 'Ale' };
  const pie = { ...item, description: 'Pie' };

  it('is stored once, and its lines are replaced', async () => {
    const { contact, value } = await contactWithKey('card_reference');
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
  it('is stored once if a request contains it twice', async () => {
    const { contact, value } = await contactWithKey('card_reference');
    const purchase = bill({ items: [ale] });
    const stored = await sent({ card_reference: value, purchases: [purchase, { ...purchase, items: [pie] }] });
    expect(stored).toHaveLength(2);
    expect(stored[1]).toEqual(stored[0]);
    expect(await linesOf(contact)).toEqual([['Pie']]);
  });
  it('is stored once if many requests send it at the same time', async () => {
    const { contact, value } = await contactWithKey('card_reference');
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
  ])('is another purchase if it has another %s', async (_, another) => {
    const { contact, value } = await contactWithKey('card_reference');
    const purchase = bill({ items: [ale] });
    await sent({ card_reference: value, purchases: [purchase] });
    await sent({ card_reference: value, purchases: [{ ...purchase, ...another, items: [pie] }] });
    expect((await linesOf(contact)).flat().sort()).toEqual(['Ale', 'Pie']);
  });
  it.each(['waiting', 'matched'])('with a contact belongs to that contact: %s', async (how) => {
    const { contact: somebody, value } = await contactWithKey('membership_number');
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
    // A contact that gets this key later does not get the purchase.
    if (how === 'waiting') expect(await linesOf(await written({ email: newEmail(), membership_number }))).toEqual([]);
    expect(await linesOf(contact)).toEqual([['Pie']]);
  });
  it('without a contact stays with the contact it was sent with, and its lines are replaced', async () => {
    const { contact: somebody, value } = await contactWithKey('membership_number');
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
  it('keeps its contact if the new key matches no contact', async () => {
    const { contact, value } = await contactWithKey('membership_number');
    const purchase = bill();
    const [first] = await sent({ membership_number: value, purchases: [purchase] });
    expect(await sent({ membership_number: fresh('nobody'), purchases: [purchase] })).toEqual([first]);
    expect(await referencesOf(contact)).toEqual([purchase.transaction_reference]);
  });
  it('is matched by all keys it was ever sent with, in the fixed order', async () => {
    const [booking_reference, membership_number] = [fresh('B'), fresh('M')];
    const booker = await written({ email: newEmail(), bookings: [{ booking_reference }] });
    await written({ email: newEmail(), membership_number });
    const purchases = [bill()];
    expect(await matched({ booking_reference, purchases })).toEqual([booker, 'booking_reference']);
    expect(await matched({ membership_number, purchases })).toEqual([booker, 'booking_reference']);
  });
  it('keeps its contact even if the key now belongs to another contact', async () => {
    const membership_number = fresh('M');
    const member = await written({ email: newEmail(), membership_number });
    const body = { membership_number, purchases: [bill()] };
    expect(await matched(body)).toEqual([member, 'membership_number']);
    const next = await written({ email: newEmail(), membership_number });
    expect(await matched(body)).toEqual([member, 'membership_number']);
    expect(await matched({ membership_number })).toEqual([next, 'membership_number']);
  });
  it('keeps the group that its code was first sent with', async () => {
    const [unique_code, group, purchases] = [fresh('CODE'), await newGroup(), [bill()]];
    const [stored] = await sent({ unique_code, unique_code_group_id: group, purchases });
    await sent({ unique_code, purchases });
    expect((await admin('GET', `/accounts/${accountId}/purchases/${stored.id}`)).body.unique_code_group_id).toBe(group);
  });
  it('with another time is matched by the table it was sent with before', async () => {
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
  it('is matched by its new key if it was waiting', async () => {
    const { contact, value } = await contactWithKey('card_reference');
    const [purchase, before] = [bill(), await waiting()];
    const [{ id }] = await sent({ membership_number: fresh('nobody'), purchases: [purchase] });
    const [again] = await sent({ card_reference: value, purchases: [purchase] });
    expect(again).toMatchObject({ id, contact_id: contact, matched_by: 'card_reference' });
    expect(await waiting()).toBe(before);
  });
});
