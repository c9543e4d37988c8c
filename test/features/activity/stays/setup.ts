import { expect } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { partner } from '../../../support/partner.ts';

export const optional = {
  total_children: 1,
  deposit_amount: 50,
  room_gross_value: 240.5,
  room_net_value: 200.42,
  extras_gross_value: 24,
  extras_net_value: 20.1,
  room_rate_code: 'BAR',
  room_package_code: 'DBB',
  used_voucher: true,
  booking_has_pets: false,
  stay_travel_agent: 'Rooms Online',
};
export const spa = { name: 'Spa day', reference: 'SPA-1', price: 4500 };
export const fullSpa = { ...spa, start_date: '2026-03-02 10:00:00', end_date: '2026-03-02 12:00:00', quantity: 2 };
/** The optional fields in a response if none was sent. */
export const nothing = Object.fromEntries(Object.keys(optional).map((name) => [name, null]));
/** The fields that a response adds. */
export const identified = { id: expect.any(Number), contact_id: expect.any(Number), unit_name: 'The Harbour Hotel' };

/**
 * An account with a hotel, and the requests and values that the tests of stays use.
 * Test files share the module (`isolate: false`), so each file calls this for an account of its own.
 */
export async function staySetup() {
  const { account, admin, call } = await testApp();
  const { id: accountId, token, root_unit_id: root } = await account();
  const hotel = (await admin('POST', `/accounts/${accountId}/units`, { name: 'The Harbour Hotel' })).body.id;

  const { next, newEmail, discard, write, written } = partner({ call }, { id: accountId, token });
  const newReference = () => next('S-');
  const page = async (id: number, by = token) => (await call('GET', `/v1/contact/${id}/stays`, { token: by })).body;
  const stays = async (id: number, by = token) => (await page(id, by)).data;
  const only = async (id: number, by = token) => {
    const list = await stays(id, by);
    expect(list).toHaveLength(1);
    return list[0];
  };
  const references = async (id: number) =>
    (await stays(id)).map(({ stay_reference }: { stay_reference: string }) => stay_reference);
  const stayed = async (stay: object, email = newEmail()) => only((await written({ email, stays: [stay] })).id);
  const refused = async (...sent: unknown[]) => {
    const email = newEmail();
    const { status, body, headers } = await write({ email, stays: sent });
    expect([status, headers['discarded-fields']], JSON.stringify(body)).toEqual([422, undefined]);
    expect((await call('GET', '/v1/contacts', { token, query: { account_id: `${accountId}`, email } })).status).toBe(
      404,
    );
    return Object.keys(body.errors).sort();
  };
  const discarding = async (sent: unknown, email = newEmail()) => {
    const { status, body, headers } = await write({ email, stays: sent, ...discard });
    expect(status).toBe(200);
    const dropped = String(headers['discarded-fields'] ?? '').split(', ');
    return { id: body.id as number, dropped: dropped.filter((field) => field !== '').sort() };
  };

  const required = () => ({
    booker: true,
    guest: false,
    unit_id: hotel,
    provider_id: 12,
    stay_reference: newReference(),
    enquiry_date: '2026-01-10 09:00:00',
    checkin_date: '2026-03-01 15:00:00',
    checkout_date: '2026-03-03 11:00:00',
    room_type_id: 2,
    total_guests: 3,
    booking_enquiry_source_id: 9,
    booking_status_id: 3,
  });

  return {
    account,
    admin,
    call,
    accountId,
    token,
    root,
    newEmail,
    write,
    written,
    page,
    stays,
    only,
    references,
    stayed,
    refused,
    discarding,
    required,
  };
}
