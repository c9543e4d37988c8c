import type { Account } from '../accounts/schema.ts';
import { holdAccount } from '../accounts/store.ts';
import { bookingLock, tablesLock } from '../bookings/store.ts';
import type { Tx } from '../db/database.ts';
import { lockKeys } from '../db/locks.ts';
import { identityKey } from '../identities/schema.ts';
import { type FieldErrors, Invalid } from '../shared/problem.ts';
import { addError } from '../shared/read.ts';
import { oneOf } from '../shared/words.ts';
import { findUnits } from '../units/store.ts';
import { codeLock, existingCodeGroups } from '../vouchers/store.ts';
import { type AnonymousPurchases, type MatchKey, matchKeys, type PurchasesStored } from './schema.ts';
import {
  bookingsLedTo,
  type CodeFound,
  codesLedTo,
  findPurchases,
  type Lead,
  lockPurchases,
  membersLedTo,
  nothingBrought,
  type PurchaseRow,
  purchaseKey,
  purchaseLock,
  purchaseRow,
  putPurchases,
  type SentKeys,
  tablesLedTo,
} from './store.ts';

/** Purchases of somebody who is not named, with what is known of them instead. */
export interface PurchasesCommand {
  input: AnonymousPurchases;
  errors: FieldErrors;
  receivedAt: string;
}

export function preparePurchases(input: AnonymousPurchases, errors: FieldErrors, receivedAt: string): PurchasesCommand {
  if (matchKeys.every((key) => input[key] === undefined && !errors[key])) {
    for (const key of matchKeys) {
      const others = matchKeys.filter((other) => other !== key).map((other) => other.replaceAll('_', ' '));
      addError(errors, key, `The ${key.replaceAll('_', ' ')} field is required when there is no ${oneOf(others)}.`);
    }
  }
  return { input, errors, receivedAt };
}

/** In rows or so. */
export function weighPurchases({ input: { purchases = [] } }: PurchasesCommand): number {
  return purchases.reduce((weight, purchase) => weight + 1 + Math.ceil((purchase?.items?.length ?? 0) / 10), 1);
}

/**
 * Stores anonymous purchases, and finds whose they are, for many requests in the same few statements. One after the
 * other as far as anybody can tell; one that names something that is not there is refused alone.
 */
export async function writePurchases(
  tx: Tx,
  accountId: number,
  commands: PurchasesCommand[],
): Promise<(PurchasesStored | Error)[]> {
  const account = await holdAccount(tx, accountId);
  if (!account) {
    const gone = new Invalid({ account_id: ['The account id is not one that you can access.'] });
    return commands.map(() => gone);
  }
  // What can't be read is refused before anything is looked up for it.
  const readable = commands.filter(({ errors }) => Object.keys(errors).length === 0);
  const sent = readable.map((command) => ({ command, rows: rowsOf(command, account) }));
  const all = sent.flatMap(({ rows }) => rows);
  const leads = new Leads(tx, accountId, account.time_zone);
  const unitIds = commands.flatMap(({ input }) =>
    (input.purchases ?? []).flatMap((purchase) => purchase?.unit_id ?? []),
  );
  const groupIds = commands.flatMap(({ input }) => input.unique_code_group_id ?? []);
  const [, units, groups, , existing] = await Promise.all([
    lockKeys(tx, accountId, keysOf(sent)),
    findUnits(tx, accountId, unitIds),
    existingCodeGroups(tx, accountId, groupIds),
    // Nobody else finds whose they are between our reading and our writing.
    lockPurchases(tx, accountId, account.time_zone, all, nothingBrought),
    findPurchases(tx, accountId, all),
    leads.find(sent),
  ]);
  const known = { units: new Set(units.map((unit) => unit.id)), groups: new Set(groups), leads };

  const rows = new Map(existing.map((row) => [purchaseKey(row), row]));
  const decided = commands.map((command) => {
    const errors = { ...command.errors, ...unknownTo(known, command) };
    if (Object.keys(errors).length > 0) return new Invalid(errors);
    return rowsOf(command, account, rows).map((row) => {
      const settled = settle(row, command.input, leads, rows.get(purchaseKey(row)));
      rows.set(purchaseKey(row), settled);
      return purchaseKey(row);
    });
  });
  const changed = new Set(decided.flatMap((one) => (one instanceof Error ? [] : one)));
  if (changed.size === 0) return decided.map((one) => one as Error);
  const changes = [...rows].filter(([key]) => changed.has(key)).map(([, row]) => row);
  const stored = new Map((await putPurchases(tx, accountId, changes)).map((row) => [purchaseKey(row), row]));
  return decided.map((one) => {
    if (one instanceof Error) return one;
    return {
      purchases: one.map((key) => {
        const { id, transaction_reference, contact_id, matched_by } = stored.get(key) as NonNullable<
          ReturnType<typeof stored.get>
        >;
        return { id, transaction_reference, contact_id, matched_by };
      }),
    };
  });
}

