import { once } from 'node:events';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Service } from './service.ts';

/** For each contact: so many of these. */
const [bookingsEach, purchasesEach] = [5, 10];
/** A venue for so many contacts, and so many bookings a day in each, as a restaurant has however large its group is. */
const [contactsPerUnit, bookingsPerDay] = [5000, 25];
/** One purchase of so many is nobody's yet. */
const waitingOf = 50;
/** No divisor of any size we make, so that steps of it reach every contact. */
const stride = 7919;
const firstDay = Date.UTC(2023, 0, 1);

export interface Visit {
  contactId: number;
  unitId: number;
  /** When the booking starts. */
  start: string;
  table: string;
  reference: string;
}

/** An account with made-up guests. What each of them did follows from its number, so the benchmark knows what to expect. */
export class Group {
  readonly accountId: number;
  readonly token: string;
  readonly contacts: number;
  readonly units: number[];
  /** Ids come from one sequence for all accounts: this is the one before our first. */
  readonly firstContact: number;

  constructor(of: { accountId: number; token: string; contacts: number; units: number[]; firstContact: number }) {
    this.accountId = of.accountId;
    this.token = of.token;
    this.contacts = of.contacts;
    this.units = of.units;
    this.firstContact = of.firstContact;
  }

  get bookings(): number {
    return this.contacts * bookingsEach;
  }
  get purchases(): number {
    return this.contacts * purchasesEach;
  }
  get waiting(): number {
    return this.purchases / waitingOf;
  }

  email(nth: number): string {
    return `guest${this.contacts}-${String(nth).padStart(8, '0')}@gmail.com`;
  }

  /** The nth booking: every venue's day is filled before the next begins. */
  visit(nth: number): Visit {
    const unit = nth % this.units.length;
    const ofUnit = Math.floor(nth / this.units.length);
    const [day, seat] = [Math.floor(ofUnit / bookingsPerDay), ofUnit % bookingsPerDay];
    const minutes = 12 * 60 + seat * 24;
    return {
      contactId: this.firstContact + 1 + ((nth * stride) % this.contacts),
      unitId: this.units[unit] as number,
      start: wallClock(day, minutes),
      table: String(seat + 1),
      reference: `B${nth}`,
    };
  }

  /** What the nth of the waiting purchases waits for. */
  waitsFor(nth: number): string {
    return `W${nth}`;
  }
}

function wallClock(day: number, minutes: number): string {
  return new Date(firstDay + (day * 1440 + minutes) * 60_000).toISOString().slice(0, 19).replace('T', ' ');
}

/** Makes an account with its venues, so far without a guest. */
export async function newGroup(service: Service, contacts: number, firstContact: number): Promise<Group> {
  const account = await service.admin('POST', '/accounts', { name: `${contacts} guests` });
  const token = await service.admin('POST', `/accounts/${account.id}/tokens`, { name: 'bench' });
  const units: number[] = [];
  for (let n = 0; n < Math.ceil(contacts / contactsPerUnit); n++) {
    units.push((await service.admin('POST', `/accounts/${account.id}/units`, { name: `Venue ${n}` })).id);
  }
  return new Group({ accountId: account.id, token: token.token, contacts, units, firstContact });
}

type Row = (string | number | boolean | null)[];

