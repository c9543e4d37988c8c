import type { Last, Tx } from '../../platform/db/database.ts';
import { appendEvents } from '../../platform/outbox/append.ts';
import { toLocalTime } from '../../shared/clock.ts';
import { present } from '../../shared/present.ts';
import { addError, type FieldErrors, Invalid, noSuchAccount } from '../../shared/problem.ts';
import { holdAccount } from '../access/accounts/store.ts';
import { appendCodeChanges } from '../figures/code-counts-store.ts';
import { refreshFigures, sendRefresh } from '../figures/refresh-store.ts';
import { addedPurchases } from '../figures/schema.ts';
import { lockAndMatchWaiting, matchedEvents } from '../identity/matching/store.ts';
import { findUnits } from '../venues/units/store.ts';
import { voucherRedeemed } from './event-schema.ts';
import { existingCodeGroups } from './group-store.ts';
import { type CheckedCode, codeKey, type FindCode, type Redeem, type RedeemedCode } from './schema.ts';
import {
  type CodeRow,
  findCodes,
  lockCodes,
  type Redemption,
  type RequestedCode,
  redeemedVisit,
  redeemSimple,
  type SimpleRedemption,
  storeRedemptions,
} from './store.ts';

export interface RedeemCommand {
  /** The readable fields of the request. */
  input: Partial<Redeem>;
  errors: FieldErrors;
  /** An instant with milliseconds. */
  receivedAt: string;
}

export interface Redeemed {
  /** Available after the commit. */
  code(): RedeemedCode;
  /** The outcomes, for the metrics. */
  outcomes: string[];
}

/**
 * Redeems a batch of codes in a few statements: lock, decide in order, store. A second request for a code, in this
 * batch, in another process or after a crash, finds the code redeemed.
 */
export async function redeemCodes(tx: Tx, accountId: number, commands: RedeemCommand[]): Promise<(Redeemed | Error)[]> {
  const inputs = commands.map(({ input }) => input);
  const { account, units, codes } = await tx.inOrder({
    account: () => holdAccount(tx, accountId),
    units: () =>
      findUnits(
        tx,
        accountId,
        inputs.flatMap(({ unit_id }) => unit_id ?? []),
      ),
    codes: () => lockCodes(tx, accountId, inputs.flatMap(requestedCodes)),
  });
  if (!account) return commands.map(() => noSuchAccount());
  const { time_zone: timeZone } = account;
  const unitNames = new Map(units.map(({ id, name }) => [id, name]));
  const knownCodes = await KnownCodes.of(tx, accountId, inputs, codes);
  const redeemed = new Map(codes.flatMap(earlierRedemption));

  const redemptions: Redemption[] = [];
  const decided = commands.map(({ input, errors: sent, receivedAt }) => {
    const errors = { ...sent };
    const { unit_id, redemption_date: at = receivedAt } = input;
    const unitName = unitNames.get(unit_id ?? 0);
    if (unit_id !== undefined && unitName === undefined) {
      addError(errors, 'unit_id', 'The unit id is not a unit of this account.');
    }
    const code = knownCodes.only(input, errors);
    const earlier = code && redeemed.get(code.id);
    if (earlier) addError(errors, 'unique_code', redeemedText(earlier, timeZone));
    if (!code || unit_id === undefined || Object.keys(errors).length > 0) return new Invalid(errors);
    redeemed.set(code.id, { at, unitName });
    redemptions.push({ id: code.id, unit_id, at });
    return { code, unit_id };
  });
  if (redemptions.length === 0) return decided.filter((one) => one instanceof Error);

  const times = new Map<number, string>();
  const storing = storeRedemptions(tx, accountId, timeZone, redemptions).then((stored) => {
    // The codes are locked, so all must be updated. If not, roll back.
    if (stored.size !== redemptions.length) throw new Error('A code that was locked was redeemed all the same.');
    for (const [id, time] of stored) times.set(id, time);
  });
  await storing;
  const outcomes: string[] = [];
  const ids = new Set(redemptions.map(({ id }) => id));
  const codeIds = codes.filter((code) => code.waited_for && ids.has(code.id)).map(({ id }) => id);
  const matched =
    codeIds.length > 0
      ? await lockAndMatchWaiting(tx, accountId, timeZone, { codeIds }, (one) => outcomes.push(one))
      : [];
  const contacts = new Map(codes.map(({ id, own_contact_id }) => [id, own_contact_id]));
  const visits = redemptions.flatMap(({ id, unit_id }) =>
    redeemedVisit(contacts.get(id) ?? null, unit_id, toLocalTime(present(times.get(id), 'time'), timeZone)),
  );
  await refreshFigures(tx, accountId, { added: [...visits, ...addedPurchases(matched)] });
  const groups = new Map(codes.map(({ id, unique_code_group_id }) => [id, unique_code_group_id]));
  const changes = redemptions.map(({ id, unit_id }) => ({
    group_id: present(groups.get(id), 'group'),
    unit_id,
    at: present(times.get(id), 'time'),
    redeemed: 1,
  }));
  await appendCodeChanges(tx, accountId, changes);
  const byId = new Map(codes.map((code) => [code.id, code]));
  const events = redemptions.map(({ id, unit_id }) => {
    const { unique_code, unique_code_group_id, contact_id } = present(byId.get(id), 'code');
    const redeemed_at = present(times.get(id), 'time');
    return voucherRedeemed.of({ contact_id, unique_code, unique_code_group_id, unit_id, redeemed_at });
  });
  await appendEvents(tx, accountId, [...events, ...matchedEvents(matched)]);
  return decided.map((one) => {
    if (one instanceof Error) return one;
    const { code, unit_id } = one;
    return {
      code: () => redeemedCode(code, unit_id, present(times.get(code.id), 'time')),
      // The outcomes of the whole batch go to the first result, so that they are counted once.
      outcomes: outcomes.splice(0),
    };
  });
}