interface Sent {
  command: PurchasesCommand;
  rows: PurchaseRow[];
}

/** What was sent, as rows; as far as these exist already, as they are to be. */
function rowsOf(
  { input, receivedAt }: PurchasesCommand,
  account: Account,
  existing?: Map<string, PurchaseRow>,
): PurchaseRow[] {
  const of = {
    rootUnitId: account.root_unit_id,
    providerId: input.provider_id,
    receivedAt,
    timeZone: account.time_zone,
  };
  return input.purchases.map((purchase) => {
    const row = purchaseRow(undefined, purchase, of);
    const before = existing?.get(purchaseKey(row));
    return before ? purchaseRow(before, purchase, of) : row;
  });
}

/** Whoever brings what these may wait for takes the same locks: one of the two comes first, and the other sees it. */
function keysOf(sent: Sent[]) {
  const inputs = sent.map(({ command }) => command.input);
  const own = new Set<string>();
  const shared = new Set<string>();
  for (const { booking_reference, unique_code, membership_number, card_reference, table_number } of inputs) {
    if (booking_reference !== undefined) shared.add(bookingLock(booking_reference));
    if (unique_code !== undefined) shared.add(codeLock(unique_code));
    if (membership_number !== undefined) own.add(identityKey({ kind: 'membership', value: membership_number }));
    if (card_reference !== undefined) own.add(identityKey({ kind: 'card', value: card_reference }));
    if (table_number !== undefined) own.add(tablesLock);
  }
  for (const { rows } of sent) for (const row of rows) shared.add(purchaseLock(row.transaction_reference));
  return { own: [...own], shared: [...shared] };
}

/** Whom what was sent leads to, looked up together. */
class Leads {
  readonly #tx: Tx;
  readonly #accountId: number;
  readonly #timeZone: string;
  readonly #bookings = new Map<string, Lead | undefined>();
  readonly #members = new Map<string, Lead | undefined>();
  readonly #codes = new Map<string, CodeFound>();
  readonly #tables = new Map<string, Lead | undefined>();

  constructor(tx: Tx, accountId: number, timeZone: string) {
    this.#tx = tx;
    this.#accountId = accountId;
    this.#timeZone = timeZone;
  }

