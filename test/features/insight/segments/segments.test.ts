import { beforeAll, describe, expect, it } from 'vitest';
import { MemberExport } from '../../../../src/features/insight/segments/members.ts';
import type { Segment } from '../../../../src/features/insight/segments/schema.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { putFigures } from '../../../support/figures.ts';
import { plus } from '../../../support/segment-oracle.ts';
import { signedIn } from '../../../support/staff.ts';
import { fresh } from '../../../support/till.ts';
import { accepted, raw, readCsv, refusal, type Shop, shop } from '../../../support/vouchers.ts';

const app = await testApp();
const { admin, call, database } = app;
const sql = await superuser(database);
const today = new Date().toISOString().slice(0, 10);

const city = (value: string) => ({ field: 'city', op: 'is', value });
const inSegments = (...value: number[]) => ({ field: 'segment', op: 'in', value });
const create = (at: Shop, definition: unknown, name: unknown = fresh('Segment')) =>
  admin('POST', `${at.base}/segments`, { name, definition });
const created = async (at: Shop, definition: unknown, name?: string): Promise<Segment> =>
  accepted(await create(at, definition, name), 201);
const preview = (at: Shop, definition: unknown) => admin('POST', `${at.base}/segments/preview`, { definition });
const messages = async (answer: ReturnType<typeof create>) => (await answer).body.errors;

let at = {} as Shop;
let guests: number[] = [];
beforeAll(async () => {
  at = await shop({ admin, call });
  guests = [
    await at.newContact({
      first_name: 'Ana',
      city: 'Bath',
      allow_email: true,
      allow_sms: true,
      mobile_number: '07700900001',
    }),
    await at.newContact({ first_name: 'Rui, "the 2nd"', city: 'bath', allow_email: true }),
    await at.newContact({ first_name: '=Zoe', city: 'BATH', allow_call: true, allow_snail_mail: true }),
    await at.newContact({ city: 'Bristol', allow_email: true }),
  ];
});
const bath = { count: 3, contactable: { email: 2, sms: 1, call: 1, snail_mail: 1 } };

