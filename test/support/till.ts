import { expect } from 'vitest';
import type { TestApp } from './app.ts';

let count = 0;
export const fresh = (prefix: string) => `${prefix}-${++count}`;
/** The order of precedence. Written out, so that a change of the order in the service fails tests. */
export const keys = [
  'booking_reference',
  'unique_code',
  'membership_number',
  'card_reference',
  'table_number',
] as const;
export type Key = (typeof keys)[number];
export type Caller = Pick<TestApp, 'account' | 'admin' | 'call'>;
export type Place = Awaited<ReturnType<typeof place>>;

export interface Stored {
  id: number;
  transaction_reference: string;
  contact_id: number | null;
  matched_by: Key | null;
}

/** An account with the requests that tests send. Each request can go through another app. */
export async function place(through: Caller) {
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

/** A way to add the data that a purchase waits for. */
export interface Way {
  name: string;
  key: Key;
  /** What there is before the purchase; gives what brings a guest by this value. */
  prepare(at: Place, value: string): Promise<(by?: Caller) => Promise<number>>;
}
export const ways: Way[] = [
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

export const named = ways.map((one) => [one.name, one] as const);
export const way = (name: string) => ways.find((one) => one.name === name) as Way;
