import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { accountIn, partner } from '../../../support/partner.ts';

const app = await testApp();
const { account, admin, call, database } = app;
const sql = await superuser(database);
const made = await account();
const { id: accountId, root_unit_id: root, token } = made;
const { written, newEmail } = partner(app, made);
const { body: anchor } = await admin('POST', `/accounts/${accountId}/units`, { name: 'The Anchor' });
const { body: provider } = await admin('POST', `/accounts/${accountId}/providers`, { name: 'Rooms Online' });

const read = (id: number, before?: string, of = accountId) =>
  admin('GET', `/accounts/${of}/contacts/${id}/timeline${before === undefined ? '' : `?before=${before}`}`);
const timeline = async (id: number) => (await read(id)).body.data as { kind: string; id: number; at: string }[];
const nothing = { purchase: null, booking: null, stay: null, wifi: null, feedback: null, unique_code: null };
const atAnchor = { unit_id: anchor.id, unit_name: 'The Anchor' };
const aStay = {
  ...{ booker: true, guest: false, unit_id: anchor.id, provider_id: provider.id, stay_reference: 'S-1' },
  ...{ enquiry_date: '2026-01-01 09:00:00', checkin_date: '2026-01-03 15:00:00', checkout_date: '2026-01-05 11:00:00' },
  ...{ room_type_id: 2, total_guests: 2, booking_enquiry_source_id: 1, booking_status_id: 7, room_gross_value: 240.5 },
};

async function redeemed(contact_id: number, redemption_date: string, unique_code: string) {
  const body = { unit_id: root, name: `Vouchers ${unique_code}` };
  const { body: group } = await admin('POST', `/accounts/${accountId}/unique_code_groups`, body);
  const unique_code_group_id = group.id;
  await admin('POST', `/accounts/${accountId}/unique_code_groups/${group.id}/codes`, {
    codes: [unique_code, 'unused'],
  });
  for (const code of [unique_code, 'unused']) {
    const given = { unique_code_group_id, unique_code: code, contact_id };
    expect((await admin('POST', `/accounts/${accountId}/unique_codes/assign`, given)).status).toBe(200);
  }
  const sent = { account_id: accountId, unit_id: anchor.id, unique_code_group_id, unique_code, redemption_date };
  const { status, body: answer } = await call('POST', '/v1/unique_code/redeem', { token, body: sent });
  expect(status, JSON.stringify(answer)).toBe(200);
  return { group_id: group.id as number, id: answer.id as number };
}

