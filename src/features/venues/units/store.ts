import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { only, sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { Unit } from './schema.ts';

const columns = sql`id, name, is_root`;

export async function insertUnit(tx: Tx, accountId: number, name: string): Promise<Unit> {
  return only(await tx<Unit>`insert into units (account_id, name) values (${accountId}, ${name}) returning ${columns}`);
}

export async function insertRootUnit(tx: Tx, accountId: number, id: number, name: string): Promise<void> {
  await tx`insert into units (account_id, id, name, is_root) values (${accountId}, ${id}, ${name}, true)`;
}

export async function findUnit(tx: Tx, accountId: number, id: number): Promise<Unit | undefined> {
  const [unit] = await tx<Unit>`
    select ${columns} from units where account_id = ${accountId} and id = ${id} and deleted_at is null`;
  return unit;
}

export function selectUnits(tx: Tx, accountId: number, slice: Slice): Promise<Rows<Unit>> {
  const from = sql`units where account_id = ${accountId} and deleted_at is null`;
  return listing(tx, { columns, from, orderBy: sql`is_root desc, id` }, slice);
}

export async function renameUnit(tx: Tx, accountId: number, id: number, name: string): Promise<Unit | undefined> {
  const [unit] = await tx<Unit>`
    update units set name = ${name} where account_id = ${accountId} and id = ${id} and deleted_at is null
    returning ${columns}`;
  return unit;
}

/** The row stays, because activity refers to it. The unit is no longer listed or accepted. */
export async function markDeleted(tx: Tx, accountId: number, id: number): Promise<void> {
  await tx`update units set deleted_at = now() where account_id = ${accountId} and id = ${id} and deleted_at is null`;
}

/** The ids of all units, in order. Includes deleted units, because their history stays. */
export async function findUnitIds(tx: Tx, accountId: number): Promise<number[]> {
  const rows = await tx<{ id: number }>`select id from units where account_id = ${accountId} order by id`;
  return rows.map((row) => row.id);
}

/** The names of all units by id, including deleted units. */
export async function findUnitNames(tx: Tx, accountId: number): Promise<Map<number, string>> {
  const rows = await tx<{ id: number; name: string }>`select id, name from units where account_id = ${accountId}`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The existing units among these, and always the root unit. */
export function findUnits(tx: Tx, accountId: number, ids: number[]): Promise<Unit[]> {
  return tx<Unit>`
    select ${columns} from units where account_id = ${accountId} and id = any(${ids}) and deleted_at is null
    union select ${columns} from units where account_id = ${accountId} and is_root`;
}
