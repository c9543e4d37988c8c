import { expect, it } from 'vitest';
import { testApp } from '../support/app.ts';
import { superuser } from '../support/database.ts';
import { broken } from '../support/guests.ts';
import { fresh } from '../support/till.ts';
import { accepted, shop } from '../support/vouchers.ts';

const { admin, call, database } = await testApp();
const behind = await superuser(database);

it('are right however many write at once, and stay few', async () => {
  const there = await shop({ admin, call });
  const sale = () => ({
    transaction_reference: fresh('T'),
    unit_id: there.unit,
    created_at: '2025-03-01 12:00:00',
    items: [{ quantity: 1, value: 1.25 }],
  });
  const write = (n: number) =>
    there.newContact({ email: `guest${n % 40}@gmail.com`, allow_email: n % 3 === 0, purchases: [sale()] });
  // One after the other in each of these, so that there are many statements and not a few large ones.
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let n = 0; n < 50; n++) await write(writer * 50 + n);
  });
  await Promise.all(writers);
  const { guests, visits } = accepted(
    await admin('GET', `${there.base}/overview?from=2025-03-01&to=2025-03-01&unit_id=${there.unit}`),
  );
  expect([guests, visits.purchases, visits.spend]).toEqual([0, 200, 250]);
  expect(accepted(await admin('GET', `${there.base}/overview`)).guests).toBe(40);
  expect(await broken(behind)).toEqual({});
  const [rows] = await behind<{ days: number; guests: number }>`
    select (select count(*) from daily_tallies) as days, (select count(*) from guest_tallies) as guests`;
  expect(rows?.days).toBeLessThan(100);
  expect(rows?.guests).toBeLessThan(100);
});

it('go with their account', async () => {
  const there = await shop({ admin, call });
  const purchases = [{ transaction_reference: 'T', unit_id: there.unit, items: [{ quantity: 1, value: 1 }] }];
  const bookings = [{ booking_reference: 'B', unit_id: there.unit, party_datetime: '2025-03-01 12:00:00' }];
  await there.newContact({ purchases, bookings, wifi: [{ hotspot_name: 'Bar', unit_id: there.unit }] });
  await there.redeemed({ unique_code: (await there.newCode()).unique_code });
  accepted(await admin('DELETE', there.base), 204);
  const left = await behind`
    select account_id from daily_tallies where account_id = ${there.id} union all
    select account_id from guest_tallies where account_id = ${there.id} union all
    select account_id from redemptions where account_id = ${there.id}`;
  expect(left).toHaveLength(0);
});
