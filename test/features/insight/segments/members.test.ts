import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SegmentKeeper } from '../../../../src/app/jobs/segment-keeper.ts';
import { fillAccount } from '../../../../src/features/figures/check.ts';
import { fillNext, followChanges, turnSegments } from '../../../../src/features/insight/segments/keep.ts';
import { lockSegments } from '../../../../src/features/insight/segments/keep-store.ts';
import type { Segment } from '../../../../src/features/insight/segments/schema.ts';
import { type Database, openPool } from '../../../../src/platform/db/database.ts';
import { testApp } from '../../../support/app.ts';
import { isDistributed, superuser } from '../../../support/database.ts';
import { fresh } from '../../../support/till.ts';
import { accepted, raw, readCsv, type Shop, shop } from '../../../support/vouchers.ts';

const app = await testApp();
const { admin, call, database, db } = app;
const sql = await superuser(database);
const today = new Date().toISOString().slice(0, 10);

const city = (value: string) => ({ field: 'city', op: 'is', value });
const inBath = city('Bath');

let at = {} as Shop;
beforeAll(async () => {
  at = await shop({ admin, call });
});

const create = async (definition: unknown, through = at): Promise<Segment> =>
  accepted(await admin('POST', `${through.base}/segments`, { name: fresh('Segment'), definition }), 201);

/** Does what the background process does, until nothing is left. */
async function keep(through = at, by: Database = db): Promise<void> {
  while (await followChanges(by, through.id));
  while (await fillNext(by, through.id));
  while (await followChanges(by, through.id));
}

const stored = async (id: number) => [
  ...(await sql<{ contact_id: number; since: string; consents: number }>`
    select contact_id, since, consents from segment_members where account_id = ${at.id} and segment_id = ${id} order by contact_id`),
];

/** The members in every way in which they can be read. */
async function read(id: number) {
  const path = `${at.base}/segments/${id}`;
  const { count, contactable } = accepted(await admin('GET', path));
  const listed = accepted(await admin('GET', `${at.base}/segments?limit=100`)).data.find(
    (one: Segment) => one.id === id,
  );
  const page = accepted(await admin('GET', `${path}/contacts`));
  const csv = readCsv((await raw(app.app, 'GET', `${path}/contacts`, 'text/csv')).body);
  const ids = page.data.map((one: { id: number }) => one.id);
  expect({ count: listed.count, contactable: listed.contactable }).toEqual({ count, contactable });
  expect(page.total).toBe(count);
  expect(
    csv
      .slice(1)
      .map(([id]) => Number(id))
      .sort(),
  ).toEqual([...ids].sort());
  return { ids: ids.sort((a: number, b: number) => a - b), count, contactable };
}

const changes = async (id: number) =>
  accepted(await admin('GET', `${at.base}/segments/${id}/changes`)).data.map(
    ({ contact_id, change }: { contact_id: number; change: string }) => [contact_id, change],
  );

