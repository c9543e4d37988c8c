import { Conflict, type Tx } from '../../platform/db/database.ts';
import { lockKeys } from '../../platform/db/locks.ts';
import { only } from '../../platform/db/sql.ts';
import { appendEvents } from '../../platform/outbox/append.ts';
import { toLocalTime } from '../../shared/clock.ts';
import { present } from '../../shared/present.ts';
import { addError, type FieldErrors, Invalid } from '../../shared/problem.ts';
import { completeItems, type ReadItem } from '../../shared/read.ts';
import { getAccount } from '../access/accounts/store.ts';
import { appendCodeChanges } from '../figures/code-counts-store.ts';
import { refreshFigures } from '../figures/refresh-store.ts';
import { addedPurchases, type CodeChange } from '../figures/schema.ts';
import { lockUnmerged, survivorsOf } from '../identity/identities/store.ts';
import { lockAndMatchWaiting, matchedEvents } from '../identity/matching/store.ts';
import { findGroup } from '../venues/groups/store.ts';
import { voucherAssigned } from './event-schema.ts';
import { existingCodeGroups, lockCodeGroup } from './group-store.ts';
import { noSuchGroup } from './manage.ts';
import {
  type AssignCode,
  type AssignedCodes,
  type AssignFreeCodes,
  codeKey,
  maxAssigned,
  type StaffCode,
  type UnassignCode,
} from './schema.ts';
import {
  type AssignedRow,
  assignCodes,
  countFreeCodes,
  findAssignment,
  findStaffCodes,
  lockFreeCodes,
  releaseCodes,
  selectCodesToAssign,
  selectContactsWithoutCode,
} from './staff-store.ts';
import { type CodeRow, codeLock, lockCodes, redeemedVisit } from './store.ts';

type Count = (outcome: string) => void;

/**
 * Assigns a code to a contact and matches waiting purchases in the same transaction. `count` receives the matches, for
 * the metrics.
 */
export async function assignCode(tx: Tx, accountId: number, input: AssignCode, count: Count): Promise<StaffCode> {
  const errors: FieldErrors = {};
  const code = await lockedCode(tx, accountId, input, errors);
  // A merged contact is replaced by its survivor.
  const contactId = (await survivorsOf(tx, accountId, [input.contact_id])).get(input.contact_id);
  if (contactId === undefined) addError(errors, 'contact_id', unknownContact);
  else if (code && code.contact_id !== null && code.contact_id !== contactId) {
    const first =
      code.redeemed_at_datetime === null ? 'Unassign it first.' : 'It is redeemed, so its contact can’t change.';
    addError(errors, 'unique_code', `The unique code is assigned to contact ${code.contact_id}. ${first}`);
  }
  if (!code || contactId === undefined || Object.keys(errors).length > 0) throw new Invalid(errors);
  if (code.contact_id === null) {
    const assigned = await assignCodes(tx, accountId, [{ id: code.id, contact_id: contactId }]);
    await matchPurchases(tx, accountId, assigned, count);
  }
  return showStaffCode(tx, accountId, code.id);
}

const unknownContact = 'The contact id is not a contact of this account.';

/** The errors that need the database, for a request with other invalid fields. */
export async function assignmentErrors(
  tx: Tx,
  accountId: number,
  { unique_code_group_id: groupId, unique_code, contact_id: contactId }: Partial<AssignCode>,
): Promise<FieldErrors> {
  const errors: FieldErrors = {};
  if (groupId !== undefined) await lockedCode(tx, accountId, { unique_code_group_id: groupId, unique_code }, errors);
  if (contactId !== undefined && (await survivorsOf(tx, accountId, [contactId])).size === 0) {
    addError(errors, 'contact_id', unknownContact);
  }
  return errors;
}

/** The ids that are not contacts of the account. Unreadable ids are left out. */
export async function contactErrors(tx: Tx, accountId: number, ids: ReadItem<number>[]): Promise<FieldErrors> {
  const survivors = await survivorsOf(tx, accountId, completeItems(ids));
  const errors: FieldErrors = {};
  ids.forEach((id, place) => {
    if (id !== undefined && !survivors.has(id)) addError(errors, `contact_ids.${place}`, unknownContact);
  });
  return errors;
}

