import { beforeAll, describe, expect, it } from 'vitest';
import { SegmentKeeper } from '../../../../src/app/jobs/segment-keeper.ts';
import { fillAccount } from '../../../../src/features/figures/check.ts';
import type { Overview } from '../../../../src/features/insight/overview/schema.ts';
import { followChanges } from '../../../../src/features/insight/segments/keep.ts';
import type { Database } from '../../../../src/platform/db/database.ts';
import { raw } from '../../../../src/platform/db/sql.ts';
import { testApp } from '../../../support/app.ts';
import { superuser } from '../../../support/database.ts';
import { violations } from '../../../support/invariants.ts';
import { latch } from '../../../support/latch.ts';
import { fresh } from '../../../support/till.ts';
import { accepted, type Shop, shop } from '../../../support/vouchers.ts';

const { admin, call, db, database } = await testApp();
const sql = await superuser(database);

const homeAt = async (at: Shop, unit?: number): Promise<Overview> =>
  accepted(await admin('GET', `${at.base}/overview${unit === undefined ? '' : `?unit_id=${unit}`}`));
const waiting = async (at: Shop) => (await sql`select from changes where account_id = ${at.id}`).length;
const setFilled = (at: Shop, time: Date | null) =>
  sql`update accounts set unit_days_filled_at = ${time} where id = ${at.id}`;
const follow = async (at: Shop, by: Database = db) => {
  while (await followChanges(by, at.id));
};
const newGroup = async (at: Shop, name = fresh('Group')): Promise<number> =>
  accepted(await admin('POST', `${at.base}/groups`, { unit_id: at.unit, name }), 201).id;
const on = (unit: number, ...groups: number[]) => ({ id: unit, groups: groups.map((id) => ({ id })) });

/** The numbers of guests on Home (for the account and each unit) and on Venues. */
async function read(at: Shop) {
  const venues = accepted(await admin('GET', `${at.base}/venues`)).data as {
    id: number;
    guests: number;
    folders: { groups: { id: number; guests: number }[] }[];
  }[];
  const guests = ({ guests: all, new_guests, consent }: Overview) => ({ all, new_guests, consent });
  const units: Record<number, ReturnType<typeof guests>> = {};
  for (const { id, guests: shown } of venues) {
    units[id] = guests(await homeAt(at, id));
    const effects = accepted(await admin('GET', `${at.base}/units/${id}/effects`));
    expect([units[id].all, effects.guests]).toEqual([shown, shown]);
  }
  const groups = venues.flatMap(({ folders }) => folders.flatMap((folder) => folder.groups));
  return {
    ...{ home: guests(await homeAt(at)), units },
    groups: Object.fromEntries(groups.map(({ id, guests: members }) => [id, members])),
  };
}

/** The numbers before the keeper ran and after it, which must be what a count of all contacts gives. */
async function guestsOf(at: Shop) {
  const before = await read(at);
  await setFilled(at, null);
  const counted = await read(at);
  await setFilled(at, new Date());
  expect(before).toEqual(counted);
  await follow(at);
  expect(await waiting(at)).toBe(0);
  expect(await read(at)).toEqual(counted);
  expect(await violations(sql)).toEqual({});
  return counted;
}

/** Removes the counts, because a test changed them. */
async function forget(at: Shop) {
  for (const table of ['counted_contacts', 'guest_days', 'group_guests'])
    await sql`delete from ${raw(table)} where account_id = ${at.id}`;
  await setFilled(at, null);
}