/** What each table gets, in the order of its primary key: that is how it grows fastest. */
const tables: { name: string; columns: string; count(group: Group): number; row(group: Group, nth: number): Row }[] = [
  {
    name: 'contacts',
    columns: 'account_id, id, first_name, last_name, email, mobile_number, membership_number, card_reference',
    count: ({ contacts }) => contacts,
    row: (group, nth) => [
      ...[group.accountId, group.firstContact + nth + 1, 'Ana', 'Silva', group.email(nth), mobile(nth)],
      ...[`M${nth}`, `C${nth}`],
    ],
  },
  ...(['card', 'email', 'membership', 'mobile'] as const).map((kind) => ({
    name: 'identities',
    columns: 'account_id, kind, value, contact_id',
    count: ({ contacts }: Group) => contacts,
    row: (group: Group, nth: number): Row => {
      const values = { card: `C${nth}`, email: group.email(nth), membership: `M${nth}`, mobile: mobile(nth) };
      return [group.accountId, kind, values[kind], group.firstContact + nth + 1];
    },
  })),
  {
    name: 'contact_units',
    columns: 'account_id, contact_id, unit_id',
    count: ({ contacts }) => contacts,
    row: (group, nth) => [
      ...[group.accountId, group.firstContact + nth + 1],
      group.units[nth % group.units.length] as number,
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
        ...[group.accountId, contactId, unitId, 7, reference, 100, start, start, 4, '25.00', '0.00', '0.00', '0.00'],
        `{${table}}`,
      ];
    },
  },
  {
    name: 'purchases',
    columns: `account_id, contact_id, unit_id, provider_id, transaction_reference, order_type_id, created_at, lines, booking_reference,
      matched_by, matched_at`,
    count: ({ purchases }) => purchases,
    row: (group, nth) => {
      const { contactId, unitId, start, reference } = group.visit(Math.floor((nth * bookingsEach) / purchasesEach));
      const waits = nth % waitingOf === waitingOf - 1;
      return [
        ...[group.accountId, waits ? null : contactId, unitId, 7, `P${nth}`, 4, start, lines],
        waits ? group.waitsFor(Math.floor(nth / waitingOf)) : reference,
        ...(waits ? [null, null] : ['booking_reference', start]),
      ];
    },
  },
];

const mobile = (nth: number) => `4477${String(nth).padStart(8, '0')}`;
const lines = JSON.stringify([
  { description: 'Pale ale', sku: 'ALE-1', quantity: '2', value: '11.50', tags: ['drinks'] },
  { description: 'Fish and chips', sku: 'FISH-3', quantity: '1', value: '16.00', tags: ['food'] },
]);

/**
 * Fills the groups by COPY. Indexes are made afterwards, and foreign keys not looked at, for the rows fit together by
 * the way they are made: ten million purchases come in minutes rather than hours.
 */
export async function fill(service: Service, groups: Group[], say: (text: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: service.superuser });
  await client.connect();
  try {
    for (const setting of [
      ...['session_replication_role = replica', "maintenance_work_mem = '1GB'", 'max_parallel_maintenance_workers = 2'],
      ...['synchronous_commit = off', "timezone = 'UTC'"],
    ]) {
      await client.query(`set ${setting}`);
    }
    const names = [...new Set(tables.map(({ name }) => name))];
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
       where indrelid = any($1::regclass[]) and not indisprimary`,
      [names],
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    for (const table of tables) {
      const begin = performance.now();
      const stream = client.query(copyFrom(`copy ${table.name} (${table.columns}) from stdin`));
      let rows = 0;
      let text = '';
      for (const group of groups) {
        for (let nth = 0; nth < table.count(group); nth++) {
          text += `${table.row(group, nth).map(field).join('\t')}\n`;
          rows++;
          if (text.length < 1 << 20) continue;
          if (!stream.write(text)) await once(stream, 'drain');
          text = '';
        }
      }
      stream.end(text);
      await once(stream, 'finish');
      say(`  ${rows.toLocaleString('en')} rows of ${table.name} in ${elapsed(begin)}.`);
    }
    const begin = performance.now();
    for (const { definition } of indexes) await client.query(definition);
    for (const table of new Set(['contacts', 'bookings', 'purchases'])) {
      await client.query(`select setval(pg_get_serial_sequence($1, 'id'), (select max(id) from ${table}))`, [table]);
    }
    for (const table of names) await client.query(`vacuum (analyze) ${table}`);
    await client.query('checkpoint');
    say(`  ${indexes.length} indexes, and what the planner wants to know, in ${elapsed(begin)}.`);
  } finally {
    await client.end();
  }
}

const elapsed = (begin: number) => `${Math.round((performance.now() - begin) / 1000)} s`;

/** As COPY wants it. None of what we make holds a tab or a line's end; a backslash is doubled. */
function field(value: Row[number]): string {
  if (value === null) return '\\N';
  return typeof value === 'string' ? value.replaceAll('\\', '\\\\') : String(value);
}
