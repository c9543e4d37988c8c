import type { Tx } from '../../../platform/db/database.ts';
import { insertRows } from '../../../platform/db/insert-rows.ts';
import { listing } from '../../../platform/db/listing.ts';
import { raw, sql } from '../../../platform/db/sql.ts';
import { toLocalTime } from '../../../shared/clock.ts';
import { decimal, money, type Rows, type Slice } from '../../../shared/fields.ts';
import { recordOf } from '../../../shared/record.ts';
import { type AddedRow, type ChangedDay, noVisitStatuses, type UnitDay } from '../../figures/schema.ts';
import { moneyFields, type NewStay, optionalFields, type Stay } from './schema.ts';

interface StoredExtra {
  name: string;
  reference: string;
  start_date: string;
  end_date: string;
  quantity: number;
  price: number;
}

const columnTypes = {
  unit_id: 'bigint',
  provider_id: 'bigint',
  stay_reference: 'text',
  enquiry_date: 'timestamp',
  checkin_date: 'timestamp',
  checkout_date: 'timestamp',
  room_type_id: 'integer',
  total_guests: 'bigint',
  total_children: 'bigint',
  booking_enquiry_source_id: 'bigint',
  booking_status_id: 'integer',
  deposit_amount: 'numeric',
  room_gross_value: 'numeric',
  room_net_value: 'numeric',
  extras_gross_value: 'numeric',
  extras_net_value: 'numeric',
  room_rate_code: 'text',
  room_package_code: 'text',
  used_voucher: 'boolean',
  booking_has_pets: 'boolean',
  stay_travel_agent: 'text',
  extras: 'jsonb',
} as const;
const columnNames = Object.keys(columnTypes);
const columns = raw(columnNames.join(', '));
const assignments = raw(columnNames.map((name) => `${name} = excluded.${name}`).join(', '));

/** A stored stay. */
export type StayRow = Record<Exclude<keyof typeof columnTypes, 'extras'>, string | number | boolean | null> & {
  provider_id: number;
  stay_reference: string;
  checkin_date: string;
  checkout_date: string;
  extras: StoredExtra[];
};

/** The key of a stay. */
export type StayKey = Pick<StayRow, 'provider_id' | 'stay_reference'>;

export const stayKey = ({ provider_id, stay_reference }: StayKey) => `${provider_id} ${stay_reference}`;
/** The lock key of a stay. */
export const stayLock = (key: StayKey) => `stay:${stayKey(key)}`;

/** The stay after a write. A field that was not sent keeps its value. */
export function stayRow(before: StayRow | undefined, sent: NewStay, timeZone: string): StayRow {
  const at = (time: string) => toLocalTime(time, timeZone);
  const [checkin_date, checkout_date] = [at(sent.checkin_date), at(sent.checkout_date)];
  const optional = recordOf(optionalFields, (field) => sent[field] ?? before?.[field] ?? null);
  for (const field of moneyFields) {
    const amount = sent[field];
    if (amount !== undefined) optional[field] = money(amount);
  }
  return {
    ...optional,
    unit_id: sent.unit_id,
    provider_id: sent.provider_id,
    stay_reference: sent.stay_reference,
    enquiry_date: at(sent.enquiry_date),
    checkin_date,
    checkout_date,
    room_type_id: sent.room_type_id,
    total_guests: sent.total_guests,
    booking_enquiry_source_id: sent.booking_enquiry_source_id,
    booking_status_id: sent.booking_status_id,
    extras:
      sent.extras?.map(({ name, reference, start_date, end_date, quantity = 1, price }) => ({
        name,
        reference,
        start_date: at(start_date ?? checkin_date),
        end_date: at(end_date ?? checkout_date),
        quantity: Number(decimal(quantity, 3)),
        price: Number(decimal(price, 2)),
      })) ??
      before?.extras ??
      [],
  };
}

/** Whether a write changes nothing. A stored amount can be written in another way. */
export function isSameStay(before: StayRow, after: StayRow): boolean {
  return JSON.stringify(stayFields(before)) === JSON.stringify(stayFields(after));
}

/** A stay without its contacts, as the API returns it. */
export function stayFields(row: StayRow): Omit<Stay, 'id' | 'contact_id' | 'booker' | 'guest' | 'unit_name'> {
  const fields = recordOf(columnNames, (name) => {
    if (name === 'extras') return row.extras.map(extraOf);
    const value = row[name as keyof StayRow];
    return columnTypes[name as keyof typeof columnTypes] === 'numeric' && value !== null ? Number(value) : value;
  });
  return fields as ReturnType<typeof stayFields>;
}

// PostgreSQL stores the keys of JSON in its own order.
const extraOf = ({ name, reference, start_date, end_date, quantity, price }: StoredExtra): StoredExtra => ({
  ...{ name, reference, start_date, end_date, quantity, price },
});

/** The stays with these keys. */
export function findStays(tx: Tx, accountId: number, keys: StayKey[]): Promise<StayRow[]> {
  return tx<StayRow>`
    select stay.* from unnest(${keys.map((key) => key.provider_id)}::bigint[], ${keys.map((key) => key.stay_reference)}::text[])
      as sent (provider_id, stay_reference)
    cross join lateral (
      select ${columns} from stays
      where account_id = ${accountId} and provider_id = sent.provider_id and stay_reference = sent.stay_reference offset 0) as stay`;
}

export interface StayContact extends StayKey {
  contact_id: number;
  booker: boolean;
  guest: boolean;
}

