import { beforeAll, describe, expect, it } from 'vitest';
import type { Overview } from '../../../../src/features/insight/overview/schema.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { fresh } from '../../../support/till.ts';
import { accepted, refusal, type Shop, shop } from '../../../support/vouchers.ts';

const { admin, call, database } = await testApp();
const sql = await superuser(database);
const ask = (at: Shop, query = '') => admin('GET', `${at.base}/overview${query}`);
const overviewOf = async (at: Shop, query = ''): Promise<Overview> => accepted(await ask(at, query));
const march = '?from=2025-03-01&to=2025-03-31';

const purchase = (unit_id: number, created_at: string, ...values: number[]) => ({
  transaction_reference: fresh('T'),
  unit_id,
  created_at,
  items: values.map((value) => ({ quantity: 1, value })),
});
const booking = (unit_id: number, party_datetime: string, more: object = {}) => ({
  booking_reference: fresh('B'),
  unit_id,
  party_datetime,
  ...more,
});
const stay = (unit_id: number, checkin_date: string, booking_status_id: number) => ({
  stay_reference: fresh('S'),
  unit_id,
  provider_id: 12,
  booker: true,
  guest: true,
  enquiry_date: '2025-01-01 09:00:00',
  checkin_date,
  checkout_date: '2030-01-01 11:00:00',
  room_type_id: 2,
  total_guests: 2,
  booking_enquiry_source_id: 1,
  booking_status_id,
});
const rated = (unit_id: number, created_at: string, ...ratings: (string | number)[]) =>
  ratings.map((rating) => ({
    unit_id,
    created_at,
    ratings: [
      { category_id: 4, rating_text: String(rating) },
      { category_id: 3, rating_text: '10' },
    ],
  }));
/** Guests are new when they are first written, so those of another day are put there. */
const setCreatedAt = (contact: number, instant: string) =>
  sql`update contacts set created_at = ${instant} where id = ${contact}`;
const anonymous = async (at: Shop, purchases: object[]) =>
  accepted(
    await call('POST', '/v1/purchases', {
      token: at.token,
      body: { account_id: at.id, table_number: '12', provider_id: 12, purchases },
    }),
  );
const none = { purchases: 0, bookings: 0, stays: 0, spend: 0 };
const unasked = { score: null, answers: 0, promoters: 0, passives: 0, detractors: 0 };
/** Those points of a series at which anything was. */
const points = <T extends { at: string }>(series: T[]) =>
  series.filter(({ at: _, ...counts }) =>
    Object.values(counts).some((count) => typeof count === 'number' && count !== 0),
  );
const days = (series: { at: string }[]) => series.map(({ at }) => at);

