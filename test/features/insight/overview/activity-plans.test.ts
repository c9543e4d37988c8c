import { beforeAll, expect, it } from 'vitest';
import { selectActivity } from '../../../../src/features/insight/overview/activity-store.ts';
import type { Tx } from '../../../../src/platform/db/database.ts';
import { sql as fragment } from '../../../../src/platform/db/sql.ts';
import { testApp } from '../../../support/app.ts';
import { isDistributed, superuser } from '../../../support/database.ts';
import { type Shop, shop } from '../../../support/vouchers.ts';

const app = await testApp();
const sql = await superuser(app.database);
// A distributed server plans each shard by itself.
const onOneServer = isDistributed() ? it.skip : it;

let [at, units] = [{} as Shop, [] as number[]];
const rows = fragment`generate_series(1, 3000) as row`;

beforeAll(async () => {
  at = await shop(app);
  units = [at.unit, await at.newUnit('The Bell')];
  const contact = await at.newContact();
  for (const unit of units) {
    await sql`
      insert into purchases (account_id, contact_id, unit_id, transaction_reference, order_type_id, created_at, lines)
      select ${at.id}, ${contact}, ${unit}, 'T' || row, 1, timestamp '2025-01-01' + row * interval '1 hour', '[]' from ${rows}`;
    await sql`
      insert into bookings (account_id, contact_id, unit_id, booking_reference, stage_value, enquired_at, party_datetime,
        deposit_paid, hpbr_food, hpbr_drink, hpbr_entertainment, table_numbers)
      select ${at.id}, ${contact}, ${unit}, ${unit}::text || '-' || row, 1, timestamp '2025-01-01',
        timestamp '2025-01-01' + row * interval '1 hour', 0, 0, 0, 0, '{}' from ${rows}`;
    await sql`
      insert into stays (account_id, unit_id, provider_id, stay_reference, enquiry_date, checkin_date, checkout_date, room_type_id,
        total_guests, booking_enquiry_source_id, booking_status_id, extras)
      select ${at.id}, ${unit}, 12, ${unit}::text || '-' || row, timestamp '2025-01-01', timestamp '2025-01-01' + row * interval '1 hour',
        timestamp '2030-01-01', 1, 1, 1, 7, '[]' from ${rows}`;
    await sql`
      insert into feedback (account_id, contact_id, unit_id, type_id, created_at)
      select ${at.id}, ${contact}, ${unit}, 1, timestamp '2025-01-01' + row * interval '1 hour' from ${rows}`;
  }
  await sql`
    insert into feedback_ratings (account_id, feedback_id, category_id, rating_text)
    select account_id, id, 4, '9' from feedback where account_id = ${at.id}`;
});

/** A transaction whose statements are explained. */
const explaining = (tx: Tx): Tx =>
  Object.assign(
    (strings: TemplateStringsArray, ...values: unknown[]) =>
      tx([`explain (analyze, costs off, timing off) ${strings[0]}`, ...strings.slice(1)] as never, ...values),
    tx,
  ) as Tx;

/** Also without statistics, as directly after an import. */
onOneServer.each([
  ['purchases', 'purchases_unit'],
  ['bookings', 'bookings_table'],
  ['stays', 'stays_unit'],
  ['ratings', 'feedback_unit'],
] as const)('the list of %s reads each unit by the index %s, only as far as a page needs', async (kind, index) => {
  const scope = {
    ...{ accountId: at.id, unitId: null, unitIds: units, timeZone: 'UTC', now: '2026-01-01 00:00:00' },
    edges: ['2025-01-01', '2026-01-01'],
  };
  for (const cursor of [undefined, { at: '2025-02-01 12:00:00.000000', id: 1 }]) {
    const plan = await app.db.tenant(at.id, async (tx) => {
      const lines = await selectActivity(explaining(tx), scope, { kind, nps: undefined }, cursor, 51);
      return lines.map((line) => (line as unknown as Record<string, string>)['QUERY PLAN']).join('\n');
    });
    const read = new RegExp(`using ${index} on .* \\(actual rows=([\\d.]+) loops=2\\)`).exec(plan)?.[1];
    expect(Number(read), plan).toBeLessThan(150);
    expect(plan).not.toMatch(/Seq Scan on (purchases|bookings|stays|feedback)/);
  }
});
