import type { Tx } from '../../../platform/db/database.ts';
import { insertRows } from '../../../platform/db/insert-rows.ts';
import { listingForMany, type PageRequest } from '../../../platform/db/listing.ts';
import { sql } from '../../../platform/db/sql.ts';
import { toLocalTime } from '../../../shared/clock.ts';
import { bookingStages, cancelledStage, idOf } from '../../../shared/codes.ts';
import type { NewEvent } from '../../../shared/event-kind.ts';
import { money, type Rows } from '../../../shared/fields.ts';
import type { ChangedDay, FigureChanges } from '../../figures/schema.ts';
import { bookingRecorded } from './event-schema.ts';
import type { Booking, BookingChanges, BookingPop } from './schema.ts';

/** A stored booking. Money is text, because a number is not exact. */
export interface BookingRow {
  /** Null: not stored yet. */
  id: number | null;
  contact_id: number;
  unit_id: number;
  provider_id: number | null;
  booking_reference: string;
  stage_value: number;
  type_id: number | null;
  source_id: number | null;
  enquired_at: string;
  party_datetime: string | null;
  party_size: number | null;
  deposit_paid: string;
  hpbr_food: string;
  hpbr_drink: string;
  hpbr_entertainment: string;
  table_numbers: string[];
}

/** The key of a booking. */
export type BookingKey = Pick<BookingRow, 'booking_reference' | 'provider_id'>;

export const bookingKey = ({ booking_reference, provider_id }: BookingKey) =>
  `${provider_id ?? ''} ${booking_reference}`;

/** The lock key of a booking. It leaves out the provider, because a waiting purchase has only the reference. */
export const bookingLock = (reference: string) => `booking:${reference}`;
/** The lock key of all tables. It serializes writes that set a table with purchases that are matched by a table. */
export const tablesLock = 'tables';

/** The booking after a write. A field that was not sent keeps its value. A new booking has the defaults. */
export function bookingRow(
  before: BookingRow | undefined,
  sent: BookingChanges & { booking_reference: string },
  { timeZone, ...of }: { contactId: number; rootUnitId: number; receivedAt: string; timeZone: string },
): BookingRow {
  const at = (time: string | undefined) => (time === undefined ? undefined : toLocalTime(time, timeZone));
  const amount = (field: 'deposit_paid' | 'hpbr_food' | 'hpbr_drink' | 'hpbr_entertainment') => {
    const value = sent[field];
    return value === undefined ? (before?.[field] ?? money(0)) : money(value);
  };
  return {
    id: before?.id ?? null,
    contact_id: of.contactId,
    unit_id: sent.unit_id ?? before?.unit_id ?? of.rootUnitId,
    provider_id: sent.provider_id ?? before?.provider_id ?? null,
    booking_reference: sent.booking_reference,
    stage_value: sent.stage_value ?? before?.stage_value ?? idOf(bookingStages, 'new'),
    type_id: sent.type_id ?? before?.type_id ?? null,
    source_id: sent.source_id ?? before?.source_id ?? null,
    enquired_at: at(sent.party_enquirytime) ?? before?.enquired_at ?? toLocalTime(of.receivedAt, timeZone),
    party_datetime: at(sent.party_datetime) ?? before?.party_datetime ?? null,
    party_size: sent.party_size ?? before?.party_size ?? null,
    deposit_paid: amount('deposit_paid'),
    hpbr_food: amount('hpbr_food'),
    hpbr_drink: amount('hpbr_drink'),
    hpbr_entertainment: amount('hpbr_entertainment'),
    table_numbers: sent.table_numbers ?? before?.table_numbers ?? [],
  };
}

const comparedFields = [
  ...(['unit_id', 'provider_id', 'booking_reference', 'stage_value', 'type_id', 'source_id', 'enquired_at'] as const),
  ...(['party_datetime', 'party_size', 'deposit_paid', 'hpbr_food', 'hpbr_drink', 'hpbr_entertainment'] as const),
];

/** Whether a write changes nothing, except perhaps the contact. */
export function isSameBooking(before: BookingRow, after: BookingRow): boolean {
  return (
    comparedFields.every((name) => before[name] === after[name]) &&
    before.table_numbers.join('\n') === after.table_numbers.join('\n')
  );
}

export function bookingEvent(row: BookingRow, contactId: number): NewEvent {
  const { id: _, contact_id: __, enquired_at: party_enquirytime, ...fields } = row;
  return bookingRecorded.of({ contact_id: contactId, party_enquirytime, ...fields });
}

