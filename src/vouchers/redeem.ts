import { holdAccount } from '../accounts/store.ts';
import type { Last, Tx } from '../db/database.ts';
import { bringToWaiting } from '../matching/store.ts';
import { onClock } from '../shared/clock.ts';
import { type FieldErrors, Invalid, noSuchAccount } from '../shared/problem.ts';
import { addError } from '../shared/read.ts';
import { findUnits } from '../units/store.ts';
import { type CheckedCode, codeKey, type FindCode, type Redeem, type RedeemedCode } from './schema.ts';
import {
  type CodeRow,
  existingCodeGroups,
  findCodes,
  lockCodes,
  type Redemption,
  type SoughtCode,
  storeRedemptions,
} from './store.ts';

export interface RedeemCommand {
  /** What could be read of it. */
  input: Partial<Redeem>;
  errors: FieldErrors;
  /** An instant, to the millisecond. */
  receivedAt: string;
}

export interface Redeemed {
  /** To be asked for once the transaction is committed. */
  code(): RedeemedCode;
  /** How things went, to be counted. */
  outcomes: string[];
}

/**
 * Redeems codes, one after the other as far as anybody can tell, in the same few statements: they are locked, decided
 * on, and stored. Whoever comes second, in this batch, in another process or after a crash, finds the code redeemed.
 */
export async function redeemCodes(
  tx: Tx,
  accountId: number,
  commands: RedeemCommand[],
  last: Last,
): Promise<(Redeemed | Error)[]> {
  const inputs = commands.map(({ input }) => input);
  const [account, units, groups, codes] = await Promise.all([
    holdAccount(tx, accountId),
    findUnits(
      tx,
      accountId,
      inputs.flatMap(({ unit_id }) => unit_id ?? []),
    ),
    existingCodeGroups(
      tx,
      accountId,
      inputs.flatMap(({ unique_code_group_id }) => unique_code_group_id ?? []),
    ),
    lockCodes(tx, accountId, inputs.flatMap(soughtBy)),
  ]);
  if (!account) return commands.map(() => noSuchAccount());
  const { time_zone: timeZone } = account;
  const unitNames = new Map(units.map(({ id, name }) => [id, name]));
  const knownCodes = new KnownCodes(groups, codes);
  const redeemed = new Map(codes.flatMap((code) => before(code, timeZone)));

  const redemptions: Redemption[] = [];
  const decided = commands.map(({ input, errors: sent, receivedAt }) => {
    const errors = { ...sent };
    const { unit_id, redemption_date: at = receivedAt } = input;
    const unitName = unitNames.get(unit_id ?? 0);
    if (unit_id !== undefined && unitName === undefined) {
      addError(errors, 'unit_id', 'The unit id is not a unit of this account.');
    }
    const code = knownCodes.only(input, errors);
    const already = code && redeemed.get(code.id);
    if (already) addError(errors, 'unique_code', `The unique code has already been redeemed, ${already}.`);
    if (!code || unit_id === undefined || Object.keys(errors).length > 0) return new Invalid(errors);
    redeemed.set(code.id, inWords(at, timeZone, unitName));
    return { code, redemption: redemptions[redemptions.push({ id: code.id, unit_id, at }) - 1] as Redemption };
  });
  if (redemptions.length === 0) return decided.map((one) => one as Error);

  const times = new Map<number, string>();
  const storing = storeRedemptions(tx, accountId, timeZone, redemptions).then((stored) => {
    // They are ours alone since they were locked. Should that ever not be so, nothing of this may stay.
    if (stored.size !== redemptions.length) throw new Error('A code that was locked was redeemed all the same.');
    for (const [id, time] of stored) times.set(id, time);
  });
  last(storing);
  const outcomes: string[] = [];
  const ids = new Set(redemptions.map(({ id }) => id));
  const codeIds = codes.filter((code) => code.waited_for && ids.has(code.id)).map(({ id }) => id);
  if (codeIds.length > 0) await bringToWaiting(tx, accountId, timeZone, { codeIds }, (one) => outcomes.push(one));
  return decided.map((one) => {
    if (one instanceof Error) return one;
    const { code, redemption } = one;
    return {
      code: () => ({
        ...shared(code),
        redeemed_at_unit_id: redemption.unit_id,
        redeemed_at_datetime: times.get(code.id) as string,
        unique_code_status: 'Redeemed',
      }),
      // What the batch brought about as a whole is told with the first of it, so that it is counted once.
      outcomes: outcomes.splice(0),
    };
  });
}

/** The voucher check: a code as it is. */
export async function checkCode(tx: Tx, accountId: number, input: FindCode): Promise<CheckedCode> {
  const [groups, codes] = await Promise.all([
    existingCodeGroups(tx, accountId, input.unique_code_group_id === undefined ? [] : [input.unique_code_group_id]),
    findCodes(tx, accountId, soughtBy(input)),
  ]);
  const errors: FieldErrors = {};
  const code = new KnownCodes(groups, codes).only(input, errors);
  if (!code) throw new Invalid(errors);
  return checked(code);
}

/** What only the database knows to be wrong, where the rest of a voucher check can't be read. */
export async function wrongWithCheck(tx: Tx, accountId: number, input: Partial<FindCode>): Promise<FieldErrors> {
  const { unique_code_group_id: groupId } = input;
  if (groupId === undefined) return {};
  const errors: FieldErrors = {};
  new KnownCodes(await existingCodeGroups(tx, accountId, [groupId]), []).only(input, errors);
  return errors;
}

export function checked(code: CodeRow): CheckedCode {
  const { redeemed_at_unit_id, redeemed_at_datetime } = code;
  const unique_code_status = redeemed_at_datetime === null ? 'Active' : 'Redeemed';
  return { ...shared(code), redeemed_at_unit_id, redeemed_at_datetime, unique_code_status };
}

function shared({ id, unique_code, unique_code_group_id, contact_id }: CodeRow) {
  return {
    id,
    unique_code,
    unique_code_group_id: String(unique_code_group_id),
    contact_id: contact_id === null ? '' : String(contact_id),
  };
}

type Said = Partial<FindCode>;

function soughtBy({ unique_code, unique_code_group_id }: Said): SoughtCode[] {
  return unique_code === undefined ? [] : [{ key: codeKey(unique_code), groupId: unique_code_group_id ?? null }];
}

/** The groups and codes of the account that were asked for. */
class KnownCodes {
  readonly #groups: Set<number>;
  readonly #codes = new Map<string, CodeRow[]>();

  constructor(groups: number[], codes: CodeRow[]) {
    this.#groups = new Set(groups);
    for (const code of codes) {
      const same = this.#codes.get(code.code_key);
      if (same) same.push(code);
      else this.#codes.set(code.code_key, [code]);
    }
  }

  /** The one code that is meant; or what is wrong with how it is said. */
  only({ unique_code, unique_code_group_id: groupId }: Said, errors: FieldErrors): CodeRow | undefined {
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

/** Where and when a code was redeemed already, for whoever stands at the till. */
function before({ id, redeemed_at_datetime: at, redeemed_at_unit_name }: CodeRow, timeZone: string) {
  if (at === null) return [];
  return [[id, inWords(at, timeZone, redeemed_at_unit_name ?? undefined)]] as const;
}

function inWords(at: string, timeZone: string, unitName = 'a unit'): string {
  const second = at.endsWith('Z') ? `${at.slice(0, 19).replace('T', ' ')}Z` : at;
  return `on ${onClock(second, timeZone)} at ${unitName}`;
}
