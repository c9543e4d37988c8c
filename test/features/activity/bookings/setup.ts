import { expect } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { partner } from '../../../support/partner.ts';

/** Whether a time is within a minute of now. */
export const near = (time: string) => Math.abs(Date.parse(`${time}Z`) - Date.now()) < 60_000;
/** The fields of a booking in a response. */
export const keys = [
  ...['booking_contact_id', 'booking_reference', 'id', 'account_id', 'contact_id', 'unit_id', 'stage_value', 'type_id'],
  ...['datetime', 'source_id', 'party_datetime', 'party_size', 'deposit_paid', 'hpbr_food', 'hpbr_drink'],
  ...['hpbr_entertainment', 'updated_at'],
];

/**
 * An account with two units, and the requests and values that the tests of bookings use.
 * Test files share the module (`isolate: false`), so each file calls this for an account of its own.
 */
export async function bookingSetup() {
  const { account, admin, call } = await testApp();
  const { id: accountId, token, root_unit_id: root } = await account();
  const newUnit = async (name: string) => (await admin('POST', `/accounts/${accountId}/units`, { name })).body.id;
  const [anchor, bell] = [await newUnit('The Anchor'), await newUnit('The Bell')];
  const there = await account('Next door');

  const { next, newEmail, written, refused, discarding, pops } = partner({ call }, { id: accountId, token });
  const newReference = () => next('B-');
  const look = (asked: object, by = token) => call('GET', '/v1/bookings', { token: by, body: asked });
  const find = async (booking_reference: string, besides: object = {}) => {
    const { status, body } = await look({ account_id: accountId, booking_reference, ...besides });
    expect(status).toBe(200);
    return body;
  };
  const found = async (booking_reference: string) => (await look({ account_id: accountId, booking_reference })).status;
  const book = async (booking: object, email = newEmail()) => {
    const sent = { booking_reference: newReference(), ...booking };
    await written({ email, bookings: [sent] });
    return find(String(sent.booking_reference));
  };
  const change = (id: number | string, body: object, by = token) =>
    call('POST', `/v1/bookings/${id}`, { token: by, body });
  const changed = async (id: number, body: object) => {
    const answer = await change(id, body);
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    return answer.body;
  };
  /** The contact that a purchase at this table is matched to. */
  const seated = async (table_number: string, created_at: string, unit_id = anchor) => {
    const purchases = [{ transaction_reference: newReference(), unit_id, created_at }];
    const { body } = await call('POST', '/v1/purchases', {
      token,
      body: { account_id: accountId, table_number, purchases },
    });
    return body.purchases[0].contact_id;
  };

  const every = {
    unit_id: anchor,
    provider_id: 12,
    source_id: 3,
    type_id: 5,
    stage_value: 100,
    party_datetime: '2026-03-01 19:30:00',
    party_enquirytime: '2026-02-20 09:15:00',
    party_size: 4,
    deposit_paid: 25,
    hpbr_food: 30.5,
    hpbr_drink: 12.25,
    hpbr_entertainment: 0.1,
  };
  /** The same values in a response. */
  const everyAnswered = {
    unit_id: String(anchor),
    source_id: '3',
    type_id: '5',
    stage_value: '100',
    party_datetime: '2026-03-01 19:30:00',
    datetime: '2026-02-20 09:15:00',
    party_size: '4',
    deposit_paid: '25.00',
    hpbr_food: '30.50',
    hpbr_drink: '12.25',
    hpbr_entertainment: '0.10',
  };
  /** Another value for each field: the field and value sent, and the name and value in the response. */
  const others: [string, unknown, string, string][] = [
    ['unit_id', bell, 'unit_id', String(bell)],
    ['source_id', 8, 'source_id', '8'],
    ['type_id', '9', 'type_id', '9'],
    ['stage_value', 550, 'stage_value', '550'],
    ['stage_value', 275, 'stage_value', '275'],
    ['party_datetime', '2026-3-2 20:00:00', 'party_datetime', '2026-03-02 20:00:00'],
    ['party_datetime', '2026-03-02T20:00:00+01:00', 'party_datetime', '2026-03-02 19:00:00'],
    ['party_enquirytime', '2026-02-21 10:00:00', 'datetime', '2026-02-21 10:00:00'],
    ['party_size', '6', 'party_size', '6'],
    ['deposit_paid', 0, 'deposit_paid', '0.00'],
    ['deposit_paid', '1234.5', 'deposit_paid', '1234.50'],
    ['hpbr_food', 1, 'hpbr_food', '1.00'],
    ['hpbr_drink', 2.05, 'hpbr_drink', '2.05'],
    ['hpbr_entertainment', '3.1', 'hpbr_entertainment', '3.10'],
  ];
  /** Invalid values. */
  const bad: [string, unknown][] = [
    ['unit_id', 999_999],
    ['unit_id', there.root_unit_id],
    ['unit_id', 'x'],
    ['provider_id', 1.5],
    ['source_id', 'x'],
    ['type_id', {}],
    ['stage_value', 'new'],
    ['party_datetime', '2026-02-29 19:30:00'],
    ['party_datetime', '2026-03-01 25:00:00'],
    ['party_enquirytime', 'yesterday'],
    ['party_size', -1],
    ['party_size', 2.5],
    ['deposit_paid', 'much'],
    ['hpbr_food', {}],
    ['hpbr_drink', 'x'],
    ['hpbr_entertainment', true],
    ['table_numbers', 7],
  ];

  return {
    admin,
    call,
    accountId,
    token,
    root,
    anchor,
    bell,
    there,
    newEmail,
    written,
    refused,
    discarding,
    pops,
    newReference,
    look,
    find,
    found,
    book,
    change,
    changed,
    seated,
    every,
    everyAnswered,
    others,
    bad,
  };
}
