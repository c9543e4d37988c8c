import { describe, expect, it } from 'vitest';
import { omit } from '../../../support/omit.ts';
import { fullSpa, identified, nothing, optional, spa, staySetup } from './setup.ts';

const setup = await staySetup();
const { account, admin, call, accountId, token, root } = setup;
const { write, written, page, stays, only, references, stayed, refused, discarding } = setup;
const { newEmail, required } = setup;

describe('the extras of a stay', () => {
  const extrasOf = async (...extras: unknown[]) => (await stayed({ ...required(), extras })).extras;
  const whole = { start_date: '2026-03-01 15:00:00', end_date: '2026-03-03 11:00:00', quantity: 1 };
  it('are returned with every field, in the order sent', async () => {
    const wine = { ...fullSpa, name: 'Wine', reference: 'WINE', price: 1999, quantity: 1.5 };
    expect(await extrasOf(fullSpa, wine, fullSpa)).toEqual([fullSpa, wine, fullSpa]);
  });
  it('default to the dates of the stay and a quantity of 1', async () => {
    expect(await extrasOf(spa)).toEqual([{ ...spa, ...whole }]);
    expect(await extrasOf({ ...spa, start_date: null, end_date: '', quantity: null })).toEqual([{ ...spa, ...whole }]);
    const stay = await stayed({
      ...omit(required(), 'checkin_date', 'checkout_date'),
      ...{ check_in_date: '2026-05-01 15:00:00', check_out_date: '2026-05-02 11:00:00', extras: [spa] },
    });
    expect(stay.extras).toEqual([
      { ...spa, start_date: '2026-05-01 15:00:00', end_date: '2026-05-02 11:00:00', quantity: 1 },
    ]);
  });
  it.each([
    [4500, 4500],
    ['4500', 4500],
    [0, 0],
    [-500, -500],
    [1, 1],
  ])('have prices in pence: %j', async (price, expected) => {
    expect((await extrasOf({ ...spa, price }))[0].price).toBe(expected);
  });
  it.each(['name', 'reference', 'price'])('require a %s', async (field) => {
    expect(await refused({ ...required(), extras: [spa, omit(spa, field)] })).toEqual([`stays.0.extras.1.${field}`]);
  });
  it.each<[string, unknown]>([
    ['name', {}],
    ['reference', []],
    ['price', 'much'],
    ['quantity', 'some'],
    ['start_date', '2026-02-29 12:00:00'],
    ['end_date', 'later'],
  ])('reject %s %j', async (field, value) => {
    expect(await refused({ ...required(), extras: [{ ...spa, [field]: value }] })).toEqual([
      `stays.0.extras.0.${field}`,
    ]);
  });
  it('lose only the invalid ones under discard_invalid_data', async () => {
    const { id, dropped } = await discarding([{ ...required(), extras: [fullSpa, { ...spa, price: 'x' }, 7, spa] }]);
    expect(dropped).toEqual(['stays.0.extras.1.price', 'stays.0.extras.2']);
    expect((await only(id)).extras).toEqual([fullSpa, { ...spa, ...whole }]);
  });
  it('are replaced by the ones sent, and kept if none are sent', async () => {
    const email = newEmail();
    const sent = required();
    await stayed({ ...sent, extras: [fullSpa, fullSpa] }, email);
    expect((await stayed(sent, email)).extras).toEqual([fullSpa, fullSpa]);
    expect((await stayed({ ...sent, extras: null }, email)).extras).toEqual([fullSpa, fullSpa]);
    expect((await stayed({ ...sent, extras: [spa] }, email)).extras).toEqual([{ ...spa, ...whole }]);
    expect((await stayed({ ...sent, extras: [] }, email)).extras).toEqual([]);
  });
});