describe('the overview of an account', () => {
  let [at, anchor, bell, sunk] = [{} as Shop, 0, 0, 0];
  beforeAll(async () => {
    at = await shop({ admin, call }, 'Europe/London');
    anchor = at.unit;
    [bell, sunk] = [await at.newUnit('The Bell'), await at.newUnit('The Sunk')];
    const ana = await at.newContact({
      allow_email: true,
      allow_sms: true,
      units: [{ id: anchor }, { id: bell }],
      purchases: [
        purchase(anchor, '2025-03-01 00:00:00', 11.5, 0.25),
        purchase(anchor, '2025-03-31 23:59:59', 20),
        purchase(bell, '2025-03-15 12:00:00', 5.1, 5.2),
        // A refund, and a purchase without lines.
        purchase(bell, '2025-03-15 13:00:00', -1.1),
        purchase(bell, '2025-03-15 14:00:00'),
        purchase(sunk, '2025-03-02 12:00:00', 1),
        // The day before, the last of the time before, and the day after.
        purchase(anchor, '2025-02-28 23:59:59', 100),
        purchase(anchor, '2025-01-29 00:00:00', 50),
        purchase(anchor, '2025-01-28 23:59:59', 7000),
        purchase(anchor, '2025-04-01 00:00:00', 7000),
      ],
      bookings: [
        booking(anchor, '2025-03-15 19:30:00'),
        booking(anchor, '2025-03-15 19:30:00', { stage_value: 100 }),
        booking(anchor, '2025-03-15 19:30:00', { stage_value: 550 }),
        booking(bell, '2025-02-10 19:30:00'),
        { booking_reference: fresh('B'), unit_id: anchor },
      ],
      stays: [
        stay(bell, '2025-03-20 15:00:00', 3),
        stay(bell, '2025-03-20 15:00:00', 4),
        stay(bell, '2025-03-20 15:00:00', 7),
        ...[1, 2, 5, 6].map((status) => stay(bell, '2025-03-20 15:00:00', status)),
        stay(anchor, '2025-02-20 15:00:00', 7),
      ],
      feedback: [
        ...rated(anchor, '2025-03-30 12:00:00', 10, 9, 8.5, 0),
        ...rated(bell, '2025-03-31 12:00:00', 7, 6, '6.9'),
        ...rated(bell, '2025-02-01 12:00:00', 10),
        ...rated(bell, '2025-04-01 00:00:00', 0),
      ],
    });
    const rui = await at.newContact({ allow_call: true, units: [{ id: bell }] });
    const zoe = await at.newContact({ allow_snail_mail: true });
    const duplicateOfAna = await at.newContact({ units: [{ id: bell }] });
    await at.merge(duplicateOfAna, ana);
    // In London, the clocks go forward on 30 March: the day after begins an hour earlier.
    await setCreatedAt(ana, '2025-03-30T23:00:00Z');
    await setCreatedAt(rui, '2025-02-28T23:59:59Z');
    await setCreatedAt(zoe, '2025-03-31T23:00:00Z');
    await setCreatedAt(duplicateOfAna, '2025-03-10T12:00:00Z');
    await anonymous(at, [purchase(bell, '2025-03-16 12:00:00', 3), purchase(anchor, '2024-03-16 12:00:00', 3)]);
    for (const [redemption_date, unit_id] of [
      ['2025-03-01 00:00:00', anchor],
      ['2025-03-31T22:59:59Z', bell],
      ['2025-03-31T23:00:00Z', anchor],
      ['2025-02-28T23:59:59Z', bell],
    ] as const) {
      const { unique_code } = await at.newCode();
      await at.redeemed({ unique_code, redemption_date, unit_id });
    }
    await at.newCode();
    await at.removeUnit(sunk);
  });

  it('has every figure for the range, for the same number of days before, and for each day', async () => {
    const all = await overviewOf(at, march);
    expect({ ...all, new_guests: null, visits: null, nps: null, unique_codes: null }).toEqual({
      ...{ from: '2025-03-01', to: '2025-03-31', bucket: 'day', guests: 3, purchases_waiting: 2 },
      consent: { guests: 3, allow_email: 1, allow_sms: 1, allow_call: 1, allow_snail_mail: 1 },
      ...{ new_guests: null, visits: null, nps: null, unique_codes: null },
    });
    const march31 = Array.from({ length: 31 }, (_, index) => `2025-03-${String(index + 1).padStart(2, '0')}`);
    for (const { series } of [all.new_guests, all.visits, all.nps, all.unique_codes]) {
      expect(days(series)).toEqual(march31);
    }
    expect({ ...all.new_guests, series: points(all.new_guests.series) }).toEqual({
      total: 1,
      before: 1,
      series: [{ at: '2025-03-31', count: 1 }],
    });
    expect({ ...all.visits, series: points(all.visits.series) }).toEqual({
      ...{ purchases: 7, bookings: 2, stays: 3, spend: 44.95 },
      before: { purchases: 2, bookings: 1, stays: 1, spend: 150 },
      series: [
        { at: '2025-03-01', ...none, purchases: 1, spend: 11.75 },
        { at: '2025-03-02', ...none, purchases: 1, spend: 1 },
        { at: '2025-03-15', ...none, purchases: 3, bookings: 2, spend: 9.2 },
        { at: '2025-03-16', ...none, purchases: 1, spend: 3 },
        { at: '2025-03-20', ...none, stays: 3 },
        { at: '2025-03-31', ...none, purchases: 1, spend: 20 },
      ],
      by_unit: [
        { unit_id: anchor, name: 'The Anchor', purchases: 2, bookings: 2, stays: 0, spend: 31.75 },
        { unit_id: bell, name: 'The Bell', purchases: 4, bookings: 0, stays: 3, spend: 12.2 },
        { unit_id: sunk, name: 'The Sunk', purchases: 1, bookings: 0, stays: 0, spend: 1 },
      ],
      other_units: null,
    });
    expect(all.visits.series[2]).toEqual({ at: '2025-03-03', ...none });
    // Three detractors of seven, two promoters.
    expect({ ...all.nps, series: points(all.nps.series) }).toEqual({
      ...{ score: -14, answers: 7, promoters: 2, passives: 2, detractors: 3 },
      before: { score: 100, answers: 1, promoters: 1, passives: 0, detractors: 0 },
      series: [
        { at: '2025-03-30', score: 25, answers: 4, promoters: 2, passives: 1, detractors: 1 },
        { at: '2025-03-31', score: -67, answers: 3, promoters: 0, passives: 1, detractors: 2 },
      ],
    });
    expect(all.nps.series[0]).toEqual({ at: '2025-03-01', ...unasked });
    expect({ ...all.unique_codes, series: points(all.unique_codes.series) }).toEqual({
      total: 2,
      before: 1,
      series: [
        { at: '2025-03-01', count: 1 },
        { at: '2025-03-31', count: 1 },
      ],
    });
  });
  it('can be limited to one unit', async () => {
    const { visits, nps, ...rest } = await overviewOf(at, `${march}&unit_id=${anchor}`);
    expect(rest).toMatchObject({
      ...{
        guests: 1,
        purchases_waiting: 1,
        new_guests: { total: 1, before: 0 },
        unique_codes: { total: 1, before: 0 },
      },
      consent: { guests: 1, allow_email: 1, allow_sms: 1, allow_call: 0, allow_snail_mail: 0 },
    });
    expect(visits).toMatchObject({
      ...{ purchases: 2, bookings: 2, stays: 0, spend: 31.75 },
      before: { purchases: 2, bookings: 0, stays: 1, spend: 150 },
      by_unit: [{ unit_id: anchor }],
    });
    expect(visits.by_unit).toHaveLength(1);
    expect(nps).toMatchObject({ score: 25, answers: 4, before: unasked });
    // Neither twice, as who was merged, nor where only the root unit has them.
    const there = await overviewOf(at, `${march}&unit_id=${bell}`);
    expect([there.guests, there.consent.allow_call, there.new_guests.total, there.new_guests.before]).toEqual([
      2, 1, 1, 1,
    ]);
    expect((await overviewOf(at, `${march}&unit_id=${at.root}`)).consent).toMatchObject({
      guests: 1,
      allow_snail_mail: 1,
    });
  });
  it('reflects a purchase that is sent again, a merge that is undone and a contact that is erased', async () => {
    const there = await shop({ admin, call });
    const [first, second] = [
      purchase(there.unit, '2025-03-05 12:00:00', 10),
      purchase(there.unit, '2025-03-05 12:00:00', 5),
    ];
    const [ana, other] = [await there.newContact({ purchases: [first, second] }), await there.newContact()];
    expect((await overviewOf(there, march)).visits).toMatchObject({ purchases: 2, spend: 15 });
    await there.newContact({ purchases: [{ ...first, items: [{ quantity: 3, value: 33.33 }] }] });
    expect((await overviewOf(there, march)).visits).toMatchObject({ purchases: 2, spend: 38.33 });
    await there.merge(other, ana);
    expect((await overviewOf(there)).guests).toBe(2);
    const { body: merges } = await admin('GET', `${there.base}/merges`);
    accepted(await admin('POST', `${there.base}/merges/${merges.data[0].id}/undo`));
    expect((await overviewOf(there)).guests).toBe(3);
    accepted(await admin('DELETE', `${there.base}/contacts/${ana}`), 204);
    expect(await overviewOf(there, march)).toMatchObject({ guests: 2, visits: { purchases: 1, spend: 33.33 } });
  });
  it('lists fifty units and sums up the others', async () => {
    const there = await shop({ admin, call });
    const units = await Promise.all(Array.from({ length: 53 }, (_, index) => there.newUnit(`Venue ${index}`)));
    const purchases = units.map((unit, index) => purchase(unit, '2025-03-05 12:00:00', 100 - index));
    await there.newContact({ purchases, bookings: [booking(units[52] as number, '2025-03-06 12:00:00')] });
    const { by_unit, other_units, ...all } = (await overviewOf(there, march)).visits;
    expect(by_unit.map(({ unit_id, spend }) => [unit_id, spend])).toEqual(
      units.slice(0, 50).map((unit, index) => [unit, 100 - index]),
    );
    expect(other_units).toEqual({ units: 3, purchases: 3, bookings: 1, stays: 0, spend: 50 + 49 + 48 });
    expect(all).toMatchObject({ purchases: 53, bookings: 1 });
  });
  it('has zeros for the last thirty days in an empty account', async () => {
    const there = await shop({ admin, call }, 'Pacific/Kiritimati');
    const all = await overviewOf(there);
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Kiritimati' }).format();
    expect(all).toMatchObject({
      ...{ to: today, guests: 0, purchases_waiting: 0, new_guests: { total: 0, before: 0 } },
      visits: { ...none, before: none, by_unit: [], other_units: null },
      nps: { ...unasked, before: unasked },
      unique_codes: { total: 0, before: 0 },
      consent: { guests: 0, allow_email: 0, allow_sms: 0, allow_call: 0, allow_snail_mail: 0 },
    });
    for (const { series } of [all.new_guests, all.visits, all.nps, all.unique_codes]) {
      expect([series.length, series[0]?.at, series[29]?.at, points<{ at: string }>(series)]).toEqual([
        30,
        all.from,
        today,
        [],
      ]);
    }
  });
  it('contains no data of another account', async () => {
    const [there, other] = [await shop({ admin, call }), await shop({ admin, call })];
    await other.newContact({ purchases: [purchase(other.unit, '2025-03-05 12:00:00', 10)] });
    expect(await overviewOf(there, march)).toMatchObject({ guests: 0, visits: { purchases: 0 } });
    expect(refusal(await ask(there, `?unit_id=${other.unit}`))).toEqual(['unit_id']);
  });
});