describe('the timeline of a contact', () => {
  it('has all activity, newest first, in readable form', async () => {
    const { id } = await written({
      email: newEmail(),
      purchases: [
        {
          ...{ transaction_reference: 'T-1', unit_id: anchor.id, provider_id: provider.id, order_type_id: 4 },
          created_at: '2026-01-01 20:00:00',
          items: [
            { description: 'Ale', sku: 'A', quantity: 2, value: 11.5, tags: ['drinks'] },
            { description: 'Refund', quantity: -1, value: -0.25 },
          ],
        },
        { transaction_reference: 'T-0', created_at: '2025-12-01 20:00:00' },
      ],
      bookings: [
        {
          ...{ booking_reference: 'B-1', unit_id: anchor.id, party_datetime: '2026-01-02 19:00:00', party_size: 4 },
          ...{ party_enquirytime: '2025-12-20 10:00:00', stage_value: 100, type_id: 8, source_id: 9 },
          ...{ table_numbers: ['12', '14'], deposit_paid: 25 },
        },
        { booking_reference: 'B-2', party_enquirytime: '2025-12-30 10:00:00', source_id: 123_456 },
      ],
      stays: [aStay],
      wifi: [
        {
          ...{ unit_id: anchor.id, hotspot_name: 'Anchor guests', mac_address: '9c:4e', device_type: 'phone' },
          ...{ interaction_type: 'connected', created_at: '2026-01-04 10:00:00' },
        },
      ],
      feedback: [
        {
          ...{ unit_id: anchor.id, type_id: 1, source_id: 3, created_at: '2026-01-05 10:00:00' },
          comments: [{ type: 'fire', note: 'Lovely.' }],
          ratings: [{ category_id: 4, rating_text: '9', contact_note: 'Yes' }],
        },
      ],
    });
    const code = await redeemed(id, '2026-01-06 10:00:00', 'SUMMER-1');
    const { status, body } = await read(id);
    expect(status).toBe(200);
    expect(body.next).toBeNull();
    const any = { id: expect.any(Number) };
    expect(body.data).toEqual([
      {
        ...{ ...nothing, ...atAnchor, kind: 'unique_code', id: code.id, at: '2026-01-06 10:00:00' },
        unique_code: {
          ...{ unique_code: 'SUMMER-1', unique_code_group_id: code.group_id },
          unique_code_group_name: 'Vouchers SUMMER-1',
        },
      },
      {
        ...{ ...nothing, ...any, ...atAnchor, kind: 'feedback', at: '2026-01-05 10:00:00' },
        feedback: {
          ...{ type_id: 1, source_id: 3, comments: [{ type: 'fire', note: 'Lovely.' }] },
          ratings: [
            { category_id: 4, category_name: expect.stringMatching(/NPS/i), rating_text: '9', contact_note: 'Yes' },
          ],
        },
      },
      {
        ...{ ...nothing, ...any, ...atAnchor, kind: 'wifi', at: '2026-01-04 10:00:00' },
        wifi: {
          ...{ hotspot_name: 'Anchor guests', mac_address: '9c:4e', device_type: 'phone' },
          interaction_type: 'connected',
        },
      },
      {
        ...{ ...nothing, ...any, ...atAnchor, kind: 'stay', at: '2026-01-03 15:00:00' },
        stay: {
          ...{ booker: true, guest: false, provider_id: provider.id, provider_name: 'Rooms Online' },
          ...{ stay_reference: 'S-1', enquiry_date: '2026-01-01 09:00:00', checkin_date: '2026-01-03 15:00:00' },
          ...{ checkout_date: '2026-01-05 11:00:00', room_type_id: 2, total_guests: 2, booking_status_id: 7 },
          ...{ booking_enquiry_source_id: 1, booking_enquiry_source_name: expect.any(String), total_children: null },
          ...{ deposit_amount: null, room_gross_value: 240.5, room_net_value: null, extras_gross_value: null },
          ...{ extras_net_value: null, room_rate_code: null, room_package_code: null, used_voucher: null },
          ...{ booking_has_pets: null, stay_travel_agent: null, extras: [] },
        },
      },
      {
        ...{ ...nothing, ...any, ...atAnchor, kind: 'booking', at: '2026-01-02 19:00:00' },
        booking: {
          ...{ booking_reference: 'B-1', provider_id: null, stage_value: 100, type_id: 8, source_id: 9 },
          ...{ source_name: expect.any(String), party_enquirytime: '2025-12-20 10:00:00' },
          ...{
            party_datetime: '2026-01-02 19:00:00',
            party_size: 4,
            deposit_paid: '25.00',
            table_numbers: ['12', '14'],
          },
        },
      },
      {
        ...{ ...nothing, ...any, ...atAnchor, kind: 'purchase', at: '2026-01-01 20:00:00' },
        purchase: {
          ...{
            transaction_reference: 'T-1',
            provider_id: provider.id,
            order_type_id: 4,
            matched_by: null,
            total: '11.25',
          },
          lines: [
            { description: 'Ale', sku: 'A', quantity: '2', value: '11.50', tags: ['drinks'] },
            { description: 'Refund', sku: '', quantity: '-1', value: '-0.25', tags: [] },
          ],
        },
      },
      {
        ...{
          ...nothing,
          ...any,
          unit_id: root,
          unit_name: expect.any(String),
          kind: 'booking',
          at: '2025-12-30 10:00:00',
        },
        booking: {
          ...{ booking_reference: 'B-2', provider_id: null, stage_value: 1, type_id: null, source_id: 123_456 },
          ...{ source_name: null, party_enquirytime: '2025-12-30 10:00:00', party_datetime: null, party_size: null },
          ...{ deposit_paid: '0.00', table_numbers: [] },
        },
      },
      {
        ...{
          ...nothing,
          ...any,
          unit_id: root,
          unit_name: expect.any(String),
          kind: 'purchase',
          at: '2025-12-01 20:00:00',
        },
        purchase: {
          ...{ transaction_reference: 'T-0', provider_id: null, order_type_id: 1, matched_by: null, total: '0.00' },
          lines: [],
        },
      },
    ]);
  });

  it('names the key that a purchase was matched by', async () => {
    const { id } = await written({ email: newEmail(), membership_number: 'M-77' });
    const body = { account_id: accountId, membership_number: 'M-77', purchases: [{ transaction_reference: 'T-77' }] };
    await call('POST', '/v1/purchases', { token, body });
    expect(await timeline(id)).toMatchObject([{ kind: 'purchase', purchase: { matched_by: 'membership_number' } }]);
  });

  it('shows a redemption in the account’s time zone', async () => {
    const { id } = await written({ email: newEmail() });
    await redeemed(id, '2026-07-01T23:30:00Z', 'LATE-1');
    expect((await timeline(id))[0]?.at).toBe('2026-07-01 23:30:00');
    await admin('PATCH', `/accounts/${accountId}`, { time_zone: 'Europe/London' });
    expect((await timeline(id))[0]?.at).toBe('2026-07-02 00:30:00');
    await admin('PATCH', `/accounts/${accountId}`, { time_zone: 'UTC' });
  });

  it('is the same for all ids of a contact; a stay of two of them appears once', async () => {
    const stay = { ...aStay, stay_reference: 'S-2' };
    const old = await written({ email: newEmail(), wifi: [{ created_at: '2026-02-01 10:00:00' }], stays: [stay] });
    const now = await written({
      email: newEmail(),
      wifi: [{ created_at: '2026-02-02 10:00:00' }],
      stays: [{ ...stay, booker: false, guest: true }],
    });
    await admin('POST', `/accounts/${accountId}/contacts/${now.id}/merge`, { contact_id: old.id });
    const entries = await timeline(now.id);
    expect(entries.map(({ kind, at }) => `${kind} ${at}`)).toEqual([
      'wifi 2026-02-02 10:00:00',
      'wifi 2026-02-01 10:00:00',
      'stay 2026-01-03 15:00:00',
    ]);
    expect(entries[2]).toMatchObject({ stay: { booker: true, guest: true } });
    expect(await timeline(old.id)).toEqual(entries);
  });

  it('is returned 50 entries at a time, each once, even if many have the same time', async () => {
    const { id } = await written({
      email: newEmail(),
      purchases: [{ transaction_reference: 'P-0', created_at: '2026-03-01 10:00:00' }],
    });
    const at = '2026-03-01 10:00:00';
    await sql`
      insert into wifi_interactions (account_id, contact_id, unit_id, hotspot_name, mac_address, device_type, interaction_type, created_at)
      select ${accountId}, ${id}, ${root}, '', '', '', 'detected', ${at}::timestamp - (n / 40) * interval '1 hour' from generate_series(0, 79) n`;
    await sql`
      insert into purchases (account_id, contact_id, unit_id, transaction_reference, order_type_id, created_at, lines)
      select ${accountId}, ${id}, ${root}, 'P-' || n, 1, ${at}::timestamp, '[]' from generate_series(1, 39) n`;
    const seen: { kind: string; id: number; at: string }[] = [];
    const sizes: number[] = [];
    for (let before: string | undefined; ; ) {
      const { body } = await read(id, before);
      seen.push(...body.data);
      sizes.push(body.data.length);
      if (body.next === null) break;
      before = body.next;
    }
    expect(sizes).toEqual([50, 50, 20]);
    expect(new Set(seen.map((entry) => `${entry.kind} ${entry.id}`)).size).toBe(120);
    expect(seen.map((entry) => entry.at)).toEqual(
      seen
        .map((entry) => entry.at)
        .sort()
        .reverse(),
    );
    expect((await read(id)).body.data).toEqual(seen.slice(0, 50));
  });

  it('can be filtered by kind, and has totals', async () => {
    const old = await written({
      ...{ email: newEmail(), first_name: 'Ana', wifi: [{ created_at: '2026-02-03 10:00:00' }] },
      purchases: [
        { transaction_reference: 'K-1', created_at: '2026-02-01 20:00:00', items: [{ quantity: 1, value: 7.25 }] },
      ],
    });
    const { id } = await written({
      email: newEmail(),
      bookings: [
        { booking_reference: 'K-2', party_datetime: '2026-02-04 19:00:00', stage_value: 550 },
        { booking_reference: 'K-3', party_enquirytime: '2026-02-05 19:00:00' },
      ],
      purchases: [
        { transaction_reference: 'K-4', created_at: '2026-02-02 20:00:00', items: [{ quantity: 2, value: 10 }] },
      ],
    });
    await admin('POST', `/accounts/${accountId}/contacts/${id}/merge`, { contact_id: old.id });
    const path = `/accounts/${accountId}/contacts/${id}/timeline`;
    const kind = async (one: string) =>
      (await admin('GET', `${path}?kind=${one}`)).body.data.map((entry: { kind: string; at: string }) => entry.at);
    expect(await kind('purchase')).toEqual(['2026-02-02 20:00:00', '2026-02-01 20:00:00']);
    expect(await kind('booking')).toEqual(['2026-02-05 19:00:00', '2026-02-04 19:00:00']);
    expect(await kind('stay')).toEqual([]);
    expect((await admin('GET', `${path}?kind=fax`)).status).toBe(422);
    expect((await admin('GET', `${path}/summary`)).body).toEqual({
      // Neither what was cancelled nor what has no time yet.
      last_visit_at: '2026-02-03 10:00:00',
      spend: 17.25,
      counts: { purchase: 2, booking: 2, stay: 0, wifi: 1, feedback: 0, unique_code: 0 },
    });
    expect((await admin('GET', `/accounts/${accountId}/contacts/999999999/timeline/summary`)).status).toBe(404);
  });

  it('rejects an unknown cursor', async () => {
    const { id } = await written({ email: newEmail() });
    const made = (text: string) => Buffer.from(text).toString('base64url');
    const bad = ['x', '0', made('2026-02-31 10:00:00.000000|wifi|1'), made('2026-02-01 10:00:00.000000|fax|1')];
    for (const before of [...bad, made('2026-02-01 10:00:00.000000|wifi|x'), made('infinity|wifi|1')]) {
      const { status, body } = await read(id, before);
      expect([status, Object.keys(body.errors)], before).toEqual([422, ['before']]);
    }
  });

  it('is a 404 for another account’s contact and for an unknown contact', async () => {
    const other = await accountIn(app, 'UTC');
    const { id } = await written({ email: newEmail() });
    expect((await read(id, undefined, other.accountId)).status).toBe(404);
    expect((await read(999_999_999)).status).toBe(404);
  });
});
