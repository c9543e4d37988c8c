import { expect, it } from 'vitest';
import { selectContactsWithoutCode } from '../../../src/features/vouchers/staff-store.ts';
import { only, raw } from '../../../src/platform/db/sql.ts';
import { testApp } from '../../support/app.ts';
import { isDistributed, superuser } from '../../support/database.ts';

const { db, database, account } = await testApp();

// A distributed server plans each shard by itself.
it.skipIf(isDistributed())(
  'assigning codes to a group of contacts reads the group once, even before PostgreSQL has statistics',
  async () => {
    const { id } = await account();
    const sql = await superuser(database);
    for (const table of ['contacts', 'contact_groups', 'unique_codes'])
      await sql`alter table ${raw(table)} set (autovacuum_enabled = off)`;
    await sql`set session_replication_role = replica`;
    await sql`insert into contacts (account_id, id) select ${id}::bigint, 1000 + n from generate_series(1, 400) n`;
    await sql`insert into contact_groups (account_id, contact_id, group_id) select ${id}::bigint, 1000 + n, 1 from generate_series(1, 400) n`;
    await sql`
    insert into unique_codes (account_id, group_id, unique_code, contact_id)
    select ${id}::bigint, 1, 'C' || n, case when n <= 300 then 1000 + n end from generate_series(1, 400) n`;
    const [found, read] = await db.tenant(id, async (tx) => {
      const rowsRead = async () => {
        const rows = await tx<{ read: number }>`
        select sum(seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables
        where relname in ('contacts', 'contact_groups', 'unique_codes')`;
        return only(rows).read;
      };
      const before = await rowsRead();
      return [await selectContactsWithoutCode(tx, id, 1, 1, 400), (await rowsRead()) - before];
    });
    expect(found).toEqual({ ids: Array.from({ length: 100 }, (_, n) => 1301 + n), total: 100 });
    // The links, the contacts and their codes, once each. A plan that joins them reads 160,000.
    expect(read).toBeLessThanOrEqual(3 * 400);
  },
);
