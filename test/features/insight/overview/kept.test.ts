import { beforeAll, describe, expect, it } from 'vitest';
import { CountKeeper } from '../../../../src/app/jobs/count-keeper.ts';
import { fillAccount } from '../../../../src/features/figures/check.ts';
import { keepCounts } from '../../../../src/features/figures/keep.ts';
import { areCountsKept } from '../../../../src/features/figures/unit-days-store.ts';
import type { Overview } from '../../../../src/features/insight/overview/schema.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { violations } from '../../../support/invariants.ts';
import { latch } from '../../../support/latch.ts';
import { fresh } from '../../../support/till.ts';
import { accepted, type Shop, shop } from '../../../support/vouchers.ts';

const { admin, call, db, database } = await testApp();
const sql = await superuser(database);
const march = '?from=2025-03-01&to=2025-03-31';

const overviewOf = async (at: Shop, query = march): Promise<Overview> =>
  accepted(await admin('GET', `${at.base}/overview${query}`));
const statisticsOf = async (at: Shop, group: number) =>
  accepted(
    await admin('GET', `${at.base}/unique_code_groups/${group}/statistics?start_date=2025-01-01&end_date=2025-12-31`),
  );
const groupsOf = async (at: Shop) => accepted(await admin('GET', `${at.base}/unique_code_groups/statistics`)).data;

const fail = (error: unknown) => {
  throw error;
};
const keeper = new CountKeeper(db, fail);
const keepAll = async (at: Shop) => {
  while ((await keeper.tick()) > 0);
  expect(await waiting(at)).toEqual([0, 0]);
};
const waiting = async (at: Shop) => [
  (await sql`select from changed_unit_days where account_id = ${at.id}`).length,
  (await sql`select from changed_unique_codes where account_id = ${at.id}`).length,
];
const setFilled = (at: Shop, time: Date | null) =>
  sql`update accounts set unit_days_filled_at = ${time} where id = ${at.id}`;

/** Removes the counts of an account, for example because a test changed them. */
async function forget(at: Shop) {
  await sql`delete from unit_days where account_id = ${at.id}`;
  await sql`delete from unique_code_days where account_id = ${at.id}`;
  await sql`delete from unique_code_sums where account_id = ${at.id}`;
  await setFilled(at, null);
}

/** Home before the keeper ran and after it, which must be what a count of all rows gives. */
async function homeOf(at: Shop, query = march): Promise<Overview> {
  const read = async () => ({ home: await overviewOf(at, query), groups: await groupsOf(at) });
  const before = await read();
  await setFilled(at, null);
  const counted = await read();
  await setFilled(at, new Date());
  expect(before).toEqual(counted);
  await keepAll(at);
  expect(await read()).toEqual(counted);
  expect(await violations(sql)).toEqual({});
  return counted.home;
}

const purchase = (unit_id: number, created_at: string, value: number, transaction_reference = fresh('T')) => ({
  ...{ transaction_reference, unit_id, created_at, items: [{ quantity: 1, value }] },
});
const anonymous = async (at: Shop, purchases: object[], more: object = { table_number: '12' }) =>
  accepted(await call('POST', '/v1/purchases', { token: at.token, body: { account_id: at.id, ...more, purchases } }));
const booking = (at: Shop, changes: object) =>
  call('POST', '/v1/bookings', { token: at.token, body: { account_id: at.id, ...changes } });
const stay = (unit_id: number, stay_reference: string, checkin_date: string, booking_status_id: number) => ({
  ...{ stay_reference, unit_id, provider_id: 12, booker: true, guest: true, enquiry_date: '2025-01-01 09:00:00' },
  ...{ checkin_date, checkout_date: '2030-01-01 11:00:00', room_type_id: 2, total_guests: 2 },
  ...{ booking_enquiry_source_id: 1, booking_status_id },
});
const rated = (unit_id: number, created_at: string, rating: number) => ({
  ...{ unit_id, created_at, ratings: [{ category_id: 4, rating_text: String(rating) }] },
});