describe('Home and Venues read kept counts of guests', () => {
  it('and evaluate only the contacts that changed since', async () => {
    const at = await shop({ admin, call });
    const group = await newGroup(at);
    const ana = await at.newContact({ allow_email: true, units: [on(at.unit, group)] });
    await follow(at);
    await sql`update guest_days set guests = guests + 5, allow_sms = 3 where account_id = ${at.id} and unit_id in (0, ${at.unit})`;
    await sql`update group_guests set guests = guests + 7 where account_id = ${at.id}`;
    const { home, units, groups } = await read(at);
    expect(home).toMatchObject({ all: 6, new_guests: { total: 6 }, consent: { allow_email: 1, allow_sms: 3 } });
    expect([units[at.unit]?.all, groups[group]]).toEqual([6, 8]);
    // Another change of the same contact: it is taken out of the counts and read as it is.
    accepted(await admin('POST', `${at.base}/contacts/${ana}/consent`, { allow_email: false, reason: 'Asked.' }));
    await at.newContact({ allow_call: true });
    expect((await read(at)).home).toMatchObject({ all: 7, consent: { allow_email: 0, allow_sms: 3, allow_call: 1 } });
    await forget(at);
  });
  it('unless too many wait', async () => {
    const at = await shop({ admin, call });
    await at.newContact();
    await follow(at);
    await sql`update guest_days set guests = 9 where account_id = ${at.id}`;
    expect((await homeAt(at)).guests).toBe(9);
    await sql`insert into changes (account_id, contact_ids) select ${at.id}, array_agg(n) from generate_series(1, 2000) n`;
    expect((await homeAt(at)).guests).toBe(1);
    await sql`update guest_days set guests = 1 where account_id = ${at.id}`;
    await guestsOf(at);
  });
});

describe('each write moves the numbers at once', () => {
  let at = {} as Shop;
  let bell = 0;
  let [news, vip] = [0, 0];
  beforeAll(async () => {
    at = await shop({ admin, call }, 'Europe/London');
    bell = await at.newUnit('The Bell');
    [news, vip] = [await newGroup(at), await newGroup(at)];
  });

  it('new contacts with consents, at units and in groups', async () => {
    await at.newContact({ allow_email: true, allow_sms: true, units: [on(at.unit, news, vip), on(bell)] });
    await at.newContact({ allow_snail_mail: true });
    const { home, units, groups } = await guestsOf(at);
    expect(home).toMatchObject({ all: 2, new_guests: { total: 2, before: 0 } });
    expect(home.consent).toMatchObject({ allow_email: 1, allow_sms: 1, allow_call: 0, allow_snail_mail: 1 });
    expect([units[at.unit]?.all, units[bell]?.all, units[at.root]?.all]).toEqual([1, 1, 1]);
    expect(units[bell]?.consent).toMatchObject({ allow_sms: 1, allow_snail_mail: 0 });
    expect(groups).toEqual({ [news]: 1, [vip]: 1 });
  });
  it('a consent that staff withdraw', async () => {
    const ana = await at.newContact({ allow_call: true, units: [on(bell)] });
    expect((await guestsOf(at)).units[bell]?.consent.allow_call).toBe(1);
    accepted(await admin('POST', `${at.base}/contacts/${ana}/consent`, { allow_call: false, reason: 'Asked.' }));
    expect((await guestsOf(at)).units[bell]?.consent.allow_call).toBe(0);
  });
  it('units and groups that a contact gets, and groups that it leaves', async () => {
    const email = `${fresh('guest')}@gmail.com`;
    await at.newContact({ email, units: [on(at.unit, news)] });
    const before = await guestsOf(at);
    await at.newContact({
      email,
      rules: [{ rule_name: 'detach_existing_groups' }],
      units: [on(at.unit, vip), on(bell)],
    });
    const after = await guestsOf(at);
    expect(after.home.all).toBe(before.home.all);
    expect(after.units[bell]?.all).toBe((before.units[bell]?.all ?? 0) + 1);
    expect([after.groups[news], after.groups[vip]]).toEqual([
      (before.groups[news] ?? 0) - 1,
      (before.groups[vip] ?? 0) + 1,
    ]);
  });
  it('a merge, and its undoing', async () => {
    const ana = await at.newContact({ units: [on(at.unit, news)], allow_email: true });
    const rui = await at.newContact({ units: [on(bell), on(at.unit, news, vip)], allow_sms: true });
    const before = await guestsOf(at);
    const merge = await at.merge(rui, ana);
    const merged = await guestsOf(at);
    expect(merged.home.all).toBe(before.home.all - 1);
    expect(merged.units[bell]?.all).toBe(before.units[bell]?.all);
    expect(merged.groups[news]).toBe((before.groups[news] ?? 0) - 1);
    accepted(await admin('POST', `${at.base}/merges/${merge.id}/undo`));
    const undone = await guestsOf(at);
    expect([undone.home.all, undone.units[bell]?.all, undone.groups]).toEqual([
      ...[before.home.all, before.units[bell]?.all, before.groups],
    ]);
  });
  it('the erasure of a contact and of those that were merged into it', async () => {
    const before = await guestsOf(at);
    const [ana, rui] = [await at.newContact({ units: [on(bell)] }), await at.newContact({ units: [on(at.unit, vip)] })];
    await follow(at);
    await at.merge(rui, ana);
    accepted(await admin('DELETE', `${at.base}/contacts/${ana}`), 204);
    expect(await guestsOf(at)).toEqual(before);
    expect(await sql`select from counted_contacts where contact_id in (${ana}, ${rui})`).toHaveLength(0);
  });
  it('a deleted group, and a deleted unit', async () => {
    const gone = await newGroup(at);
    await at.newContact({ units: [on(at.unit, gone)] });
    expect((await guestsOf(at)).groups[gone]).toBe(1);
    accepted(await admin('DELETE', `${at.base}/groups/${gone}`), 204);
    expect((await guestsOf(at)).groups[gone]).toBeUndefined();
    expect((await sql`select guests from group_guests where group_id = ${gone}`)[0]).toEqual({ guests: 0 });
    const sunk = await at.newUnit('The Sunk');
    await at.newContact({ units: [on(sunk)] });
    const { home } = await guestsOf(at);
    await at.removeUnit(sunk);
    expect((await guestsOf(at)).home).toEqual(home);
  });
});