describe('future activity', () => {
  it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])('is not counted, by the time zone %s', async (timeZone) => {
    const there = await shop({ admin, call }, timeZone);
    const clock = (hours: number) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(
        Date.now() + hours * 3_600_000,
      );
    await there.newContact({
      bookings: [booking(there.unit, clock(-1)), booking(there.unit, clock(1)), booking(there.unit, clock(30))],
      stays: [stay(there.unit, clock(-1), 3), stay(there.unit, clock(1), 3)],
    });
    const { visits } = await overviewOf(there, `?from=${clock(-24).slice(0, 10)}&to=${clock(48).slice(0, 10)}`);
    expect(visits).toMatchObject({ bookings: 1, stays: 1 });
  });
});

describe('a day of the overview', () => {
  it.each([
    ['America/New_York', '2025-07-01T03:59:59Z', '2025-06-30'],
    ['America/New_York', '2025-07-01T04:00:00Z', '2025-07-01'],
    ['Pacific/Kiritimati', '2025-06-30T10:00:00Z', '2025-07-01'],
    // Clocks go back at two: the day has 25 hours.
    ['Europe/London', '2025-10-26T23:59:59Z', '2025-10-26'],
    ['Europe/London', '2025-10-25T23:00:00Z', '2025-10-26'],
    ['Europe/London', '2025-10-25T22:59:59Z', '2025-10-25'],
    // Clocks go forward at midnight, which is not on them.
    ['Africa/Cairo', '2025-04-24T21:59:59Z', '2025-04-24'],
    ['Africa/Cairo', '2025-04-24T22:00:00Z', '2025-04-25'],
  ])('is a day in the account’s time zone: in %s, %s is on %s', async (zone, instant, day) => {
    const there = await shop({ admin, call }, zone);
    const { unique_code } = await there.newCode();
    await there.redeemed({ unique_code, redemption_date: instant });
    await setCreatedAt(await there.newContact({ purchases: [purchase(there.unit, instant, 1)] }), instant);
    const around = await overviewOf(there, '?from=2025-04-01&to=2025-12-31');
    expect(around.bucket).toBe('week');
    const { new_guests, unique_codes, visits } = await overviewOf(there, `?from=${day}&to=${day}`);
    expect([new_guests, unique_codes]).toEqual(Array(2).fill({ total: 1, before: 0, series: [{ at: day, count: 1 }] }));
    expect(visits.series).toEqual([{ at: day, ...none, purchases: 1, spend: 1 }]);
  });
});

