import type { Tx } from '../../../platform/db/database.ts';
import {
  type CompleteItem,
  checkItems,
  completeItems,
  isComplete,
  type ReadItem,
  unlessAllDropped,
} from '../../../shared/read.ts';
import type { Account } from '../../access/accounts/schema.ts';
import { addChanges, addedPurchases, type OwnPurchase, purchaseDays, waitingDays } from '../../figures/schema.ts';
import { lockExisting, lockExistingAndWaiting, matchedEvents, matchWaiting } from '../../identity/matching/store.ts';
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
import type { NewPurchase } from './schema.ts';
import {
  findPurchases,
  isSamePurchase,
  noMatch,
  noMatchKeys,
  type PurchaseRow,
  purchaseEvent,
  purchaseFigures,
  purchaseKey,
  purchaseLock,
  purchaseRow,
  putPurchases,
  sentKey,
} from './store.ts';

class PurchasesBatch implements SectionBatch<NewPurchase> {
  readonly #purchases = new Map<string, { row: PurchaseRow; contact?: SectionContact }>();
  /** The keys of purchases that were stored before. */
  readonly #existing = new Set<string>();

  references({ unit_id }: AnyItem<NewPurchase>, units: Set<number>): void {
    addId(units, unit_id);
  }

  lockKeys(purchases: CompleteItem<NewPurchase>[]): string[] {
    return purchases.map(({ transaction_reference }) => purchaseLock(transaction_reference));
  }

  async load(
    tx: Tx,
    accountId: number,
    purchases: CompleteItem<NewPurchase>[],
    account: Account | undefined,
  ): Promise<void> {
    if (!account) return;
    const keys = purchases.map((purchase) => sentKey(purchase, { rootUnitId: account.root_unit_id }));
    for (const row of await findPurchases(tx, accountId, keys)) {
      this.#purchases.set(purchaseKey(row), { row });
      this.#existing.add(purchaseKey(row));
    }
  }

  check(purchases: ReadItem<NewPurchase>[], checks: Checks): NewPurchase[] {
    return checkItems(purchases, (purchase, index) => {
      if (!unitIsValid(purchase, `purchases.${index}`, checks) || !isComplete(purchase)) return undefined;
      const { items: sent, ...rest } = purchase;
      const complete = completeItems(sent).map(({ tags, ...item }) => ({ ...item, tags: completeItems(tags) }));
      const items = unlessAllDropped(sent, complete);
      return { ...rest, ...(items && { items }) };
    });
  }

  apply(contact: SectionContact, purchases: NewPurchase[], { account, receivedAt, record }: AppliedCommand): void {
    const of = { rootUnitId: account.root_unit_id, timeZone: account.time_zone, receivedAt };
    for (const purchase of purchases) {
      const key = purchaseKey(sentKey(purchase, of));
      const before = this.#purchases.get(key);
      // The request names the contact, so earlier match keys no longer count.
      const row = Object.assign(purchaseRow(before?.row, purchase, of), noMatchKeys, noMatch);
      this.#purchases.set(key, { row, contact });
      const isOwn = before?.contact ? before.contact === contact : before?.row.contact_id === contact.row.id;
      if (!before || !isOwn || !isSamePurchase(before.row, row)) record(() => purchaseEvent(row, contact.row.id));
    }
  }

  /** Also matches waiting purchases to the data that the other sections and the identities of the batch bring. */
  store(
    tx: Tx,
    { id: accountId, time_zone }: StoreAccount,
    { newMatchKeys, figures, lateFigures, lateEvents, count }: Stored<SectionContact>,
  ): Promise<unknown>[] {
    const rows = withContact(this.#purchases.values());
    addChanges(figures, purchaseFigures(rows, this.#existing));
    if (newMatchKeys.bookings.length + newMatchKeys.claims.length === 0) {
      if (rows.length === 0) return [];
      const before = lockExisting(tx, accountId, rows);
      if (this.#existing.size > 0) lateFigures.push(before.then(asBefore));
      return [before, putPurchases(tx, accountId, rows)];
    }
    const before = lockExistingAndWaiting(tx, accountId, time_zone, rows, newMatchKeys);
    const stored = rows.length > 0 ? [putPurchases(tx, accountId, rows)] : [];
    const matched = matchWaiting(tx, accountId, time_zone, newMatchKeys, count);
    lateFigures.push(
      before.then(asBefore),
      matched.then((rows) => ({ added: addedPurchases(rows) })),
    );
    lateEvents.push(matched.then(matchedEvents));
    return [before, ...stored, matched];
  }
}

/** Purchases that are sent again can leave another contact or day. */
const asBefore = (purchases: OwnPurchase[]) => ({
  changed: purchaseDays(purchases),
  anonymous: waitingDays(purchases),
});

export const purchasesSection: Section<NewPurchase> = {
  // The lines of a purchase are one value, which can be large.
  weigh: ({ items = [] }) => Math.ceil(items.length / 10),
  // A purchase without a unit belongs to the root unit, which is part of its key.
  loadsByAccount: true,
  begin: () => new PurchasesBatch(),
};
