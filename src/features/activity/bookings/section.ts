import type { Tx } from '../../../platform/db/database.ts';
import {
  type CompleteItem,
  checkItems,
  completeItems,
  isComplete,
  type ReadItem,
  unlessAllDropped,
} from '../../../shared/read.ts';
import { addChanges } from '../../figures/schema.ts';
import {
  type AnyItem,
  type AppliedCommand,
  addId,
  type Checks,
  type Section,
  type SectionBatch,
  type SectionContact,
  type StoreAccount,
  type Stored,
  unitIsValid,
  withContact,
} from '../../identity/sections/section.ts';
import type { NewBooking } from './schema.ts';
import {
  type BookingRow,
  bookingEvent,
  bookingFigures,
  bookingKey,
  bookingLock,
  bookingRow,
  findBookings,
  isSameBooking,
  putBookings,
  tablesLock,
} from './store.ts';

class BookingsBatch implements SectionBatch<NewBooking> {
  readonly #bookings = new Map<string, { row: BookingRow; contact?: SectionContact }>();
  /** The state after each command. A waiting purchase is matched by the first state that fits. */
  readonly #before: BookingRow[] = [];
  readonly #states = new Map<string, { row: BookingRow; contact: SectionContact; place: number }>();

  references({ unit_id }: AnyItem<NewBooking>, units: Set<number>): void {
    addId(units, unit_id);
  }

  lockKeys(bookings: CompleteItem<NewBooking>[]): string[] {
    return [tablesLock, ...bookings.map(({ booking_reference }) => bookingLock(booking_reference))];
  }

  async load(tx: Tx, accountId: number, bookings: CompleteItem<NewBooking>[]): Promise<void> {
    const keys = bookings.map(({ booking_reference, provider_id = null }) => ({ booking_reference, provider_id }));
    for (const row of await findBookings(tx, accountId, keys)) {
      this.#bookings.set(bookingKey(row), { row });
      this.#before.push(row);
    }
  }

  check(bookings: ReadItem<NewBooking>[], checks: Checks): NewBooking[] {
    return checkItems(bookings, (booking, index) => {
      if (!unitIsValid(booking, `bookings.${index}`, checks) || !isComplete(booking)) return undefined;
      const { table_numbers: sent, ...rest } = booking;
      const table_numbers = unlessAllDropped(sent, completeItems(sent));
      return { ...rest, ...(table_numbers && { table_numbers }) };
    });
  }

  apply(contact: SectionContact, bookings: NewBooking[], command: AppliedCommand): void {
    const { account, receivedAt, place, record } = command;
    const of = { rootUnitId: account.root_unit_id, timeZone: account.time_zone, receivedAt, contactId: 0 };
    for (const booking of bookings) {
      const key = bookingKey({ provider_id: null, ...booking });
      const before = this.#bookings.get(key);
      const row = bookingRow(before?.row, booking, of);
      this.#bookings.set(key, { row, contact });
      const isOwn = before?.contact ? before.contact === contact : before?.row.contact_id === contact.row.id;
      if (!before || !isOwn || !isSameBooking(before.row, row)) record(() => bookingEvent(row, contact.row.id));
      this.#states.set(`${place} ${key}`, { row, contact, place });
    }
  }

  store(
    tx: Tx,
    { id: accountId }: StoreAccount,
    { newMatchKeys, figures }: Stored<SectionContact>,
  ): Promise<unknown>[] {
    for (const { row, contact, place } of this.#states.values()) {
      newMatchKeys.bookings.push({ ...row, contact_id: contact.row.id, place });
    }
    const rows = withContact(this.#bookings.values());
    if (rows.length === 0) return [];
    addChanges(figures, bookingFigures(rows, this.#before));
    return [putBookings(tx, accountId, rows)];
  }
}

export const bookingsSection: Section<NewBooking> = { begin: () => new BookingsBatch() };