/**
 * The fast path: an existing code and an existing unit need one statement, which is sent together with the commit. All
 * other cases are left to `redeemCodes`.
 */
export async function redeemFast(
  tx: Tx,
  accountId: number,
  commands: RedeemCommand[],
  last: Last,
): Promise<() => (Redeemed | undefined)[]> {
  const outcomes = new Array<Redeemed | undefined>(commands.length).fill(undefined);
  const sent: (SimpleRedemption & { command: number })[] = [];
  commands.forEach(({ input, errors, receivedAt }, command) => {
    const { unit_id, redemption_date: at = receivedAt } = input;
    if (unit_id === undefined || Object.keys(errors).length > 0) return;
    for (const { key, groupId } of requestedCodes(input)) sent.push({ key, groupId, unit_id, at, command });
  });
  if (sent.length === 0) return () => outcomes;
  const rows = await redeemSimple(tx, accountId, sent);
  const added = rows.flatMap((row) => redeemedVisit(row.own_contact_id, row.redeemed_at_unit_id, row.day));
  const survivors = new Map(
    rows.flatMap(({ own_contact_id: own, contact_id: survivor }): [number, number][] =>
      own === null || survivor === null ? [] : [[own, survivor]],
    ),
  );
  for (const statement of await sendRefresh(tx, accountId, { added }, { survivors })) last(statement);
  const changes = rows.map((row) => ({
    group_id: row.unique_code_group_id,
    unit_id: row.redeemed_at_unit_id,
    at: row.redeemed_at_datetime,
    redeemed: 1,
  }));
  last(appendCodeChanges(tx, accountId, changes));
  const events = rows.map(({ contact_id, unique_code, unique_code_group_id, ...row }) =>
    voucherRedeemed.of({
      ...{ contact_id, unique_code, unique_code_group_id },
      ...{ unit_id: row.redeemed_at_unit_id, redeemed_at: row.redeemed_at_datetime },
    }),
  );
  last(appendEvents(tx, accountId, events));
  return () => {
    for (const row of rows) {
      const code = () => redeemedCode(row, row.redeemed_at_unit_id, row.redeemed_at_datetime);
      outcomes[sent[row.place - 1]?.command ?? 0] = { code, outcomes: [] };
    }
    return outcomes;
  };
}

/** The voucher check. */
export async function checkCode(tx: Tx, accountId: number, input: FindCode): Promise<CheckedCode> {
  const codes = await findCodes(tx, accountId, requestedCodes(input));
  const errors: FieldErrors = {};
  const code = (await KnownCodes.of(tx, accountId, [input], codes)).only(input, errors);
  if (!code) throw new Invalid(errors);
  return toCheckedCode(code);
}

