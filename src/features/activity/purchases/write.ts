import { Conflict, type Last, type Tx } from '../../../platform/db/database.ts';
import { lockKeys } from '../../../platform/db/locks.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import { matchKeys } from '../../../shared/codes.ts';
import type { NewEvent } from '../../../shared/event-kind.ts';
import { oneOf, toWords } from '../../../shared/phrases.ts';
import { present } from '../../../shared/present.ts';
import { addError, type FieldErrors, Invalid, noSuchAccount } from '../../../shared/problem.ts';
import type { PartialInput, ReadResult } from '../../../shared/read.ts';
import type { Account } from '../../access/accounts/schema.ts';
import { holdAccount } from '../../access/accounts/store.ts';
import { sendRefresh } from '../../figures/refresh-store.ts';
import { purchaseDays, waitingDays } from '../../figures/schema.ts';
import { identityKey } from '../../identity/identities/schema.ts';
import { survivorsOf } from '../../identity/identities/store.ts';
import { purchaseMatched } from '../../identity/matching/event-schema.ts';
import { findByCodes, lockExisting } from '../../identity/matching/store.ts';
import { findUnits } from '../../venues/units/store.ts';
import { existingCodeGroups } from '../../vouchers/group-store.ts';
import { codeKey } from '../../vouchers/schema.ts';
import { codeLock } from '../../vouchers/store.ts';
import { bookingLock, tablesLock } from '../bookings/store.ts';
import { codeOf, type Match, MatchTargets, sentCodeKey } from './match-keys.ts';
import type { AnonymousPurchases, NewPurchase, PurchasesStored } from './schema.ts';
import {
  findPurchases,
  isSamePurchase,
  type PurchaseKey,
  type PurchaseRow,
  penceOf,
  purchaseEvent,
  purchaseFigures,
  purchaseKey,
  purchaseLock,
  purchaseRow,
  putPurchases,
  sentKey,
  takePurchaseIds,
} from './store.ts';

/** A request with anonymous purchases and the keys to match them by. */
export interface PurchasesCommand {
  read: ReadResult<AnonymousPurchases>;
  receivedAt: string;
}

export function preparePurchases(read: ReadResult<AnonymousPurchases>, receivedAt: string): PurchasesCommand {
  const { partial, errors } = read;
  if (matchKeys.every((key) => partial[key] === undefined && !errors.fields[key])) {
    for (const key of matchKeys) {
      const others = matchKeys.filter((other) => other !== key).map(toWords);
      errors.add(key, `The ${toWords(key)} field is required when there is no ${oneOf(others)}.`);
    }
  }
  return { read, receivedAt };
}

/** The estimated number of rows of a command. */
export function weighPurchases({ read: { partial } }: PurchasesCommand): number {
  return (partial.purchases ?? []).reduce(
    (weight, purchase) => weight + 1 + Math.ceil((purchase?.items?.length ?? 0) / 10),
    1,
  );
}

/**
 * Stores and matches the anonymous purchases of many requests. The result is the same as if the requests ran one after
 * the other. A request that refers to something that does not exist is rejected without the others.
 */
