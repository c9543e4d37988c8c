import { expect } from 'vitest';
import { testApp } from '../../../support/app.ts';

export const allTypes = ['purchases', 'wifi', 'booking'];
export const pageKeys = [
  ...['current_page', 'data', 'first_page_url', 'from', 'last_page', 'last_page_url', 'next_page_url', 'path'],
  ...['per_page', 'prev_page_url', 'to', 'total'],
];

/**
 * An account with a unit, and the requests and values that the tests of the presence search use.
 * Test files share the module (`isolate: false`), so each file calls this for an account of its own.
 */
export async function presenceSetup() {
  const { admin, account, call } = await testApp();
  const { id: accountId, token } = await account();
  const elsewhere = await account('Elsewhere');
  const { body: unit } = await admin('POST', `/accounts/${accountId}/units`, { name: 'The Anchor' });

  let count = 0;
  const fresh = (prefix: string) => `${prefix}-${++count}`;
  const newEmail = () => `${fresh('guest')}@gmail.com`;
  const written = async (body: object, by = token): Promise<number> => {
    const who = { email: newEmail(), full_contact_object: false };
    const answer = await call('POST', '/v1/contact', { token: by, body: { ...who, ...body } });
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    return answer.body.id;
  };
  const purchase = (created_at: string, more: object = {}) => ({
    transaction_reference: fresh('T'),
    unit_id: unit.id,
    provider_id: 12,
    created_at,
    items: [{ description: 'Pale ale', sku: 'ALE-1', quantity: 2, value: 11.5 }],
    ...more,
  });
  const booking = (party_datetime: string, more: object = {}) => ({
    booking_reference: fresh('B'),
    unit_id: unit.id,
    party_datetime,
    ...more,
  });
  const wifi = (created_at: string, more: object = {}) => ({
    unit_id: unit.id,
    hotspot_name: 'Guests',
    mac_address: '9c:4e:36:aa:01:02',
    device_type: 'phone',
    interaction_type: 'connected',
    created_at,
    ...more,
  });

  const march = { account_id: accountId, start_date: '2025-03-01', end_date: '2025-03-31' };
  const search = (body: object, query?: string) =>
    call('GET', `/v1/pop/by_date${query === undefined ? '' : `?${query}`}`, { token, body });
  const found = async (body: object, query?: string) => {
    const answer = await search({ ...march, types: allTypes, ...body }, query);
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    return answer.body;
  };
  const refused = async (body: object) => {
    const answer = await search(body);
    expect(answer.status).toBe(422);
    return Object.keys(answer.body.errors).sort();
  };

  return {
    admin,
    call,
    accountId,
    token,
    elsewhere,
    unit,
    fresh,
    newEmail,
    written,
    purchase,
    booking,
    wifi,
    march,
    search,
    found,
    refused,
  };
}
