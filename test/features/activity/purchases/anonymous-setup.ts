import { expect } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { type Key, keys } from '../../../support/till.ts';

export const item = { description: 'Pale ale', sku: 'ALE-1', quantity: 2, value: 11.5 };
/** Every pair of keys, in the order of precedence. */
export const pairs = keys.flatMap((first, index) => keys.slice(index + 1).map((second) => [first, second] as const));

/**
 * An account with two units, and the requests that the tests of anonymous purchases use.
 * Test files share the module (`isolate: false`), so each file calls this for an account of its own.
 */
export async function anonymousSetup() {
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

  /** Adds a value of this key to a contact, so that the key matches the contact. */
  const addKey: Record<Key, (who: object) => Promise<{ contact: number; value: string }>> = {
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
  const contactWithKey = (key: Key) => addKey[key]({ email: newEmail() });

  return {
    admin,
    call,
    accountId,
    token,
    root,
    elsewhere,
    made,
    unit,
    other,
    fresh,
    newEmail,
    newMobile,
    written,
    newGroup,
    newCode,
    bill,
    send,
    sent,
    matched,
    refused,
    purchasesOf,
    referencesOf,
    waiting,
    addKey,
    contactWithKey,
  };
}
