import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { type Run, raw } from '../../../src/platform/db/sql.ts';
import { refreshStatistics, startStatisticsRefresh } from '../../../src/platform/db/statistics.ts';
import { createLog } from '../../../src/platform/log.ts';
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
  expect((await db.transaction(refreshStatistics)).tables).not.toContain('bookings');
});

describe.skipIf(!isDistributed())('a distributed server', () => {
  it('has statistics of the tables that are on the coordinator', async () => {
    const { db, ...database } = await openTestDatabase();
    const [sql] = (await everyNode(database)) as [Run];
    await sql`insert into users (id, email, password_hash, role) values (1, 'a@x.example', 'x', 'owner')`;
    await sql`
      insert into sessions (user_id, hash, address, user_agent, expires_at)
      select 1, ('h' || n)::bytea, '192.0.2.1', 'x', now() from generate_series(1, 1000) as n`;
    await sql`
      insert into audit_trail (actor, action, user_id, ids, fields) select 'x', 'x', 1, '{}', '{}' from generate_series(1, 1000)`;
    await sql`select pg_stat_force_next_flush()`;
    const seen = () => sql<{ name: string; rows: number }>`
      select regexp_replace(relname, '_[0-9]+$', '') as name, reltuples::int as rows from pg_class
      where relname ~ '^(sessions|audit_trail)(_[0-9]+)?$' and relkind = 'r' and reltuples > 0 order by 1`;
    expect(await seen()).toHaveLength(0);
    const { tables, failures } = await db.transaction(refreshStatistics);
    expect(tables).toContain('audit_trail');
    expect(failures).toEqual([]);
    expect([...(await seen())]).toEqual([
      { name: 'audit_trail', rows: 1000 },
      { name: 'sessions', rows: 1000 },
    ]);
    expect((await db.transaction(refreshStatistics)).tables).toEqual([]);
  });

  it('refreshes the others if a worker fails, and logs that once', async () => {
    const { db, ...database } = await openTestDatabase();
    const [sql, worker] = (await everyNode(database)) as [Run, Run];
    await worker`set citus.enable_ddl_propagation = off`;
    await worker`${raw(`revoke connect on database ${database.name} from public, regulars`)}`;
    await sql`
      insert into email_domains (domain, takes_mail) select 'd' || n || '.example', true from generate_series(1, 1000) as n`;
    await sql`select pg_stat_force_next_flush()`;
    const { tables, failures } = await db.transaction(refreshStatistics);
    expect([tables, failures]).toEqual([['email_domains'], [expect.stringMatching(/^127\.0\.0\.1:\d+: /)]]);
    const logged: string[] = [];
    const refresh = startStatisticsRefresh(db, createLog('info', { write: (line) => void logged.push(line) }));
    // Two runs.
    await pause(12_000);
    await refresh.stop();
    expect(logged.filter((line) => line.includes('refreshing statistics failed on a node'))).toHaveLength(1);
  });
});