const stored = sql`id, contact_id, unit_id, provider_id, booking_reference, stage_value, type_id, source_id, enquired_at, party_datetime,
  party_size, deposit_paid, hpbr_food, hpbr_drink, hpbr_entertainment, table_numbers`;

/** The bookings with these keys. */
export function findBookings(tx: Tx, accountId: number, keys: BookingKey[]): Promise<BookingRow[]> {
  return tx<BookingRow>`
    select booking.* from unnest(${keys.map((key) => key.booking_reference)}::text[], ${keys.map((key) => key.provider_id)}::bigint[])
      as sent (booking_reference, provider_id)
    cross join lateral (
      select ${stored} from bookings
      where account_id = ${accountId} and booking_reference = sent.booking_reference
        and provider_id is not distinct from sent.provider_id offset 0) as booking`;
}

export async function findBooking(tx: Tx, accountId: number, id: number): Promise<BookingRow | undefined> {
  const [row] = await tx<BookingRow>`select ${stored} from bookings where account_id = ${accountId} and id = ${id}`;
  return row;
}

/** For the figures: bookings that exist are counted again, and the others are added. */
export function bookingFigures(rows: BookingRow[], before: BookingRow[]): Pick<FigureChanges, 'added' | 'changed'> {
  const existing = new Set(before.map(bookingKey));
  const dayOf = ({ contact_id, unit_id, party_datetime, enquired_at }: BookingRow): ChangedDay => ({
    kind: 'bookings',
    contact_id,
    unit_id,
    day: party_datetime ?? enquired_at,
  });
  const countsOf = ({ stage_value, party_datetime }: BookingRow) => {
    if (stage_value === cancelledStage) return { cancelled_bookings: 1 };
    return party_datetime === null ? { enquiries: 1 } : { bookings: 1 };
  };
  return {
    added: rows
      .filter((row) => !existing.has(bookingKey(row)))
      .map((row) => ({ ...dayOf(row), counts: countsOf(row) })),
    changed: [...before, ...rows.filter((row) => existing.has(bookingKey(row)))].map(dayOf),
  };
}

/** Upserts complete rows. New ids follow the order of the rows. */
export async function putBookings(tx: Tx, accountId: number, rows: BookingRow[]): Promise<void> {
  await insertRows(tx, accountId, {
    table: 'bookings',
    columns: {
      ...{ contact_id: 'bigint', unit_id: 'bigint', provider_id: 'bigint', booking_reference: 'text' },
      ...{ stage_value: 'bigint', type_id: 'bigint', source_id: 'bigint', enquired_at: 'timestamp' },
      ...{ party_datetime: 'timestamp', party_size: 'bigint', deposit_paid: 'numeric', hpbr_food: 'numeric' },
      ...{ hpbr_drink: 'numeric', hpbr_entertainment: 'numeric', table_numbers: 'text[]' },
    },
    rows,
    computed: { updated_at: () => tx.now },
    clauses: sql`
    on conflict (account_id, booking_reference, provider_id) do update set contact_id = excluded.contact_id, unit_id = excluded.unit_id,
      stage_value = excluded.stage_value, type_id = excluded.type_id, source_id = excluded.source_id, enquired_at = excluded.enquired_at,
      party_datetime = excluded.party_datetime, party_size = excluded.party_size, deposit_paid = excluded.deposit_paid,
      hpbr_food = excluded.hpbr_food, hpbr_drink = excluded.hpbr_drink, hpbr_entertainment = excluded.hpbr_entertainment,
      table_numbers = excluded.table_numbers, updated_at = excluded.updated_at`,
  });
}

/** Returns false if the booking no longer exists. */
export async function updateBooking(tx: Tx, accountId: number, id: number, row: BookingRow): Promise<boolean> {
  const { count } = await tx`
    update bookings set unit_id = ${row.unit_id}, provider_id = ${row.provider_id}, booking_reference = ${row.booking_reference},
      stage_value = ${row.stage_value}, type_id = ${row.type_id}, source_id = ${row.source_id}, enquired_at = ${row.enquired_at},
      party_datetime = ${row.party_datetime}, party_size = ${row.party_size}, deposit_paid = ${row.deposit_paid},
      hpbr_food = ${row.hpbr_food}, hpbr_drink = ${row.hpbr_drink}, hpbr_entertainment = ${row.hpbr_entertainment},
      table_numbers = ${row.table_numbers}, updated_at = ${tx.now}
    where account_id = ${accountId} and id = ${id}`;
  return count > 0;
}

