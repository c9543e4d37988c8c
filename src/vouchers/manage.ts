import type { Account } from '../accounts/schema.ts';
import { findAccount } from '../accounts/store.ts';
import type { Tx } from '../db/database.ts';
import { lockKeys } from '../db/locks.ts';
import { lineage } from '../identities/store.ts';
import { bringToWaiting } from '../matching/store.ts';
import { Invalid, NotFound } from '../shared/problem.ts';
import { findUnit } from '../units/store.ts';
import type { AssignCode, NewCodeGroup, NewCodes, UniqueCode } from './schema.ts';
import { assignCodeTo, codeLock, existingCodeGroups, insertCodeGroup, insertCodes, lockCode } from './store.ts';

export async function createCodeGroup(tx: Tx, accountId: number, group: NewCodeGroup): Promise<{ id: number }> {
  if (!(await findUnit(tx, accountId, group.unit_id))) {
    throw new Invalid({
      unit_id: ['The unit id is not a unit of this account.'],
      name: ['The name can only be checked with a correct unit id.'],
    });
  }
  const made = await insertCodeGroup(tx, accountId, group);
  if (!made) throw new Invalid({ name: ['The name has already been taken by another group of this unit.'] });
  return made;
}

export async function addCodes(
  tx: Tx,
  accountId: number,
  groupId: number,
  { codes }: NewCodes,
): Promise<{ created: number }> {
  const [group] = await existingCodeGroups(tx, accountId, [groupId]);
  if (group === undefined) throw new NotFound('There is no such unique code group.');
  return { created: await insertCodes(tx, accountId, groupId, codes) };
}

/**
 * Gives a code to a contact; purchases that were waiting for that are matched in the same transaction.
 * Tells, in words, what became of them.
 */
export async function assignCode(
  tx: Tx,
  accountId: number,
  { unique_code_group_id: groupId, unique_code, contact_id }: AssignCode,
  count: (outcome: string) => void,
): Promise<UniqueCode> {
  const { time_zone } = (await findAccount(tx, accountId)) as Account;
  // Whoever stores a purchase with this code waits for us, or we for them.
  await lockKeys(tx, accountId, [codeLock(unique_code)]);
  const [group] = await existingCodeGroups(tx, accountId, [groupId]);
  if (group === undefined) {
    throw new Invalid({ unique_code_group_id: ['The unique code group id is not a group of this account.'] });
  }
  const code = await lockCode(tx, accountId, groupId, unique_code);
  if (!code) throw new Invalid({ unique_code: ['The unique code is not in this group.'] });
  // A contact that was merged into another gives its id up to that one.
  const [contactId] = await lineage(tx, accountId, contact_id).catch((error) => {
    if (!(error instanceof NotFound)) throw error;
    throw new Invalid({ contact_id: ['The contact id is not a contact of this account.'] });
  });
  await assignCodeTo(tx, accountId, code.id, contactId as number);
  await bringToWaiting(tx, accountId, time_zone, { codeIds: [code.id] }, count);
  return { ...code, contact_id: contactId as number };
}
