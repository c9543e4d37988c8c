import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { readerOf, type Told, types } from '../../../support/events.ts';
import { place } from '../../../support/till.ts';
import { accepted } from '../../../support/vouchers.ts';

const app = await testApp();
const { admin, call } = app;
let at = {} as Awaited<ReturnType<typeof place>>;
let made = {} as ReturnType<typeof readerOf>['made'];
let source = 0;
beforeAll(async () => {
  at = await place(app);
  ({ made } = readerOf(app, at));
  source = accepted(await admin('POST', `/accounts/${at.id}/booking_sources`, { name: 'Concierge' }), 201).id;
});

let guests = 0;
/** A new contact, and a function that sends more of it. */
async function guest() {
  const email = `activity${++guests}@gmail.com`;
  const id = await at.written({ email });
  return { id, email, send: (body: object) => at.written({ email, ...body }) };
}
const merge = async (goes: number, stays: number) =>
  accepted(await admin('POST', `/accounts/${at.id}/contacts/${stays}/merge`, { contact_id: goes }));

/** A purchase, a booking and a stay with everything that can be sent, as a request and as an event. */
const kinds = {
  purchases: {
    type: 'purchase.recorded',
    sent: () => ({
      ...{ transaction_reference: `T-${guests}`, unit_id: at.unit, provider_id: 7, order_type_id: 4 },
      created_at: '2026-03-01 12:30:00',
      items: [
        { description: 'Ale', sku: 'A', quantity: 2, value: 11.5, tags: ['drinks', 'beer'] },
        { quantity: -0.5, value: -1.25 },
      ],
    }),
    event: () => ({
      ...{ transaction_reference: `T-${guests}`, unit_id: at.unit, provider_id: 7, order_type_id: 4 },
      ...{ created_at: '2026-03-01 12:30:00', total: 10.25, matched_by: null },
      items: [
        { description: 'Ale', sku: 'A', quantity: '2', value: '11.50', tags: ['drinks', 'beer'] },
        { description: '', sku: '', quantity: '-0.5', value: '-1.25', tags: [] },
      ],
    }),
    change: { order_type_id: 5 },
  },
  bookings: {
    type: 'booking.recorded',
    sent: () => ({
      ...{ booking_reference: `B-${guests}`, unit_id: at.unit, provider_id: 7, source_id: source, type_id: 3 },
      ...{ party_enquirytime: '2026-02-01 09:00:00', party_datetime: '2026-03-01 19:30:00', party_size: 4 },
      ...{ deposit_paid: 25, hpbr_food: 30.5, hpbr_drink: 1, hpbr_entertainment: 2, table_numbers: ['1', '2'] },
    }),
    event: () => ({
      ...{ booking_reference: `B-${guests}`, unit_id: at.unit, provider_id: 7, source_id: source, type_id: 3 },
      ...{ stage_value: 1, party_enquirytime: '2026-02-01 09:00:00', party_datetime: '2026-03-01 19:30:00' },
      ...{ party_size: 4, deposit_paid: '25.00', hpbr_food: '30.50', hpbr_drink: '1.00', hpbr_entertainment: '2.00' },
      table_numbers: ['1', '2'],
    }),
    change: { table_numbers: ['1'] },
  },
  stays: {
    type: 'stay.recorded',
    sent: () => ({ ...stayFields(), deposit_amount: 50.5 }),
    event: () => ({
      ...{ ...stayFields(), deposit_amount: 50.5, total_children: null, room_gross_value: null, room_net_value: null },
      ...{ extras_gross_value: null, extras_net_value: null, room_rate_code: 'BAR', room_package_code: null },
      ...{ used_voucher: null, booking_has_pets: false, stay_travel_agent: null, extras: [] },
    }),
    change: { total_children: 1 },
  },
};
const extra = {
  ...{ name: 'Spa', reference: 'SPA-1', start_date: '2026-03-02 10:00:00', end_date: '2026-03-02 12:00:00' },
  ...{ quantity: 2, price: 45 },
};
const stayFields = () => ({
  ...{ booker: true, guest: false, unit_id: at.unit, provider_id: 7, stay_reference: `S-${guests}` },
  ...{ enquiry_date: '2026-01-10 09:00:00', checkin_date: '2026-03-01 15:00:00', checkout_date: '2026-03-03 11:00:00' },
  ...{ room_type_id: 2, total_guests: 3, booking_enquiry_source_id: source, booking_status_id: 3 },
  ...{ room_rate_code: 'BAR', booking_has_pets: false },
});

