import { once } from 'node:events';
import { from as copyFrom } from 'pg-copy-streams';
import { asSuperuser, type Service } from './service.ts';

/** A venue for so many contacts, and so many bookings a day in each, as a restaurant has however large its group is. */
const [contactsPerUnit, bookingsPerDay] = [5000, 25];
/** No divisor of any size we make, so that steps of it reach every contact. */
const stride = 7919;
const firstDay = Date.UTC(2023, 0, 1);

/** How large an account is to be. */
export interface Size {
  contacts: number;
  /** For each contact, so many of these. */
  bookingsEach: number;
  purchasesEach: number;
  /** Purchases that are nobody's yet. */
  waiting: number;
  /** Vouchers that nobody has. */
  codes: number;
}

export interface Visit {
  contactId: number;
  unitId: number;
  /** When the booking starts. */
  start: string;
  table: string;
  reference: string;
  /** The first of the purchases that were made there. */
  purchase: string;
}

interface Made {
  accountId: number;
  token: string;
  tokenId: number;
  units: number[];
  sourceId: number;
  /** Of the first unit. */
  newsletterId: number;
  codeGroupId: number;
  /** Ids come from one sequence for all accounts: this is the one before our first. */
  firstContact: number;
}

/** An account with made-up guests. What each of them did follows from its number, so the benchmark knows what to expect. */
export class Group {
  readonly made: Made;
  readonly size: Size;

  constructor(made: Made, size: Size) {
    this.made = made;
    this.size = size;
  }

  get bookings(): number {
    return this.size.contacts * this.size.bookingsEach;
  }
  get purchases(): number {
    return this.size.contacts * this.size.purchasesEach;
  }
  get firstUnit(): number {
    return this.made.units[0] as number;
  }

  contactId(nth: number): number {
    return this.made.firstContact + 1 + nth;
  }
  email(nth: number): string {
    return `guest${String(nth).padStart(8, '0')}@gmail.com`;
  }
  mobile(nth: number): string {
    return `4477${String(nth).padStart(8, '0')}`;
  }
  /** Everybody's own, and all of the same length: no name is the start of another. */
  lastName(nth: number): string {
    let [name, rest] = ['', nth];
    for (let letter = 0; letter < 5; letter++) {
      name += String.fromCharCode(97 + (rest % 26));
      rest = Math.floor(rest / 26);
    }
    return `Silva${name}`;
  }

  /** The nth booking: every venue's day is filled before the next begins. */
  visit(nth: number): Visit {
    const { units } = this.made;
    const unit = nth % units.length;
    const ofUnit = Math.floor(nth / units.length);
    const [day, seat] = [Math.floor(ofUnit / bookingsPerDay), ofUnit % bookingsPerDay];
    const minutes = 12 * 60 + seat * 24;
    return {
      contactId: this.contactId((nth * stride) % this.size.contacts),
      unitId: units[unit] as number,
      start: wallClock(day, minutes),
      table: String(seat + 1),
      reference: `B${nth}`,
      purchase: `P${Math.ceil((nth * this.size.purchasesEach) / this.size.bookingsEach)}`,
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

/** Makes accounts with their venues, so far without a guest; several at a time. */
export async function newGroups(service: Service, sizes: Size[]): Promise<Group[]> {
  let free = 0;
  const firstContacts = sizes.map(({ contacts }) => {
    free += contacts;
    return free - contacts;
  });
  const groups: Group[] = [];
  const left = sizes.entries();
  const worker = async () => {
    for (const [place, size] of left) groups[place] = await newGroup(service, size, firstContacts[place] ?? 0);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return groups;
}

async function newGroup(service: Service, size: Size, firstContact: number): Promise<Group> {
  const { id: accountId } = await service.admin('POST', '/accounts', { name: `${size.contacts} guests` });
  const make = (what: string, of: object) => service.admin('POST', `/accounts/${accountId}/${what}`, of);
  const token = await make('tokens', { name: 'bench' });
  const units: number[] = [];
  for (let n = 0; n < Math.ceil(size.contacts / contactsPerUnit); n++) {
    units.push((await make('units', { name: `Venue ${n}` })).id);
  }
  const ofFirst = { unit_id: units[0] as number };
  return new Group(
    {
      ...{ accountId, token: token.token, tokenId: token.id, units, firstContact },
      sourceId: (await make('sources', { name: 'Wifi' })).id,
      newsletterId: (await make('groups', { ...ofFirst, name: 'Newsletter' })).id,
      codeGroupId: (await make('unique_code_groups', { ...ofFirst, name: 'Summer' })).id,
    },
    size,
  );
}

type Row = (string | number | boolean | null)[];

/** What each table gets, in the order of its primary key: that is how it grows fastest. */
const tables: { name: string; columns: string; count(group: Group): number; row(group: Group, nth: number): Row }[] = [
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
 * Fills the groups by COPY. Indexes are made afterwards, and foreign keys not looked at, for the rows fit together by
 * the way they are made: ten million purchases come in minutes rather than hours.
 */
export function fill(service: Service, groups: Group[], say: (text: string) => void): Promise<void> {
  return asSuperuser(service, async (client) => {
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
      say(`  ${rows.toLocaleString('en')} rows of ${table.name} in ${elapsed(begin)}.`);
    }
    for (const table of names) {
      const begin = performance.now();
      const own = indexes.filter(({ definition }) => new RegExp(` ON (\\w+\\.)?${table} `).test(definition));
      for (const { definition } of own) await client.query(definition);
      await client.query(`vacuum (analyze) ${table}`);
      say(`  ${own.length} indexes of ${table}, and what the planner wants to know, in ${elapsed(begin)}.`);
    }
    await client.query(`select setval(pg_get_serial_sequence('contacts', 'id'), (select max(id) from contacts))`);
    await client.query('checkpoint');
  });
}

const elapsed = (begin: number) => `${Math.round((performance.now() - begin) / 1000)} s`;

/** As COPY wants it. None of what we make holds a tab or a line's end; a backslash is doubled. */
function field(value: Row[number]): string {
  if (value === null) return '\\N';
  return typeof value === 'string' ? value.replaceAll('\\', '\\\\') : String(value);
}
