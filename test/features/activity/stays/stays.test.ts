import { describe, expect, it } from 'vitest';
import { testApp } from '../../../support/app.ts';
import { partner } from '../../../support/partner.ts';

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
  expect((await call('GET', '/v1/contacts', { token, query: { account_id: `${accountId}`, email } })).status).toBe(404);
  return Object.keys(body.errors).sort();
};
const discarding = async (sent: unknown, email = newEmail()) => {
  const { status, body, headers } = await write({ email, stays: sent, ...discard });
  expect(status).toBe(200);
  const dropped = String(headers['discarded-fields'] ?? '').split(', ');
  return { id: body.id as number, dropped: dropped.filter((field) => field !== '').sort() };
};
const omit = (from: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));

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
const optional = {
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
const spa = { name: 'Spa day', reference: 'SPA-1', price: 4500 };
const fullSpa = { ...spa, start_date: '2026-03-02 10:00:00', end_date: '2026-03-02 12:00:00', quantity: 2 };
const nothing = Object.fromEntries(Object.keys(optional).map((name) => [name, null]));
const identified = { id: expect.any(Number), contact_id: expect.any(Number), unit_name: 'The Harbour Hotel' };

describe('a stay', () => {
  it('is answered with every field', async () => {
    const sent = { ...required(), ...optional, extras: [fullSpa] };
    const { id } = await written({ email: newEmail(), stays: [sent] });
    expect(await only(id)).toEqual({ ...sent, ...identified, contact_id: id });
  });
  it('needs none of the optional ones', async () => {
    const sent = required();
    expect(await stayed(sent)).toEqual({ ...sent, ...nothing, ...identified, extras: [] });
  });
  it.each(Object.entries(optional))('gives %s back alone', async (field, value) => {
    const sent = { ...required(), [field]: value };
    expect(await stayed(sent)).toEqual({ ...sent, ...identified, extras: [], ...omit(nothing, field) });
  });
  it.each(Object.keys(required()))('without %s is refused, and named', async (field) => {
    for (const sent of [omit(required(), field), { ...required(), [field]: null }, { ...required(), [field]: ' ' }]) {
      expect(await refused(required(), sent)).toEqual([`stays.1.${field}`]);
    }
  });
  it('without anything has all that is required named at once', async () => {
    expect(await refused({})).toEqual(
      Object.keys(required())
        .map((field) => `stays.0.${field}`)
        .sort(),
    );
  });
  it.each(['booker', 'guest', 'used_voucher', 'booking_has_pets'])('reads %s leniently', async (field) => {
    for (const [sent, read] of [
      ...([
        [1, true],
        ['1', true],
        ['true', true],
        [0, false],
        ['0', false],
        ['false', false],
      ] as const),
    ]) {
      expect((await stayed({ ...required(), [field]: sent }))[field]).toBe(read);
    }
    expect(await refused({ ...required(), [field]: 'maybe' })).toEqual([`stays.0.${field}`]);
  });
  it('reads numeric strings, and numbers for text', async () => {
    const texts = Object.fromEntries(
      Object.entries({ ...required(), ...optional }).map(([name, value]) => [
        name,
        typeof value === 'number' ? String(value) : value,
      ]),
    );
    const { stay_reference, ...stay } = await stayed({ ...texts, stay_reference: 770077 });
    expect(stay).toEqual({ ...omit(required(), 'stay_reference'), ...optional, ...identified, extras: [] });
    expect(stay_reference).toBe('770077');
  });
  it.each<[string, unknown]>([
    ...['unit_id', 'provider_id', 'total_guests', 'total_children'].flatMap((field): [string, unknown][] => [
      [field, 1.5],
      [field, 'two'],
    ]),
    ...Object.keys(omit(optional, 'total_children', 'used_voucher', 'booking_has_pets')).map(
      (field): [string, unknown] => [field, {}],
    ),
    ['deposit_amount', 'fifty'],
    ['total_guests', -1],
    ['total_children', -1],
    ['unit_id', 999_999],
    ['stay_reference', 'x'.repeat(256)],
    ['extras', 7],
  ])('has no %s of %j', async (field, value) => {
    expect(await refused({ ...required(), [field]: value })).toEqual([`stays.0.${field}`]);
  });
  it('is not at another account’s unit, nor at one that was deleted', async () => {
    const there = await account('Next door');
    const gone = (await admin('POST', `/accounts/${accountId}/units`, { name: 'Closed' })).body.id;
    await admin('DELETE', `/accounts/${accountId}/units/${gone}`);
    for (const unit_id of [there.root_unit_id, gone]) {
      expect(await refused({ ...required(), unit_id })).toEqual(['stays.0.unit_id']);
    }
  });
  it('has every failing field named at once, and nothing is stored, not even the good ones', async () => {
    const email = newEmail();
    const { id } = await written({ email });
    const { status, body } = await write({
      email,
      stays: [
        required(),
        { ...required(), room_type_id: 4, booking_status_id: 8, enquiry_date: 'x', deposit_amount: {} },
        { ...required(), unit_id: 999_999, booking_enquiry_source_id: 999, checkout_date: '2026-02-01 11:00:00' },
        { ...required(), extras: [spa, { ...spa, price: 'x', name: null }] },
        7,
      ],
    });
    expect(status).toBe(422);
    expect(Object.keys(body.errors).sort()).toEqual(
      [
        ...['1.room_type_id', '1.booking_status_id', '1.enquiry_date', '1.deposit_amount', '2.unit_id'],
        ...['2.booking_enquiry_source_id', '2.checkout_date', '3.extras.1.price', '3.extras.1.name', '4'],
      ]
        .map((field) => `stays.${field}`)
        .sort(),
    );
    expect(await stays(id)).toEqual([]);
  });
  it('has a unit and source that are none named also where something else is missing', async () => {
    const sent = { ...required(), booker: null, unit_id: 999_999, booking_enquiry_source_id: 999 };
    expect(await refused(sent)).toEqual(['stays.0.booker', 'stays.0.booking_enquiry_source_id', 'stays.0.unit_id']);
  });
  it.each([1, 2, 3])('may be in a room of type %i', async (room_type_id) => {
    expect((await stayed({ ...required(), room_type_id })).room_type_id).toBe(room_type_id);
  });
  it.each([1, 2, 3, 4, 5, 6, 7])('may have the status %i', async (booking_status_id) => {
    expect((await stayed({ ...required(), booking_status_id })).booking_status_id).toBe(booking_status_id);
  });
  it.each([
    ['room_type_id', [0, 4, -1, 1.5, 'basic']],
    ['booking_status_id', [0, 8, -1, 1.5, 'confirmed']],
    ['booking_enquiry_source_id', [0, 999, -1, 1.5, 'website']],
  ])('has no other %s', async (field, values) => {
    for (const value of values) expect(await refused({ ...required(), [field]: value })).toEqual([`stays.0.${field}`]);
  });
  it('may come from any of the booking sources, also one that staff added, but not another account’s', async () => {
    const { body: added } = await admin('POST', `/accounts/${accountId}/booking_sources`, { name: 'Concierge' });
    const there = await account('With sources');
    const at = `/accounts/${there.id}/booking_sources`;
    await admin('POST', at, { name: 'Valet' });
    const { body: theirs } = await admin('POST', at, { name: 'Porter' });
    const { status, body } = await call('GET', '/v1/booking/sources', { token });
    expect(status).toBe(200);
    const sources: { id: number; name: string }[] = body.data;
    expect(sources.map(({ id }) => id)).toEqual(expect.arrayContaining([1, 9, 10, added.id]));
    expect(sources.find(({ id }) => id === 9)?.name).toMatch(/in.?house/i);
    for (const { id } of sources) {
      expect((await stayed({ ...required(), booking_enquiry_source_id: id })).booking_enquiry_source_id).toBe(id);
    }
    expect(sources.map(({ id }) => id)).not.toContain(theirs.id);
    const foreign = { ...required(), booking_enquiry_source_id: theirs.id };
    expect(await refused(foreign)).toEqual(['stays.0.booking_enquiry_source_id']);
  });
  it('has no more children than guests, but may have as many', async () => {
    expect(await refused({ ...required(), total_guests: 2, total_children: 3 })).toEqual(['stays.0.total_children']);
    const stay = await stayed({ ...required(), total_guests: 2, total_children: 2 });
    expect([stay.total_guests, stay.total_children]).toEqual([2, 2]);
  });
});

describe('the dates of a stay', () => {
  const dates = ['checkin_date', 'checkout_date'] as const;
  const other = { checkin_date: 'check_in_date', checkout_date: 'check_out_date' };
  const spelt = (spelling: string[], values: string[]) => ({
    ...omit(required(), ...dates),
    ...Object.fromEntries(spelling.map((name, index) => [name, values[index]])),
  });
  it.each([
    [['checkin_date', 'checkout_date']],
    [['check_in_date', 'check_out_date']],
    [['checkin_date', 'check_out_date']],
    [['check_in_date', 'checkout_date']],
  ])('are read as %j', async (spelling) => {
    const stay = await stayed(spelt(spelling, ['2026-03-01 15:00:00', '2026-03-03 11:00:00']));
    expect([stay.checkin_date, stay.checkout_date]).toEqual(['2026-03-01 15:00:00', '2026-03-03 11:00:00']);
    const checkOut = spelling[1];
    expect(await refused(spelt(spelling, ['2026-03-03 11:00:00', '2026-03-01 15:00:00']))).toEqual([
      `stays.0.${checkOut}`,
    ]);
    expect(await refused(spelt(spelling, ['2026-02-29 11:00:00', '2026-03-01 15:00:00']))).toEqual([
      `stays.0.${spelling[0]}`,
    ]);
    expect(await refused(spelt(spelling, ['2026-02-28 11:00:00', '2026-02-29 15:00:00']))).toEqual([
      `stays.0.${checkOut}`,
    ]);
  });
  it('may be sent under both names at once', async () => {
    const both = { ...required(), check_in_date: '2026-03-01 15:00:00', check_out_date: '2026-03-03 11:00:00' };
    expect(await stayed(both)).toMatchObject({ checkin_date: both.check_in_date, checkout_date: both.check_out_date });
  });
  it('may be equal, and a second apart, but not the other way round', async () => {
    const at = (checkin_date: string, checkout_date: string) => ({ ...required(), checkin_date, checkout_date });
    const [first, second] = ['2026-03-01 15:00:00', '2026-03-01 15:00:01'];
    expect((await stayed(at(first, first))).checkout_date).toBe(first);
    expect((await stayed(at(first, second))).checkout_date).toBe(second);
    expect(await refused(at(second, first))).toEqual(['stays.0.checkout_date']);
  });
  it('are compared as the times that they are, however they are written', async () => {
    const at = (checkin_date: string, checkout_date: string) => ({ ...required(), checkin_date, checkout_date });
    const stay = await stayed(at('2026-3-1 15:00:00', '2026-03-01T16:30:00+01:00'));
    expect([stay.checkin_date, stay.checkout_date]).toEqual(['2026-03-01 15:00:00', '2026-03-01 15:30:00']);
    expect(await refused(at('2026-03-01 15:00:00', '2026-03-01T15:30:00+01:00'))).toEqual(['stays.0.checkout_date']);
  });
  it.each(['enquiry_date', ...dates, ...Object.values(other)])('can’t be impossible: %s', async (field) => {
    const rest = omit(required(), ...dates.filter((date) => other[date] === field));
    for (const bad of [
      '2026-02-29 12:00:00',
      '2026-13-01 12:00:00',
      '2026-03-01 24:00:00',
      '2026-03-01 12:60:00',
      'soon',
    ]) {
      expect(await refused({ ...rest, [field]: bad })).toEqual([`stays.0.${field}`]);
    }
  });
  it('are on the account’s clock', async () => {
    const { body: there } = await admin('POST', '/accounts', { name: 'London', time_zone: 'Europe/London' });
    const { body: made } = await admin('POST', `/accounts/${there.id}/tokens`, { name: 'test' });
    const sent = {
      ...required(),
      unit_id: there.root_unit_id,
      enquiry_date: '2026-01-10T09:00:00Z',
      checkin_date: '2026-07-01T14:00:00Z',
      checkout_date: '2026-07-03T11:00:00+02:00',
      extras: [{ ...spa, start_date: '2026-07-02T23:30:00Z' }],
    };
    const { id } = await written({ email: newEmail(), stays: [sent] }, made.token);
    expect(await only(id, made.token)).toMatchObject({
      enquiry_date: '2026-01-10 09:00:00',
      checkin_date: '2026-07-01 15:00:00',
      checkout_date: '2026-07-03 10:00:00',
      extras: [{ start_date: '2026-07-03 00:30:00', end_date: '2026-07-03 10:00:00' }],
    });
  });
});

describe('the extras of a stay', () => {
  const extrasOf = async (...extras: unknown[]) => (await stayed({ ...required(), extras })).extras;
  const whole = { start_date: '2026-03-01 15:00:00', end_date: '2026-03-03 11:00:00', quantity: 1 };
  it('are answered with every field, in their order', async () => {
    const wine = { ...fullSpa, name: 'Wine', reference: 'WINE', price: 1999, quantity: 1.5 };
    expect(await extrasOf(fullSpa, wine, fullSpa)).toEqual([fullSpa, wine, fullSpa]);
  });
  it('last from check-in to check-out, and are one, unless it is said', async () => {
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
  ])('cost pence: %j', async (price, expected) => {
    expect((await extrasOf({ ...spa, price }))[0].price).toBe(expected);
  });
  it.each(['name', 'reference', 'price'])('need a %s', async (field) => {
    expect(await refused({ ...required(), extras: [spa, omit(spa, field)] })).toEqual([`stays.0.extras.1.${field}`]);
  });
  it.each<[string, unknown]>([
    ['name', {}],
    ['reference', []],
    ['price', 'much'],
    ['quantity', 'some'],
    ['start_date', '2026-02-29 12:00:00'],
    ['end_date', 'later'],
  ])('have no %s of %j', async (field, value) => {
    expect(await refused({ ...required(), extras: [{ ...spa, [field]: value }] })).toEqual([
      `stays.0.extras.0.${field}`,
    ]);
  });
  it('of which one is bad lose that one under discard_invalid_data', async () => {
    const { id, dropped } = await discarding([{ ...required(), extras: [fullSpa, { ...spa, price: 'x' }, 7, spa] }]);
    expect(dropped).toEqual(['stays.0.extras.1.price', 'stays.0.extras.2']);
    expect((await only(id)).extras).toEqual([fullSpa, { ...spa, ...whole }]);
  });
  it('are replaced by those sent anew, and stay where none are sent', async () => {
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
  it('is updated: everything that is sent changes, and it is still one', async () => {
    const email = newEmail();
    const sent = { ...required(), ...optional };
    const { id } = await stayed(sent, email);
    const anew = {
      ...{ ...sent, booker: false, guest: true, unit_id: root, enquiry_date: '2026-01-11 10:00:00' },
      ...{ checkin_date: '2026-04-01 15:00:00', checkout_date: '2026-04-03 11:00:00', room_type_id: 3 },
      ...{ total_guests: 4, booking_enquiry_source_id: 10, booking_status_id: 7, total_children: 0 },
      ...{ deposit_amount: 0, room_gross_value: 1, room_net_value: 2, extras_gross_value: 3, extras_net_value: 4 },
      ...{ room_rate_code: 'X', room_package_code: 'Y', used_voucher: false, booking_has_pets: true },
      stay_travel_agent: 'Z',
    };
    expect(await stayed(anew, email)).toEqual({
      ...anew,
      ...identified,
      id,
      unit_name: 'The Harbour Group',
      extras: [],
    });
  });
  it('shows the latest status, in whatever order they come', async () => {
    const email = newEmail();
    const sent = required();
    for (const booking_status_id of [1, 2, 3, 4, 7, 5, 3]) {
      expect((await stayed({ ...sent, booking_status_id }, email)).booking_status_id).toBe(booking_status_id);
    }
  });
  it('keeps what is not sent', async () => {
    const email = newEmail();
    const sent = required();
    const first = await stayed({ ...sent, ...optional, extras: [spa] }, email);
    expect(await stayed({ ...sent, booking_status_id: 4 }, email)).toEqual({ ...first, booking_status_id: 4 });
    const blank = Object.fromEntries(Object.keys(optional).map((name) => [name, '']));
    expect(await stayed({ ...sent, ...blank, ...nothing }, email)).toEqual(first);
  });
  it('within one request is one: the last is what stands', async () => {
    const sent = required();
    const { id } = await written({ email: newEmail(), stays: [sent, { ...sent, booking_status_id: 5 }] });
    expect((await only(id)).booking_status_id).toBe(5);
  });
  it('by many at once is one', async () => {
    const [sent, email] = [required(), newEmail()];
    const all = await Promise.all(Array.from({ length: 20 }, () => written({ email, stays: [sent] })));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect((await only(all[0].id)).stay_reference).toBe(sent.stay_reference);
  });
  it('at another unit is the same stay, moved', async () => {
    const email = newEmail();
    const sent = required();
    const { id } = await stayed(sent, email);
    expect(await stayed({ ...sent, unit_id: root }, email)).toMatchObject({ id, unit_id: root });
  });
  it('by another provider is another stay', async () => {
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
  it('invalid leaves it as it was', async () => {
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
  it('may be two contacts of one stay, each of whom sees it as theirs', async () => {
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
  it('may be one', async () => {
    expect(await stayed({ ...required(), booker: true, guest: true })).toMatchObject({ booker: true, guest: true });
  });
  it('that were merged have the stay once, as both', async () => {
    const sent = required();
    const booker = await stayed({ ...sent, booker: true, guest: false });
    const guest = await stayed({ ...sent, booker: false, guest: true });
    const path = `/accounts/${accountId}/contacts/${booker.contact_id}/merge`;
    expect((await admin('POST', path, { contact_id: guest.contact_id })).status).toBeLessThan(300);
    for (const id of [booker.contact_id, guest.contact_id]) {
      expect(await only(id)).toEqual({ ...booker, booker: true, guest: true });
    }
  });
  it('of whom one is erased leave the stay to the other; with the last it goes for good', async () => {
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
    const anew = await stayed(omit(sent, ...Object.keys(optional)));
    expect(anew).toMatchObject(nothing);
    expect(anew.id).not.toBe(guest.id);
  });
});

describe('a contact’s stays', () => {
  it('come latest arrival first, 100 a page', async () => {
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
  it('are a 404 for another account, and where there is no such contact', async () => {
    const there = await account('Not ours');
    const { contact_id } = await stayed(required());
    expect((await call('GET', `/v1/contact/${contact_id}/stays`, { token: there.token })).status).toBe(404);
    expect((await call('GET', '/v1/contact/999999/stays', { token })).status).toBe(404);
  });
});

describe('with discard_invalid_data', () => {
  it.each<[string, object]>([
    ...Object.keys(required()).map((field): [string, object] => [field, { [field]: null }]),
    ['room_type_id', { room_type_id: 4 }],
    ['booking_status_id', { booking_status_id: 8 }],
    ['booking_enquiry_source_id', { booking_enquiry_source_id: 999 }],
    ['unit_id', { unit_id: 999_999 }],
    ['checkout_date', { checkout_date: '2026-02-01 11:00:00' }],
    ['checkin_date', { checkin_date: '2026-02-29 11:00:00' }],
    ['booker', { booker: 'maybe' }],
  ])('a stay with a bad %s is dropped, and the others are stored: %j', async (field, bad) => {
    const [first, third] = [
      { ...required(), checkin_date: '2026-03-02 15:00:00' },
      { ...required(), checkin_date: '2026-03-01 15:00:00' },
    ];
    const { id, dropped } = await discarding([first, { ...required(), ...bad }, third]);
    expect(dropped).toEqual([`stays.1.${field}`]);
    expect(await references(id)).toEqual([first.stay_reference, third.stay_reference]);
  });
  it.each(Object.keys(optional))('a bad %s is dropped alone', async (field) => {
    const sent = required();
    const { id, dropped } = await discarding([{ ...sent, ...optional, [field]: {} }]);
    expect(dropped).toEqual([`stays.0.${field}`]);
    expect(await only(id)).toEqual({ ...sent, ...optional, [field]: null, ...identified, extras: [] });
  });
  it('more children than guests are not stored, and named', async () => {
    const { id, dropped } = await discarding([{ ...required(), total_guests: 2, total_children: 3 }, required()]);
    expect(dropped).toEqual(['stays.0.total_children']);
    for (const stay of await stays(id)) expect(stay.total_children).toBe(null);
  });
  it('a list that is none is dropped, and the contact is stored', async () => {
    const { id, dropped } = await discarding(7);
    expect(dropped).toEqual(['stays']);
    expect(await stays(id)).toEqual([]);
  });
});