/** The errors that need the database, for a voucher check with other invalid fields. */
export async function checkErrors(tx: Tx, accountId: number, input: Partial<FindCode>): Promise<FieldErrors> {
  const errors: FieldErrors = {};
  (await KnownCodes.of(tx, accountId, [input], await findCodes(tx, accountId, requestedCodes(input)))).only(
    input,
    errors,
  );
  return errors;
}

export function toCheckedCode(code: CodeRow): CheckedCode {
  const { redeemed_at_unit_id, redeemed_at_datetime } = code;
  if (redeemed_at_unit_id !== null && redeemed_at_datetime !== null) {
    return redeemedCode(code, redeemed_at_unit_id, redeemed_at_datetime);
  }
  const active = { redeemed_at_unit_id: null, redeemed_at_datetime: null, unique_code_status: 'Active' } as const;
  return { ...redeemedCode(code, 0, ''), ...active };
}

function redeemedCode(code: NamedCode, redeemed_at_unit_id: number, redeemed_at_datetime: string): RedeemedCode {
  return {
    id: code.id,
    unique_code: code.unique_code,
    unique_code_group_id: String(code.unique_code_group_id),
    contact_id: code.contact_id === null ? '' : String(code.contact_id),
    redeemed_at_unit_id,
    redeemed_at_datetime,
    unique_code_status: 'Redeemed',
  };
}

type NamedCode = Pick<CodeRow, 'id' | 'unique_code' | 'unique_code_group_id' | 'contact_id'>;

type CodeInput = Partial<FindCode>;

function requestedCodes({ unique_code, unique_code_group_id }: CodeInput): RequestedCode[] {
  return unique_code === undefined ? [] : [{ key: codeKey(unique_code), groupId: unique_code_group_id ?? null }];
}

/** The requested groups and codes of the account. */
class KnownCodes {
  readonly #groups: Set<number>;
  readonly #codes = new Map<string, CodeRow[]>();

  /** A group with one of the found codes exists. Only other groups need a query, which is rare. */
  static async of(tx: Tx, accountId: number, inputs: CodeInput[], codes: CodeRow[]): Promise<KnownCodes> {
    const seen = new Set(codes.map(({ unique_code_group_id }) => unique_code_group_id));
    const others = inputs.flatMap(({ unique_code_group_id: id }) => (id === undefined || seen.has(id) ? [] : [id]));
    return new KnownCodes([...seen, ...(await existingCodeGroups(tx, accountId, others))], codes);
  }

  private constructor(groups: number[], codes: CodeRow[]) {
    this.#groups = new Set(groups);
    for (const code of codes) {
      const same = this.#codes.get(code.code_key);
      if (same) same.push(code);
      else this.#codes.set(code.code_key, [code]);
    }
  }

  /** The requested code, or the errors of the request. */
  only({ unique_code, unique_code_group_id: groupId }: CodeInput, errors: FieldErrors): CodeRow | undefined {
    if (groupId !== undefined && !this.#groups.has(groupId)) {
      addError(errors, 'unique_code_group_id', 'The unique code group id is not a group of this account.');
    }
    if (unique_code === undefined || errors.unique_code_group_id) return undefined;
    const all = this.#codes.get(codeKey(unique_code)) ?? [];
    const [code, another] = groupId === undefined ? all : all.filter((one) => one.unique_code_group_id === groupId);
    if (!code) {
      const where = groupId === undefined ? 'a code of this account' : 'in this group';
      addError(errors, 'unique_code', `The unique code is not ${where}.`);
    }
    if (!another) return code;
    addError(errors, 'unique_code_group_id', 'The unique code group id is required: several groups have this code.');
    return undefined;
  }
}

/** The time and unit of an earlier redemption. */
interface EarlierRedemption {
  at: string;
  unitName: string | null | undefined;
}

function earlierRedemption({
  id,
  redeemed_at_datetime: at,
  redeemed_at_unit_name: unitName,
}: CodeRow): [number, EarlierRedemption][] {
  return at === null ? [] : [[id, { at, unitName }]];
}

/** The message has the account's time zone, because staff at the till read it. */
function redeemedText({ at, unitName }: EarlierRedemption, timeZone: string): string {
  const second = at.endsWith('Z') ? `${at.slice(0, 19).replace('T', ' ')}Z` : at;
  return `The unique code has already been redeemed, on ${toLocalTime(second, timeZone)} at ${unitName ?? 'a unit'}.`;
}