/** Unassigns a code that is not redeemed. Purchases that it matched keep their contact. */
export async function unassignCode(tx: Tx, accountId: number, input: UnassignCode): Promise<StaffCode> {
  const errors: FieldErrors = {};
  const code = await lockedCode(tx, accountId, input, errors);
  if (code && code.contact_id !== null && code.redeemed_at_datetime !== null) {
    addError(errors, 'unique_code', 'The unique code is redeemed, so it can’t be unassigned.');
  }
  if (!code || Object.keys(errors).length > 0) throw new Invalid(errors);
  const at = await findAssignment(tx, accountId, code.id);
  await releaseCodes(tx, accountId, [code.id]);
  const group_id = code.unique_code_group_id;
  if (at !== undefined) await appendCodeChanges(tx, accountId, [{ group_id, at, assigned: -1 }]);
  return showStaffCode(tx, accountId, code.id);
}

/**
 * Assigns a free code of the group to each contact. A contact with a code keeps it, so a repeated request changes
 * nothing.
 */
export async function assignFreeCodes(
  tx: Tx,
  accountId: number,
  groupId: number,
  to: AssignFreeCodes,
  count: Count,
): Promise<AssignedCodes> {
  // One transaction at a time, because all would take the same next free codes.
  if (!(await lockCodeGroup(tx, accountId, groupId, 'for giving'))) throw noSuchGroup();
  const { contact_ids, remaining } = await recipients(tx, accountId, groupId, to);
  const errors = await contactErrors(tx, accountId, contact_ids);
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
  const survivors = await survivorsOf(tx, accountId, contact_ids);
  // A contact was erased after the check.
  if (contact_ids.some((id) => !survivors.has(id))) throw new Conflict();
  const contacts = [...new Set(contact_ids.map((id) => present(survivors.get(id), 'contact')))];
  const { given, without, free } = await chooseCodes(tx, accountId, groupId, contacts);
  if (free.length < without.length) {
    throw new Invalid({ contact_ids: [`The contact ids need ${tooFewText(without.length, free.length)}`] });
  }
  const assigned = await giveCodes(tx, accountId, groupId, without, free, count);
  for (const { id, contact_id } of assigned) given.set(contact_id, id);
  const rows = new Map((await findStaffCodes(tx, accountId, [...given.values()])).map((row) => [row.id, row]));
  const codeOf = (contactId: number) => {
    const codeId = given.get(present(survivors.get(contactId), 'contact'));
    return present(rows.get(present(codeId, 'code')), 'code');
  };
  return { assigned: assigned.length, remaining, data: contact_ids.map(codeOf) };
}

/** What happened to the contacts of a batch. */
export interface GivenCodes {
  assigned: number;
  /** Contacts that already had a code of the group, or were merged or erased meanwhile. */
  skipped: number;
  /** Contacts without a code because the group has no more free codes. */
  left: number;
}

/** Assigns a free code of the group to each of these contacts, as long as there are free codes. */
export async function assignToMembers(
  tx: Tx,
  accountId: number,
  groupId: number,
  contactIds: number[],
  count: Count,
): Promise<GivenCodes> {
  if (!(await lockCodeGroup(tx, accountId, groupId, 'for giving'))) throw noSuchGroup();
  const survivors = await survivorsOf(tx, accountId, contactIds);
  const contacts = contactIds.filter((id) => survivors.get(id) === id);
  const { without, free } = await chooseCodes(tx, accountId, groupId, contacts);
  const recipients = without.slice(0, free.length);
  await giveCodes(tx, accountId, groupId, recipients, free, count);
  return {
    assigned: recipients.length,
    skipped: contactIds.length - without.length,
    left: without.length - recipients.length,
  };
}

interface Choice {
  /** The code that a contact already has. */
  given: Map<number, number>;
  /** The contacts without a code. */
  without: number[];
  /** Free codes for them, perhaps too few. */
  free: { id: number; unique_code: string }[];
}

async function chooseCodes(tx: Tx, accountId: number, groupId: number, contacts: number[]): Promise<Choice> {
  const codes = await selectCodesToAssign(tx, accountId, groupId, contacts);
  const given = new Map(codes.flatMap(({ id, contact_id }) => (contact_id === null ? [] : [[contact_id, id]])));
  const without = contacts.filter((id) => !given.has(id));
  return { given, without, free: codes.filter((code) => code.contact_id === null).slice(0, without.length) };
}

/** Assigns the free codes to the contacts, one each. The caller has locked the group. */
async function giveCodes(
  tx: Tx,
  accountId: number,
  groupId: number,
  contacts: number[],
  free: Choice['free'],
  count: Count,
): Promise<{ id: number; contact_id: number }[]> {
  if (contacts.length === 0) return [];
  // Serialise with writes of purchases that use one of these codes.
  await lockKeys(
    tx,
    accountId,
    free.map((code) => codeLock(code.unique_code)),
  );
  // A contact that was merged or erased before the lock must not get a code, nor one that got a code by a merge.
  const locked = await lockUnmerged(tx, accountId, contacts);
  const { given } = await chooseCodes(tx, accountId, groupId, contacts);
  if (locked < contacts.length || given.size > 0) throw new Conflict();
  const ids = free.map(({ id }) => id);
  if ((await lockFreeCodes(tx, accountId, ids)) < free.length) throw new Conflict();
  const assigned = contacts.map((contact_id, place) => ({ id: present(ids[place], 'free code'), contact_id }));
  await matchPurchases(tx, accountId, await assignCodes(tx, accountId, assigned), count);
  return assigned;
}

