import { afterAll, describe, expect, it } from 'vitest';
import { fillAccounts, turnDays, verifyAccount } from '../../../src/features/figures/check.ts';
import { repairAccount } from '../../../src/features/figures/repair.ts';
import { openPool } from '../../../src/platform/db/database.ts';
import { dayNumber, dayOf } from '../../../src/shared/clock.ts';
import { testApp } from '../../support/app.ts';
import { isDistributed, superuser } from '../../support/database.ts';
import { violations } from '../../support/invariants.ts';
import { fresh } from '../../support/till.ts';
import { accepted, type Shop, shop } from '../../support/vouchers.ts';

const { admin, call, database, db } = await testApp();
const sql = await superuser(database);
const home = await shop({ admin, call });
const { unit, token } = home;
const other = await home.newUnit('The Harbour');

const figures = async (contact: number, { base } = home) =>
  accepted(await admin('GET', `${base}/contacts/${contact}/figures`));
const purchase = (value: number, created_at: string, unit_id = unit, transaction_reference = fresh('T')) => ({
  ...{ transaction_reference, unit_id, provider_id: 1, created_at, items: [{ quantity: 1, value }] },
});
const stay = (checkin: string, status = 3, stay_reference = fresh('S')) => ({
  ...{ provider_id: 1, stay_reference, unit_id: unit, enquiry_date: '2026-01-01 10:00:00', checkin_date: checkin },
  ...{ checkout_date: '2026-12-30 10:00:00', room_type_id: 1, total_guests: 2, booking_enquiry_source_id: 9 },
  ...{ booking_status_id: status, booker: true, guest: true },
});
const guest = async (body: object = {}) => {
  const email = `${fresh('guest')}@gmail.com`;
  const write = async (more: object): Promise<number> =>
    accepted(await call('POST', '/v1/contact', { token, body: { email, ...more } })).id;
  return { id: await write(body), write, email };
};
const none = {
  ...{ visits: 0, spend: 0, average_spend: null, first_visit: null, last_visit: null, purchases: 0, bookings: 0 },
  ...{ cancelled_bookings: 0, stays: 0, vouchers_redeemed: 0, nps: null, by_unit: [] },
};
const tomorrow = dayOf(dayNumber(new Date().toISOString().slice(0, 10)) + 1);