describe('Home reads kept counts', () => {
  it('of days and units, and of redeemed codes', async () => {
    const at = await shop({ admin, call });
    await at.newContact({ purchases: [purchase(at.unit, '2025-03-05 12:00:00', 10)] });
    await keepAll(at);
    await sql`
      update unit_days set purchases = 7, pence = 700, waiting = 3, bookings = 5, stays = 4, promoters = 2, redeemed = 6
      where account_id = ${at.id} and day = '2025-03-05'`;
    expect(await overviewOf(at)).toMatchObject({
      visits: { purchases: 7, spend: 7, bookings: 5, stays: 4 },
      ...{ nps: { promoters: 2 }, unique_codes: { total: 6 }, purchases_waiting: 3 },
    });
    await forget(at);
  });
  it('except of days that changed since, which are counted from the activity', async () => {
    const at = await shop({ admin, call });
    await at.newContact({ purchases: [purchase(at.unit, '2025-03-05 12:00:00', 10)] });
    await at.newContact({ purchases: [purchase(at.unit, '2025-03-06 12:00:00', 10)] });
    await keepAll(at);
    await sql`update unit_days set purchases = 7, pence = 700 where account_id = ${at.id}`;
    await at.newContact({ purchases: [purchase(at.unit, '2025-03-06 13:00:00', 20)] });
    expect((await overviewOf(at)).visits).toMatchObject({ purchases: 7 + 2, spend: 7 + 30 });
    await forget(at);
  });
  it('and the statistics of vouchers do too', async () => {
    const at = await shop({ admin, call });
    const { group, unique_code } = await at.newCode();
    await at.redeemed({ unique_code, redemption_date: '2025-03-05 12:00:00' });
    await keepAll(at);
    await sql`update unique_code_sums set made = 50 where account_id = ${at.id} and unit_id = 0`;
    await sql`update unique_code_days set redeemed = 9 where account_id = ${at.id} and unit_id <> 0`;
    expect(await statisticsOf(at, group)).toMatchObject({
      ...{ made: 50, redeemed: 1, by_day: [{ date: '2025-03-05', redeemed: 9 }] },
    });
    expect(await groupsOf(at)).toMatchObject([{ made: 50, redeemed: 1 }]);
    await forget(at);
  });
  it('unless there are too many changed days', async () => {
    const at = await shop({ admin, call });
    await at.newContact({ purchases: [purchase(at.unit, '2025-03-05 12:00:00', 10)] });
    await keepAll(at);
    await sql`
      insert into changed_unit_days (account_id, days, unit_ids)
      select ${at.id}, array_agg(day::date), array_agg(${at.unit}::bigint)
      from generate_series('2020-01-01'::date, '2024-12-31', interval '1 day') as day`;
    expect((await overviewOf(at)).visits).toMatchObject({ purchases: 1, spend: 10 });
    expect((await homeOf(at)).visits).toMatchObject({ purchases: 1, spend: 10 });
  });
});

