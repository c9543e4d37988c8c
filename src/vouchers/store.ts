import type { Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { NewCodeGroup, UniqueCode } from './schema.ts';

/** What stands for a code, in whatever group, among locks. */
export const codeLock = (code: string) => `code:${code}`;

/** Undefined: the unit has a group of that name already. */
export async function insertCodeGroup(
  tx: Tx,
  accountId: number,
  { unit_id, name }: NewCodeGroup,
): Promise<{ id: number } | undefined> {
  const [group] = await tx<{ id: number }>`
    insert into unique_code_groups (account_id, unit_id, name) values (${accountId}, ${unit_id}, ${name})
    on conflict do nothing returning id`;
  return group;
}

/** Which of these groups exist. */
export async function existingCodeGroups(tx: Tx, accountId: number, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await tx<{ id: number }>`
    select id from unique_code_groups where account_id = ${accountId} and id = any(${ids})`;
  return rows.map((row) => row.id);
}

/** How many are new. */
export async function insertCodes(tx: Tx, accountId: number, groupId: number, codes: string[]): Promise<number> {
  const { count } = await tx`
    insert into unique_codes (account_id, group_id, unique_code)
    select ${accountId}::bigint, ${groupId}::bigint, unique_code
    from (select distinct unique_code from unnest(${codes}::text[]) as sent (unique_code)) as sent order by unique_code
    on conflict do nothing`;
  return count;
}

const columns = sql`id, unique_code, group_id as unique_code_group_id, contact_id`;

/** Alone with it until the transaction ends. */
export async function lockCode(
  tx: Tx,
  accountId: number,
  groupId: number,
  code: string,
): Promise<UniqueCode | undefined> {
  const [row] = await tx<UniqueCode>`
    select ${columns} from unique_codes
    where account_id = ${accountId} and group_id = ${groupId} and unique_code = ${code} for no key update`;
  return row;
}

export async function assignCodeTo(tx: Tx, accountId: number, id: number, contactId: number): Promise<void> {
  await tx`update unique_codes set contact_id = ${contactId} where account_id = ${accountId} and id = ${id}`;
}
