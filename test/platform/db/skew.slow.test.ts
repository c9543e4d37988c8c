import { beforeAll, expect, it } from 'vitest';
import { selectBookingPops } from '../../../src/features/activity/bookings/store.ts';
import { selectPurchases, selectWaiting } from '../../../src/features/activity/purchases/listing-store.ts';
import { selectPurchasePops } from '../../../src/features/activity/purchases/presence-store.ts';
import { findPurchases, type PurchaseKey } from '../../../src/features/activity/purchases/store.ts';
import { selectWifiPops } from '../../../src/features/activity/wifi/store.ts';
import { findByTables } from '../../../src/features/identity/matching/store.ts';
import {
  selectCodes,
  selectCodesToAssign,
  selectContactCodes,
  selectStaffContactCodes,
} from '../../../src/features/vouchers/staff-store.ts';
import type { Tx } from '../../../src/platform/db/database.ts';
import { only } from '../../../src/platform/db/sql.ts';
import { testApp } from '../../support/app.ts';
import { superuser } from '../../support/database.ts';

// One large account among many small ones. Plans are made for the usual account, and that has a unit or two: whoever
// begins at the units reads one row in most accounts, and all that ever happened in this one.
const { db, database } = await testApp();
const [large, units, contacts, each, waiting] = [500_000, 200, 1000, 20, 500];
const contact = large + 7;

beforeAll(async () => {
  const sql = await superuser(database);
  await sql`set session_replication_role = replica`;
  await sql`
    insert into accounts (id, name, root_unit_id) select 100000 + n, 'small', 100000 + n from generate_series(1, 300) n
    union all select ${large}::bigint, 'large', ${large}::bigint`;
  await sql`insert into units (account_id, id, name, is_root) select id, id, name, true from accounts where id >= 100000`;
  await sql`insert into units (account_id, id, name) select ${large}::bigint, ${large}::bigint + n, 'Venue' from generate_series(1, ${units}::int) n`;
  await sql`insert into unique_code_groups (account_id, id, unit_id, name) select id, id, id, 'Vouchers' from accounts where id >= 100000`;
  await sql`
    insert into contacts (account_id, id) select id, id * 100 + n from accounts, generate_series(1, 20) n where id between 100000 and ${large}::bigint - 1
    union all select ${large}::bigint, ${large}::bigint + n from generate_series(1, ${contacts}::int) n`;
  // What each of them did, at any of the units.
  await sql`
    create temporary table deeds as
    select account_id, id as contact_id, row_number() over (order by id, n) as nth,
      case when account_id = ${large}::bigint then ${large}::bigint + (n * 31 + id) % ${units}::int else account_id end as unit_id
    from contacts cross join lateral generate_series(1, ${each}::int) n
    where account_id >= 100000`;
  await sql`
    insert into purchases (account_id, contact_id, unit_id, transaction_reference, order_type_id, created_at, lines)
    select account_id, contact_id, unit_id, 'T' || nth, 1, timestamp '2025-01-01' + nth * interval '1 minute', '[]'::jsonb from deeds
    union all select ${large}::bigint, null, ${large}::bigint + 1 + n % ${units}::int, 'W' || n, 1, timestamp '2025-01-01', '[]'
    from generate_series(1, ${waiting}::int) n`;
  await sql`
    insert into bookings (account_id, contact_id, unit_id, booking_reference, stage_value, enquired_at, party_datetime, deposit_paid,
      hpbr_food, hpbr_drink, hpbr_entertainment, table_numbers)
    select account_id, contact_id, unit_id, 'B' || nth, 1, '2025-01-01', timestamp '2025-01-01' + nth * interval '1 minute', 0, 0, 0, 0, '{}' from deeds`;
  // An evening at one unit: a booking at each of many tables, and one at several.
  await sql`
    insert into bookings (account_id, contact_id, unit_id, booking_reference, stage_value, enquired_at, party_datetime, deposit_paid,
      hpbr_food, hpbr_drink, hpbr_entertainment, table_numbers)
    select ${large}::bigint, ${contact}::bigint, ${large}::bigint + 1, 'E' || n, 1, '2025-01-01', '2026-01-01 19:00', 0, 0, 0, 0,
      case n when 1 then array['T1', 'T7'] else array['T' || n] end from generate_series(1, 100) n`;
  await sql`
    insert into wifi_interactions (account_id, contact_id, unit_id, hotspot_name, mac_address, device_type, interaction_type, created_at)
    select account_id, contact_id, unit_id, '', '', '', 'detected', timestamp '2025-01-01' + nth * interval '1 minute' from deeds`;
  await sql`
    insert into unique_codes (account_id, group_id, unique_code, contact_id) select account_id, account_id, 'C' || nth, contact_id from deeds`;
  await sql`analyze`;
});

const page = { limit: 10, offset: 0 };
const asked = [{ contactId: contact, contactIds: [contact], start: '2025-01-01', end: '2025-12-31', ...page }];
const room = { purchases: 100, lines: 100, bytes: 1000 };

it.each<[string, string, number, (tx: Tx) => Promise<unknown>]>([
  // The page's sizes are read before its lines.
  ['a contact’s purchases', 'purchases', each + page.limit, (tx) => selectPurchases(tx, large, [contact], page)],
  ['PoP purchases', 'purchases', each, (tx) => selectPurchasePops(tx, large, asked, room)],
  ['PoP bookings', 'bookings', each, (tx) => selectBookingPops(tx, large, asked)],
  ['PoP wifi', 'wifi_interactions', each, (tx) => selectWifiPops(tx, large, asked)],
  ['purchases that wait', 'purchases', waiting, (tx) => selectWaiting(tx, large, {}, page)],
  ['a contact’s vouchers', 'unique_codes', each, (tx) => selectContactCodes(tx, large, [contact], page)],
  ['the same for staff', 'unique_codes', each, (tx) => selectStaffContactCodes(tx, large, [contact], page)],
  [
    'purchases that are sent again',
    'purchases',
    each,
    async (tx) => {
      const keys = await tx<PurchaseKey>`
        select transaction_reference, unit_id, provider_id from purchases where account_id = ${large} and contact_id = ${contact}`;
      return findPurchases(tx, large, keys);
    },
  ],
  [
    'bookings of a table',
    'bookings',
    3,
    (tx) =>
      findByTables(
        tx,
        large,
        'Europe/London',
        ['t7', 't8', 't9'].map((table_number) => ({ unit_id: large + 1, at: '2026-01-01 20:00:00', table_number })),
      ),
  ],
  [
    'vouchers that contacts have already',
    'unique_codes',
    2 * each,
    (tx) => selectCodesToAssign(tx, large, large, [contact, contact + 1, contact + 2, contact + 3]),
  ],
  [
    'a voucher of a group',
    'unique_codes',
    2,
    async (tx) => {
      const [row] = await tx<{ unique_code: string }>`
        select unique_code from unique_codes where account_id = ${large} and contact_id = ${contact} limit 1`;
      return selectCodes(tx, large, large, { unique_code: row?.unique_code ?? '' }, page);
    },
  ],
])('%s are found without reading other rows', async (_, table, own, select) => {
  const read = await db.tenant(large, async (tx) => {
    const rowsRead = async () => {
      const rows = await tx<{ read: number }>`
        select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = ${table}`;
      return only(rows).read;
    };
    const before = await rowsRead();
    const found = JSON.stringify(await select(tx));
    expect(found.length).toBeGreaterThan(100);
    return (await rowsRead()) - before;
  });
  // Once for the page, and once to count them.
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThanOrEqual(2 * own);
});
