import { expect, it, vi } from 'vitest';
import { raw } from '../../../src/platform/db/sql.ts';
import { refreshStatistics } from '../../../src/platform/db/statistics.ts';
import { appOver } from '../../support/app.ts';
import { everyNode, isDistributed, openTestDatabase, superuser } from '../../support/database.ts';
import { start } from '../../support/process.ts';

it('the service analyses a growing table, so that PostgreSQL does not keep a plan for an empty one', async () => {
  const { db, ...database } = await openTestDatabase();
  const { account, call } = await appOver(db, database);
  const sql = await superuser(database);
  const { id, token, root_unit_id } = await account();
  const { body: contact } = await call('POST', '/v1/contact', { token, body: { email: 'ana@gmail.com' } });
  await sql`alter table bookings set (autovacuum_enabled = off)`;

  /** What the service does to find a booking of an account. */
  const plan = (accountId: number) =>
    db.tenant(accountId, async (tx) => {
      await tx`prepare one (bigint, text) as select id from bookings where account_id = $1 and booking_reference = $2 offset 0`;
      const rows = await tx<Record<string, string>>`explain execute one (${raw(String(accountId))}, 'B1')`;
      await tx`deallocate one`;
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
  const nodes = await everyNode(database);
  /** By the statistics of the table or of its shards. */
  const seenRows = async () => {
    const tables = nodes.map(
      (node) => node<{ rows: number }>`
        select reltuples as rows from pg_class where relkind = 'r' and relname ~ '^bookings(_[0-9]+)?$' and reltuples >= 0`,
    );
    return (await Promise.all(tables)).flat().reduce((sum, { rows }) => sum + rows, 0);
  };
  expect(await seenRows()).toBe(0);

  const service = await start({ env: { DATABASE_URL: database.url, LOG_LEVEL: 'warn' } });
  await sql`
    insert into bookings (account_id, contact_id, unit_id, booking_reference, stage_value, enquired_at, party_datetime, deposit_paid,
      hpbr_food, hpbr_drink, hpbr_entertainment, table_numbers)
    select ${id}::bigint, ${contact.id}::bigint, ${root_unit_id}::bigint, 'B' || n, 1, '2026-01-01', '2026-03-01', 0, 0, 0, 0, '{}'
    from generate_series(1, 3000) as n`;
  await sql`select pg_stat_force_next_flush()`;
  await vi.waitFor(async () => expect(await seenRows()).toBe(3000), { timeout: 120_000, interval: 200 });
  await service.stop();
  // A distributed server plans each shard by itself.
  if (isDistributed()) return;
  // Also for an account that the statistics do not contain.
  const next = await account('Next');
  for (const accountId of [id, next.id]) {
    expect(await plan(accountId)).toMatch(/bookings_reference.*\n.*booking_reference = /);
  }
  // Once is enough.
  expect(await db.transaction(refreshStatistics)).not.toContain('bookings');
});