describe('the figures of a contact', () => {
  it('are zero without activity', async () => {
    expect(await figures((await guest()).id)).toEqual(none);
  });

  it('are 404 for a contact of another account, and for one that does not exist', async () => {
    const elsewhere = await shop({ admin, call });
    const theirs = await elsewhere.newContact();
    for (const id of [theirs, 999_999_999])
      expect((await admin('GET', `${home.base}/contacts/${id}/figures`)).status).toBe(404);
  });

  it('count a day with several signals as one visit, and by unit the days at that unit', async () => {
    const day = '2026-03-01';
    const { id } = await guest({
      purchases: [
        purchase(20, `${day} 13:00:00`),
        purchase(10.5, `${day} 20:00:00`, other),
        purchase(5, '2026-03-05 09:00:00'),
      ],
      bookings: [{ booking_reference: fresh('B'), unit_id: unit, party_datetime: `${day} 12:30:00` }],
      stays: [stay(`${day} 15:00:00`)],
      wifi: [{ unit_id: unit, interaction_type: 'connected', created_at: `${day} 12:00:00` }],
    });
    expect(await figures(id)).toEqual({
      ...{ visits: 2, spend: 35.5, average_spend: 17.75, first_visit: day, last_visit: '2026-03-05', purchases: 3 },
      ...{ bookings: 1, cancelled_bookings: 0, stays: 1, vouchers_redeemed: 0, nps: null },
      by_unit: [
        { unit_id: unit, visits: 2, spend: 25, last_visit: '2026-03-05' },
        { unit_id: other, visits: 1, spend: 10.5, last_visit: day },
      ],
    });
  });

  it.each([
    ['a purchase', { purchases: [purchase(1, '2026-03-01 12:00:00')] }, 1],
    ['a refund', { purchases: [purchase(-1, '2026-03-01 12:00:00')] }, 1],
    ['a booking', { bookings: [{ booking_reference: 'V1', party_datetime: '2026-03-01 12:00:00' }] }, 1],
    [
      'a cancelled booking',
      { bookings: [{ booking_reference: 'V2', party_datetime: '2026-03-01 12:00:00', stage_value: 550 }] },
      0,
    ],
    ['a booking without a date', { bookings: [{ booking_reference: 'V3' }] }, 0],
    ['a booking in the future', { bookings: [{ booking_reference: 'V4', party_datetime: '2199-03-01 12:00:00' }] }, 0],
    ['a stay', { stays: [stay('2026-03-01 12:00:00', 1)] }, 1],
    ['a cancelled stay', { stays: [stay('2026-03-01 12:00:00', 5)] }, 0],
    ['a no-show', { stays: [stay('2026-03-01 12:00:00', 6)] }, 0],
    ['a wifi connection', { wifi: [{ interaction_type: 'authenticated' }] }, 1],
    ['a detected device', { wifi: [{ interaction_type: 'detected' }] }, 0],
  ])('count %s as a visit or not', async (_, body, visits) => {
    expect(await figures((await guest(body)).id)).toMatchObject({ visits });
  });

  it('count bookings with and without a date, also in the future, apart from cancelled ones', async () => {
    const references = [fresh('B'), fresh('B'), fresh('B')];
    const { id } = await guest({
      bookings: [
        { booking_reference: references[0], party_datetime: '2199-03-01 12:00:00' },
        { booking_reference: references[1] },
        { booking_reference: references[2], party_datetime: '2026-03-01 12:00:00', stage_value: 550 },
      ],
    });
    expect(await figures(id)).toMatchObject({ visits: 0, bookings: 2, cancelled_bookings: 1, by_unit: [] });
  });

  it('subtract refunds, and divide the spend by the days with a purchase', async () => {
    const { id, write } = await guest({
      purchases: [purchase(30, '2026-03-01 12:00:00'), purchase(-10, '2026-03-01 13:00:00')],
    });
    await write({
      purchases: [purchase(5, '2026-03-02 12:00:00')],
      wifi: [{ interaction_type: 'connected', created_at: '2026-03-03 12:00:00' }],
    });
    expect(await figures(id)).toMatchObject({ visits: 3, spend: 25, average_spend: 12.5 });
  });

  it('follow a purchase that is sent again with another amount, day and contact', async () => {
    const [one, two] = [await guest(), await guest()];
    await one.write({ purchases: [purchase(10, '2026-03-01 12:00:00', unit, 'AGAIN')] });
    await one.write({ purchases: [purchase(12, '2026-03-02 12:00:00', unit, 'AGAIN')] });
    expect(await figures(one.id)).toMatchObject({ visits: 1, purchases: 1, spend: 12, last_visit: '2026-03-02' });
    await two.write({ purchases: [purchase(12, '2026-03-02 12:00:00', unit, 'AGAIN')] });
    expect(await figures(one.id)).toEqual(none);
    expect(await figures(two.id)).toMatchObject({ visits: 1, purchases: 1, spend: 12 });
  });

  it('include an anonymous purchase, matched at once or later', async () => {
    const card = fresh('C');
    const anonymous = async (created_at: string) =>
      accepted(
        await call('POST', '/v1/purchases', {
          token,
          body: { account_id: home.id, card_reference: card, purchases: [purchase(7, created_at)] },
        }),
      );
    await anonymous('2026-03-01 12:00:00');
    const { id } = await guest({ card_reference: card });
    expect(await figures(id)).toMatchObject({ visits: 1, spend: 7 });
    await anonymous('2026-03-02 12:00:00');
    await anonymous('2026-03-02 13:00:00');
    expect(await figures(id)).toMatchObject({ visits: 2, spend: 21, average_spend: 10.5, purchases: 3 });
  });

  it('follow a booking that moves to another day or is cancelled', async () => {
    const booking_reference = fresh('B');
    const { id } = await guest({
      bookings: [{ booking_reference, unit_id: unit, party_datetime: '2026-03-01 12:00:00' }],
    });
    const change = async (body: object) =>
      accepted(
        await call('POST', '/v1/bookings', { token, body: { account_id: home.id, booking_reference, ...body } }),
      );
    await change({ party_datetime: '2026-03-08 12:00:00' });
    expect(await figures(id)).toMatchObject({ visits: 1, bookings: 1, first_visit: '2026-03-08' });
    await change({ stage_value: 550 });
    expect(await figures(id)).toMatchObject({ visits: 0, bookings: 0, cancelled_bookings: 1, last_visit: null });
  });

  it('follow a stay that another guest of it changes', async () => {
    const reference = fresh('S');
    const [booker, companion] = [await guest({ stays: [stay('2026-03-01 15:00:00', 3, reference)] }), await guest()];
    await companion.write({ stays: [stay('2026-03-02 15:00:00', 3, reference)] });
    expect(await figures(booker.id)).toMatchObject({ visits: 1, stays: 1, last_visit: '2026-03-02' });
    await companion.write({ stays: [stay('2026-03-02 15:00:00', 5, reference)] });
    expect(await figures(booker.id)).toEqual(none);
  });

  it('count a redeemed voucher on its day in the account’s time zone, and one that is assigned later', async () => {
    const { id } = await guest();
    const first = await home.newCode(fresh('CODE'), id);
    await home.redeemed({ unique_code: first.unique_code, redemption_date: '2026-03-01 23:30:00' });
    const second = await home.newCode();
    await home.redeemed({ unique_code: second.unique_code, redemption_date: '2026-03-05 12:00:00' });
    expect(await figures(id)).toMatchObject({ visits: 1, vouchers_redeemed: 1, last_visit: '2026-03-01' });
    await home.assigned(second.group, second.unique_code, id);
    expect(await figures(id)).toMatchObject({ visits: 2, vouchers_redeemed: 2, last_visit: '2026-03-05' });
  });

  it('have the NPS rating that is latest in time, not the one that came last', async () => {
    const rating = (rating_text: string, created_at: string) => ({
      created_at,
      ratings: [{ category_id: 4, rating_text }],
    });
    const { id, write } = await guest({ feedback: [rating('9', '2026-03-02 12:00:00')] });
    await write({ feedback: [rating('3', '2026-03-01 12:00:00')] });
    expect(await figures(id)).toMatchObject({ nps: 9 });
    await write({ feedback: [rating('5.5', '2026-03-03 12:00:00')] });
    expect(await figures(id)).toMatchObject({ nps: 5.5, visits: 0 });
  });

  it('are those of both contacts after a merge, under either id, and apart again after its undo', async () => {
    const day = '2026-03-01 12:00:00';
    const [one, two] = [
      await guest({ purchases: [purchase(10, day)], feedback: [{ ratings: [{ category_id: 4, rating_text: '2' }] }] }),
      await guest({ purchases: [purchase(5, day), purchase(6, '2026-03-04 12:00:00')] }),
    ];
    const [before, apart] = [await figures(one.id), await figures(two.id)];
    const merge = await home.merge(one.id, two.id);
    const together = { visits: 2, purchases: 3, spend: 21, nps: 2 };
    expect(await figures(two.id)).toMatchObject(together);
    expect(await figures(one.id)).toMatchObject(together);
    await one.write({ purchases: [purchase(1, '2026-03-09 12:00:00', unit, 'AFTER')] });
    expect(await figures(two.id)).toMatchObject({ visits: 3, spend: 22 });
    accepted(await admin('POST', `${home.base}/merges/${merge.id}/undo`));
    expect(await figures(one.id)).toEqual(before);
    expect(await figures(two.id)).toMatchObject({
      ...apart,
      visits: 3,
      spend: 12,
      purchases: 3,
      last_visit: '2026-03-09',
      average_spend: 4,
      by_unit: expect.any(Array),
    });
  });

  it('are gone with an erased contact', async () => {
    const { id } = await guest({ purchases: [purchase(10, '2026-03-01 12:00:00')] });
    accepted(await admin('DELETE', `${home.base}/contacts/${id}`), 204);
    const rows = await sql`
      select contact_id from contact_days where contact_id = ${id} union all select contact_id from contact_figures where contact_id = ${id}`;
    expect(rows).toHaveLength(0);
  });

  it('count more than fifty visits, in any order', async () => {
    const days = Array.from({ length: 60 }, (_, n) => dayOf(dayNumber('2026-01-01') + ((n * 7) % 60)));
    const { id, write } = await guest();
    for (const day of days.slice(0, 55)) await write({ purchases: [purchase(1, `${day} 12:00:00`)] });
    await write({ purchases: days.slice(55).map((day) => purchase(1, `${day} 12:00:00`)) });
    expect(await figures(id)).toMatchObject({ visits: 60, first_visit: '2026-01-01', last_visit: '2026-03-01' });
    const [kept] = await sql<{ recent: string[]; sorted: boolean }>`
      select recent_visits::text[] as recent, recent_visits = array(select d from unnest(recent_visits) as d order by d desc) as sorted
      from contact_figures where contact_id = ${id}`;
    expect(kept).toMatchObject({ sorted: true });
    expect(kept?.recent).toHaveLength(50);
  });

  it('bear made-up amounts', async () => {
    const items = Array.from({ length: 200 }, () => ({ quantity: 1, value: 99_999_999_999 }));
    const { id, write } = await guest({ purchases: [{ ...purchase(1, '2026-03-01 12:00:00'), items }] });
    expect(await figures(id)).toMatchObject({ spend: 19_999_999_999_800 });
    await sql`update contact_days set pence = 8999999999999999999 where contact_id = ${id}`;
    await sql`update contact_figures set pence = 8999999999999999999 where contact_id = ${id}`;
    await write({ purchases: [purchase(99_999_999_999, '2026-03-01 13:00:00')] });
    // A distributed server counts again, and so finds the true sum.
    expect(await figures(id)).toMatchObject({ purchases: 2, spend: isDistributed() ? 20_099_999_999_799 : 9e16 });
    await verifyAccount(db, home.id, { repair: true });
    expect(await figures(id)).toMatchObject({ spend: 20_099_999_999_799 });
  });

  it('count a booking in the future when its day comes', async () => {
    const booking_reference = fresh('B');
    const { id } = await guest({
      bookings: [{ booking_reference, unit_id: unit, party_datetime: `${tomorrow} 12:00:00` }],
    });
    const later = openPool({
      url: database.url,
      connections: 2,
      isDistributed: isDistributed(),
      now: () => new Date(`${tomorrow}T00:00:01Z`),
    });
    afterAll(() => later.close());
    expect(await turnDays(db, home.id)).toBe(0);
    expect(await turnDays(later, home.id)).toBe(1);
    expect(await figures(id)).toMatchObject({ visits: 1, last_visit: tomorrow });
    expect(await turnDays(later, home.id)).toBe(0);
    // Back to the present, for the tests that follow.
    await verifyAccount(db, home.id, { repair: true });
  });
});

