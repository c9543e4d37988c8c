import { describe, expect, it } from 'vitest';
import { omit } from '../../../support/omit.ts';
import { fullSpa, identified, nothing, optional, spa, staySetup } from './setup.ts';

const setup = await staySetup();
const { account, admin, call, accountId, token } = setup;
const { write, written, stays, only, references, stayed, refused, discarding } = setup;
const { newEmail, required } = setup;

describe('a stay', () => {
  it('is returned with every field', async () => {
    const sent = { ...required(), ...optional, extras: [fullSpa] };
    const { id } = await written({ email: newEmail(), stays: [sent] });
    expect(await only(id)).toEqual({ ...sent, ...identified, contact_id: id });
  });
  it('requires none of the optional fields', async () => {
    const sent = required();
    expect(await stayed(sent)).toEqual({ ...sent, ...nothing, ...identified, extras: [] });
  });
  it.each(Object.entries(optional))('returns %s if it is the only optional field', async (field, value) => {
    const sent = { ...required(), [field]: value };
    expect(await stayed(sent)).toEqual({ ...sent, ...identified, extras: [], ...omit(nothing, field) });
  });
  it.each(Object.keys(required()))('is rejected without %s, which is named', async (field) => {
    for (const sent of [omit(required(), field), { ...required(), [field]: null }, { ...required(), [field]: ' ' }]) {
      expect(await refused(required(), sent)).toEqual([`stays.1.${field}`]);
    }
  });
  it('is rejected with all required fields if it is empty', async () => {
    expect(await refused({})).toEqual(
      Object.keys(required())
        .map((field) => `stays.0.${field}`)
        .sort(),
    );
  });
  it.each(['booker', 'guest', 'used_voucher', 'booking_has_pets'])(
    'accepts %s as boolean, number or string',
    async (field) => {
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
    },
  );
  it('accepts numeric strings, and numbers for text', async () => {
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
  ])('rejects %s %j', async (field, value) => {
    expect(await refused({ ...required(), [field]: value })).toEqual([`stays.0.${field}`]);
  });
  it('is rejected at another account’s unit and at a deleted unit', async () => {
    const there = await account('Next door');
    const gone = (await admin('POST', `/accounts/${accountId}/units`, { name: 'Closed' })).body.id;
    await admin('DELETE', `/accounts/${accountId}/units/${gone}`);
    for (const unit_id of [there.root_unit_id, gone]) {
      expect(await refused({ ...required(), unit_id })).toEqual(['stays.0.unit_id']);
    }
  });
  it('is rejected with every invalid field, and nothing is stored', async () => {
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
  it('is rejected with an unknown unit and source even if another field is missing', async () => {
    const sent = { ...required(), booker: null, unit_id: 999_999, booking_enquiry_source_id: 999 };
    expect(await refused(sent)).toEqual(['stays.0.booker', 'stays.0.booking_enquiry_source_id', 'stays.0.unit_id']);
  });
  it.each([1, 2, 3])('can have room type %i', async (room_type_id) => {
    expect((await stayed({ ...required(), room_type_id })).room_type_id).toBe(room_type_id);
  });
  it.each([1, 2, 3, 4, 5, 6, 7])('can have status %i', async (booking_status_id) => {
    expect((await stayed({ ...required(), booking_status_id })).booking_status_id).toBe(booking_status_id);
  });
  it.each([
    ['room_type_id', [0, 4, -1, 1.5, 'basic']],
    ['booking_status_id', [0, 8, -1, 1.5, 'confirmed']],
    ['booking_enquiry_source_id', [0, 999, -1, 1.5, 'website']],
  ])('rejects any other %s', async (field, values) => {
    for (const value of values) expect(await refused({ ...required(), [field]: value })).toEqual([`stays.0.${field}`]);
  });
  it('accepts all booking sources of the account, including those that staff added', async () => {
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
  it('can have as many children as guests, but not more', async () => {
    expect(await refused({ ...required(), total_guests: 2, total_children: 3 })).toEqual(['stays.0.total_children']);
    const stay = await stayed({ ...required(), total_guests: 2, total_children: 2 });
    expect([stay.total_guests, stay.total_children]).toEqual([2, 2]);
  });
});

describe('the dates of a stay', () => {
  const dates = ['checkin_date', 'checkout_date'] as const;
  const other = { checkin_date: 'check_in_date', checkout_date: 'check_out_date' };
  const withDates = (spelling: string[], values: string[]) => ({
    ...omit(required(), ...dates),
    ...Object.fromEntries(spelling.map((name, index) => [name, values[index]])),
  });
  it.each([
    [['checkin_date', 'checkout_date']],
    [['check_in_date', 'check_out_date']],
    [['checkin_date', 'check_out_date']],
    [['check_in_date', 'checkout_date']],
  ])('can be sent as %j', async (spelling) => {
    const stay = await stayed(withDates(spelling, ['2026-03-01 15:00:00', '2026-03-03 11:00:00']));
    expect([stay.checkin_date, stay.checkout_date]).toEqual(['2026-03-01 15:00:00', '2026-03-03 11:00:00']);
    const checkOut = spelling[1];
    expect(await refused(withDates(spelling, ['2026-03-03 11:00:00', '2026-03-01 15:00:00']))).toEqual([
      `stays.0.${checkOut}`,
    ]);
    expect(await refused(withDates(spelling, ['2026-02-29 11:00:00', '2026-03-01 15:00:00']))).toEqual([
      `stays.0.${spelling[0]}`,
    ]);
    expect(await refused(withDates(spelling, ['2026-02-28 11:00:00', '2026-02-29 15:00:00']))).toEqual([
      `stays.0.${checkOut}`,
    ]);
  });
  it('can be sent under both names at once', async () => {
    const both = { ...required(), check_in_date: '2026-03-01 15:00:00', check_out_date: '2026-03-03 11:00:00' };
    expect(await stayed(both)).toMatchObject({ checkin_date: both.check_in_date, checkout_date: both.check_out_date });
  });
  it('can be equal, but check-out cannot be before check-in', async () => {
    const at = (checkin_date: string, checkout_date: string) => ({ ...required(), checkin_date, checkout_date });
    const [first, second] = ['2026-03-01 15:00:00', '2026-03-01 15:00:01'];
    expect((await stayed(at(first, first))).checkout_date).toBe(first);
    expect((await stayed(at(first, second))).checkout_date).toBe(second);
    expect(await refused(at(second, first))).toEqual(['stays.0.checkout_date']);
  });
  it('are compared as times, regardless of their notation', async () => {
    const at = (checkin_date: string, checkout_date: string) => ({ ...required(), checkin_date, checkout_date });
    const stay = await stayed(at('2026-3-1 15:00:00', '2026-03-01T16:30:00+01:00'));
    expect([stay.checkin_date, stay.checkout_date]).toEqual(['2026-03-01 15:00:00', '2026-03-01 15:30:00']);
    expect(await refused(at('2026-03-01 15:00:00', '2026-03-01T15:30:00+01:00'))).toEqual(['stays.0.checkout_date']);
  });
  it.each(['enquiry_date', ...dates, ...Object.values(other)])(
    'are rejected if they are impossible: %s',
    async (field) => {
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
    },
  );
  it('are converted to the account’s time zone', async () => {
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

describe('stays with discard_invalid_data', () => {
  it.each<[string, object]>([
    ...Object.keys(required()).map((field): [string, object] => [field, { [field]: null }]),
    ['room_type_id', { room_type_id: 4 }],
    ['booking_status_id', { booking_status_id: 8 }],
    ['booking_enquiry_source_id', { booking_enquiry_source_id: 999 }],
    ['unit_id', { unit_id: 999_999 }],
    ['checkout_date', { checkout_date: '2026-02-01 11:00:00' }],
    ['checkin_date', { checkin_date: '2026-02-29 11:00:00' }],
    ['booker', { booker: 'maybe' }],
  ])('with an invalid %s are skipped; the others are stored: %j', async (field, bad) => {
    const [first, third] = [
      { ...required(), checkin_date: '2026-03-02 15:00:00' },
      { ...required(), checkin_date: '2026-03-01 15:00:00' },
    ];
    const { id, dropped } = await discarding([first, { ...required(), ...bad }, third]);
    expect(dropped).toEqual([`stays.1.${field}`]);
    expect(await references(id)).toEqual([first.stay_reference, third.stay_reference]);
  });
  it.each(Object.keys(optional))('lose only an invalid %s', async (field) => {
    const sent = required();
    const { id, dropped } = await discarding([{ ...sent, ...optional, [field]: {} }]);
    expect(dropped).toEqual([`stays.0.${field}`]);
    expect(await only(id)).toEqual({ ...sent, ...optional, [field]: null, ...identified, extras: [] });
  });
  it('lose a number of children that exceeds the guests', async () => {
    const { id, dropped } = await discarding([{ ...required(), total_guests: 2, total_children: 3 }, required()]);
    expect(dropped).toEqual(['stays.0.total_children']);
    for (const stay of await stays(id)) expect(stay.total_children).toBe(null);
  });
  it('are skipped if they are not a list, and the contact is stored', async () => {
    const { id, dropped } = await discarding(7);
    expect(dropped).toEqual(['stays']);
    expect(await stays(id)).toEqual([]);
  });
});
