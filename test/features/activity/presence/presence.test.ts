import { describe, expect, it } from 'vitest';
import { allTypes, pageKeys, presenceSetup } from './setup.ts';

const setup = await presenceSetup();
const { call, accountId, token, elsewhere, unit, march } = setup;
const { written, search, found, refused } = setup;
const { fresh, newEmail, purchase, booking, wifi } = setup;

describe('the result of a presence search', () => {
  it('has purchases, bookings and wifi with exactly these keys', async () => {
    const one = purchase('2025-03-05 20:05:00', {
      order_type_id: 4,
      items: [
        { description: 'Pale ale', sku: 'ALE-1', quantity: 2, value: 11.5, tags: ['drinks'] },
        { description: 'Taken back', sku: 'PIE-1', quantity: -1, value: -9 },
        { description: 'Cheese, by the kilo', sku: 'CH', quantity: 0.25, value: 4.999 },
      ],
    });
    const seat = booking('2025-03-05 19:30:00', {
      ...{ stage_value: 100, type_id: 2, source_id: 9, party_size: 4, deposit_paid: 20, table_numbers: ['12'] },
      party_enquirytime: '2025-02-20 09:15:00',
    });
    const contact_id = await written({ purchases: [one], bookings: [seat], wifi: [wifi('2025-03-05 19:32:00')] });
    const pops = await found({ contact_id });
    expect(Object.keys(pops).sort()).toEqual(['booking', 'purchases', 'wifi']);
    expect(pops.purchases).toEqual([
      {
        transaction_lines: [
          { id: expect.any(Number), description: 'Pale ale', sku: 'ALE-1', quantity: '2', value: '11.50' },
          { id: expect.any(Number), description: 'Taken back', sku: 'PIE-1', quantity: '-1', value: '-9.00' },
          { id: expect.any(Number), description: 'Cheese, by the kilo', sku: 'CH', quantity: '0.25', value: '5.00' },
        ],
        unit_name: 'The Anchor',
        id: expect.any(Number),
        contact_id,
        transaction_reference: one.transaction_reference,
        unit_id: unit.id,
        provider_id: 12,
        order_type_id: 4,
        transaction_date: '2025-03-05 20:05:00',
      },
    ]);
    const lines: { id: number }[] = pops.purchases[0].transaction_lines;
    expect(new Set(lines.map(({ id }) => id)).size).toBe(3);
    for (const type of ['booking', 'wifi']) {
      expect(Object.keys(pops[type]).sort()).toEqual(pageKeys);
      expect(pops[type]).toMatchObject({ current_page: 1, from: 1, to: 1, total: 1, last_page: 1, per_page: 100 });
      expect([pops[type].next_page_url, pops[type].prev_page_url]).toEqual([null, null]);
    }
    expect(pops.booking.data).toEqual([
      {
        booking_contact_id: String(contact_id),
        booking_reference: seat.booking_reference,
        id: expect.any(Number),
        account_id: String(accountId),
        contact_id: String(contact_id),
        unit_id: String(unit.id),
        stage_value: '100',
        type_id: '2',
        datetime: '2025-02-20 09:15:00',
        source_id: '9',
        party_datetime: '2025-03-05 19:30:00',
        party_size: '4',
        deposit_paid: '20.00',
        hpbr_food: '0.00',
        hpbr_drink: '0.00',
        hpbr_entertainment: '0.00',
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        unit_name: 'The Anchor',
      },
    ]);
    expect(pops.wifi.data).toEqual([
      {
        id: expect.any(Number),
        contact_id,
        unit_id: unit.id,
        unit_name: 'The Anchor',
        hotspot_name: 'Guests',
        mac_address: '9c:4e:36:aa:01:02',
        device_type: 'phone',
        interaction_type: 'connected',
        created_at: '2025-03-05 19:32:00',
      },
    ]);
  });
  it('has the same shape without any activity', async () => {
    const pops = await found({ contact_id: await written({}) });
    expect(pops.purchases).toEqual([]);
    for (const type of ['booking', 'wifi']) {
      expect(Object.keys(pops[type]).sort()).toEqual(pageKeys);
      const nothing = { data: [], from: null, to: null, total: 0, next_page_url: null, prev_page_url: null };
      expect(pops[type]).toMatchObject({ ...nothing, current_page: 1, last_page: 1 });
    }
  });
  it('has purchases as an array without pages', async () => {
    const made: string[] = [];
    const email = newEmail();
    for (let n = 1; n <= 3; n++) {
      const one = purchase(`2025-03-0${n} 20:05:00`);
      made.unshift(one.transaction_reference);
      const contact_id = await written({ email, purchases: [one] });
      const { purchases } = await found({ contact_id });
      const references = purchases.map((pop: { transaction_reference: string }) => pop.transaction_reference);
      expect(references.sort()).toEqual([...made].sort());
    }
  });
  it('includes matched anonymous purchases', async () => {
    const membership_number = fresh('M');
    const contact_id = await written({ membership_number });
    const one = purchase('2025-03-05 20:05:00');
    const body = { account_id: accountId, membership_number, purchases: [one, purchase('2025-04-01 00:00:00')] };
    expect((await call('POST', '/v1/purchases', { token, body })).status).toBe(200);
    const { purchases } = await found({ contact_id });
    expect(purchases).toMatchObject([{ contact_id, transaction_reference: one.transaction_reference }]);
  });
  it('includes purchases without a provider or lines', async () => {
    const one = purchase('2025-03-05 20:05:00', { provider_id: null, items: null });
    const { purchases } = await found({ contact_id: await written({ purchases: [one] }) });
    expect(purchases).toMatchObject([{ provider_id: null, order_type_id: 1, transaction_lines: [] }]);
  });
  it('contains only the activity of this contact', async () => {
    const activity = () => ({
      purchases: [purchase('2025-03-05 20:05:00')],
      bookings: [booking('2025-03-05 20:05:00')],
      wifi: [wifi('2025-03-05 20:05:00')],
    });
    const [contact_id] = [await written(activity()), await written(activity())];
    const pops = await found({ contact_id });
    expect([pops.purchases.length, pops.booking.total, pops.wifi.total]).toEqual([1, 1, 1]);
    expect(pops.purchases[0].contact_id).toBe(contact_id);
  });
});

