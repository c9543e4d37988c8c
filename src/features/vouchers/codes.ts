import type { Tx } from '../../platform/db/database.ts';
import { lockKeys } from '../../platform/db/locks.ts';
import { type CsvPart, csvPart } from '../../shared/csv.ts';
import type { After, Rows, Slice } from '../../shared/fields.ts';
import { type FieldErrors, Invalid, Unavailable } from '../../shared/problem.ts';
import { appendCodeChanges } from '../figures/code-counts-store.ts';
import type { CodeChange } from '../figures/schema.ts';
import { lineage } from '../identity/identities/store.ts';
import { existingCodeGroups } from './group-store.ts';
import { noSuchGroup } from './manage.ts';
import { randomCodes, shortestLength } from './random.ts';
import { toCheckedCode } from './redeem.ts';
import {
  type ContactCode,
  exportedColumns,
  type ListCodes,
  type NewCodes,
  type StaffCode,
  type StaffContactCode,
} from './schema.ts';
import {
  countSimilarCodes,
  selectCodeEverywhere,
  selectCodes,
  selectCodesAfter,
  selectContactCodes,
  selectStaffContactCodes,
} from './staff-store.ts';
import { importLock, insertCodes } from './store.ts';

/** Progress and cancellation of long work. */
export interface Watch {
  progress(done: number, of: number): void;
  /** Whether the client has disconnected. */
  isGone(): boolean;
}

/** Generates or imports codes: all in this transaction, or none. */
export async function addCodes(
  tx: Tx,
  accountId: number,
  groupId: number,
  codes: NewCodes,
  watch: Watch,
): Promise<{ created: number }> {
  const errors = codeErrors(codes);
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
  await mustHaveGroup(tx, accountId, groupId);
  if (codes.codes) {
    // One transaction per group at a time, because two imports of the same codes in different orders would deadlock.
    await lockKeys(tx, accountId, [importLock(groupId)]);
    const { made, at } = await insertCodes(tx, accountId, groupId, codes.codes);
    if (made > 0) await appendCodeChanges(tx, accountId, [{ group_id: groupId, at, made }]);
    return { created: made };
  }
  const { count = 0, prefix = '', length = usualLength } = codes;
  const similar = await countSimilarCodes(tx, accountId, groupId, prefix, [...prefix].length + length);
  const guessable = lengthError({ count: count + similar, length });
  if (guessable.length) throw new Invalid(guessable);
  await generate(tx, accountId, groupId, { count, prefix, length }, watch);
  return { created: count };
}

const usualLength = 10;

function codeErrors(input: NewCodes): FieldErrors {
  const { count, codes } = input;
  if ((count === undefined) !== (codes === undefined)) return lengthError(input);
  const why = count === undefined ? 'is required when there is no' : 'can’t be sent together with the other field:';
  return { count: [`The count field ${why} codes.`], codes: [`The codes field ${why} count.`] };
}

/** Rejects codes that are too short to resist guessing. */
export function lengthError({ count, length = usualLength }: Pick<NewCodes, 'count' | 'length'>): FieldErrors {
  const shortest = shortestLength(count ?? 1);
  if (count === undefined || length >= shortest) return {};
  return { length: [`The length must be at least ${shortest}: shorter codes could be guessed.`] };
}

/** The number of codes per statement. */
const step = 10_000;

/** Generates codes. A code that already exists in the group is replaced by a new one. */
async function generate(
  tx: Tx,
  accountId: number,
  groupId: number,
  { count, prefix, length }: { count: number; prefix: string; length: number },
  { progress, isGone }: Watch,
): Promise<void> {
  let made = 0;
  // Send the next statement while PostgreSQL runs the previous one.
  const storing: { size: number; stored: Promise<{ made: number; at: string }> }[] = [];
  const changes: CodeChange[] = [];
  while (made < count) {
    if (isGone()) throw new Unavailable('The client disconnected, so no codes were generated.');
    const size = Math.min(step, count - made - storing.reduce((all, one) => all + one.size, 0));
    if (size > 0) {
      const stored = insertCodes(tx, accountId, groupId, randomCodes(size, prefix, length));
      // The error is handled below, or ignored if an earlier statement fails.
      stored.catch(() => {});
      storing.push({ size, stored });
      if (storing.length < 2) continue;
    }
    const first = storing.shift();
    const stored = await first?.stored;
    const fresh = stored?.made ?? 0;
    if (stored && fresh > 0) changes.push({ group_id: groupId, ...stored });
    if (fresh * 2 < (first?.size ?? 0)) {
      throw new Invalid({ length: ['The length leaves too few unused codes. Use a greater length.'] });
    }
    made += fresh;
    progress(made, count);
  }
  await appendCodeChanges(tx, accountId, changes);
}

export async function listCodes(
  tx: Tx,
  accountId: number,
  groupId: number,
  filter: ListCodes,
  slice: Slice,
): Promise<Rows<StaffCode>> {
  await mustHaveGroup(tx, accountId, groupId);
  return selectCodes(tx, accountId, groupId, filter, slice);
}

/** The next rows of an export. */
export async function nextCodes(
  tx: Tx,
  accountId: number,
  groupId: number,
  filter: ListCodes,
  after: After,
): Promise<CsvPart | undefined> {
  await mustHaveGroup(tx, accountId, groupId);
  return csvPart(exportedColumns, await selectCodesAfter(tx, accountId, groupId, filter, after));
}

/** Finds a code in all groups. */
export function searchCodes(
  tx: Tx,
  accountId: number,
  unique_code: string,
  slice: Slice,
): Promise<Rows<StaffContactCode>> {
  return selectCodeEverywhere(tx, accountId, unique_code, slice);
}

/** The codes of a contact and of the contacts merged into it. */
export async function listContactCodes(
  tx: Tx,
  accountId: number,
  contactId: number,
  slice: Slice,
): Promise<Rows<ContactCode>> {
  const { rows, total } = await selectContactCodes(tx, accountId, await lineage(tx, accountId, contactId), slice);
  return {
    total,
    rows: rows.map((row) => {
      const { unique_code_group_name, redeemed_at_unit_name } = row;
      return { ...toCheckedCode(row), unique_code_group_name, redeemed_at_unit_name };
    }),
  };
}

async function mustHaveGroup(tx: Tx, accountId: number, groupId: number): Promise<void> {
  const [group] = await existingCodeGroups(tx, accountId, [groupId]);
  if (group === undefined) throw noSuchGroup();
}

/** The same with the fields for staff. */
export async function listStaffContactCodes(
  tx: Tx,
  accountId: number,
  contactId: number,
  slice: Slice,
): Promise<Rows<StaffContactCode>> {
  return selectStaffContactCodes(tx, accountId, await lineage(tx, accountId, contactId), slice);
}