describe('the intervals of a chart', () => {
  const there = shop({ admin, call });
  it.each([
    ['2025-01-01', '2025-04-02', 'day', 92, ['2025-01-01', '2025-01-02']],
    // From a Thursday on; weeks begin on Monday.
    ['2025-01-02', '2025-04-04', 'week', 14, ['2025-01-02', '2025-01-06', '2025-01-13']],
    ['1969-12-29', '1970-04-26', 'week', 17, ['1969-12-29', '1970-01-05']],
    ['1969-11-05', '1970-04-26', 'week', 25, ['1969-11-05', '1969-11-10']],
    ['2024-01-15', '2026-01-14', 'week', 105, ['2024-01-15', '2024-01-22']],
    ['2024-01-15', '2026-01-15', 'month', 25, ['2024-01-15', '2024-02-01', '2024-03-01']],
    ['2021-01-31', '2026-01-31', 'month', 61, ['2021-01-31', '2021-02-01', '2021-03-01']],
    ['9999-12-30', '9999-12-31', 'day', 2, ['9999-12-30', '9999-12-31']],
    ['0001-01-01', '0001-01-02', 'day', 2, ['0001-01-01', '0001-01-02']],
  ])('from %s to %s are by %s, and there are %i', async (from, to, bucket, count, first) => {
    const all = await overviewOf(await there, `?from=${from}&to=${to}`);
    expect([all.bucket, all.visits.series.length]).toEqual([bucket, count]);
    for (const { series } of [all.new_guests, all.visits, all.nps, all.unique_codes]) {
      expect(days(series).slice(0, first.length)).toEqual(first);
    }
  });
  it('have all their activity, up to the last day of the range', async () => {
    const at = await shop({ admin, call });
    const dates = ['2025-01-01', '2025-01-05', '2025-01-06', '2025-06-30', '2025-07-01'];
    await at.newContact({ purchases: dates.map((date) => purchase(at.unit, `${date} 23:00:00`, 2)) });
    const { visits } = await overviewOf(at, '?from=2025-01-01&to=2025-06-30');
    expect(visits.purchases).toBe(4);
    expect(points(visits.series).map(({ at: day, purchases }) => [day, purchases])).toEqual([
      ['2025-01-01', 2],
      ['2025-01-06', 1],
      ['2025-06-30', 1],
    ]);
  });
  it('are the thirty days up to the end if only the end is given', async () => {
    expect((await overviewOf(await there, '?to=2025-03-31')).from).toBe('2025-03-02');
  });
});