export async function writePurchases(
  tx: Tx,
  accountId: number,
  commands: PurchasesCommand[],
  last: Last,
): Promise<(PurchasesStored | Error)[]> {
  // Requests with invalid fields are rejected, so their purchases are not looked up.
  const valid = commands.flatMap(({ read, receivedAt }) => (read.valid ? [{ input: read.valid, receivedAt }] : []));
  const { account, found } = await tx.inOrder({
    account: () => holdAccount(tx, accountId),
    found: () => findSent(tx, accountId, valid),
  });
  if (!account) return commands.map(() => noSuchAccount());
  const sent = valid.flatMap((request) => request.input.purchases.map((one) => rowOf(one, request, account)));
  const seen = found ?? (await findPurchases(tx, accountId, sent));
  const isSeen = new Set(seen.map(purchaseKey));
  const fresh = new Set(sent.map(purchaseKey).filter((key) => !isSeen.has(key)));
  const { units, groups, codes, existing, freshIds } = await tx.inOrder({
    keys: () =>
      lockKeys(
        tx,
        accountId,
        keysOf(
          valid.map(({ input }) => input),
          [...sent, ...seen],
        ),
      ),
    units: () => findUnits(tx, accountId, commands.flatMap(unitsIn)),
    groups: () =>
      existingCodeGroups(
        tx,
        accountId,
        commands.flatMap(({ read: { partial } }) => partial.unique_code_group_id ?? []),
      ),
    codes: () =>
      findCodes(
        tx,
        accountId,
        commands.flatMap(({ read: { partial } }) => codeOf(partial) ?? []),
      ),
    // No other transaction can match them between the read and the write.
    purchases: () => seen.length > 0 && lockExisting(tx, accountId, sent),
    existing: () => findPurchases(tx, accountId, sent),
    freshIds: () => takePurchaseIds(tx, fresh.size),
  });
  if (!sameKeys(seen, existing)) throw new Conflict();
  const known = { units: new Set(units.map((unit) => unit.id)), groups: new Set(groups), codes };

  const rows = new Map(existing.map((row) => [purchaseKey(row), row]));
  const states: PurchaseRow[] = [];
  const decided = commands.map(({ read, receivedAt }) => {
    const errors = { ...referenceErrors(known, read.partial), ...read.errors.fields };
    const input = read.valid;
    if (!input || Object.keys(errors).length > 0) return new Invalid(errors);
    const request = { input, receivedAt };
    return input.purchases.map((purchase) => {
      const key = purchaseKey(rowOf(purchase, request, account));
      const row = withKeys(rowOf(purchase, request, account, rows.get(key)), input);
      rows.set(key, row);
      // The index of the state.
      return states.push(row) - 1;
    });
  });
  if (states.length === 0) return decided.map((one) => (one instanceof Error ? one : { purchases: [] }));
  const { matched, survivors } = await applyMatches(tx, account, existing, states);
  const latest = new Map(matched.map((row) => [purchaseKey(row), row]));
  const rowsToStore = [...latest.values()];
  for (const row of rowsToStore) row.id ??= freshIds.shift() ?? conflict();
  // The last statements are sent together with the commit.
  const storing = putPurchases(tx, accountId, rowsToStore, true);
  last(storing);
  // On a distributed server the figures are read before they are stored.
  if (!tx.isOneServer) await storing;
  const { added, changed, anonymous } = purchaseFigures(rowsToStore, new Set(existing.map(purchaseKey)));
  const figures = {
    added,
    changed: [...changed, ...purchaseDays(existing)],
    anonymous: [...anonymous, ...waitingDays(existing)],
  };
  for (const statement of await sendRefresh(tx, accountId, figures, { survivors })) last(statement);
  last(appendEvents(tx, accountId, eventsOf(existing, matched, survivors)));
  const toResponse = (row: PurchaseRow) => ({
    id: present(latest.get(purchaseKey(row))?.id, 'purchase'),
    transaction_reference: row.transaction_reference,
    contact_id: row.contact_id && (survivors.get(row.contact_id) ?? null),
    matched_by: row.matched_by,
  });
  return decided.map((one) =>
    one instanceof Error ? one : { purchases: one.map((place) => toResponse(present(matched[place], 'purchase'))) },
  );
}

/** The events of the requests, in their order. A request that changes nothing has none. */
function eventsOf(existing: PurchaseRow[], states: PurchaseRow[], survivors: Map<number, number>): NewEvent[] {
  const latest = new Map(existing.map((row) => [purchaseKey(row), row]));
  return states.flatMap((row) => {
    const before = latest.get(purchaseKey(row));
    latest.set(purchaseKey(row), row);
    const ofSameContact = before?.contact_id === row.contact_id;
    if (before && ofSameContact && isSamePurchase(before, row)) return [];
    const contactId = row.contact_id && (survivors.get(row.contact_id) ?? row.contact_id);
    const events = [purchaseEvent(row, contactId)];
    const { transaction_reference, unit_id, provider_id, created_at, matched_by, lines } = row;
    if (contactId !== null && matched_by !== null && !ofSameContact)
      events.push(
        purchaseMatched.of({
          ...{ contact_id: contactId, transaction_reference, unit_id, provider_id, created_at, matched_by },
          total: penceOf(lines) / 100,
        }),
      );
    return events;
  });
}

/** A purchase was deleted between the read and the lock. */
function conflict(): never {
  throw new Conflict();
}

interface ValidRequest {
  input: AnonymousPurchases;
  receivedAt: string;
}

/** Looks up the sent purchases. Undefined: the unit of one is the root unit, which is not known yet. */
async function findSent(tx: Tx, accountId: number, requests: ValidRequest[]): Promise<PurchaseRow[] | undefined> {
  const keys: PurchaseKey[] = [];
  for (const { input } of requests) {
    for (const purchase of input.purchases) {
      if (purchase.unit_id === undefined) return undefined;
      keys.push(sentKey(purchase, { rootUnitId: purchase.unit_id, providerId: input.provider_id }));
    }
  }
  return findPurchases(tx, accountId, keys);
}

/** The purchase after the write. A field that was not sent keeps its value. */
function rowOf(
  purchase: NewPurchase,
  { input: { provider_id }, receivedAt }: ValidRequest,
  { root_unit_id: rootUnitId, time_zone: timeZone }: Account,
  before?: PurchaseRow,
): PurchaseRow {
  return purchaseRow(before, purchase, { rootUnitId, providerId: provider_id, receivedAt, timeZone });
}

/** Adds the sent keys to the stored ones. A purchase that a contact write stored keeps its contact and is not matched. */
function withKeys(row: PurchaseRow, input: AnonymousPurchases): PurchaseRow {
  if (isOfContactWrite(row)) return row;
  const updated = { ...row };
  for (const key of matchKeys) updated[key] = input[key] ?? row[key];
  // A group belongs to a code. With another code, the stored group does not count.
  const sameCode = codeKey(input.unique_code ?? row.unique_code ?? '') === codeKey(row.unique_code ?? '');
  updated.unique_code_group_id = input.unique_code_group_id ?? (sameCode ? row.unique_code_group_id : null);
  return updated;
}

