import { beforeAll, describe, expect, it } from 'vitest';
import { verifyAccount } from '../../../src/features/figures/check.ts';
import { keepCounts } from '../../../src/features/figures/keep.ts';
import { repairAccount } from '../../../src/features/figures/repair.ts';
import { followChanges } from '../../../src/features/insight/segments/keep.ts';
import type { Database } from '../../../src/platform/db/database.ts';
import { testApp } from '../../support/app.ts';
import { superuser } from '../../support/database.ts';
import { violations } from '../../support/invariants.ts';
import { fresh } from '../../support/till.ts';
import { accepted, type Shop, shop } from '../../support/vouchers.ts';

const { admin, call, db, database } = await testApp();
const sql = await superuser(database);
const none = { unit_days: 0, code_groups: 0, guests: 0, guest_days: 0, groups: 0 };

let at = {} as Shop;
let [ana, news, codes] = [0, 0, 0];
const purchase = (created_at: string) => ({
  ...{ transaction_reference: fresh('T'), unit_id: at.unit, created_at, items: [{ quantity: 1, value: 10 }] },
});

async function keep(): Promise<void> {
  while ((await db.tenant(at.id, (tx) => keepCounts(tx, at.id))) === 'some');
  while (await followChanges(db, at.id));
}
const check = async (repair = false) => (await verifyAccount(db, at.id, { repair })).counts;

/** The check finds the difference, also a second time, and repairs it. */
async function expectRepaired(wrong: Partial<typeof none>): Promise<void> {
  expect(await check()).toEqual({ ...none, ...wrong });
  expect(await check(true)).toEqual({ ...none, ...wrong });
  expect(await check()).toEqual(none);
  expect(await violations(sql)).toEqual({});
}

beforeAll(async () => {
  at = await shop({ admin, call }, 'Europe/London');
  news = accepted(await admin('POST', `${at.base}/groups`, { unit_id: at.unit, name: 'News' }), 201).id;
  ana = await at.newContact({
    allow_email: true,
    units: [{ id: at.unit, groups: [{ id: news }] }],
    purchases: [purchase('2025-03-05 12:00:00'), purchase('2025-03-06 12:00:00')],
  });
  const { group, unique_code } = await at.newCode();
  codes = group;
  await at.redeemed({ unique_code, redemption_date: '2025-03-05T12:00:00Z' });
});