describe('an invalid overview request', () => {
  it.each([
    ['?from=2025-03-02&to=2025-03-01', ['to']],
    ['?from=9999-01-01', ['to']],
    ['?from=2020-03-01&to=2025-03-02', ['from']],
    ['?from=yesterday&to=2025-02-30', ['from', 'to']],
    ['?unit_id=999999', ['unit_id']],
    ['?unit_id=999999&from=2025-03-02&to=2025-03-01', ['to', 'unit_id']],
    ['?unit_id=999999&from=soon', ['from', 'unit_id']],
    ['?unit_id=x', ['unit_id']],
  ])('is rejected: %s', async (query, fields) => {
    expect(refusal(await ask(await shop({ admin, call }), query))).toEqual(fields);
  });
  it('is rejected for a deleted unit', async () => {
    const there = await shop({ admin, call });
    await there.removeUnit(there.unit);
    expect(refusal(await ask(there, `?unit_id=${there.unit}`))).toEqual(['unit_id']);
  });
  it('is rejected for an unknown account, and with a partner’s token', async () => {
    expect((await admin('GET', '/accounts/999999/overview')).status).toBe(404);
    const there = await shop({ admin, call });
    expect((await call('GET', `/admin/v1${there.base}/overview`, { token: there.token })).status).toBe(401);
  });
});