describe('a stay that is sent again', () => {
  it('updates all fields that are sent, and is stored once', async () => {
    const email = newEmail();
    const sent = { ...required(), ...optional };
    const { id } = await stayed(sent, email);
    const changes = {
      ...{ ...sent, booker: false, guest: true, unit_id: root, enquiry_date: '2026-01-11 10:00:00' },
      ...{ checkin_date: '2026-04-01 15:00:00', checkout_date: '2026-04-03 11:00:00', room_type_id: 3 },
      ...{ total_guests: 4, booking_enquiry_source_id: 10, booking_status_id: 7, total_children: 0 },
      ...{ deposit_amount: 0, room_gross_value: 1, room_net_value: 2, extras_gross_value: 3, extras_net_value: 4 },
      ...{ room_rate_code: 'X', room_package_code: 'Y', used_voucher: false, booking_has_pets: true },
      stay_travel_agent: 'Z',
    };
    expect(await stayed(changes, email)).toEqual({
      ...changes,
      ...identified,
      id,
      unit_name: 'The Harbour Group',
      extras: [],
    });
  });
  it('has the latest status, regardless of the order of statuses', async () => {
    const email = newEmail();
    const sent = required();
    for (const booking_status_id of [1, 2, 3, 4, 7, 5, 3]) {
      expect((await stayed({ ...sent, booking_status_id }, email)).booking_status_id).toBe(booking_status_id);
    }
  });
  it('keeps the fields that are not sent', async () => {
    const email = newEmail();
    const sent = required();
    const first = await stayed({ ...sent, ...optional, extras: [spa] }, email);
    expect(await stayed({ ...sent, booking_status_id: 4 }, email)).toEqual({ ...first, booking_status_id: 4 });
    const blank = Object.fromEntries(Object.keys(optional).map((name) => [name, '']));
    expect(await stayed({ ...sent, ...blank, ...nothing }, email)).toEqual(first);
  });
  it('is stored once if a request contains it twice; the last one wins', async () => {
    const sent = required();
    const { id } = await written({ email: newEmail(), stays: [sent, { ...sent, booking_status_id: 5 }] });
    expect((await only(id)).booking_status_id).toBe(5);
  });
  it('is stored once if many requests send it at the same time', async () => {
    const [sent, email] = [required(), newEmail()];
    const all = await Promise.all(Array.from({ length: 20 }, () => written({ email, stays: [sent] })));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect((await only(all[0].id)).stay_reference).toBe(sent.stay_reference);
  });
  it('at another unit moves to that unit', async () => {
    const email = newEmail();
    const sent = required();
    const { id } = await stayed(sent, email);
    expect(await stayed({ ...sent, unit_id: root }, email)).toMatchObject({ id, unit_id: root });
  });
  it('for another provider is another stay', async () => {
    const sent = required();
    const { id } = await written({ email: newEmail(), stays: [sent, { ...sent, provider_id: 13, room_type_id: 1 }] });
    const both = await stays(id);
    expect(both.map((stay: { provider_id: number }) => stay.provider_id).sort()).toEqual([12, 13]);
    expect(both[0].id).not.toBe(both[1].id);
  });
  it('in another account is another stay', async () => {
    const there = await account('Elsewhere');
    const sent = required();
    const first = await stayed(sent);
    const elsewhere = { ...sent, unit_id: there.root_unit_id, booking_status_id: 5 };
    const { id } = await written({ email: newEmail(), stays: [elsewhere] }, there.token);
    expect(await only(id, there.token)).toMatchObject({ unit_id: there.root_unit_id, booking_status_id: 5 });
    expect(await only(first.contact_id)).toEqual(first);
  });
  it('leaves the stay unchanged if it is invalid', async () => {
    const email = newEmail();
    const sent = { ...required(), ...optional };
    const first = await stayed(sent, email);
    const bad = { ...sent, booking_status_id: 5, checkout_date: '2026-02-01 11:00:00' };
    expect((await write({ email, stays: [bad] })).status).toBe(422);
    expect(await only(first.contact_id)).toEqual(first);
    expect((await discarding([bad], email)).dropped).toEqual(['stays.0.checkout_date']);
    expect(await only(first.contact_id)).toEqual(first);
  });
});

describe('the booker and the guest', () => {
  it('can be two contacts of one stay; each has it in their list', async () => {
    const sent = { ...required(), deposit_amount: 50 };
    const booker = await stayed({ ...sent, booker: true, guest: false });
    const guest = await stayed({ ...sent, booker: false, guest: true, booking_status_id: 4 });
    expect(guest).toMatchObject({
      id: booker.id,
      booker: false,
      guest: true,
      booking_status_id: 4,
      deposit_amount: 50,
    });
    expect(guest.contact_id).not.toBe(booker.contact_id);
    const latest = { booking_status_id: 4, booker: true, guest: false };
    expect(await only(booker.contact_id)).toEqual({ ...booker, ...latest });
  });
  it('can be the same contact', async () => {
    expect(await stayed({ ...required(), booker: true, guest: true })).toMatchObject({ booker: true, guest: true });
  });
  it('have the stay once after they are merged, as booker and guest', async () => {
    const sent = required();
    const booker = await stayed({ ...sent, booker: true, guest: false });
    const guest = await stayed({ ...sent, booker: false, guest: true });
    const path = `/accounts/${accountId}/contacts/${booker.contact_id}/merge`;
    expect((await admin('POST', path, { contact_id: guest.contact_id })).status).toBeLessThan(300);
    for (const id of [booker.contact_id, guest.contact_id]) {
      expect(await only(id)).toEqual({ ...booker, booker: true, guest: true });
    }
  });
  it('can be erased separately; the stay is deleted with the last of them', async () => {
    const sent = { ...required(), ...optional };
    const booker = await stayed({ ...sent, booker: true, guest: false });
    const guest = await stayed({ ...omit(sent, ...Object.keys(optional)), booker: false, guest: true });
    const erase = async (id: number) => {
      expect((await admin('DELETE', `/accounts/${accountId}/contacts/${id}`)).status).toBe(204);
      expect((await call('GET', `/v1/contact/${id}/stays`, { token })).status).toBe(404);
    };
    await erase(booker.contact_id);
    expect(await only(guest.contact_id)).toEqual(guest);
    await erase(guest.contact_id);
    const again = await stayed(omit(sent, ...Object.keys(optional)));
    expect(again).toMatchObject(nothing);
    expect(again.id).not.toBe(guest.id);
  });
});

describe('a contact’s stays', () => {
  it('are returned with the latest arrival first, 100 per page', async () => {
    const many = Array.from({ length: 101 }, (_, n) => {
      const day = new Date(Date.UTC(2026, 0, n + 1)).toISOString().slice(0, 10);
      return { ...required(), checkin_date: `${day} 15:00:00`, checkout_date: `${day} 16:00:00` };
    });
    const { id } = await written({ email: newEmail(), stays: many });
    const first = await page(id);
    expect([first.total, first.per_page, first.last_page, first.data.length]).toEqual([101, 100, 2, 100]);
    expect(await references(id)).toEqual(
      many
        .slice(1)
        .map(({ stay_reference }) => stay_reference)
        .reverse(),
    );
    const { body: second } = await call('GET', `/v1/contact/${id}/stays`, { token, query: { page: '2' } });
    expect(second.data).toMatchObject([{ stay_reference: many[0]?.stay_reference }]);
  });
  it('are a 404 for another account and for an unknown contact', async () => {
    const there = await account('Not ours');
    const { contact_id } = await stayed(required());
    expect((await call('GET', `/v1/contact/${contact_id}/stays`, { token: there.token })).status).toBe(404);
    expect((await call('GET', '/v1/contact/999999/stays', { token })).status).toBe(404);
  });
});