const tooFewText = (needed: number, free: number) =>
  `${needed} free codes, and the group has ${free === 0 ? 'none' : `only ${free}`}. Generate more first.`;

/** The contacts of the request. For a group of contacts, also the number that is left for later requests. */
async function recipients(
  tx: Tx,
  accountId: number,
  codeGroupId: number,
  { contact_ids, group_id }: AssignFreeCodes,
): Promise<{ contact_ids: number[]; remaining: number }> {
  if (group_id === undefined) {
    if (contact_ids) return { contact_ids, remaining: 0 };
    throw new Invalid({ contact_ids: ['The contact ids field is required when there is no group id.'] });
  }
  if (contact_ids) throw new Invalid({ group_id: ['The group id field can’t be sent together with contact ids.'] });
  if (!(await findGroup(tx, accountId, group_id)))
    throw new Invalid({ group_id: ['The group id is not a group of this account.'] });
  const { ids, total } = await selectContactsWithoutCode(tx, accountId, codeGroupId, group_id, maxAssigned);
  const free = await countFreeCodes(tx, accountId, codeGroupId, total);
  if (free < total) throw new Invalid({ group_id: [`The group id needs ${tooFewText(total, free)}`] });
  return { contact_ids: ids, remaining: total - ids.length };
}

/** Locks the code and the purchases that wait for it. Otherwise returns the errors. */
async function lockedCode(
  tx: Tx,
  accountId: number,
  { unique_code_group_id: groupId, unique_code }: { unique_code_group_id: number; unique_code: string | undefined },
  errors: FieldErrors,
): Promise<CodeRow | undefined> {
  // Serialise with writes of purchases that use this code.
  if (unique_code !== undefined) await lockKeys(tx, accountId, [codeLock(unique_code)]);
  const [group] = await existingCodeGroups(tx, accountId, [groupId]);
  if (group === undefined) {
    addError(errors, 'unique_code_group_id', 'The unique code group id is not a group of this account.');
    return undefined;
  }
  if (unique_code === undefined) return undefined;
  const [code] = await lockCodes(tx, accountId, [{ key: codeKey(unique_code), groupId }]);
  if (!code) addError(errors, 'unique_code', 'The unique code is not in this group.');
  return code;
}

/** Matches waiting purchases to the assigned codes. The figures count these purchases, and codes that were redeemed before. */
async function matchPurchases(tx: Tx, accountId: number, assigned: AssignedRow[], count: Count): Promise<void> {
  const { time_zone } = await getAccount(tx, accountId);
  const codeIds = assigned.map(({ id }) => id);
  const matched = await lockAndMatchWaiting(tx, accountId, time_zone, { codeIds }, count);
  const redeemed = assigned.flatMap(({ contact_id, redeemed_at, redeemed_at_unit_id }) =>
    redeemed_at === null ? [] : redeemedVisit(contact_id, redeemed_at_unit_id, toLocalTime(redeemed_at, time_zone)),
  );
  await refreshFigures(tx, accountId, { added: [...redeemed, ...addedPurchases(matched)] });
  await appendCodeChanges(tx, accountId, assignmentsByTime(assigned));
  const events = assigned.map(({ contact_id, unique_code, group_id: unique_code_group_id }) =>
    voucherAssigned.of({ contact_id, unique_code, unique_code_group_id }),
  );
  await appendEvents(tx, accountId, [...events, ...matchedEvents(matched)]);
}

/** Codes of one request are assigned at the same time: one change for each group. */
function assignmentsByTime(assigned: AssignedRow[]): CodeChange[] {
  const changes = new Map<string, CodeChange & { assigned: number }>();
  for (const { group_id, assigned_at: at } of assigned) {
    const change = changes.get(`${group_id} ${at}`) ?? { group_id, at, assigned: 0 };
    change.assigned++;
    changes.set(`${group_id} ${at}`, change);
  }
  return [...changes.values()];
}

async function showStaffCode(tx: Tx, accountId: number, id: number): Promise<StaffCode> {
  return only(await findStaffCodes(tx, accountId, [id]));
}
