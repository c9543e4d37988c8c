import { once } from 'node:events';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Group } from './guests.ts';
import { asSuperuser, type Service } from './service.ts';

type Row = (string | number | null)[];

interface Table {
  name: string;
  columns: string;
  count(group: Group): number;
  row(group: Group, nth: number): Row;
}

/** The rows of each table in primary key order, which is fastest to load. The largest tables come first. */
const tables: Table[] = [
  {
    name: 'purchases',
    columns: `account_id, contact_id, unit_id, provider_id, transaction_reference, order_type_id, created_at, lines, booking_reference,
      matched_by, matched_at`,
    count: ({ purchases, size }) => purchases + size.waiting,
    row: (group, nth) => {
      const { bookingsEach, purchasesEach } = group.size;
      const waits = nth - group.purchases;
      const { contactId, unitId, start, reference } = group.visit(
        Math.floor((Math.min(nth, group.purchases - 1) * bookingsEach) / purchasesEach),
      );
      return [
        ...[group.made.accountId, waits >= 0 ? null : contactId, unitId, 7, `P${nth}`, 4, start, lines],
        ...(waits >= 0 ? [group.waitsFor(waits), null, null] : [reference, 'booking_reference', start]),
      ];
    },
  },
  {
    name: 'contacts',
    columns: 'account_id, id, first_name, last_name, email, mobile_number, membership_number, card_reference',
    count: ({ size }) => size.contacts,
    row: (group, nth) => [
      ...[group.made.accountId, group.contactId(nth), 'Ana', group.lastName(nth), group.email(nth), group.mobile(nth)],
      ...[`M${nth}`, `C${nth}`],
    ],
  },
  ...(['card', 'email', 'membership', 'mobile'] as const).map((kind) => ({
    name: 'identities',
    columns: 'account_id, kind, value, contact_id',
    count: ({ size }: Group) => size.contacts,
    row: (group: Group, nth: number): Row => {
      const values = { card: `C${nth}`, email: group.email(nth), membership: `M${nth}`, mobile: group.mobile(nth) };
      return [group.made.accountId, kind, values[kind], group.contactId(nth)];
    },
  })),
  {
    name: 'contact_units',
    columns: 'account_id, contact_id, unit_id',
    count: ({ size }) => size.contacts,
    row: ({ made }, nth) => [
      ...[made.accountId, made.firstContact + 1 + nth],
      made.units[nth % made.units.length] as number,
    ],
  },
  {
    name: 'bookings',
    columns: `account_id, contact_id, unit_id, provider_id, booking_reference, stage_value, enquired_at, party_datetime, party_size,
      deposit_paid, hpbr_food, hpbr_drink, hpbr_entertainment, table_numbers`,
    count: ({ bookings }) => bookings,
    row: (group, nth) => {
      const { contactId, unitId, start, table, reference } = group.visit(nth);
      return [
        ...[group.made.accountId, contactId, unitId, 7, reference, 100, start, start, 4, '25.00', '0.00', '0.00'],
        ...['0.00', `{${table}}`],
      ];
    },
  },
  {
    name: 'unique_codes',
    columns: 'account_id, group_id, unique_code',
    count: ({ size }) => size.codes,
    row: ({ made }, nth) => [made.accountId, made.codeGroupId, `S${nth}`],
  },
];

const lines = JSON.stringify([
  { description: 'Pale ale', sku: 'ALE-1', quantity: '2', value: '11.50', tags: ['drinks'] },
  { description: 'Fish and chips', sku: 'FISH-3', quantity: '1', value: '16.00', tags: ['food'] },
]);

/**
 * Fills the accounts by COPY. Indexes are built afterwards and foreign keys are not checked, because the generated rows
 * are consistent. Ten million purchases take minutes instead of hours.
 */
export async function fill(service: Service, groups: Group[], say: (text: string) => void): Promise<void> {
  const names = [...new Set(tables.map(({ name }) => name))];
  const indexes = await asSuperuser(service, async (client) => {
    const { rows } = await client.query<{ name: string; of: string; definition: string }>(
      `select indexrelid::regclass::text as name, indrelid::regclass::text as of, pg_get_indexdef(indexrelid) as definition
       from pg_index where indrelid = any($1::regclass[]) and not indisprimary`,
      [names],
    );
    for (const { name } of rows) await client.query(`drop index ${name}`);
    return rows;
  });
  await inTwoConnections(service, tables, async (client, table) => {
    const begin = performance.now();
    const rows = await copy(client, table, groups);
    say(`  ${rows.toLocaleString('en')} rows of ${table.name} in ${elapsed(begin)}.`);
  });
  await inTwoConnections(service, names, async (client, table) => {
    const begin = performance.now();
    const own = indexes.filter(({ of }) => of === table);
    for (const { definition } of own) await client.query(definition);
    await client.query(`vacuum (analyze) ${table}`);
    say(`  ${own.length} indexes of ${table}, and what the planner wants to know, in ${elapsed(begin)}.`);
  });
  await asSuperuser(service, async (client) => {
    await client.query(`select setval(pg_get_serial_sequence('contacts', 'id'), (select max(id) from contacts))`);
    await client.query('checkpoint');
  });
}

const settings = [
  ...['session_replication_role = replica', "maintenance_work_mem = '1GB'", 'max_parallel_maintenance_workers = 1'],
  ...['synchronous_commit = off', "timezone = 'UTC'"],
];

/** A backend uses one core, so two connections use two. */
async function inTwoConnections<T>(
  service: Service,
  all: T[],
  work: (client: pg.Client, one: T) => Promise<void>,
): Promise<void> {
  const left = all.values();
  const worker = () =>
    asSuperuser(service, async (client) => {
      for (const setting of settings) await client.query(`set ${setting}`);
      for (const one of left) await work(client, one);
    });
  await Promise.all([worker(), worker()]);
}

async function copy(client: pg.Client, table: Table, groups: Group[]): Promise<number> {
  const stream = client.query(copyFrom(`copy ${table.name} (${table.columns}) from stdin`));
  let rows = 0;
  let text = '';
  for (const group of groups) {
    const count = table.count(group);
    for (let nth = 0; nth < count; nth++) {
      text += `${table.row(group, nth).map(field).join('\t')}\n`;
      rows++;
      if (text.length < 1 << 16) continue;
      if (!stream.write(text)) await once(stream, 'drain');
      text = '';
    }
  }
  stream.end(text);
  await once(stream, 'finish');
  return rows;
}

const elapsed = (begin: number) => `${Math.round((performance.now() - begin) / 1000)} s`;

/** The text format of COPY. Generated values contain no tab or newline. A backslash is doubled. */
function field(value: Row[number]): string {
  if (value === null) return '\\N';
  return typeof value === 'string' ? value.replaceAll('\\', '\\\\') : String(value);
}