const isOfContactWrite = ({ contact_id, matched_by }: PurchaseRow) => contact_id !== null && matched_by === null;

/**
 * Matches each purchase by the first of its keys that leads to a contact. If none does, the purchase keeps its earlier
 * match. A purchase with unchanged keys also keeps it, so a retry changes nothing.
 */
async function applyMatches(
  tx: Tx,
  account: Account,
  before: PurchaseRow[],
  states: PurchaseRow[],
): Promise<{ matched: PurchaseRow[]; survivors: Map<number, number> }> {
  const { targets, survivors } = await tx.inOrder({
    targets: () => MatchTargets.find(tx, account, states),
    survivors: () => survivorsOf(tx, account.id, [...new Set(before.flatMap((row) => row.contact_id ?? []))]),
  });
  for (const [id, survivor] of targets.survivors()) survivors.set(id, survivor);
  const latest = new Map(before.map((row) => [purchaseKey(row), row]));
  const matched = states.map((state) => {
    const last = latest.get(purchaseKey(state));
    const stays = isOfContactWrite(state) || (last && isMatched(last) && hasSameKeys(last, state));
    const matched = { ...state, ...((!stays && targets.of(state)) || matchOf(last)) };
    latest.set(purchaseKey(state), matched);
    return matched;
  });
  return { matched, survivors };
}

const isMatched = ({ matched_by }: PurchaseRow) => matched_by !== null;

function hasSameKeys(last: PurchaseRow, state: PurchaseRow): boolean {
  return [...matchKeys, 'unique_code_group_id' as const, 'created_at' as const].every(
    (name) => last[name] === state[name],
  );
}

function matchOf(row: PurchaseRow | undefined): Partial<Match> {
  if (!row) return {};
  const { contact_id, matched_by, matched_value, matched_booking_id } = row;
  return { contact_id, matched_by, matched_value, matched_booking_id };
}

/**
 * The lock keys. A transaction that adds data which these purchases may wait for takes the same locks, so one of the two
 * sees the rows of the other. The stored keys of a purchase that is sent again count too.
 */
function keysOf(inputs: AnonymousPurchases[], rows: PurchaseRow[]): string[] {
  const keys = rows.map((row) => purchaseLock(row.transaction_reference));
  for (const keyed of [...inputs, ...rows]) {
    const { booking_reference, unique_code, membership_number, card_reference, table_number } = keyed;
    if (booking_reference) keys.push(bookingLock(booking_reference));
    if (unique_code) keys.push(codeLock(unique_code));
    if (membership_number) keys.push(identityKey({ kind: 'membership', value: membership_number }));
    if (card_reference) keys.push(identityKey({ kind: 'card', value: card_reference }));
    if (table_number) keys.push(tablesLock);
  }
  return keys;
}

/** Whether no purchase was added since the locks were chosen, and the keys are unchanged. */
function sameKeys(seen: PurchaseRow[], now: PurchaseRow[]): boolean {
  const keysByPurchase = (rows: PurchaseRow[]) =>
    new Map(rows.map((row) => [purchaseKey(row), matchKeys.map((key) => row[key])]));
  const before = keysByPurchase(seen);
  return [...keysByPurchase(now)].every(([key, keys]) =>
    keys.every((value, index) => value === before.get(key)?.[index]),
  );
}

/** The number of groups that have each code. */
async function findCodes(
  tx: Tx,
  accountId: number,
  codes: { unique_code: string; unique_code_group_id: number | null }[],
) {
  const found = codes.length === 0 ? [] : await findByCodes(tx, accountId, codes);
  return new Map(codes.map((code, index) => [sentCodeKey(code), found[index]?.groups ?? 0]));
}

function unitsIn({ read: { partial } }: PurchasesCommand): number[] {
  return (partial.purchases ?? []).flatMap((purchase) => purchase?.unit_id ?? []);
}

/** The errors for units, groups and codes that do not exist or are ambiguous. */
function referenceErrors(
  { units, groups, codes }: { units: Set<number>; groups: Set<number>; codes: Map<string, number> },
  input: PartialInput<AnonymousPurchases>,
): FieldErrors {
  const errors: FieldErrors = {};
  (input.purchases ?? []).forEach((purchase, index) => {
    if (purchase?.unit_id === undefined || units.has(purchase.unit_id)) return;
    addError(errors, `purchases.${index}.unit_id`, 'The unit id is not a unit of this account.');
  });
  const { unique_code_group_id } = input;
  if (unique_code_group_id !== undefined && !groups.has(unique_code_group_id)) {
    addError(errors, 'unique_code_group_id', 'The unique code group id is not a group of this account.');
  } else if (input.unique_code !== undefined && (codes.get(sentCodeKey(input)) ?? 0) > 1) {
    addError(errors, 'unique_code_group_id', 'The unique code group id is required: several groups have this code.');
  }
  return errors;
}