describe('the filling', () => {
  it('counts the contacts that were there before, and removes those that no longer exist', async () => {
    const at = await shop({ admin, call });
    const group = await newGroup(at);
    const [ana = 0] = await at.newContacts(3);
    await at.newContact({ units: [on(at.unit, group)], allow_email: true });
    await at.merge(await at.newContact(), ana);
    const before = await read(at);
    // As an upgrade finds it, but for the row of a contact that does not exist.
    await sql`delete from changes where account_id = ${at.id}`;
    await setFilled(at, null);
    await sql`
      insert into counted_contacts (account_id, contact_id, day, consents, unit_ids, group_ids)
      values (${at.id}, 900000000000, '2020-01-01', 0, '{}', '{}')`;
    await sql`
      insert into guest_days (account_id, unit_id, day, guests, allow_email, allow_sms, allow_call, allow_snail_mail)
      values (${at.id}, 0, '2020-01-01', 1, 0, 0, 0, 0)`;
    expect(await read(at)).toEqual(before);
    await fillAccount(db, at.id);
    expect(await read(at)).toEqual(before);
    expect(await guestsOf(at)).toEqual(before);
    // Again: nothing counts twice.
    await fillAccount(db, at.id);
    expect(await guestsOf(at)).toEqual(before);
  });
  it('follows a change of the time zone', async () => {
    const at = await shop({ admin, call }, 'UTC');
    await at.newContacts(2);
    await sql`update contacts set created_at = '2025-03-05T20:00:00Z' where account_id = ${at.id}`;
    await follow(at);
    const days = async () => {
      const { new_guests } = accepted(await admin('GET', `${at.base}/overview?from=2025-03-01&to=2025-03-31`));
      return new_guests.series.flatMap(({ at: day, count }: { at: string; count: number }) => (count > 0 ? [day] : []));
    };
    expect(await days()).toEqual(['2025-03-05']);
    accepted(await admin('PATCH', at.base, { time_zone: 'Asia/Tokyo' }));
    // A contact that changes before the filling is on its new day already.
    await at.newContact();
    expect(await days()).toEqual(['2025-03-06']);
    await follow(at);
    await fillAccount(db, at.id);
    expect(await days()).toEqual(['2025-03-06']);
    expect((await guestsOf(at)).home.all).toBe(3);
  });
});