describe('a segment', () => {
  it('is created with its counts, read, changed and deleted', async () => {
    const made = await created(at, city('Bath'), 'Bathers');
    expect(made).toEqual({
      id: expect.any(Number),
      ...{ name: 'Bathers', definition: city('Bath'), ...bath },
      ...{ created_at: expect.any(String), updated_at: expect.any(String) },
    });
    const path = `${at.base}/segments/${made.id}`;
    expect(accepted(await admin('GET', path))).toEqual(made);
    expect(accepted(await admin('GET', `${at.base}/segments`)).data).toContainEqual(made);
    const renamed = accepted(await admin('PATCH', path, { name: 'Swimmers' }));
    expect(renamed).toEqual({ ...made, name: 'Swimmers', updated_at: expect.any(String) });
    expect(renamed.updated_at > made.updated_at).toBe(true);
    const changed = accepted(await admin('PATCH', path, { definition: city('Bristol') }));
    expect(changed).toMatchObject({ name: 'Swimmers', definition: city('Bristol'), count: 1 });
    accepted(await admin('DELETE', path), 204);
    for (const method of ['GET', 'DELETE']) expect((await admin(method, path)).status).toBe(404);
    expect((await admin('PATCH', path, { name: 'x' })).status).toBe(404);
    expect((await admin('GET', `${path}/contacts`)).status).toBe(404);
    expect((await admin('GET', `${path}/contacts/${guests[0]}`)).status).toBe(404);
  });

  it('has a name that no other has, whatever its case', async () => {
    await created(at, city('Bath'), 'Unique');
    const other = await created(at, city('Bath'));
    expect(await messages(create(at, city('Bath'), 'UNIQUE'))).toEqual({
      name: ['The name has already been taken by another segment.'],
    });
    expect(refusal(await admin('PATCH', `${at.base}/segments/${other.id}`, { name: 'unique' }))).toEqual(['name']);
    expect(refusal(await create(at, city('Bath'), ''))).toEqual(['name']);
  });

  it('gets one 422 with all errors', async () => {
    expect(refusal(await create(at, { all: [city('Bath'), { field: 'shoes' }] }, null))).toEqual([
      'definition.all.1.field',
      'name',
    ]);
    expect(refusal(await admin('POST', `${at.base}/segments`, { name: 'x' }))).toEqual(['definition']);
    expect(refusal(await admin('POST', `${at.base}/segments/preview`, {}))).toEqual(['definition']);
    const { id } = await created(at, city('Bath'));
    expect(
      refusal(await admin('PATCH', `${at.base}/segments/${id}`, { name: 'x'.repeat(300), definition: {} })),
    ).toEqual(['definition', 'name']);
  });

  it('is in the audit trail; a preview is not, and stores nothing', async () => {
    const owner = await signedIn(app, 'owner');
    const name = fresh('Trail');
    const { body } = await owner.call('POST', `${at.base}/segments`, { name, definition: city('Bath') });
    await owner.call('PATCH', `${at.base}/segments/${body.id}`, { definition: city('Bristol') });
    const before = accepted(await admin('GET', `${at.base}/segments`)).total;
    accepted(await owner.call('POST', `${at.base}/segments/preview`, { definition: city('Bath') }));
    expect(accepted(await admin('GET', `${at.base}/segments`)).total).toBe(before);
    await owner.call('DELETE', `${at.base}/segments/${body.id}`);
    const trail = await sql<{ action: string; subject: string; ids: object }>`
      select action, subject, ids from audit_trail where user_id = ${owner.id} and action like 'segment.%' order by id`;
    expect([...trail]).toEqual(
      ['segment.create', 'segment.update', 'segment.delete'].map((action) => ({
        action,
        subject: name,
        ids: expect.objectContaining(action === 'segment.create' ? { id: body.id } : { segment_id: body.id }),
      })),
    );
    expect(await sql`select from audit_trail where user_id = ${owner.id} and action not like 'se%.%'`).toHaveLength(0);
  });

  it('can be read and previewed by viewers, and changed by staff', async () => {
    const [staff, viewer] = [await signedIn(app, 'staff', [at.id]), await signedIn(app, 'viewer', [at.id])];
    const body = { name: fresh('Roles'), definition: city('Bath') };
    expect((await viewer.call('POST', `${at.base}/segments`, body)).status).toBe(403);
    const { id } = accepted(await staff.call('POST', `${at.base}/segments`, body), 201);
    const path = `${at.base}/segments/${id}`;
    expect((await viewer.call('PATCH', path, { name: 'x' })).status).toBe(403);
    expect((await viewer.call('DELETE', path)).status).toBe(403);
    expect(accepted(await viewer.call('GET', path)).count).toBe(3);
    expect(
      accepted(await viewer.call('POST', `${at.base}/segments/preview`, { definition: city('Bath') })),
    ).toMatchObject(bath);
    accepted(await staff.call('DELETE', path), 204);
  });

  it('is one of at most 1,000 of the account', async () => {
    const full = await shop({ admin, call });
    await sql`
      insert into segments (account_id, name, definition) select ${full.id}, 'S' || n, ${JSON.stringify(city('Bath'))}::jsonb from generate_series(1, 999) n`;
    const last = await created(full, city('Bath'));
    expect(await messages(create(full, city('Bath')))).toEqual({
      name: ['The account already has 1000 segments, which is the maximum.'],
    });
    const page = accepted(await admin('GET', `${full.base}/segments?page=2`));
    expect([page.total, page.data.length, page.data[0].name]).toEqual([1000, 100, 'S101']);
    expect(page.data.every((one: Segment) => one.count === 0 && one.contactable?.email === 0)).toBe(true);
    accepted(await admin('PATCH', `${full.base}/segments/${last.id}`, { name: 'Last' }));
  });
});