/** The days on which the figures count these stays, for each of these contacts of a stay. */
export function stayDays(stays: StayRow[], contacts: (StayKey & { contact_id: number })[]): ChangedDay[] {
  const byKey = new Map<string, StayRow[]>();
  for (const stay of stays) byKey.set(stayKey(stay), [...(byKey.get(stayKey(stay)) ?? []), stay]);
  return contacts.flatMap((contact) =>
    (byKey.get(stayKey(contact)) ?? []).map(({ unit_id, checkin_date }) => ({
      kind: 'stays',
      contact_id: contact.contact_id,
      unit_id: Number(unit_id),
      day: checkin_date,
    })),
  );
}

/** New stays, for the figures. Cancelled stays and no-shows do not count. */
export function addedStays(stays: StayRow[], contacts: StayContact[]): AddedRow[] {
  const counted = stays.filter(({ booking_status_id }) => !noVisitStatuses.includes(Number(booking_status_id)));
  return stayDays(counted, contacts).map((day) => ({ ...day, counts: { stays: 1 } }));
}

/** The contacts of these stays. */
export function selectStayContacts(tx: Tx, accountId: number, keys: StayKey[]): Promise<StayContact[]> {
  return tx<StayContact>`
    select sent.provider_id, sent.stay_reference, link.contact_id, link.booker, link.guest
    from unnest(${keys.map((key) => key.provider_id)}::bigint[], ${keys.map((key) => key.stay_reference)}::text[])
      as sent (provider_id, stay_reference)
    cross join lateral (
      select id from stays
      where account_id = ${accountId} and provider_id = sent.provider_id and stay_reference = sent.stay_reference offset 0) as stay
    cross join lateral (
      select contact_id, booker, guest from stay_contacts where account_id = ${accountId} and stay_id = stay.id offset 0) as link`;
}

/** Upserts complete rows, and the booker and guest of each. New ids follow the order of the rows. */
export async function putStays(tx: Tx, accountId: number, rows: StayRow[], contacts: StayContact[]): Promise<void> {
  await tx.inOrder({
    stays: () =>
      insertRows(tx, accountId, {
        ...{ table: 'stays', columns: columnTypes, rows },
        computed: { updated_at: () => tx.now },
        clauses: sql`
          on conflict (account_id, provider_id, stay_reference) do update set ${assignments}, updated_at = excluded.updated_at`,
      }),
    contacts: () => tx`
      insert into stay_contacts (account_id, stay_id, contact_id, booker, guest)
      select ${accountId}::bigint, stay.id, sent.contact_id, sent.booker, sent.guest
      from jsonb_to_recordset(${JSON.stringify(contacts)}::jsonb)
        as sent (provider_id bigint, stay_reference text, contact_id bigint, booker boolean, guest boolean)
      cross join lateral (
        select id from stays
        where account_id = ${accountId} and provider_id = sent.provider_id and stay_reference = sent.stay_reference offset 0) as stay
      order by stay.id, sent.contact_id
      on conflict (account_id, stay_id, contact_id) do update set booker = excluded.booker, guest = excluded.guest`,
  });
}

/** Locks the stays of the contacts, so that no other contact is added to them or erased at the same time. */
export async function lockStaysOf(tx: Tx, accountId: number, contactIds: number[]): Promise<void> {
  await tx`
    select id from stays where account_id = ${accountId} and id = any(array(
      select stay_id from stay_contacts where account_id = ${accountId} and contact_id = any(${contactIds})))
    order by id for update`;
}

/** Deletes the stays that have no other contact. Returns their units and days. */
export function deleteStaysOf(tx: Tx, accountId: number, contactIds: number[]): Promise<UnitDay[]> {
  return tx<UnitDay>`
    delete from stays where account_id = ${accountId} and id = any(array(
      select stay_id from stay_contacts own where own.account_id = ${accountId} and own.contact_id = any(${contactIds}) and not exists (
        select from stay_contacts other
        where other.account_id = ${accountId} and other.stay_id = own.stay_id and other.contact_id <> all(${contactIds}))))
    returning unit_id, checkin_date::date as day`;
}

const time = (name: string) => `to_char(s.${name}, 'YYYY-MM-DD HH24:MI:SS') as ${name}`;
const shown = raw(
  Object.entries(columnTypes)
    .map(([name, type]) => {
      if (type === 'timestamp') return time(name);
      return type === 'numeric' ? `s.${name}::float8` : `s.${name}`;
    })
    .join(', '),
);

/** Each stay once, even if its booker and its guest were merged. Latest check-in first. */
export function selectStays(tx: Tx, accountId: number, contactIds: number[], slice: Slice): Promise<Rows<Stay>> {
  const from = sql`(
      select stay_id, min(contact_id) as contact_id, bool_or(booker) as booker, bool_or(guest) as guest from stay_contacts
      where account_id = ${accountId} and contact_id = any(${contactIds}) group by stay_id) as own
    cross join lateral (select * from stays where account_id = ${accountId} and id = own.stay_id offset 0) as s`;
  const columns = sql`s.id, (select coalesce(merged_into, id) from contacts where account_id = ${accountId} and id = own.contact_id) as contact_id,
    own.booker, own.guest, (select name from units where account_id = ${accountId} and id = s.unit_id) as unit_name, ${shown}`;
  return listing(tx, { columns, from, orderBy: sql`s.checkin_date desc, s.id desc` }, slice);
}