describe('each write moves Home at once', () => {
  let at = {} as Shop;
  let bell = 0;
  beforeAll(async () => {
    at = await shop({ admin, call }, 'Europe/London');
    bell = await at.newUnit('The Bell');
  });

  it('a late purchase on an old day, and one sent again for another day, unit and contact', async () => {
    const first = purchase(at.unit, '2025-03-05 12:00:00', 10);
    const ana = await at.newContact({ purchases: [first] });
    expect((await homeOf(at)).visits).toMatchObject({ purchases: 1, spend: 10 });
    await at.newContact({ purchases: [{ ...first, created_at: '2025-03-20 23:59:59' }] });
    expect((await homeOf(at)).visits.series.filter(({ purchases }) => purchases > 0)).toMatchObject([
      { at: '2025-03-20', purchases: 1 },
    ]);
    // The unit is part of the key.
    await at.newContact({ purchases: [purchase(bell, '2025-03-02 00:00:00', 5, first.transaction_reference)] });
    expect((await homeOf(at, `${march}&unit_id=${bell}`)).visits).toMatchObject({ purchases: 1, spend: 5 });
    accepted(await admin('DELETE', `${at.base}/contacts/${ana}`), 204);
    expect((await homeOf(at)).visits).toMatchObject({ purchases: 2 });
  });
  it('purchases without a contact, which wait, move, and are matched', async () => {
    const [table, card] = [purchase(bell, '2025-03-09 12:00:00', 1), purchase(bell, '2025-03-09 12:00:00', 2)];
    await anonymous(at, [table]);
    await anonymous(at, [card], { card_reference: 'C-1' });
    const before = await homeOf(at);
    expect(before.purchases_waiting).toBe(2);
    await anonymous(at, [{ ...card, created_at: '2025-03-11 12:00:00' }], { card_reference: 'C-1' });
    const moved = await homeOf(at);
    expect(moved.visits.purchases).toBe(before.visits.purchases);
    expect(moved.visits.series[8]).toMatchObject({ at: '2025-03-09', purchases: 1, spend: 1 });
    expect(moved.visits.series[10]).toMatchObject({ at: '2025-03-11', purchases: 1, spend: 2 });
    // The contact brings the card.
    await at.newContact({ card_reference: 'C-1' });
    expect((await homeOf(at)).purchases_waiting).toBe(1);
    // A contact write takes the other, and moves it.
    await at.newContact({ purchases: [{ ...table, created_at: '2025-03-12 12:00:00' }] });
    const taken = await homeOf(at);
    expect(taken.purchases_waiting).toBe(0);
    expect(taken.visits.series[8]).toMatchObject({ at: '2025-03-09', purchases: 0 });
  });
  it('a booking that moves and is cancelled, and a stay whose status changes', async () => {
    const booking_reference = fresh('B');
    const party = { booking_reference, unit_id: at.unit, party_datetime: '2025-03-15 19:30:00' };
    const reference = fresh('S');
    await at.newContact({ bookings: [party], stays: [stay(bell, reference, '2025-03-20 15:00:00', 3)] });
    expect((await homeOf(at)).visits).toMatchObject({ bookings: 1, stays: 1 });
    accepted(await booking(at, { booking_reference, party_datetime: '2025-02-20 19:30:00', unit_id: bell }));
    expect((await homeOf(at)).visits).toMatchObject({ bookings: 0, before: { bookings: 1 } });
    await at.newContact({ stays: [stay(at.unit, reference, '2025-03-21 15:00:00', 4)] });
    expect((await homeOf(at)).visits.series[20]).toMatchObject({ at: '2025-03-21', stays: 1 });
    accepted(await booking(at, { booking_reference, stage_value: 550 }));
    await at.newContact({ stays: [stay(at.unit, reference, '2025-03-21 15:00:00', 6)] });
    expect((await homeOf(at)).visits).toMatchObject({ bookings: 0, stays: 0, before: { bookings: 0 } });
  });
  it('ratings, and the erasure of the contact with all of its activity', async () => {
    const before = await homeOf(at);
    const ana = await at.newContact({
      feedback: [rated(at.unit, '2025-03-30 12:00:00', 10), rated(bell, '2025-03-01 12:00:00', 3)],
      purchases: [purchase(at.unit, '2025-03-30 12:00:00', 99)],
      bookings: [{ booking_reference: fresh('B'), unit_id: at.unit, party_datetime: '2025-03-15 19:30:00' }],
      stays: [stay(bell, fresh('S'), '2025-03-20 15:00:00', 3)],
    });
    const { nps, visits } = await homeOf(at);
    expect(nps).toMatchObject({ answers: 2, promoters: 1, detractors: 1, score: 0 });
    expect(visits).toMatchObject({ bookings: 1, stays: 1 });
    accepted(await admin('DELETE', `${at.base}/contacts/${ana}`), 204);
    expect(await homeOf(at)).toEqual(before);
  });
  it('codes that are generated, assigned, unassigned, redeemed with and without a contact, and released', async () => {
    const [group, ana] = [await at.newGroup(), await at.newContact()];
    const codes = Array.from({ length: 6 }, () => fresh('CODE'));
    await at.add(group, ...codes);
    accepted(await at.make(group, { count: 4 }), 201);
    for (const code of codes.slice(0, 3)) await at.assigned(group, code, ana);
    accepted(await at.unassign(group, codes[2] as string));
    // Again: it is not assigned any more.
    accepted(await at.unassign(group, codes[2] as string));
    await homeOf(at);
    const at23 = { redemption_date: '2025-03-31T22:59:59Z' };
    await at.redeemed({ unique_code: codes[0], ...at23 });
    await at.redeemed({ unique_code: codes[3], ...at23, unit_id: bell });
    expect((await at.redeem({ unique_code: codes[3] })).status).toBe(422);
    // The complete path: a purchase waits for the code.
    await anonymous(at, [purchase(at.unit, '2025-04-09 12:00:00', 2)], { unique_code: codes[1] });
    await at.redeemed({ unique_code: codes[1], redemption_date: '2025-03-31T23:00:00Z' });
    const home = await homeOf(at);
    expect(home.unique_codes).toMatchObject({ total: 2 });
    expect(home.unique_codes.series.at(-1)).toEqual({ at: '2025-03-31', count: 2 });
    expect(await statisticsOf(at, group)).toMatchObject({ made: 10, assigned: 2, redeemed: 3 });
    expect((await homeOf(at, `${march}&unit_id=${bell}`)).unique_codes).toMatchObject({ total: 1 });
    accepted(await admin('DELETE', `${at.base}/contacts/${ana}`), 204);
    expect((await homeOf(at)).unique_codes).toMatchObject({ total: 2 });
    expect(await statisticsOf(at, group)).toMatchObject({ made: 10, assigned: 0, redeemed: 3 });
  });
  it('a deleted group, whose counts disappear', async () => {
    const { group } = await at.newCode();
    await keepAll(at);
    const more = fresh('CODE');
    await at.add(group, more);
    accepted(await admin('DELETE', `${at.base}/unique_code_groups/${group}`), 204);
    await homeOf(at);
    expect(await sql`select from unique_code_days where group_id = ${group}`).toHaveLength(0);
    expect(await sql`select from unique_code_sums where group_id = ${group}`).toHaveLength(0);
  });
});