describe.each(Object.entries(kinds))('of %s on a contact write', (list, { type, sent, event, change }) => {
  it('each new and each changed one is an event, and one that is sent again unchanged is none', async () => {
    const { id, send } = await guest();
    const body = sent();
    expect(await made(() => send({ [list]: [body] }))).toEqual([{ type, contact_id: id, ...event() }]);
    expect(await made(() => send({ [list]: [{ ...body, ...change }] }))).toMatchObject([{ type, ...change }]);
    expect(
      await made(() =>
        send({
          [list]: [
            { ...body, ...change },
            { ...body, ...change },
          ],
        }),
      ),
    ).toEqual([]);
  });

  it('one that was never changed and is sent again is none', async () => {
    const { send } = await guest();
    const body = sent();
    expect(types(await made(() => send({ [list]: [body] })))).toEqual([type]);
    expect(await made(() => send({ [list]: [body] }))).toEqual([]);
  });

  it('each state in one request is an event, in order', async () => {
    const { id, send } = await guest();
    const [body, changed] = [sent(), { ...sent(), ...change }];
    const events = await made(() => send({ [list]: [body, body, changed, body] }));
    const [first, second] = [{ type, contact_id: id, ...event() }, expect.objectContaining({ type, ...change })];
    expect(events.slice(0, 2)).toEqual([first, second]);
    // The last one does not send the field that the stay has gained, so it keeps it.
    expect(events).toHaveLength(list === 'stays' ? 2 : 3);
  });

  it('one that another contact sends is an event of that contact', async () => {
    const one = await guest();
    const body = sent();
    await one.send({ [list]: [body] });
    const other = await at.written({});
    const { email } = accepted(await admin('GET', `/accounts/${at.id}/contacts/${other}`));
    expect(await made(() => at.written({ email, [list]: [body] }))).toMatchObject([{ type, contact_id: other }]);
  });

  it('one of a new contact follows the event of the contact', async () => {
    guests++;
    const events = await made(() => at.written({ [list]: [sent()] }));
    expect(types(events)).toEqual(['contact.created', type]);
    expect(events[1]?.contact_id).toBe(events[0]?.contact_id);
  });

  it('none of a rejected request is an event', async () => {
    const { email } = await guest();
    const body = { email, [list]: [sent(), { ...sent(), unit_id: 999_999_999 }] };
    const rejected = async () =>
      expect((await call('POST', '/v1/contact', { token: at.token, body })).status).toBe(422);
    expect(await made(rejected)).toEqual([]);
  });

  it('one that is sent again after a merge is an event at most once, of the contact that stays', async () => {
    const { id, send } = await guest();
    const body = sent();
    await send({ [list]: [body] });
    const survivor = await at.written({});
    await merge(id, survivor);
    const moved = await made(() => send({ [list]: [body] }));
    expect([[], [survivor]]).toContainEqual(moved.map(({ contact_id }) => contact_id));
    expect(await made(() => send({ [list]: [body] }))).toEqual([]);
  });
});

describe('a stay', () => {
  it('with extras that is sent again unchanged is no event', async () => {
    const { send } = await guest();
    const body = { ...kinds.stays.sent(), extras: [extra] };
    expect(await made(() => send({ stays: [body] }))).toMatchObject([{ extras: [extra] }]);
    expect(await made(() => send({ stays: [body] }))).toEqual([]);
    expect(await made(() => send({ stays: [{ ...body, extras: [{ ...extra, price: 46 }] }] }))).toMatchObject([
      { extras: [{ ...extra, price: 46 }] },
    ]);
  });

  it('of a booker and another guest has an event for each', async () => {
    const [booker, other] = [await guest(), await guest()];
    const body = kinds.stays.sent();
    await booker.send({ stays: [body] });
    const asGuest = { ...body, booker: false, guest: true };
    expect(await made(() => other.send({ stays: [asGuest] }))).toMatchObject([
      { type: 'stay.recorded', contact_id: other.id, booker: false, guest: true },
    ]);
    expect(await made(() => other.send({ stays: [asGuest] }))).toEqual([]);
    expect(await made(() => booker.send({ stays: [{ ...body, guest: true }] }))).toMatchObject([
      { contact_id: booker.id, booker: true, guest: true },
    ]);
  });
});

describe('a booking that the booking platform changes', () => {
  const bookingIdOf = async (reference: string) => at.bookingId(reference);

  it('is an event of the contact, and none if nothing changes', async () => {
    const { id, send } = await guest();
    const body = kinds.bookings.sent();
    await send({ bookings: [body] });
    const booking = await bookingIdOf(body.booking_reference);
    const tables = { table_numbers: ['12'] };
    const event: Told = { type: 'booking.recorded', contact_id: id, ...kinds.bookings.event(), ...tables };
    expect(await made(() => at.change(booking, tables))).toEqual([event]);
    expect(await made(() => at.change(booking, tables))).toEqual([]);
    expect(await made(() => at.change(booking, { deposit_paid: 25 }))).toEqual([]);
    const byReference = { account_id: at.id, booking_reference: body.booking_reference, provider_id: 7, party_size: 6 };
    const update = async () => accepted(await call('POST', '/v1/bookings', { token: at.token, body: byReference }));
    expect(await made(update)).toEqual([{ ...event, party_size: 6 }]);
    expect(await made(update)).toEqual([]);
  });

  it('is no event if the request is rejected', async () => {
    const { send } = await guest();
    const body = kinds.bookings.sent();
    await send({ bookings: [body] });
    const booking = await bookingIdOf(body.booking_reference);
    const rejected = async () => {
      const change = { party_size: 9, unit_id: 999_999_999 };
      expect((await call('POST', `/v1/bookings/${booking}`, { token: at.token, body: change })).status).toBe(422);
    };
    expect(await made(rejected)).toEqual([]);
  });

  it('names the contact that stays after a merge', async () => {
    const { id, send } = await guest();
    const body = kinds.bookings.sent();
    await send({ bookings: [body] });
    const survivor = await at.written({});
    await merge(id, survivor);
    const booking = await bookingIdOf(body.booking_reference);
    expect(await made(() => at.change(booking, { party_size: 5 }))).toMatchObject([
      { type: 'booking.recorded', contact_id: survivor, party_size: 5 },
    ]);
  });
});
