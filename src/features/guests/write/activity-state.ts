import type { Tx } from '../../../platform/db/database.ts';
import { pick } from '../../../shared/read.ts';
import type { Account } from '../../access/accounts/schema.ts';
import {
  type BookingRow,
  bookingKey,
  bookingLock,
  bookingRow,
  findBookings,
  tablesLock,
} from '../../activity/bookings/store.ts';
import {
  findPurchases,
  noMatch,
  nothingSent,
  type PurchaseRow,
  purchaseKey,
  purchaseLock,
  purchaseRow,
  sentKey,
} from '../../activity/purchases/store.ts';
import { findStays, type StayContact, type StayRow, stayKey, stayLock, stayRow } from '../../activity/stays/store.ts';
import { type WifiRow, wifiRow } from '../../activity/wifi/store.ts';
import { hasActivity } from './check-activity.ts';
import type { ContactCommand } from './command.ts';
import type { ContactState } from './contact-state.ts';
import type { ContactWrite } from './schema.ts';

/** What the commands name, as far as it could be read. */
function sentIn(commands: ContactCommand[]) {
  const all = <T>(list: (input: ContactWrite) => T[] | undefined) => commands.flatMap(({ input }) => pick(list(input)));
  return {
    purchases: all((input) => input.purchases),
    bookings: all((input) => input.bookings),
    stays: all((input) => input.stays),
  };
}

/** What guests did, in the course of a batch: what was known before, and what the commands so far have made of it. */
export class ActivityState {
  readonly #account: Account | undefined;
  readonly #bookings = new Map<string, { row: BookingRow; person?: ContactState }>();
  /** Every state that a command left one in: what waits for it was matched by the first that fits. */
  readonly #bookingStates = new Map<string, { row: BookingRow; person: ContactState; place: number }>();
  readonly #purchases = new Map<string, { row: PurchaseRow; person?: ContactState }>();
  readonly #stays = new Map<string, { row: StayRow; changed: boolean }>();
  readonly #stayContacts = new Map<string, Map<ContactState, Omit<StayContact, 'contact_id'>>>();
  readonly #wifi: { row: Omit<WifiRow, 'contact_id'>; person: ContactState }[] = [];

  /** Without an account: for writes that tell of none. */
  constructor(account?: Account) {
    this.#account = account;
  }

  static areIn(commands: ContactCommand[]): boolean {
    return commands.some(({ input }) => hasActivity(input));
  }

  /** What to be alone with, so that nobody else writes it, or waits for it unseen, at the same time. */
  static keysOf(commands: ContactCommand[]): string[] {
    const { purchases, bookings, stays } = sentIn(commands);
    return [
      ...(bookings.length > 0 ? [tablesLock] : []),
      ...bookings.map((booking) => bookingLock(booking.booking_reference)),
      ...purchases.map((purchase) => purchaseLock(purchase.transaction_reference)),
      ...stays.map(stayLock),
    ];
  }

  static async load(tx: Tx, account: Account, commands: ContactCommand[]): Promise<ActivityState> {
    const deeds = new ActivityState(account);
    const { purchases, bookings, stays } = sentIn(commands);
    const bookingKeys = bookings.map(({ booking_reference, provider_id = null }) => ({
      booking_reference,
      provider_id,
    }));
    const purchaseKeys = purchases.map(({ transaction_reference, unit_id, provider_id = null }) => ({
      transaction_reference,
      unit_id: unit_id ?? account.root_unit_id,
      provider_id,
    }));
    const known = await tx.inOrder({
      bookings: () => (bookings.length > 0 ? findBookings(tx, account.id, bookingKeys) : []),
      purchases: () => (purchases.length > 0 ? findPurchases(tx, account.id, purchaseKeys) : []),
      stays: () => (stays.length > 0 ? findStays(tx, account.id, stays) : []),
    });
    for (const row of known.bookings) deeds.#bookings.set(bookingKey(row), { row });
    for (const row of known.purchases) deeds.#purchases.set(purchaseKey(row), { row });
    for (const row of known.stays) deeds.#stays.set(stayKey(row), { row, changed: false });
    return deeds;
  }

  /** What this person did, by a command that was found good. */
  record(person: ContactState, { input, receivedAt }: ContactCommand, place: number): void {
    if (!this.#account) return;
    const { root_unit_id: rootUnitId, time_zone: timeZone } = this.#account;
    const of = { rootUnitId, receivedAt, timeZone };
    for (const booking of input.bookings ?? []) {
      const key = bookingKey({ provider_id: null, ...booking });
      const row = bookingRow(this.#bookings.get(key)?.row, booking, { ...of, contactId: 0 });
      this.#bookings.set(key, { row, person });
      this.#bookingStates.set(`${place} ${key}`, { row, person, place });
    }
    for (const purchase of input.purchases ?? []) {
      const key = purchaseKey(sentKey(purchase, of));
      const row = purchaseRow(this.#purchases.get(key)?.row, purchase, of);
      // Whose it is has been said: what it was known by before says no more.
      this.#purchases.set(key, { row: Object.assign(row, nothingSent, noMatch), person });
    }
    for (const stay of input.stays ?? []) {
      const key = stayKey(stay);
      this.#stays.set(key, { row: stayRow(this.#stays.get(key)?.row, stay, timeZone), changed: true });
      const contacts = this.#stayContacts.get(key) ?? new Map();
      const { provider_id, stay_reference, booker, guest } = stay;
      this.#stayContacts.set(key, contacts.set(person, { provider_id, stay_reference, booker, guest }));
    }
    for (const wifi of input.wifi ?? []) this.#wifi.push({ row: wifiRow(wifi, of), person });
  }

  /** The rows to be stored. By now everybody has an id. */
  rows() {
    const theirs = <R>(entries: Iterable<{ row: R; person?: ContactState }>) =>
      [...entries].flatMap(({ row, person }) => (person ? [{ ...row, contact_id: person.row.id }] : []));
    return {
      bookings: theirs(this.#bookings.values()),
      bookingStates: [...this.#bookingStates.values()].map(({ row, person, place }) => ({
        ...row,
        contact_id: person.row.id,
        place,
      })),
      purchases: theirs(this.#purchases.values()),
      wifi: theirs(this.#wifi),
      stays: [...this.#stays.values()].flatMap(({ row, changed }) => (changed ? [row] : [])),
      stayContacts: [...this.#stayContacts.values()].flatMap((contacts) =>
        [...contacts].map(([person, entry]) => ({ ...entry, contact_id: person.row.id })),
      ),
    };
  }
}