describe('days that have not passed', () => {
  it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])('count only what has begun, in %s', async (timeZone) => {
    const at = await shop({ admin, call }, timeZone);
    const clock = (hours: number) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(
        Date.now() + hours * 3_600_000,
      );
    const party = (hours: number) => ({
      booking_reference: fresh('B'),
      unit_id: at.unit,
      party_datetime: clock(hours),
    });
    await at.newContact({
      bookings: [-30, -1, 1, 30].map(party),
      stays: [-30, -1, 1, 30].map((hours) => stay(at.unit, fresh('S'), clock(hours), 3)),
      // Purchases count on any day.
      purchases: [-1, 30].map((hours) => purchase(at.unit, clock(hours), 5)),
    });
    const home = await homeOf(at, `?from=${clock(-48).slice(0, 10)}&to=${clock(48).slice(0, 10)}`);
    expect(home.visits).toMatchObject({ bookings: 2, stays: 2, purchases: 2, spend: 10 });
    expect(home.visits.by_unit).toMatchObject([{ bookings: 2, stays: 2, purchases: 2 }]);
  });
});

describe('the filling', () => {
  it('counts what was there before, and counts at request time until then', async () => {
    const at = await shop({ admin, call });
    const { unique_code, group } = await at.newCode(fresh('CODE'), await at.newContact());
    await at.redeemed({ unique_code, redemption_date: '2025-03-05 12:00:00' });
    await at.newContact({
      purchases: [
        purchase(at.unit, '2025-03-05 12:00:00', 10),
        purchase(at.unit, '1999-12-31 23:59:59', 1),
        purchase(at.root, '2025-03-06 12:00:00', 2),
      ],
      feedback: [rated(at.unit, '2025-03-07 12:00:00', 10)],
    });
    const before = { home: await overviewOf(at), statistics: await statisticsOf(at, group) };
    // As an upgrade finds it.
    await sql`delete from changed_unit_days where account_id = ${at.id}`;
    await sql`delete from changed_unique_codes where account_id = ${at.id}`;
    await setFilled(at, null);
    const read = async () => ({ home: await overviewOf(at), statistics: await statisticsOf(at, group) });
    expect(await read()).toEqual(before);
    await anonymous(at, [purchase(at.unit, '2025-03-08 12:00:00', 3)]);
    await fillAccount(db, at.id);
    expect(await db.tenant(at.id, (tx) => areCountsKept(tx, at.id))).toBe(true);
    const after = await homeOf(at);
    expect(after.visits).toMatchObject({ purchases: 3, spend: 15 });
    expect(after.unique_codes).toEqual(before.home.unique_codes);
    expect(await statisticsOf(at, group)).toEqual(before.statistics);
    // Again: nothing counts twice.
    await fillAccount(db, at.id);
    expect(await homeOf(at)).toEqual(after);
  });
  it('follows a change of the time zone, with redemptions that wait', async () => {
    const at = await shop({ admin, call }, 'Europe/London');
    const redeem = async (redemption_date: string) => {
      const { unique_code } = await at.newCode();
      await at.redeemed({ unique_code, redemption_date });
    };
    await redeem('2025-03-05T20:00:00Z');
    await keepAll(at);
    await redeem('2025-03-06T20:00:00Z');
    const days = async () =>
      (await overviewOf(at)).unique_codes.series.flatMap(({ at: day, count }) => (count > 0 ? [day] : []));
    expect(await days()).toEqual(['2025-03-05', '2025-03-06']);
    accepted(await admin('PATCH', at.base, { time_zone: 'Asia/Tokyo' }));
    expect(await days()).toEqual(['2025-03-06', '2025-03-07']);
    expect(await db.tenant(at.id, (tx) => areCountsKept(tx, at.id))).toBe(false);
    await redeem('2025-03-07T20:00:00Z');
    await fillAccount(db, at.id);
    await redeem('2025-03-08T20:00:00Z');
    await homeOf(at);
    expect(await days()).toEqual(['2025-03-06', '2025-03-07', '2025-03-08', '2025-03-09']);
    // A change of the name needs no count.
    accepted(await admin('PATCH', at.base, { name: 'Another' }));
    expect(await db.tenant(at.id, (tx) => areCountsKept(tx, at.id))).toBe(true);
  });
});

