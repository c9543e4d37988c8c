import { isViolation, type Tx } from '../../platform/db/database.ts';
import type { Rows, Slice } from '../../shared/fields.ts';
import { present } from '../../shared/present.ts';
import { type FieldErrors, Invalid, NotFound } from '../../shared/problem.ts';
import { deleteCodeCounts, sumCodes } from '../figures/code-counts-store.ts';
import { codeCounts } from '../figures/schema.ts';
import { areCountsKept, lockCounts } from '../figures/unit-days-store.ts';
import { findUnit } from '../venues/units/store.ts';
import type { ByUnit, CodeGroup, CountedCodeGroup, NewCodeGroup } from './group-schema.ts';
import {
  countedCodeGroups,
  deleteCodeGroup,
  deleteUnusedCodes,
  findCodeGroup,
  insertCodeGroup,
  isUsed,
  lockCodeGroup,
  namedCodeGroups,
  renameCodeGroup,
  selectCodeGroups,
} from './group-store.ts';

const nameTaken = () => new Invalid({ name: ['The name has already been taken by another group of this unit.'] });
export const noSuchGroup = () => new NotFound('There is no such unique code group.');

export async function createCodeGroup(tx: Tx, accountId: number, group: NewCodeGroup): Promise<CodeGroup> {
  const wrong = await groupErrors(tx, accountId, group);
  if (Object.keys(wrong).length > 0) throw new Invalid(wrong);
  const made = await insertCodeGroup(tx, accountId, group);
  if (!made) throw nameTaken();
  return made;
}

/** A name is unique on its unit, so the message names both fields. */
export async function groupErrors(tx: Tx, accountId: number, { unit_id }: Partial<NewCodeGroup>): Promise<FieldErrors> {
  if (unit_id !== undefined && (await findUnit(tx, accountId, unit_id))) return {};
  return {
    unit_id: ['The unit id is not a unit of this account.'],
    name: ['The unit id must be correct for the name to be checked.'],
  };
}

export function listCodeGroups(tx: Tx, accountId: number, { unit_id }: ByUnit, slice: Slice): Promise<Rows<CodeGroup>> {
  return selectCodeGroups(tx, accountId, unit_id ?? null, slice);
}

export async function listCountedCodeGroups(
  tx: Tx,
  accountId: number,
  by: ByUnit,
  slice: Slice,
): Promise<Rows<CountedCodeGroup>> {
  const { rows, total } = await listCodeGroups(tx, accountId, by, slice);
  const ids = rows.map(({ id }) => id);
  if (!(await areCountsKept(tx, accountId))) return { total, rows: await countedCodeGroups(tx, accountId, ids) };
  const { groups, sums } = await tx.inOrder({
    groups: () => namedCodeGroups(tx, accountId, ids),
    sums: () => sumCodes(tx, accountId, ids),
  });
  const counts = new Map(ids.map((id) => [id, { made: 0, assigned: 0, redeemed: 0 }]));
  for (const { group_id, ...row } of sums) {
    const count = counts.get(group_id);
    if (count) for (const name of codeCounts) count[name] += row[name];
  }
  return { total, rows: groups.map((group) => ({ ...group, ...present(counts.get(group.id), 'group') })) };
}

export async function showCodeGroup(tx: Tx, accountId: number, id: number): Promise<CodeGroup> {
  const group = await findCodeGroup(tx, accountId, id);
  if (!group) throw noSuchGroup();
  return group;
}

export async function changeCodeGroup(tx: Tx, accountId: number, id: number, name: string): Promise<CodeGroup> {
  try {
    const group = await renameCodeGroup(tx, accountId, id, name);
    if (!group) throw noSuchGroup();
    return group;
  } catch (error) {
    throw isViolation(error, 'unique') ? nameTaken() : error;
  }
}

/** The number of codes per statement of a deletion. */
const step = 10_000;

/** Deletes a group with its codes, if none is assigned or redeemed. That history must stay. */
export async function removeCodeGroup(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await lockCodeGroup(tx, accountId, id, 'for deleting'))) throw noSuchGroup();
  await mustBeUnused(tx, accountId, id);
  let last: number | null = 0;
  while (last !== null) last = await deleteUnusedCodes(tx, accountId, id, { after: last, limit: step });
  // A code may have been redeemed meanwhile. Then the transaction is rolled back.
  await mustBeUnused(tx, accountId, id);
  await deleteCodeGroup(tx, accountId, id);
  // None of its codes is redeemed, so the counts of units stay.
  await lockCounts(tx, accountId);
  await deleteCodeCounts(tx, accountId, id);
}

async function mustBeUnused(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await isUsed(tx, accountId, id))) return;
  throw new Invalid({
    unique_code_group_id: ['The group has assigned or redeemed codes, so it can’t be deleted.'],
  });
}