/** The row of a booking for a response. */
interface ShownRow extends Omit<BookingRow, 'id' | 'provider_id' | 'table_numbers'> {
  id: number;
  updated: string;
}

const shown = (accountId: number) => sql`b.contact_id, b.booking_reference, b.id, b.unit_id, b.stage_value, b.type_id,
  to_char(b.enquired_at, 'YYYY-MM-DD HH24:MI:SS') as enquired_at, b.source_id, to_char(b.party_datetime, 'YYYY-MM-DD HH24:MI:SS') as party_datetime,
  b.party_size, b.deposit_paid, b.hpbr_food, b.hpbr_drink, b.hpbr_entertainment,
  to_char(b.updated_at at time zone (select time_zone from accounts where id = ${accountId}), 'YYYY-MM-DD HH24:MI:SS') as updated`;
const bookingsAndContacts = sql`bookings b join contacts c on c.account_id = b.account_id and c.id = b.contact_id`;
const survivor = sql`coalesce(c.merged_into, c.id) as survivor`;

/** Converts a row to the property names and texts of the API. */
function show(row: ShownRow, accountId: number, survivor: number): Booking {
  return {
    booking_contact_id: String(row.contact_id),
    booking_reference: row.booking_reference,
    id: row.id,
    account_id: String(accountId),
    contact_id: String(survivor),
    unit_id: String(row.unit_id),
    stage_value: String(row.stage_value),
    type_id: String(row.type_id ?? ''),
    datetime: row.enquired_at,
    source_id: String(row.source_id ?? ''),
    party_datetime: row.party_datetime ?? '',
    party_size: String(row.party_size ?? ''),
    deposit_paid: row.deposit_paid,
    hpbr_food: row.hpbr_food,
    hpbr_drink: row.hpbr_drink,
    hpbr_entertainment: row.hpbr_entertainment,
    updated_at: row.updated,
  };
}

export async function showBookingById(tx: Tx, accountId: number, id: number): Promise<Booking | undefined> {
  const [row] = await tx<ShownRow & { survivor: number }>`
    select ${shown(accountId)}, ${survivor} from ${bookingsAndContacts} where b.account_id = ${accountId} and b.id = ${id}`;
  return row && show(row, accountId, row.survivor);
}

/** The newest booking for each reference, of the given provider or of any provider. */
export async function showBookingsByReference(
  tx: Tx,
  accountId: number,
  keys: BookingKey[],
): Promise<(Booking | undefined)[]> {
  const rows = await tx<ShownRow & { place: number; survivor: number }>`
    select sent.place, booking.* from unnest(${keys.map((key) => key.booking_reference)}::text[], ${keys.map((key) => key.provider_id)}::bigint[])
      with ordinality as sent (booking_reference, provider_id, place)
    cross join lateral (
      select ${shown(accountId)}, ${survivor} from ${bookingsAndContacts}
      where b.account_id = ${accountId} and b.booking_reference = sent.booking_reference
        and (sent.provider_id is null or b.provider_id = sent.provider_id)
      order by b.id desc limit 1) as booking`;
  const found: (Booking | undefined)[] = keys.map(() => undefined);
  for (const row of rows) found[row.place - 1] = show(row, accountId, row.survivor);
  return found;
}

/** The bookings that start in a range of days, newest first. */
export function selectBookingPops(tx: Tx, accountId: number, all: PageRequest[]): Promise<Rows<BookingPop>[]> {
  const list = {
    // Looked up instead of joined: a plan that starts with the units reads all their bookings.
    columns: sql`${shown(accountId)}, (select name from units where account_id = ${accountId} and id = b.unit_id) as unit_name`,
    from: sql`unnest(request.contact_ids) as person (id) cross join lateral (
      select * from bookings where account_id = ${accountId} and contact_id = person.id
        and party_datetime >= request.start and party_datetime < request.until offset 0) as b`,
    orderBy: sql`b.party_datetime desc, b.id desc`,
    show: (row: ShownRow & { unit_name: string }, { contactId }: PageRequest): BookingPop =>
      Object.assign(show(row, accountId, contactId), { unit_name: row.unit_name }),
  };
  return listingForMany(tx, list, all);
}