describe('the keeper', () => {
  it('loses nothing if its transaction is rolled back', async () => {
    const at = await shop({ admin, call });
    const { unique_code } = await at.newCode();
    await at.redeemed({ unique_code, redemption_date: '2025-03-05 12:00:00' });
    await at.newContact({ purchases: [purchase(at.unit, '2025-03-05 12:00:00', 10)] });
    const before = await waiting(at);
    const killed = db.tenant(at.id, async (tx) => {
      await keepCounts(tx, at.id);
      throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    expect(await waiting(at)).toEqual(before);
    const home = await homeOf(at);
    expect(home).toMatchObject({ visits: { purchases: 1 }, unique_codes: { total: 1 } });
  });
  it('counts a bounded number of days in a transaction, and leaves an account that rests', async () => {
    const at = await shop({ admin, call });
    const days = (first: number) =>
      Array.from({ length: 200 }, (_, n) => new Date(Date.UTC(2024, 0, first + n)).toISOString().slice(0, 10));
    for (const first of [1, 201, 1, 401])
      await sql`
        insert into changed_unit_days (account_id, days, unit_ids)
        values (${at.id}, ${days(first)}::date[], ${Array(200).fill(at.unit)}::bigint[])`;
    await keeper.tick(new Set([at.id]));
    expect(await waiting(at)).toEqual([4, 0]);
    expect(await db.tenant(at.id, (tx) => keepCounts(tx, at.id))).toBe('some');
    expect(await waiting(at)).toEqual([1, 0]);
    expect(await db.tenant(at.id, (tx) => keepCounts(tx, at.id))).toBe('all');
    expect(await waiting(at)).toEqual([0, 0]);
  });
  it('leaves an account that another process counts, and the write that was made meanwhile stays in the queue', async () => {
    const at = await shop({ admin, call });
    await at.newContact({ purchases: [purchase(at.unit, '2025-03-05 12:00:00', 10)] });
    const { unique_code } = await at.newCode();
    const [counted, done] = [latch(), latch()];
    const first = db.tenant(at.id, async (tx) => {
      await keepCounts(tx, at.id);
      counted.open();
      await done.opened;
    });
    await counted.opened;
    expect(await db.tenant(at.id, (tx) => keepCounts(tx, at.id))).toBe('busy');
    // Writers do not wait for it.
    await at.newContact({ purchases: [purchase(at.unit, '2025-03-05 13:00:00', 5)] });
    await at.redeemed({ unique_code, redemption_date: '2025-03-05 12:00:00' });
    expect((await overviewOf(at)).visits).toMatchObject({ purchases: 2, spend: 15 });
    done.open();
    await first;
    expect(await waiting(at)).toEqual([1, 1]);
    expect(await homeOf(at)).toMatchObject({ visits: { purchases: 2, spend: 15 }, unique_codes: { total: 1 } });
  });
  it('continues with the other accounts if one fails, and reports it', async () => {
    const [broken, at] = [await shop({ admin, call }), await shop({ admin, call })];
    for (const one of [broken, at])
      await one.newContact({ purchases: [purchase(one.unit, '2025-03-05 12:00:00', 10)] });
    await sql`
      insert into changed_unique_codes (account_id, group_id, entries) values (${broken.id}, 1, '[{"at": "no time"}]')`;
    const errors: unknown[] = [];
    const other = new CountKeeper(db, (error) => errors.push(error));
    await other.tick();
    expect(errors).toHaveLength(1);
    expect(await waiting(at)).toEqual([0, 0]);
    await sql`delete from changed_unique_codes where account_id = ${broken.id}`;
    await keepAll(broken);
  });
  it('adds no rows to an account that is being deleted', async () => {
    const at = await shop({ admin, call });
    await at.newContact({ purchases: [purchase(at.unit, '2025-03-05 12:00:00', 10)] });
    await sql`update accounts set deleted_at = now() where id = ${at.id}`;
    expect(await db.tenant(at.id, (tx) => keepCounts(tx, at.id))).toBe('all');
    await expect(fillAccount(db, at.id)).rejects.toThrow();
    expect(await sql`select from unit_days where account_id = ${at.id}`).toHaveLength(0);
    await sql`update accounts set deleted_at = null where id = ${at.id}`;
  });
  it('runs by itself, and stops', async () => {
    const at = await shop({ admin, call });
    await at.newContact({ purchases: [purchase(at.unit, '2025-03-05 12:00:00', 10)] });
    const own = new CountKeeper(db, fail).start();
    await expect.poll(() => waiting(at), { timeout: 20_000 }).toEqual([0, 0]);
    await own.stop();
    await at.newContact({ purchases: [purchase(at.unit, '2025-03-05 12:00:00', 10)] });
    expect((await waiting(at))[0]).toBe(1);
    expect((await homeOf(at)).visits.purchases).toBe(2);
  });
});