describe('a preview', () => {
  it('has the newest members, wherever they are among the contacts', async () => {
    const own = await shop({ admin, call });
    const ids: number[] = [];
    // The members of each city are the oldest third, the newest third, every seventh, and a single one in the middle.
    const cityOf = (n: number) => (n < 20 ? 'York' : n >= 40 ? 'Leeds' : n === 30 ? 'Ripon' : 'Hull');
    for (let n = 0; n < 60; n++)
      ids.push(await own.newContact({ city: cityOf(n), last_name: n % 7 === 0 ? 'Seventh' : 'Other' }));
    const seventh = { field: 'last_name', op: 'is', value: 'Seventh' };
    for (const [definition, isMember] of [
      ...['York', 'Leeds', 'Ripon', 'Hull'].map((name) => [city(name), (n: number) => cityOf(n) === name] as const),
      [seventh, (n: number) => n % 7 === 0] as const,
    ]) {
      const expected = ids.filter((_, n) => isMember(n)).reverse();
      const { count, sample } = accepted(await preview(own, definition));
      expect([count, sample.map(({ id }: { id: number }) => id)]).toEqual([expected.length, expected.slice(0, 10)]);
    }
  });

  it('has the counts, and a sample of the newest members in the shape of the guest search', async () => {
    const answer = accepted(await preview(at, city('bath')));
    expect(answer).toMatchObject(bath);
    expect(answer.sample.map(({ id }: { id: number }) => id)).toEqual(guests.slice(0, 3).reverse());
    const found = accepted(await admin('GET', `${at.base}/contacts/search?search=ana`)).data;
    expect(answer.sample.at(-1)).toEqual(found[0]);
    const many = await shop({ admin, call });
    const ids = await many.newContacts(12);
    const some = accepted(await preview(many, { field: 'email', op: 'known' }));
    expect([some.count, some.sample.length]).toEqual([12, 10]);
    expect(Math.max(...ids)).toBe(some.sample[0].id);
  });

  it('of 100 kB is refused', async () => {
    let deep: unknown = city('Bath');
    for (let n = 0; n < 60; n++) deep = { not: deep };
    expect(refusal(await preview(at, deep))).toEqual([`definition${'.not'.repeat(5)}`]);
    expect(refusal(await preview(at, { all: Array(2000).fill(city('Bath')) }))).toEqual(['definition']);
    expect(refusal(await preview(at, { all: Array(20_000).fill(1) }))).toHaveLength(100);
  });
});

describe('an id of another account', () => {
  it('is refused with its place, as one that does not exist', async () => {
    const other = await shop({ admin, call });
    const make = async (shopped: Shop, list: string, body: object): Promise<number> =>
      accepted(await admin('POST', `${shopped.base}/${list}`, body), 201).id;
    const idsOf = async (shopped: Shop) => ({
      unit: shopped.unit,
      group: await make(shopped, 'groups', { unit_id: shopped.unit, name: fresh('g') }),
      source: await make(shopped, 'sources', { name: fresh('s') }),
      udf: await make(shopped, 'udfs', { name: fresh('u'), type: 'text' }),
      date: await make(shopped, 'udfs', { name: fresh('u'), type: 'date' }),
      segment: (await created(shopped, city('Bath'))).id,
    });
    const definition = (ids: Awaited<ReturnType<typeof idsOf>>, first: number[] = []) => ({
      all: [
        ...['unit', 'group', 'source'].map((field) => ({ field, op: 'in', value: [...first, ids[field as 'unit']] })),
        { field: `udf:${ids.udf}`, op: 'is', value: 'x' },
        { field: `udf:${ids.date}`, op: 'in_last_days', value: 7 },
        { field: 'spend', op: 'at_least', value: 1, unit_ids: [ids.unit] },
      ],
    });
    const [ours, theirs] = [await idsOf(at), await idsOf(other)];
    accepted(await preview(at, { any: [definition(ours), inSegments(ours.segment)] }));
    const refused = [
      ...['definition.all.0.value.0', 'definition.all.1.value.0', 'definition.all.2.value.0'],
      ...['definition.all.3.field', 'definition.all.4.field', 'definition.all.5.unit_ids.0'],
    ];
    for (const ids of [theirs, { unit: 9e8, group: 9e8, source: 9e8, udf: 9e8, date: 9e8, segment: 9e8 }]) {
      expect(refusal(await preview(at, definition(ids)))).toEqual(refused);
      expect(refusal(await preview(at, { any: [city('Bath'), inSegments(ours.segment, ids.segment)] }))).toEqual([
        'definition.any.1.value.1',
      ]);
    }
    expect(refusal(await preview(at, { field: 'unit', op: 'in', value: [at.unit, other.unit] }))).toEqual([
      'definition.value.1',
    ]);
    // The type of a user-defined field decides its ops.
    expect(refusal(await preview(at, { field: `udf:${ours.udf}`, op: 'in_last_days', value: 7 }))).toEqual([
      'definition.op',
    ]);
    expect(refusal(await preview(at, { field: `udf:${ours.date}`, op: 'is', value: 'x' }))).toEqual(['definition.op']);
  });

  it('also if the unit was deleted', async () => {
    const gone = await at.removeUnit(await at.newUnit('The Sunk'));
    expect(refusal(await preview(at, { field: 'visits', op: 'at_least', value: 1, unit_ids: [gone] }))).toEqual([
      'definition.unit_ids.0',
    ]);
  });
});