describe('stored members', () => {
  it('are read from then on', async () => {
    const ana = await at.newContact({ city: 'Bath', allow_email: true });
    const { id, count } = await create(inBath);
    expect([count, await stored(id)]).toMatchObject([1, { length: 0 }]);
    expect(await read(id)).toMatchObject({ ids: [ana], count: 1 });
    await keep();
    expect(await stored(id)).toEqual([{ contact_id: ana, since: today, consents: 1 }]);
    expect(await read(id)).toMatchObject({ ids: [ana], contactable: { email: 1, sms: 0 } });
    // What is stored is what is shown.
    await sql`update segments set members = 7 where account_id = ${at.id} and id = ${id}`;
    expect(accepted(await admin('GET', `${at.base}/segments/${id}`)).count).toBe(7);
    await sql`update segments set members = 1 where account_id = ${at.id} and id = ${id}`;
    // After midnight they are not, until they have been evaluated.
    await sql`update segments set evaluated_day = evaluated_day - 1, members = 7 where account_id = ${at.id} and id = ${id}`;
    expect(accepted(await admin('GET', `${at.base}/segments/${id}`)).count).toBe(1);
  });

  it('are right as soon as a write was answered, and stored a moment later', async () => {
    const place = fresh('Town');
    const [stays, moves, merged, erased] = [
      await at.newContact({ city: place, allow_email: true }),
      await at.newContact({ email: 'moves@gmail.com', city: place }),
      await at.newContact({ city: place, allow_sms: true }),
      await at.newContact({ city: place, allow_call: true }),
    ];
    const { id } = await create(city(place));
    await keep();
    expect(await read(id)).toMatchObject({ count: 4, contactable: { email: 1, sms: 1, call: 1 } });

    const comes = await at.newContact({ city: place, allow_snail_mail: true });
    await at.newContact({ email: 'moves@gmail.com', city: 'York' });
    await at.merge(merged, stays);
    accepted(await admin('DELETE', `${at.base}/contacts/${erased}`), 204);
    const expected = {
      ids: [stays, comes].sort((a, b) => a - b),
      count: 2,
      contactable: { email: 1, sms: 0, call: 0, snail_mail: 1 },
    };
    expect(await read(id)).toEqual(expected);
    expect(await stored(id)).toHaveLength(4);
    await keep();
    expect(await read(id)).toEqual(expected);
    expect((await stored(id)).map((one) => one.contact_id)).toEqual(expected.ids);
    // Nothing is recorded about the contact that was erased.
    expect((await changes(id)).sort()).toEqual(
      [
        [comes, 'entered'],
        [moves, 'left'],
        [merged, 'left'],
      ].sort(),
    );
    const history = accepted(await admin('GET', `${at.base}/segments/${id}/history`));
    expect(history.data).toEqual([
      { day: today, ...{ count: 2, contactable: expected.contactable }, entered: 1, left: 3 },
    ]);
    expect(await sql`select from changes where account_id = ${at.id}`).toHaveLength(0);
  });

  it('follow purchases, and the undoing of merges', async () => {
    const [ana, rui] = [await at.newContact({ membership_number: 'M-77' }), await at.newContact()];
    const { id } = await create({ field: 'spend', op: 'at_least', value: 10 });
    await keep();
    const till = {
      membership_number: 'M-77',
      purchases: [
        {
          transaction_reference: fresh('T'),
          unit_id: at.unit,
          items: [{ description: 'Ale', quantity: 1, value: 12 }],
        },
      ],
    };
    accepted(await call('POST', '/v1/purchases', { token: at.token, body: { account_id: at.id, ...till } }), 200);
    expect(await read(id)).toMatchObject({ ids: [ana] });
    await at.merge(ana, rui);
    expect(await read(id)).toMatchObject({ ids: [rui] });
    await keep();
    expect(await read(id)).toMatchObject({ ids: [rui] });
    const { data } = accepted(await admin('GET', `${at.base}/merges?contact_id=${rui}`));
    accepted(await admin('POST', `${at.base}/merges/${data[0].id}/undo`), 200);
    expect(await read(id)).toMatchObject({ ids: [ana] });
    await keep();
    expect((await stored(id)).map((one) => one.contact_id)).toEqual([ana]);
  });

  it('follow a consent that staff record', async () => {
    const place = fresh('Town');
    const ana = await at.newContact({ city: place });
    const { id } = await create(city(place));
    await keep();
    accepted(await admin('POST', `${at.base}/contacts/${ana}/consent`, { allow_email: true, reason: 'told us' }), 200);
    const expected = { ids: [ana], contactable: { email: 1, sms: 0, call: 0, snail_mail: 0 } };
    expect(await read(id)).toMatchObject(expected);
    await keep();
    expect(await read(id)).toMatchObject(expected);
  });

  it('keep their first day when only the name of the segment changes', async () => {
    const place = fresh('Town');
    const ana = await at.newContact({ city: place });
    const { id } = await create(city(place));
    await keep();
    await sql`update segment_members set since = '2026-01-02' where account_id = ${at.id} and contact_id = ${ana}`;
    accepted(await admin('PATCH', `${at.base}/segments/${id}`, { name: fresh('Renamed'), definition: city(place) }));
    await keep();
    expect(await stored(id)).toMatchObject([{ contact_id: ana, since: '2026-01-02' }]);
  });

  it('leave nothing about an erased contact, also when the definition has just changed', async () => {
    const through = await shop({ admin, call });
    const place = fresh('Town');
    const { id } = await create(city(place), through);
    await keep(through);
    const ana = await through.newContact({ city: place });
    await keep(through);
    const recorded = () => sql`select from segment_changes where account_id = ${through.id} and contact_id = ${ana}`;
    expect(await recorded()).toHaveLength(1);
    accepted(await admin('PATCH', `${through.base}/segments/${id}`, { definition: city('York') }));
    accepted(await admin('DELETE', `${through.base}/contacts/${ana}`), 204);
    await keep(through);
    expect(await recorded()).toHaveLength(0);
  });

  it('are stored anew when the time zone changes, also to an earlier day', async () => {
    const through = await shop({ admin, call }, 'Pacific/Kiritimati');
    const ana = await through.newContact();
    const { id } = await create({ field: 'created_at', op: 'in_last_days', value: 0 }, through);
    await keep(through);
    const days = async () =>
      (
        await sql<{ day: string | null; members: number }>`
          select evaluated_day as day, members from segments where account_id = ${through.id} and id = ${id}`
      ).map((row) => [row.day, row.members]);
    const [[first] = []] = await days();
    accepted(await admin('PATCH', through.base, { time_zone: 'Pacific/Pago_Pago' }));
    expect(await days()).toEqual([[null, 1]]);
    await keep(through);
    const [[second, members] = []] = await days();
    expect([String(second) < String(first), members]).toEqual([true, 1]);
    // Members that were stored for a later day are not used, and stored anew.
    await sql`update segments set evaluated_day = evaluated_day + 1, members = 7 where account_id = ${through.id}`;
    expect(accepted(await admin('GET', `${through.base}/segments/${id}`)).count).toBe(1);
    await sql`insert into changes (account_id, contact_ids) values (${through.id}, array[${ana}::bigint])`;
    await keep(through);
    expect(await days()).toEqual([[second, 1]]);
  });

  it('follow the deletion of a group', async () => {
    const group = accepted(
      await admin('POST', `${at.base}/groups`, { unit_id: at.unit, name: fresh('List'), folder_name: 'Lists' }),
      201,
    );
    const ana = await at.newContact({
      units: [{ id: at.unit, groups: [{ id: group.id, name: group.name, folder_name: 'Lists' }] }],
    });
    const { id } = await create({ field: 'group', op: 'in', value: [group.id] });
    await keep();
    expect((await stored(id)).map((one) => one.contact_id)).toEqual([ana]);
    accepted(await admin('DELETE', `${at.base}/groups/${group.id}`), 204);
    expect(await read(id)).toMatchObject({ count: 0 });
    await keep();
    expect(await stored(id)).toHaveLength(0);
    expect(await changes(id)).toEqual([[ana, 'left']]);
  });

  it('begin anew with another definition, also of a segment that it refers to', async () => {
    const [place, other] = [fresh('Town'), fresh('Town')];
    const [ana, rui] = [await at.newContact({ city: place }), await at.newContact({ city: other })];
    const inner = await create(city(place));
    const outer = await create({ field: 'segment', op: 'in', value: [inner.id] });
    await keep();
    expect(await read(outer.id)).toMatchObject({ ids: [ana] });
    accepted(await admin('PATCH', `${at.base}/segments/${inner.id}`, { definition: city(other) }));
    for (const { id } of [inner, outer]) expect(await read(id)).toMatchObject({ ids: [rui] });
    await keep();
    for (const { id } of [inner, outer]) {
      expect((await stored(id)).map((one) => one.contact_id)).toEqual([rui]);
      expect(await changes(id)).toEqual([]);
    }
    accepted(await admin('DELETE', `${at.base}/segments/${outer.id}`), 204);
    expect(await stored(outer.id)).toHaveLength(0);
  });

  it('know since when, also before the membership is stored', async () => {
    const place = fresh('Town');
    const { id } = await create(city(place));
    const ana = await at.newContact({ city: place });
    const since = async () => accepted(await admin('GET', `${at.base}/segments/${id}/contacts/${ana}`)).since;
    expect(await since()).toBe(today);
    await keep();
    await sql`update segment_members set since = '2026-01-02' where account_id = ${at.id} and contact_id = ${ana}`;
    expect(await since()).toBe('2026-01-02');
    const all = async () => accepted(await admin('GET', `${at.base}/contacts/${ana}/segments`)).data;
    expect(await all()).toContainEqual(expect.objectContaining({ id, since: '2026-01-02' }));
    await at.newContact({ email: accepted(await admin('GET', `${at.base}/contacts/${ana}`)).email, city: 'York' });
    expect(await since()).toBe(null);
    expect((await all()).map((one: Segment) => one.id)).not.toContain(id);
  });

  it('are evaluated when too many changes wait', async () => {
    const place = fresh('Town');
    const { id } = await create(city(place));
    await keep();
    const ana = await at.newContact({ city: place });
    await sql`
      insert into changes (account_id, contact_ids)
      select ${at.id}, array[n] from generate_series(1000000, 1001001) as n`;
    expect(await read(id)).toMatchObject({ ids: [ana] });
    await keep();
    expect(await read(id)).toMatchObject({ ids: [ana] });
    expect((await stored(id)).map((one) => one.contact_id)).toEqual([ana]);
  });

  it('of a large segment do not delay a new segment, or a new name', async () => {
    const first = await create(inBath);
    await keep();
    // The lock of a process that stores the members of another segment.
    await db.tenant(at.id, async (tx) => {
      await lockSegments(tx, at.id);
      const other = await create({ all: [inBath, { field: 'segment', op: 'in', value: [first.id] }] });
      accepted(await admin('PATCH', `${at.base}/segments/${first.id}`, { name: fresh('Renamed') }));
      expect(await followChanges(db, at.id)).toBe(false);
      expect((await read(other.id)).count).toBe(first.count);
    });
    await keep();
    expect(await sql`select from segments where account_id = ${at.id} and evaluated_day is null`).toHaveLength(0);
  });

  it('are stored although another transaction has the lock for a moment', async () => {
    const { id, count } = await create(inBath);
    let filling: Promise<boolean> | undefined;
    await db.tenant(at.id, async (tx) => {
      await lockSegments(tx, at.id);
      filling = fillNext(db, at.id);
      const waiting = () => sql`
        select from pg_stat_activity where datname = ${database.name} and wait_event_type = 'Lock' and wait_event = 'advisory'`;
      await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), { timeout: 4000, interval: 20 });
    });
    expect(await filling).toBe(true);
    expect((await stored(id)).length).toBe(count);
    await keep();
    // Without work it does not wait.
    await db.tenant(at.id, async (tx) => {
      await lockSegments(tx, at.id);
      expect(await fillNext(db, at.id)).toBe(false);
    });
  });

  it('follow changes after another transaction that has the lock for a moment, if they are to wait for it', async () => {
    const place = fresh('Town');
    const { id } = await create(city(place));
    await keep();
    const ana = await at.newContact({ city: place });
    let following: Promise<boolean> | undefined;
    await db.tenant(at.id, async (tx) => {
      await lockSegments(tx, at.id);
      expect(await followChanges(db, at.id)).toBe(false);
      following = followChanges(db, at.id, true);
      const waiting = () => sql`
        select from pg_stat_activity where datname = ${database.name} and wait_event_type = 'Lock' and wait_event = 'advisory'`;
      await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), { timeout: 4000, interval: 20 });
      expect(await stored(id)).toEqual([]);
    });
    await following;
    expect((await stored(id)).map((one) => one.contact_id)).toEqual([ana]);
  });

  it('wait until the figures of earlier activity are counted, and nobody enters or leaves before', async () => {
    const through = await shop({ admin, call });
    const ana = await through.newContact({ allow_email: true });
    const mailed = {
      all: [
        { field: 'allow_email', op: 'is', value: true },
        { field: 'visits', op: 'at_most', value: 5 },
      ],
    };
    const kept = await create(mailed, through);
    await keep(through);
    const changesOf = async (segment: Segment) =>
      accepted(await admin('GET', `${through.base}/segments/${segment.id}/changes`)).data;
    const membersOf = async (segment: Segment) =>
      (
        await sql<{ contact_id: number }>`
          select contact_id from segment_members where account_id = ${through.id} and segment_id = ${segment.id}`
      ).map((one) => one.contact_id);
    expect(await membersOf(kept)).toEqual([ana]);
    // As after a migration that changes the figures.
    await sql`update accounts set figures_filled_at = null where id = ${through.id}`;
    await sql`delete from contact_figures where account_id = ${through.id}`;
    await sql`insert into changes (account_id, contact_ids) values (${through.id}, ${[ana]}::bigint[])`;
    await sql`update segments set evaluated_day = current_date - 1 where account_id = ${through.id}`;
    await keep(through);
    expect(await turnSegments(db, through.id)).toBe(0);
    expect(await sql`select from changes where account_id = ${through.id}`).not.toHaveLength(0);
    await sql`update segments set evaluated_day = null where account_id = ${through.id}`;
    await keep(through);
    expect(await sql`select from segments where account_id = ${through.id} and evaluated_day is null`).toHaveLength(1);

    await fillAccount(db, through.id);
    await turnSegments(db, through.id);
    await keep(through);
    expect(await membersOf(kept)).toEqual([ana]);
    expect(await changesOf(kept)).toEqual([]);
    expect(await sql`select from changes where account_id = ${through.id}`).toHaveLength(0);
  });

  it('have more to follow while changes wait that name the same contacts again', async () => {
    const through = await shop({ admin, call });
    const ids = await through.newContacts(3);
    while (await followChanges(db, through.id));
    const many = Array.from({ length: 2000 }, (_, n) => ids[n % ids.length] ?? 0);
    for (let n = 0; n < 6; n++)
      await sql`insert into changes (account_id, contact_ids) values (${through.id}, ${many}::bigint[])`;
    expect(await followChanges(db, through.id)).toBe(true);
    while (await followChanges(db, through.id));
    expect(await sql`select from changes where account_id = ${through.id}`).toHaveLength(0);
  });

  it('are kept once by two processes', async () => {
    const place = fresh('Town');
    const { id } = await create(city(place));
    await keep();
    const guests = await Promise.all(Array.from({ length: 20 }, () => at.newContact({ city: place })));
    await Promise.all(Array.from({ length: 4 }, () => followChanges(db, at.id)));
    await keep();
    expect((await stored(id)).map((one) => one.contact_id)).toEqual(guests.sort((a, b) => a - b));
    expect(await changes(id)).toHaveLength(20);
    expect(await read(id)).toMatchObject({ count: 20 });
  });

  it('of other accounts are kept while one account cannot be worked on', async () => {
    const [slow, other] = [await shop({ admin, call }), await shop({ admin, call })];
    const { id } = await create(inBath, other);
    await create(inBath, slow);
    // Every statement on the members of this account takes too long.
    const short = openPool({
      url: database.url,
      connections: 4,
      isDistributed: isDistributed(),
      longestStatementMs: 500,
    });
    onTestFinished(() => short.close());
    const failures: unknown[] = [];
    const holder = await superuser(database);
    await holder`begin`;
    await holder`select from segments where account_id = ${slow.id} for update`;
    onTestFinished(async () => void (await holder`rollback`));
    const keeper = new SegmentKeeper(short, (error) => failures.push(error)).start();
    onTestFinished(() => keeper.stop());
    const ana = await other.newContact({ city: 'Bath' });
    const ids = async () =>
      (
        await sql<{
          contact_id: number;
        }>`select contact_id from segment_members where account_id = ${other.id} and segment_id = ${id}`
      ).map((one) => one.contact_id);
    await vi.waitFor(async () => expect(await ids()).toEqual([ana]), { timeout: 30_000, interval: 100 });
    await vi.waitFor(() => expect(failures.length).toBeGreaterThan(0), { timeout: 30_000, interval: 100 });
  });

  it('are kept by the background process, which finds the account by itself', async () => {
    const place = fresh('Town');
    const failures: unknown[] = [];
    const keeper = new SegmentKeeper(db, (error) => failures.push(error)).start();
    onTestFinished(() => keeper.stop());
    const { id } = await create(city(place));
    const ana = await at.newContact({ city: place });
    const ids = async () => (await stored(id)).map((one) => one.contact_id);
    await vi.waitFor(async () => expect(await ids()).toEqual([ana]), { timeout: 30_000, interval: 100 });
    const rui = await at.newContact({ city: place });
    await vi.waitFor(async () => expect(await changes(id)).toContainEqual([rui, 'entered']), {
      timeout: 30_000,
      interval: 100,
    });
    expect(failures).toEqual([]);
  });
});