describe('the check of the counts', () => {
  it('finds no difference while changes wait, and after they were counted', async () => {
    expect(await check()).toEqual(none);
    await keep();
    expect(await sql`select from unit_days where account_id = ${at.id}`).not.toHaveLength(0);
    expect(await check()).toEqual(none);
  });
  it('finds days of units that are wrong, missing, or too many', async () => {
    await sql`update unit_days set pence = pence + 1 where account_id = ${at.id} and day = '2025-03-05'`;
    await sql`delete from unit_days where account_id = ${at.id} and day = '2025-03-06'`;
    await sql`insert into unit_days (account_id, day, unit_id, stays) values (${at.id}, '2025-03-09', ${at.unit}, 1)`;
    await expectRepaired({ unit_days: 3 });
  });
  it('finds redeemed codes of units, and codes of groups by day and in all', async () => {
    await sql`update unit_days set redeemed = 5 where account_id = ${at.id} and day = '2025-03-05'`;
    await expectRepaired({ unit_days: 1 });
    await sql`update unique_code_sums set made = 9 where account_id = ${at.id} and group_id = ${codes} and unit_id = 0`;
    await expectRepaired({ code_groups: 1 });
    await sql`delete from unique_code_days where account_id = ${at.id} and group_id = ${codes} and unit_id <> 0`;
    // The sums and the days of units are compared with the days of groups.
    expect(await check()).toEqual({ ...none, code_groups: 1, unit_days: 1 });
    expect(await check(true)).toEqual({ ...none, code_groups: 1 });
    expect(await check()).toEqual(none);
    expect(await violations(sql)).toEqual({});
  });
  it('finds contacts that are counted as they are not, and those that no longer exist', async () => {
    await sql`update counted_contacts set consents = 0 where account_id = ${at.id} and contact_id = ${ana}`;
    await sql`update guest_days set allow_email = 0 where account_id = ${at.id}`;
    await expectRepaired({ guests: 1 });
    await sql`
      insert into counted_contacts (account_id, contact_id, day, consents, unit_ids, group_ids)
      values (${at.id}, 900000000000, '2020-01-01', 0, '{}', '{}')`;
    await sql`
      insert into guest_days (account_id, unit_id, day, guests, allow_email, allow_sms, allow_call, allow_snail_mail)
      values (${at.id}, 0, '2020-01-01', 1, 0, 0, 0, 0)`;
    await expectRepaired({ guests: 1 });
  });
  it('finds sums of guests, by day and by group', async () => {
    await sql`update guest_days set guests = guests + 1 where account_id = ${at.id} and unit_id in (0, ${at.unit}) and guests > 0`;
    await sql`update group_guests set guests = 7 where account_id = ${at.id} and group_id = ${news}`;
    await expectRepaired({ guest_days: 2, groups: 1 });
    await sql`delete from guest_days where account_id = ${at.id} and unit_id = 0`;
    await sql`delete from group_guests where account_id = ${at.id}`;
    await expectRepaired({ guest_days: 1, groups: 1 });
  });
  it('leaves what waits to the keeper, which is right after a repair too', async () => {
    await sql`update guest_days set guests = guests + 1 where account_id = ${at.id} and unit_id = 0 and guests > 0`;
    await at.newContact({ allow_sms: true, purchases: [purchase('2025-03-05 13:00:00')] });
    const { unique_code } = await at.newCode();
    await at.redeemed({ unique_code, redemption_date: '2025-03-05T12:00:00Z' });
    expect(await check(true)).toEqual({ ...none, guest_days: 1 });
    await keep();
    expect(await check()).toEqual(none);
    expect(await violations(sql)).toEqual({});
  });
  it('is right about units that are created while it runs', async () => {
    let transactions = 0;
    const during: Database = {
      ...db,
      tenant: async (id, work) => {
        const result = await db.tenant(id, work);
        // The third from the start is not the last.
        if (++transactions === 3) {
          const unit = accepted(await admin('POST', `${at.base}/units`, { name: fresh('New') }), 201).id;
          await at.newContact({ units: [{ id: unit }] });
          await keep();
        }
        return result;
      },
    };
    expect((await verifyAccount(during, at.id, { repair: true })).counts).toEqual(none);
    expect(transactions).toBeGreaterThan(3);
    expect(await check()).toEqual(none);
    expect(await violations(sql)).toEqual({});
  });
  it('of an account that does not exist finds nothing', async () => {
    expect((await verifyAccount(db, 999_999_999, { repair: true })).counts).toEqual(none);
  });
  it('is part of the nightly repair, which adds the result to the metrics', async () => {
    await sql`update group_guests set guests = 7 where account_id = ${at.id} and group_id = ${news}`;
    const { counts } = await repairAccount(db, at.id, new AbortController().signal);
    expect(counts).toEqual({ ...none, groups: 1 });
    const { body: metrics } = await call('GET', '/metrics');
    expect(metrics).toContain('regulars_figures_counts{result="repaired"} 1');
  });
  it('waits for the filling of an account whose counts are not kept', async () => {
    await sql`update group_guests set guests = 7 where account_id = ${at.id} and group_id = ${news}`;
    await sql`update accounts set unit_days_filled_at = null where id = ${at.id}`;
    expect(await check(true)).toEqual(none);
    await sql`update accounts set unit_days_filled_at = now() where id = ${at.id}`;
    await expectRepaired({ groups: 1 });
  });
});