describe('the keeper', () => {
  it('counts for accounts without segments, and loses nothing if its transaction is rolled back', async () => {
    const at = await shop({ admin, call });
    await at.newContact();
    const before = await waiting(at);
    const killing: Database = {
      ...db,
      tenant: (id, work) =>
        db.tenant(id, async (tx, last) => {
          await work(tx, last);
          throw new Error('killed');
        }),
    };
    await expect(followChanges(killing, at.id)).rejects.toThrow('killed');
    expect([await waiting(at), (await homeAt(at)).guests]).toEqual([before, 1]);
    const keeper = new SegmentKeeper(db, () => {});
    // It looks at some accounts at a time. Other tests may have made many.
    const followed = async () => {
      await keeper.follow();
      return waiting(at);
    };
    await expect.poll(followed).toBe(0);
    expect((await guestsOf(at)).home.all).toBe(1);
    const [kept] = await sql`select guests from guest_days where account_id = ${at.id} and unit_id = 0`;
    expect(kept).toEqual({ guests: 1 });
  });
  it('leaves an account that another process follows, and the write that was made meanwhile stays in the queue', async () => {
    const at = await shop({ admin, call });
    const ana = await at.newContact({ allow_email: true });
    const [counted, done] = [latch(), latch()];
    const slow: Database = {
      ...db,
      tenant: (id, work) =>
        db.tenant(id, async (tx, last) => {
          const result = await work(tx, last);
          counted.open();
          await done.opened;
          return result;
        }),
    };
    const first = followChanges(slow, at.id);
    await counted.opened;
    expect(await followChanges(db, at.id)).toBe(false);
    // Writers do not wait for it.
    accepted(await admin('POST', `${at.base}/contacts/${ana}/consent`, { allow_email: false, reason: 'Asked.' }));
    await at.newContact();
    expect(await homeAt(at)).toMatchObject({ guests: 2, consent: { allow_email: 0 } });
    done.open();
    await first;
    expect(await waiting(at)).toBe(2);
    expect(await homeAt(at)).toMatchObject({ guests: 2, consent: { allow_email: 0 } });
    expect((await guestsOf(at)).home.all).toBe(2);
  });
  it('can run while the numbers are read, and several can run', async () => {
    const at = await shop({ admin, call });
    const ids = await at.newContacts(6);
    let [isOver, reads] = [false, 0];
    const keep = async () => {
      while (!isOver) await followChanges(db, at.id);
    };
    const watch = async () => {
      while (!isOver) {
        expect((await homeAt(at)).guests).toBe(ids.length);
        reads++;
      }
    };
    const change = async () => {
      for (let n = 0; n < 40; n++) {
        const allow_email = n % 12 < 6;
        await admin('POST', `${at.base}/contacts/${ids[n % 6]}/consent`, { allow_email, reason: 'Asked.' });
      }
      isOver = true;
    };
    await Promise.all([keep(), keep(), watch(), watch(), change()]);
    expect(reads).toBeGreaterThan(0);
    await guestsOf(at);
  });
  it('adds no rows to an account that is being deleted', async () => {
    const at = await shop({ admin, call });
    await at.newContact();
    await sql`update accounts set deleted_at = now() where id = ${at.id}`;
    expect(await followChanges(db, at.id)).toBe(false);
    expect(await sql`select from counted_contacts where account_id = ${at.id}`).toHaveLength(0);
    await sql`update accounts set deleted_at = null where id = ${at.id}`;
  });
});
