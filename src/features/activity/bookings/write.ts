import { Conflict, type Tx } from '../../../platform/db/database.ts';
import { lockKeys } from '../../../platform/db/locks.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import { present } from '../../../shared/present.ts';
import { addError, type FieldErrors, Invalid, NotFound } from '../../../shared/problem.ts';
import type { PartialInput } from '../../../shared/read.ts';
import { holdAccount } from '../../access/accounts/store.ts';
import { refreshFigures } from '../../figures/refresh-store.ts';
import { addedPurchases } from '../../figures/schema.ts';
import { survivorsOf } from '../../identity/identities/store.ts';
import { lockAndMatchWaiting, matchedEvents } from '../../identity/matching/store.ts';
import { findUnit } from '../../venues/units/store.ts';
import type { Booking, BookingChanges, BookingUpdate, FindBooking } from './schema.ts';
import {
  type BookingRow,
  bookingEvent,
  bookingFigures,
  bookingLock,
  bookingRow,
  findBooking,
  findBookings,
  isSameBooking,
  showBookingById,
  showBookingsByReference,
  tablesLock,
  updateBooking,
} from './store.ts';

const noSuchBooking = () => new NotFound('There is no such booking.');

/** Finds bookings by their references. */
export async function searchBookings(
  tx: Tx,
  accountId: number,
  wanted: FindBooking[],
): Promise<(Booking | NotFound)[]> {
  const keys = wanted.map(({ booking_reference, provider_id = null }) => ({ booking_reference, provider_id }));
  const found = await showBookingsByReference(tx, accountId, keys);
  return found.map((booking) => booking ?? noSuchBooking());
}

/** Finds a booking by its reference, like the search, and changes it. */
export async function changeBookingByReference(
  tx: Tx,
  accountId: number,
  { booking_reference, provider_id, ...changes }: BookingUpdate,
  receivedAt: string,
  count: (outcome: string) => void,
): Promise<Booking> {
  const [found] = await showBookingsByReference(tx, accountId, [
    { booking_reference, provider_id: provider_id ?? null },
  ]);
  if (!found) throw noSuchBooking();
  return changeBooking(tx, accountId, found.id, changes, receivedAt, count);
}

/** The errors that need the database, for a request with other invalid fields. */
export async function updateErrors(
  tx: Tx,
  accountId: number,
  { booking_reference, provider_id, ...changes }: PartialInput<BookingUpdate>,
): Promise<FieldErrors> {
  if (booking_reference === undefined) return {};
  const [found] = await showBookingsByReference(tx, accountId, [
    { booking_reference, provider_id: provider_id ?? null },
  ]);
  return found ? bookingErrors(tx, accountId, found.id, changes) : {};
}

/** The errors that need the database, for a request with other invalid fields. */
export async function bookingErrors(
  tx: Tx,
  accountId: number,
  id: number,
  changes: PartialInput<BookingChanges>,
): Promise<FieldErrors> {
  const before = await findBooking(tx, accountId, id);
  if (!before) return {};
  return changeErrors(tx, accountId, before, changes);
}

async function changeErrors(
  tx: Tx,
  accountId: number,
  before: BookingRow,
  {
    unit_id,
    booking_reference = before.booking_reference,
    provider_id = before.provider_id ?? undefined,
  }: PartialInput<BookingChanges>,
): Promise<FieldErrors> {
  const { found, unit } = await tx.inOrder({
    found: () => findBookings(tx, accountId, [{ booking_reference, provider_id: provider_id ?? null }]),
    // The stored unit is not checked: it may have been deleted since.
    unit: () => unit_id === undefined || findUnit(tx, accountId, unit_id),
  });
  const [taken] = found;
  const errors: FieldErrors = {};
  if (!unit) addError(errors, 'unit_id', 'The unit id is not a unit of this account.');
  if (taken && taken.id !== before.id) {
    addError(errors, 'booking_reference', 'The booking reference has already been taken by another booking.');
  }
  return errors;
}

/**
 * Changes a booking, for example when a booking platform reports the table. Matches waiting purchases in the same
 * transaction.
 */
export async function changeBooking(
  tx: Tx,
  accountId: number,
  id: number,
  changes: BookingChanges,
  receivedAt: string,
  count: (outcome: string) => void,
): Promise<Booking> {
  // A deleted account has no bookings.
  const { account, seen } = await tx.inOrder({
    account: () => holdAccount(tx, accountId),
    seen: () => findBooking(tx, accountId, id),
  });
  if (!account || !seen) throw noSuchBooking();
  const references = [seen.booking_reference, changes.booking_reference ?? seen.booking_reference];
  // A transaction that stores a purchase with this reference or a table takes the same locks.
  await lockKeys(tx, accountId, [tablesLock, ...references.map(bookingLock)]);
  const before = await findBooking(tx, accountId, id);
  if (!before) throw noSuchBooking();
  if (before.booking_reference !== seen.booking_reference) throw new Conflict();
  const { time_zone: timeZone, root_unit_id: rootUnitId } = account;
  const sent = { ...changes, booking_reference: changes.booking_reference ?? before.booking_reference };
  const row = bookingRow(before, sent, { contactId: before.contact_id, rootUnitId, receivedAt, timeZone });
  const errors = await changeErrors(tx, accountId, before, changes);
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
  if (!(await updateBooking(tx, accountId, id, row))) throw noSuchBooking();
  const matched = await lockAndMatchWaiting(tx, accountId, timeZone, { bookings: [{ ...row, place: 0 }] }, count);
  // The reference or the provider can change, so both rows are those of an existing booking.
  const { changed } = bookingFigures([], [before, row]);
  await refreshFigures(tx, accountId, { changed, added: addedPurchases(matched) });
  const survivors = await survivorsOf(tx, accountId, [row.contact_id]);
  const events = isSameBooking(before, row) ? [] : [bookingEvent(row, survivors.get(row.contact_id) ?? row.contact_id)];
  await appendEvents(tx, accountId, [...events, ...matchedEvents(matched)]);
  return present(await showBookingById(tx, accountId, id), 'booking');
}