describe('a segment of segments', () => {
  it('has their members, and those who are in none', async () => {
    const [one, two] = [await created(at, city('Bath')), await created(at, city('Bristol'))];
    const both = await created(at, inSegments(one.id, two.id));
    expect(both.count).toBe(4);
    const neither = await created(at, {
      all: [
        { field: 'city', op: 'known' },
        { field: 'segment', op: 'not_in', value: [both.id] },
      ],
    });
    expect(neither.count).toBe(0);
    accepted(await admin('PATCH', `${at.base}/segments/${two.id}`, { definition: city('Nowhere') }));
    expect(accepted(await admin('GET', `${at.base}/segments/${neither.id}`)).count).toBe(1);
  });

  it('can’t lead back to itself', async () => {
    const one = await created(at, city('Bath'));
    const two = await created(at, { not: inSegments(one.id) });
    const three = await created(at, { all: [inSegments(two.id)] });
    const change = (definition: unknown) => admin('PATCH', `${at.base}/segments/${one.id}`, { definition });
    expect(refusal(await change(inSegments(one.id)))).toEqual(['definition.value.0']);
    expect(refusal(await change({ any: [city('Bath'), inSegments(two.id)] }))).toEqual(['definition.any.1.value.0']);
    expect(refusal(await change({ not: inSegments(three.id) }))).toEqual(['definition.not.value.0']);
    accepted(await change(city('Bristol')));
    // Two changes at once don’t make a circle either.
    const four = await created(at, city('Bath'));
    const set = (id: number, to: number) => admin('PATCH', `${at.base}/segments/${id}`, { definition: inSegments(to) });
    const answers = await Promise.all([set(one.id, four.id), set(four.id, one.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  it('has at most 5 levels and 200 conditions in all', async () => {
    let last = await created(at, city('Bath'));
    const first = last;
    for (let level = 1; level <= 5; level++) last = await created(at, inSegments(last.id));
    expect(last.count).toBe(3);
    expect(refusal(await create(at, { any: [city('Bath'), inSegments(last.id)] }))).toEqual([
      'definition.any.1.value.0',
    ]);
    // The first is at the end of the longest chain.
    const spare = await created(at, city('Bristol'));
    expect(
      await messages(admin('PATCH', `${at.base}/segments/${first.id}`, { definition: inSegments(spare.id) }) as never),
    ).toEqual({
      definition: [expect.stringMatching(/^The segment “.+” refers to this one/)],
    });
    const wide = await created(at, { any: Array(50).fill(city('Bath')) });
    const copies = [wide.id, ...(await Promise.all([1, 2].map(async () => (await created(at, wide.definition)).id)))];
    expect((await created(at, { any: [city('Bath'), inSegments(...copies)] })).count).toBe(3);
    const more = await created(at, wide.definition);
    expect(refusal(await create(at, inSegments(...copies, more.id)))).toEqual(['definition.value.3']);
  });

  it('keeps the others from being deleted', async () => {
    const one = await created(at, city('Bath'));
    const users = [
      await created(at, inSegments(one.id), 'First user'),
      await created(at, { not: inSegments(one.id) }, 'Second user'),
    ];
    expect(await messages(admin('DELETE', `${at.base}/segments/${one.id}`) as never)).toEqual({
      segment_id: ['The segment can’t be deleted. It is used by “First user”, “Second user”.'],
    });
    for (const { id } of users) accepted(await admin('DELETE', `${at.base}/segments/${id}`), 204);
    accepted(await admin('DELETE', `${at.base}/segments/${one.id}`), 204);
  });
});

describe('the members', () => {
  it('are listed newest first, in pages', async () => {
    const { id } = await created(at, city('Bath'));
    const page = accepted(await admin('GET', `${at.base}/segments/${id}/contacts`));
    expect([page.total, page.per_page]).toEqual([3, 100]);
    expect(page.data.map((one: { id: number }) => one.id)).toEqual(guests.slice(0, 3).reverse());
    const beyond = accepted(await admin('GET', `${at.base}/segments/${id}/contacts?page=2`));
    expect([beyond.total, beyond.data]).toEqual([3, []]);
  });

  it('are exported as CSV with profile, consent and figures', async () => {
    const { id } = await created(at, city('Bath'));
    const days = [
      { contact_id: guests[0] as number, day: plus(today, -3), unit_id: at.unit, purchases: 2, pence: 2550 },
      {
        contact_id: guests[0] as number,
        day: plus(today, -1),
        unit_id: at.unit,
        purchases: 1,
        pence: 1000,
        bookings: 1,
      },
    ];
    await putFigures(sql, at.id, days, today);
    const { headers, body } = await raw(app.app, 'GET', `${at.base}/segments/${id}/contacts`, 'text/csv');
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    const [columns = [], ...rows] = readCsv(body);
    const records = rows.map((row) => Object.fromEntries(columns.map((name, n) => [name, row[n]])));
    expect(records.map((one) => Number(one.id))).toEqual(guests.slice(0, 3));
    expect(records[0]).toMatchObject({
      ...{
        first_name: 'Ana',
        city: 'Bath',
        mobile_number: '447700900001',
        dob: '',
        allow_email: 'true',
        allow_call: 'false',
      },
      ...{ visits: '2', first_visit: plus(today, -3), last_visit: plus(today, -1), purchases: '3', spend: '35.50' },
      ...{
        average_spend: '17.75',
        bookings: '1',
        cancelled_bookings: '0',
        stays: '0',
        vouchers_redeemed: '0',
        nps: '',
      },
    });
    expect(records[1]).toMatchObject({ first_name: 'Rui, "the 2nd"', visits: '0', spend: '0.00', average_spend: '' });
    expect(records[2]?.first_name).toBe("'=Zoe");
    const link = await raw(app.app, 'GET', `${at.base}/segments/${id}/contacts?format=csv`, '*/*');
    expect([link.headers['content-disposition'], link.body]).toEqual(['attachment', body]);
  });

  it('are exported whatever their number, and while contacts disappear', async () => {
    const large = await shop({ admin, call });
    await sql`
      insert into contacts (account_id, id, first_name, allow_email) select ${large.id}, 2000000 + n, 'Kim', n % 2 = 0 from generate_series(1, 22500) n`;
    const { id, count, contactable } = await created(large, { field: 'first_name', op: 'is', value: 'kim' });
    expect([count, contactable?.email]).toEqual([22_500, 11_250]);
    const { body } = await raw(app.app, 'GET', `${large.base}/segments/${id}/contacts`, 'text/csv');
    const ids = readCsv(body)
      .slice(1)
      .map(([first]) => Number(first));
    expect([ids.length, ids[0], ids.at(-1), new Set(ids).size]).toEqual([22_500, 2_000_001, 2_022_500, 22_500]);
    const members = new MemberExport(id, { now: new Date() });
    const next = (after: number) => app.db.tenant(large.id, (tx) => members.next(tx, large.id, { after, limit: 1000 }));
    await next(0);
    await sql`delete from contacts where account_id = ${large.id} and id between 2001001 and 2001500`;
    const second = await next(2_001_000);
    expect([second?.count, second?.lastId]).toEqual([500, 2_002_000]);
    const read = readCsv(second?.text() ?? '').map(([id]) => Number(id));
    expect([read.length, read[0], read.at(-1)]).toEqual([500, 2_001_501, 2_002_000]);
  });
});

describe('for partners', () => {
  const read = (path: string, token = at.token, query: Record<string, string> = {}) =>
    call('GET', path, { token, query });

  it('segments are listed with their counts, and members with their consent flags', async () => {
    const mine = await shop({ admin, call });
    const ana = await mine.newContact({ first_name: 'Ana', city: 'Bath', allow_email: true });
    const { id } = await created(mine, city('Bath'), 'Bathers');
    const account_id = String(mine.id);
    expect(accepted(await read('/v1/segments', mine.token, { account_id }))).toMatchObject({
      total: 1,
      data: [{ id, name: 'Bathers', count: 1 }],
    });
    const page = accepted(await read(`/v1/segments/${id}/contacts`, mine.token, { account_id }));
    expect(page.total).toBe(1);
    expect(page.data).toEqual([accepted(await read(`/v1/contact/${ana}`, mine.token))]);
    expect(page.data[0]).toMatchObject({ allow_email: '1', allow_sms: '', allow_call: '', allow_snail_mail: '' });
  });

  it('a segment of another account does not exist, and another account can’t be named', async () => {
    const other = await shop({ admin, call });
    const { id } = await created(other, city('Bath'));
    expect((await read(`/v1/segments/${id}/contacts`)).status).toBe(404);
    expect(refusal(await read(`/v1/segments/${id}/contacts`, at.token, { account_id: String(other.id) }))).toEqual([
      'account_id',
    ]);
    expect(refusal(await read('/v1/segments', at.token, { account_id: String(other.id) }))).toEqual(['account_id']);
    expect((await call('GET', '/v1/segments')).status).toBe(401);
    expect((await call('POST', '/v1/segments', { token: at.token, body: {} })).status).toBe(405);
  });
});
