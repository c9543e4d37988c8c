import { beforeAll, describe, expect, it } from 'vitest';
import { CountKeeper } from '../../../../src/app/jobs/count-keeper.ts';
import type { ActivityEntry, RedemptionList } from '../../../../src/features/insight/overview/activity-schema.ts';
import type { Overview } from '../../../../src/features/insight/overview/schema.ts';
import { type ActivityKind, activityKinds, npsParts } from '../../../../src/shared/codes.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { signedIn } from '../../../support/staff.ts';
import { fresh } from '../../../support/till.ts';
import { accepted, refusal, type Shop, shop } from '../../../support/vouchers.ts';

const app = await testApp();
const { admin, call, db, database } = app;
const sql = await superuser(database);

const purchase = (unit_id: number, created_at: string, value = 1) => ({
  ...{ transaction_reference: fresh('T'), unit_id, created_at, items: [{ quantity: 1, value }] },
});
const booking = (unit_id: number, party_datetime: string, more: object = {}) => ({
  ...{ booking_reference: fresh('B'), unit_id, party_datetime, ...more },
});
const stay = (unit_id: number, checkin_date: string, booking_status_id: number) => ({
  ...{ stay_reference: fresh('S'), unit_id, provider_id: 12, booker: true, guest: true },
  ...{ enquiry_date: '2025-01-01 09:00:00', checkin_date, checkout_date: '2030-01-01 11:00:00', room_type_id: 2 },
  ...{ total_guests: 2, booking_enquiry_source_id: 1, booking_status_id },
});
const rated = (unit_id: number, created_at: string, rating: number | string) => ({
  ...{ unit_id, created_at },
  ratings: [
    { category_id: 4, rating_text: String(rating) },
    { category_id: 3, rating_text: 'friendly' },
  ],
});
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
/** A time in the account's time zone, some hours from now. */
const clock = (timeZone: string, hours: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(
    Date.now() + hours * 3_600_000,
  );

const overviewOf = async (at: Shop, query: string): Promise<Overview> =>
  accepted(await admin('GET', `${at.base}/overview?${query}`));

interface Listed<Entry> {
  total: number;
  spend: number | null;
  pages: number;
  data: Entry[];
}

/** A list, read to its end. */
async function all<Entry extends { id: number }>(at: Shop, query: string, path = 'activity'): Promise<Listed<Entry>> {
  const first = accepted(await admin('GET', `${at.base}/${path}?${query}`));
  const data = [...first.data];
  let { next } = first;
  let pages = 1;
  while (next !== null) {
    const page = accepted(await admin('GET', `${at.base}/${path}?${query}&before=${next}`));
    expect(page.data.length).toBeGreaterThan(0);
    data.push(...page.data);
    next = page.next;
    pages++;
  }
  expect(new Set(data.map(({ id }) => id)).size, 'distinct entries').toBe(data.length);
  return { total: first.total, spend: first.spend, pages, data };
}

const numberOf = ({ visits, nps }: Overview, kind: ActivityKind) =>
  kind === 'ratings' ? nps.answers : visits[kind as 'purchases'];

const [zone, winter, spring] = ['America/New_York', 'from=2025-01-01&to=2025-02-28', 'from=2025-03-01&to=2025-03-31'];

describe('the lists behind the numbers of Home', () => {
  let [at, anchor, bell, sunk] = [{} as Shop, 0, 0, 0];
  let [ana, merged] = [0, 0];

  beforeAll(async () => {
    at = await shop(app, zone);
    anchor = at.unit;
    [bell, sunk] = [await at.newUnit('The Bell'), await at.newUnit('The Sunk')];
    ana = await at.newContact({
      ...{ first_name: 'Ana', last_name: 'Silva', units: [{ id: anchor }, { id: bell }] },
      purchases: [
        purchase(anchor, '2025-03-01 00:00:00', 11.75),
        purchase(anchor, '2025-03-31 23:59:59', 20),
        purchase(anchor, '2025-02-28 23:59:59'),
        purchase(anchor, '2025-04-01 00:00:00'),
        // In New York it is still the day before.
        purchase(bell, '2025-04-01T03:59:58Z', 3),
        purchase(bell, '2025-04-01T04:00:00Z', 3),
        purchase(sunk, '2025-03-02 12:00:00', 1.25),
        // Many at the same time, over the end of a page.
        ...times(60, () => purchase(bell, '2025-03-15 12:00:00')),
      ],
      bookings: [
        ...times(30, (index) => booking(anchor, `2025-03-15 ${10 + (index % 9)}:30:00`)),
        ...times(25, () => booking(bell, '2025-03-15 10:30:00', { stage_value: 100, party_size: 4 })),
        booking(anchor, '2025-03-15 19:30:00', { stage_value: 550 }),
        booking(anchor, '2025-03-01 00:00:00'),
        booking(sunk, '2025-03-31 23:59:59'),
        booking(bell, '2025-02-28 23:59:59'),
        booking(anchor, clock(zone, -1)),
        booking(anchor, clock(zone, 1)),
        booking(anchor, clock(zone, 50)),
        { booking_reference: fresh('B'), unit_id: anchor },
      ],
      stays: [
        ...[1, 2, 3, 4, 5, 6, 7].map((status) => stay(bell, '2025-03-20 15:00:00', status)),
        stay(sunk, '2025-03-31 23:00:00', 3),
        stay(anchor, '2025-02-20 15:00:00', 7),
        stay(anchor, clock(zone, -1), 4),
        stay(anchor, clock(zone, 1), 4),
      ],
      feedback: [
        ...times(11, (rating) => rated(anchor, '2025-03-30 12:00:00', rating)),
        rated(bell, '2025-03-31 23:59:59', '8.5'),
        rated(bell, '2025-04-01 00:00:00', 10),
        rated(sunk, '2025-03-31 12:00:00', '6.9'),
        // Feedback without a rating of this kind.
        { unit_id: bell, created_at: '2025-03-10 12:00:00', ratings: [{ category_id: 3, rating_text: '10' }] },
      ],
    });
    merged = await at.newContact({
      ...{ units: [{ id: bell }], purchases: [purchase(bell, '2025-03-05 12:00:00', 5)] },
      stays: [stay(bell, '2025-03-21 15:00:00', 7)],
    });
    await at.merge(merged, ana);
    accepted(
      await call('POST', '/v1/purchases', {
        token: at.token,
        body: {
          ...{ account_id: at.id, table_number: '12', provider_id: 12 },
          purchases: [purchase(bell, '2025-03-16 12:00:00', 3), purchase(anchor, '2024-03-16 12:00:00', 3)],
        },
      }),
    );
    const group = await at.newGroup('Spring');
    const codes = times(4, () => fresh('CODE'));
    await at.add(group, ...codes);
    const other = await at.newCode();
    for (const [unique_code, redemption_date, unit_id] of [
      [codes[0], '2025-03-01 00:00:00', anchor],
      [codes[1], '2025-04-01T03:59:59Z', bell],
      [codes[2], '2025-04-01T04:00:00Z', bell],
      [other.unique_code, '2025-03-10 12:00:00', sunk],
    ] as const) {
      await at.redeemed({ unique_code, redemption_date, unit_id });
    }
    await at.removeUnit(sunk);
  });

  const today = () => `from=${clock(zone, -24).slice(0, 10)}&to=${clock(zone, 72).slice(0, 10)}`;

  /** Each kind, at all units, at one unit, and at each unit of the table by venue. */
  async function expectSameNumbers(...ranges: string[]) {
    for (const range of ranges) {
      for (const unit of [undefined, bell]) {
        const query = unit === undefined ? range : `${range}&unit_id=${unit}`;
        const home = await overviewOf(at, query);
        for (const kind of activityKinds) {
          const { total, data } = await all(at, `${query}&kind=${kind}`);
          expect([kind, query, total, data.length]).toEqual([kind, query, numberOf(home, kind), numberOf(home, kind)]);
        }
        expect((await all(at, `${query}&kind=purchases`)).spend).toBe(home.visits.spend);
        for (const part of npsParts) {
          const { total, data } = await all(at, `${query}&kind=ratings&nps=${part}`);
          expect([part, total, data.length]).toEqual([part, home.nps[part], home.nps[part]]);
        }
        const { total, data } = await all<RedemptionList['data'][number]>(at, query, 'activity/redemptions');
        const redeemed = data.reduce((sum, group) => sum + group.redeemed, 0);
        expect([query, total, redeemed]).toEqual([query, home.unique_codes.total, home.unique_codes.total]);
      }
      // A deleted unit is in the table by venue.
      for (const { unit_id, ...visits } of (await overviewOf(at, range)).visits.by_unit) {
        for (const kind of ['purchases', 'bookings', 'stays'] as const) {
          const { total, spend, data } = await all<ActivityEntry>(at, `${range}&kind=${kind}&unit_id=${unit_id}`);
          expect([kind, unit_id, total, data.length]).toEqual([kind, unit_id, visits[kind], visits[kind]]);
          expect(data.every(({ unit }) => unit.id === unit_id)).toBe(true);
          if (kind === 'purchases') expect(spend).toBe(visits.spend);
        }
      }
    }
  }

  it('have exactly as many entries as the number says', async () => {
    const home = await overviewOf(at, spring);
    // The history has everything that the lists must tell apart.
    expect(home).toMatchObject({
      visits: { purchases: 66, bookings: 57, stays: 5 },
      nps: { answers: 13, promoters: 2, passives: 3, detractors: 8 },
      unique_codes: { total: 3 },
    });
    expect(home.visits.by_unit.map(({ unit_id }) => unit_id)).toContain(sunk);
    await expectSameNumbers(winter, spring, 'from=2025-03-31&to=2025-03-31', today());
  });

  it('have as many after the counts are kept, and while there are none', async () => {
    const keeper = new CountKeeper(db, () => {});
    while ((await keeper.tick()) > 0);
    await expectSameNumbers(spring, today());
    await sql`update accounts set unit_days_filled_at = null where id = ${at.id}`;
    await expectSameNumbers(spring);
    await sql`update accounts set unit_days_filled_at = now() where id = ${at.id}`;
  });

  it('are ordered by time, newest first, with a total only on the first page', async () => {
    const path = `${at.base}/activity?${spring}&kind=purchases`;
    const first = accepted(await admin('GET', path));
    expect(first).toMatchObject({ from: '2025-03-01', to: '2025-03-31', unit: null, total: 66, spend: 104 });
    expect(first.data).toHaveLength(50);
    expect(accepted(await admin('GET', `${path}&before=${first.next}`))).toMatchObject({ total: null, spend: null });
    for (const kind of activityKinds) {
      const { data, pages } = await all<ActivityEntry>(at, `${spring}&kind=${kind}`);
      const order = data.map(({ at: time, id }) => `${time} ${String(id).padStart(12, '0')}`);
      expect(order).toEqual(order.toSorted().reverse());
      expect(pages).toBe(kind === 'purchases' || kind === 'bookings' ? 2 : 1);
    }
  });

  it('show the unit, the contact and the facts of the kind', async () => {
    const none = { purchase: null, booking: null, stay: null, rating: null };
    const purchases = await all<ActivityEntry>(at, `${spring}&kind=purchases`);
    expect(purchases.data[0]).toEqual({
      ...{ id: expect.any(Number), at: '2025-03-31 23:59:59', unit: { id: anchor, name: 'The Anchor' }, ...none },
      contact: { id: ana, name: 'Ana Silva' },
      purchase: { transaction_reference: expect.stringMatching(/^T/), total: '20.00', is_waiting: false },
    });
    expect(purchases.data.filter(({ contact }) => contact === null)).toMatchObject([
      { at: '2025-03-16 12:00:00', purchase: { total: '3.00', is_waiting: true } },
    ]);
    // The survivor of a merge has the activity of both.
    expect(purchases.data.find(({ at: time }) => time === '2025-03-05 12:00:00')?.contact?.id).toBe(ana);
    const [last] = (await all<ActivityEntry>(at, `${spring}&kind=bookings&unit_id=${bell}`)).data;
    expect(last).toMatchObject({
      ...{ ...none, booking: { booking_reference: expect.stringMatching(/^B/), stage_value: 100, party_size: 4 } },
      contact: { id: ana },
    });
    const stays = await all<ActivityEntry>(at, `${spring}&kind=stays&unit_id=${bell}`);
    expect(stays.data[0]).toMatchObject({
      ...{ ...none, at: '2025-03-21 15:00:00', contact: { id: ana, name: 'Ana Silva' } },
      stay: { checkin_date: '2025-03-21 15:00:00', checkout_date: '2030-01-01 11:00:00', booking_status_id: 7 },
    });
    const ratings = await all<ActivityEntry>(at, `${spring}&kind=ratings&nps=passives`);
    expect(ratings.data.map(({ rating }) => rating?.rating).toSorted()).toEqual([7, 8, 8.5]);
    const redeemed = await all(at, spring, 'activity/redemptions');
    expect(redeemed.data).toMatchObject([{ name: 'Spring', redeemed: 2 }, { redeemed: 1 }]);
  });

  it('name the unit of the request, also a deleted one', async () => {
    const path = `${at.base}/activity?${spring}&unit_id=${sunk}&kind`;
    const unit = { id: sunk, name: 'The Sunk', is_deleted: true };
    expect(accepted(await admin('GET', `${path}=ratings`))).toMatchObject({ unit, total: 1 });
    expect(accepted(await admin('GET', `${path}=ratings&nps=promoters`))).toMatchObject({ total: 0, data: [] });
    expect(accepted(await admin('GET', `${path}=stays`))).toMatchObject({ unit, total: 1 });
    const redemptions = await admin('GET', `${at.base}/activity/redemptions?${spring}&unit_id=${sunk}`);
    expect(accepted(redemptions)).toMatchObject({ unit, total: 1 });
  });

  it('of redeemed codes go over several pages', async () => {
    const there = await shop(app);
    const codes = await Promise.all(times(53, () => there.newCode()));
    for (const { unique_code } of codes) await there.redeemed({ unique_code, redemption_date: '2025-03-10 12:00:00' });
    const { total, data, pages } = await all(there, spring, 'activity/redemptions');
    expect([total, data.length, pages]).toEqual([53, 53, 2]);
  });

  it('of new guests are the guests of a filter by the days', async () => {
    const there = await shop(app, zone);
    const setCreatedAt = async (contact: number, instant: string) => {
      await sql`update contacts set created_at = ${instant} where id = ${contact}`;
      return contact;
    };
    const ofAnchor = { units: [{ id: there.unit }] };
    await setCreatedAt(await there.newContact(ofAnchor), '2025-03-01T04:59:59Z');
    const first = await setCreatedAt(await there.newContact(ofAnchor), '2025-03-01T05:00:00Z');
    await setCreatedAt(await there.newContact(), '2025-04-01T03:59:59Z');
    await setCreatedAt(await there.newContact(), '2025-04-01T04:00:00Z');
    const goes = await setCreatedAt(await there.newContact(ofAnchor), '2025-03-10T12:00:00Z');
    await there.merge(goes, first);
    const definition = encodeURIComponent(
      JSON.stringify({
        all: [
          { field: 'created_at', op: 'after', value: '2025-02-28' },
          { field: 'created_at', op: 'before', value: '2025-04-01' },
        ],
      }),
    );
    for (const [unit, expected] of [
      ['', 2],
      [`&unit_id=${there.unit}`, 1],
    ] as const) {
      const { new_guests } = await overviewOf(there, spring + unit);
      const { count, data } = accepted(
        await admin('GET', `${there.base}/contacts/search?definition=${definition}${unit}`),
      );
      expect([new_guests.total, count, data.length]).toEqual([expected, expected, expected]);
    }
  });

  it('of waiting purchases can be limited to a unit', async () => {
    const waiting = `${at.base}/purchases/waiting`;
    for (const unit of ['', `unit_id=${anchor}`, `unit_id=${bell}`, `unit_id=${at.root}`]) {
      const { purchases_waiting } = await overviewOf(at, unit);
      expect([unit, purchases_waiting]).toEqual([unit, unit === '' ? 2 : unit.endsWith(`=${at.root}`) ? 0 : 1]);
      expect(accepted(await admin('GET', `${waiting}?${unit}`)).total).toBe(purchases_waiting);
      expect(accepted(await admin('GET', `${waiting}?${unit}&waiting_for=table_number`)).total).toBe(purchases_waiting);
      const counts = accepted(await admin('GET', `${waiting}/counts?${unit}`));
      expect([counts.waiting, counts.waiting_for.table_number]).toEqual([purchases_waiting, purchases_waiting]);
    }
    expect(refusal(await admin('GET', `${waiting}?unit_id=999999`))).toEqual(['unit_id']);
    expect(refusal(await admin('GET', `${waiting}/counts?unit_id=999999`))).toEqual(['unit_id']);
    expect(refusal(await admin('GET', `${waiting}?unit_id=999999&waiting_for=x`))).toEqual(['unit_id', 'waiting_for']);
  });

  it('can be read by viewers of the account only', async () => {
    const [viewer, other] = [await signedIn(app, 'viewer', [at.id]), await shop(app)];
    for (const path of ['activity?kind=purchases', 'activity/redemptions']) {
      expect((await viewer.call('GET', `${at.base}/${path}`)).status).toBe(200);
      expect((await viewer.call('GET', `${other.base}/${path}`)).status).toBe(404);
      expect((await call('GET', `/admin/v1${at.base}/${path}`, { token: at.token })).status).toBe(401);
    }
    expect(accepted(await admin('GET', `${other.base}/activity?kind=purchases&${spring}`))).toMatchObject({ total: 0 });
    expect(refusal(await admin('GET', `${other.base}/activity?kind=purchases&unit_id=${anchor}`))).toEqual(['unit_id']);
    expect(refusal(await admin('GET', `${other.base}/activity/redemptions?unit_id=${anchor}`))).toEqual(['unit_id']);
  });
});

describe('an invalid request for a list', () => {
  const there = shop(app);
  const cursor = (...parts: (string | number)[]) => Buffer.from(parts.join('|')).toString('base64url');
  it.each([
    ['', ['kind']],
    ['?kind=wifi', ['kind']],
    ['?kind=stays&from=2025-03-02&to=2025-03-01', ['to']],
    ['?kind=stays&from=2020-03-01&to=2025-03-02', ['from']],
    [`?kind=stays&from=2020-03-01&to=2025-03-02&before=${cursor('2025-03-01 12:00:00.000000', 1)}`, ['from']],
    ['?kind=stays&from=yesterday&to=2025-02-30', ['from', 'to']],
    ['?kind=stays&unit_id=999999&from=2025-03-02&to=2025-03-01', ['to', 'unit_id']],
    ['?kind=stays&unit_id=999999&from=soon', ['from', 'unit_id']],
    ['?kind=stays&nps=promoters', ['nps']],
    ['?kind=ratings&nps=friends', ['nps']],
    ['?kind=stays&before=x', ['before']],
    [`?kind=stays&before=${cursor('2025-02-30 12:00:00.000000', 1)}`, ['before']],
    [`?kind=stays&before=${cursor('2025-03-01 12:00:00.000000', 'x')}`, ['before']],
    ['/redemptions?before=x', ['before']],
    [`/redemptions?before=${cursor(5, -1)}`, ['before']],
    ['/redemptions?from=2025-03-02&to=2025-03-01', ['to']],
  ])('is rejected: %s', async (query, fields) => {
    const { base } = await there;
    expect(refusal(await admin('GET', `${base}/activity${query}`))).toEqual(fields);
  });
  it('gets the same messages as the overview', async () => {
    const { base } = await there;
    for (const query of ['from=2025-03-02&to=2025-03-01', 'from=2020-03-01&to=2025-03-02', 'unit_id=999999']) {
      const { body } = await admin('GET', `${base}/overview?${query}`);
      expect((await admin('GET', `${base}/activity?kind=stays&${query}`)).body.errors).toEqual(body.errors);
      expect((await admin('GET', `${base}/activity/redemptions?${query}`)).body.errors).toEqual(body.errors);
    }
  });
});