  /** One statement for each kind of thing that was sent. */
  async find(sent: Sent[]): Promise<void> {
    const references = new Set<string>();
    const members = new Map<string, { kind: 'membership' | 'card'; value: string }>();
    const codes = new Map<string, { unique_code: string; unique_code_group_id: number | null }>();
    const tables = new Map<string, { unit_id: number; at: string; table_number: string }>();
    for (const { command, rows } of sent) {
      const { booking_reference, membership_number, card_reference, table_number } = command.input;
      if (booking_reference !== undefined) references.add(booking_reference);
      for (const member of [memberOf('membership', membership_number), memberOf('card', card_reference)]) {
        if (member) members.set(identityKey(member), member);
      }
      const code = codeOf(command.input);
      if (code) codes.set(codeKey(code), code);
      if (table_number === undefined) continue;
      for (const row of rows) tables.set(tableKey(row, table_number), { ...row, at: row.created_at, table_number });
    }
    const ask = async <K, V, F>(wanted: Map<K, V>, found: Map<K, F>, find: (wanted: V[]) => Promise<F[]>) => {
      if (wanted.size === 0) return;
      const results = await find([...wanted.values()]);
      [...wanted.keys()].forEach((key, index) => {
        found.set(key, results[index] as F);
      });
    };
    const [tx, accountId] = [this.#tx, this.#accountId];
    await Promise.all([
      ask(new Map([...references].map((one) => [one, one])), this.#bookings, (all) =>
        bookingsLedTo(tx, accountId, all),
      ),
      ask(members, this.#members, (all) => membersLedTo(tx, accountId, all)),
      ask(codes, this.#codes, (all) => codesLedTo(tx, accountId, all)),
      ask(tables, this.#tables, (all) => tablesLedTo(tx, accountId, this.#timeZone, all)),
    ]);
  }

  code(input: AnonymousPurchases): CodeFound | undefined {
    const code = codeOf(input);
    return code && this.#codes.get(codeKey(code));
  }

  /** The first key that leads to a contact. */
  of(input: AnonymousPurchases, row: PurchaseRow): { key: MatchKey; lead: Lead } | undefined {
    for (const key of matchKeys) {
      const lead = this.#by(key, input, row);
      if (lead) return { key, lead };
    }
    return undefined;
  }

  #by(key: MatchKey, input: AnonymousPurchases, row: PurchaseRow): Lead | undefined {
    const value = input[key];
    if (value === undefined) return undefined;
    switch (key) {
      case 'booking_reference':
        return this.#bookings.get(value);
      case 'unique_code':
        return this.code(input)?.lead;
      case 'membership_number':
        return this.#members.get(identityKey({ kind: 'membership', value }));
      case 'card_reference':
        return this.#members.get(identityKey({ kind: 'card', value }));
      case 'table_number':
        return this.#tables.get(tableKey(row, value));
    }
  }
}

const memberOf = (kind: 'membership' | 'card', value: string | undefined) =>
  value === undefined ? undefined : { kind, value };
const codeOf = ({ unique_code, unique_code_group_id }: AnonymousPurchases) =>
  unique_code === undefined ? undefined : { unique_code, unique_code_group_id: unique_code_group_id ?? null };
const codeKey = (code: { unique_code: string; unique_code_group_id: number | null }) =>
  `${code.unique_code_group_id ?? ''} ${code.unique_code}`;
const tableKey = ({ unit_id, created_at }: PurchaseRow, table: string) => `${unit_id} ${created_at} ${table}`;

/** What the request names and does not exist. */
function unknownTo(
  { units, groups, leads }: { units: Set<number>; groups: Set<number>; leads: Leads },
  { input }: PurchasesCommand,
): FieldErrors {
  const errors: FieldErrors = {};
  (input.purchases ?? []).forEach((purchase, index) => {
    if (purchase?.unit_id === undefined || units.has(purchase.unit_id)) return;
    addError(errors, `purchases.${index}.unit_id`, 'The unit id is not a unit of this account.');
  });
  const { unique_code_group_id } = input;
  if (unique_code_group_id !== undefined && !groups.has(unique_code_group_id)) {
    addError(errors, 'unique_code_group_id', 'The unique code group id is not a group of this account.');
  } else if ((leads.code(input)?.groups ?? 0) > 1) {
    addError(errors, 'unique_code_group_id', 'The unique code group id is required: several groups have this code.');
  }
  return errors;
}

/** Whose the purchase is, by what was sent now and before. What came on a contact itself stays there. */
function settle(
  row: PurchaseRow,
  input: AnonymousPurchases,
  leads: Leads,
  before: PurchaseRow | undefined,
): PurchaseRow {
  if (before?.contact_id != null && before.matched_by === null) return row;
  const keys: SentKeys = { ...row };
  for (const key of matchKeys) if (input[key] !== undefined) keys[key] = input[key];
  if (input.unique_code !== undefined) keys.unique_code_group_id = input.unique_code_group_id ?? null;
  const found = leads.of(input, row);
  const match = found
    ? { contact_id: found.lead.contact_id, matched_by: found.key, matched_booking_id: found.lead.booking_id }
    : {};
  return { ...row, ...pickKeys(keys), ...match };
}

function pickKeys({ unique_code_group_id, ...rest }: SentKeys): SentKeys {
  const keys = Object.fromEntries(matchKeys.map((key) => [key, rest[key]])) as Record<MatchKey, string | null>;
  return { ...keys, unique_code_group_id };
}