describe('the check of the figures', () => {
  it('finds no difference after all of the above', async () => {
    expect(await verifyAccount(db, home.id, { repair: false })).toMatchObject({ different: 0, listed: [] });
    expect(await violations(sql)).toEqual({});
  });

  it('finds every kind of difference and repairs it', async () => {
    const place = await shop({ admin, call });
    const write = async (body: object): Promise<number> =>
      accepted(await call('POST', '/v1/contact', { token: place.token, body })).id;
    const at = (transaction_reference: string) => ({
      transaction_reference,
      created_at: '2026-03-01 12:00:00',
      items: [{ quantity: 1, value: 4 }],
    });
    const ids = [];
    for (let n = 0; n < 6; n++) ids.push(await write({ email: `g${n}@gmail.com`, purchases: [at(`P${n}`)] }));
    const [sum, day, missing, stray, noSums] = ids;
    await sql`update contact_figures set visits = 9 where contact_id = ${sum}`;
    await sql`update contact_days set pence = 1 where contact_id = ${day}`;
    await sql`delete from contact_days where contact_id = ${missing}`;
    await sql`insert into contact_days (account_id, contact_id, day, unit_id, wifi) values (${place.id}, ${stray}, '2026-03-09', ${place.unit}, 1)`;
    await sql`delete from contact_figures where contact_id = ${noSums}`;
    const wrong = ids.slice(0, 5);
    const counts = { unit_days: 0, code_groups: 0, guests: 0, guest_days: 0, groups: 0 };
    const found = { contacts: 6, different: 5, listed: wrong, counts };
    expect(await verifyAccount(db, place.id, { repair: false })).toEqual(found);
    expect(await verifyAccount(db, place.id, { repair: false })).toMatchObject({ different: 5 });
    expect(await repairAccount(db, place.id, new AbortController().signal)).toEqual(found);
    expect(await verifyAccount(db, place.id, { repair: false })).toEqual({ ...found, different: 0, listed: [] });
    const { body: metrics } = await call('GET', '/metrics');
    expect(metrics).toContain('regulars_figures_contacts{result="repaired"} 5');
    expect(metrics).toContain('regulars_figures_contacts{result="checked"} 6');
    expect(metrics).toContain('regulars_figures_counts{result="repaired"} 0');
  });

  it('fills an account whose activity is older than its figures; until then the figures are unavailable', async () => {
    const place = await shop({ admin, call });
    const body = {
      email: 'old@gmail.com',
      purchases: [{ transaction_reference: 'P', items: [{ quantity: 1, value: 4 }] }],
    };
    const { id } = accepted(await call('POST', '/v1/contact', { token: place.token, body }));
    await sql`delete from contact_days where account_id = ${place.id}`;
    await sql`delete from contact_figures where account_id = ${place.id}`;
    await sql`update accounts set figures_filled_at = null where id = ${place.id}`;
    const early = await admin('GET', `${place.base}/contacts/${id}/figures`);
    expect([early.status, early.body.errors[0].message]).toEqual([503, expect.stringContaining('still being counted')]);
    const preview = await admin('POST', `${place.base}/segments/preview`, {
      definition: { field: 'visits', op: 'at_least', value: 1 },
    });
    expect(preview.status).toBe(503);
    const seen: number[] = [];
    expect(await fillAccounts(db, { onProgress: (done, of) => seen.push(done, of) })).toBe(1);
    expect(seen).toEqual([1, 1]);
    expect(await figures(id, place as Shop)).toMatchObject({ visits: 1, spend: 4 });
    expect(await fillAccounts(db)).toBe(0);
  });

  it('counts the vouchers of an account again when its time zone changes', async () => {
    const place = await shop({ admin, call });
    const id = await place.newContact();
    const { unique_code } = await place.newCode(fresh('CODE'), id);
    await place.redeemed({ unique_code, redemption_date: '2026-03-01T23:30:00Z' });
    expect(await figures(id, place as Shop)).toMatchObject({ last_visit: '2026-03-01' });
    accepted(await admin('PATCH', place.base, { time_zone: 'Asia/Tokyo' }));
    const jobs =
      await sql`select from graphile_worker.jobs where task_identifier = 'count_figures' and key = ${`count_figures ${place.id}`}`;
    expect(jobs).toHaveLength(1);
    await verifyAccount(db, place.id, { repair: true });
    expect(await figures(id, place as Shop)).toMatchObject({ visits: 1, last_visit: '2026-03-02' });
  });
});