describe('the types of a presence search', async () => {
  const contact_id = await written({
    purchases: [purchase('2025-03-05 20:05:00')],
    bookings: [booking('2025-03-05 19:30:00')],
    wifi: [wifi('2025-03-05 19:32:00')],
  });
  const query = `account_id=${accountId}&contact_id=${contact_id}&start_date=2025-03-01&end_date=2025-03-31`;

  it.each([
    ...allTypes.map((type) => [type]),
    ['purchases', 'wifi'],
    ['booking', 'purchases'],
    ['wifi', 'booking'],
    allTypes,
    ['wifi', 'wifi'],
  ])('select the keys of the response: %s %s %s', async (...types) => {
    const wanted = types.filter((type) => type !== undefined);
    const sorted = [...new Set(wanted)].sort();
    expect(Object.keys(await found({ contact_id, types: wanted })).sort()).toEqual(sorted);
    const texts = [
      wanted.map((type) => `types[]=${type}`).join('&'),
      wanted.map((type) => `types%5B%5D=${type}`).join('&'),
      wanted.map((type) => `types=${type}`).join('&'),
      `types=${wanted.join(',')}`,
    ];
    for (const text of texts) {
      const { status, body } = await call('GET', `/v1/pop/by_date?${query}&${text}`, { token });
      expect([status, Object.keys(body).sort()]).toEqual([200, sorted]);
    }
  });
  it('and all other parameters are accepted in the query or the body; the query takes precedence', async () => {
    const inBody = await found({ contact_id });
    const inQuery = await call('GET', `/v1/pop/by_date?${query}&types=${allTypes.join(',')}`, { token });
    const data = (pops: typeof inBody) => [pops.purchases, pops.booking.data, pops.wifi.data];
    expect(data(inQuery.body)).toEqual(data(inBody));
    expect(inBody.purchases).toHaveLength(1);
    const both = await search(
      { ...march, contact_id: 999_999, start_date: 'x', types: ['nonsense'] },
      `${query}&types=wifi`,
    );
    expect([both.status, Object.keys(both.body)]).toEqual([200, ['wifi']]);
    const outside = await found({ contact_id }, 'end_date=2025-03-04');
    expect([outside.purchases, outside.booking.total, outside.wifi.total]).toEqual([[], 0, 0]);
  });
});

describe('the contact of a presence search', () => {
  const activity = (day: string) => ({
    purchases: [purchase(`${day} 20:05:00`)],
    bookings: [booking(`${day} 19:30:00`)],
    wifi: [wifi(`${day} 19:32:00`)],
  });
  it('can be a merged contact: either id returns the activity of both', async () => {
    const [email, mobile_number] = [newEmail(), '447700912345'];
    const stays = await written({ email, ...activity('2025-03-05') });
    const merged = await written({ email: null, mobile_number, ...activity('2025-03-06') });
    expect(merged).not.toBe(stays);
    expect(await written({ email, mobile_number })).toBe(stays);
    const pops = await found({ contact_id: stays });
    expect([pops.purchases.length, pops.booking.total, pops.wifi.total]).toEqual([2, 2, 2]);
    const ids = (list: { contact_id: number | string }[]) => list.map(({ contact_id }) => Number(contact_id));
    for (const list of [pops.purchases, pops.booking.data, pops.wifi.data]) expect(ids(list)).toEqual([stays, stays]);
    expect(await found({ contact_id: merged })).toEqual(pops);
  });
  it('must exist in the account: otherwise the response is a 422 on contact_id', async () => {
    const foreign = await written({ purchases: [purchase('2025-03-05 20:05:00', { unit_id: null })] }, elsewhere.token);
    for (const contact_id of [foreign, 999_999, 0, -1]) {
      expect(await refused({ ...march, contact_id, types: allTypes })).toEqual(['contact_id']);
    }
  });
  it('can be sent as a string', async () => {
    const contact_id = await written(activity('2025-03-05'));
    const pops = await found({ account_id: String(accountId), contact_id: String(contact_id) });
    expect(pops.purchases).toHaveLength(1);
  });
});
