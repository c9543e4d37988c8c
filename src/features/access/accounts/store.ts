import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { only, sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { Account } from './schema.ts';

const columns = sql`id, name, time_zone, root_unit_id`;

/** The root unit's id is given out here; the unit itself is the caller's to insert, in this transaction. */
export async function insertAccount(tx: Tx, name: string, timeZone: string): Promise<Account> {
  const rows = await tx<Account>`
    insert into accounts (name, time_zone, root_unit_id)
    values (${name}, ${timeZone}, nextval(pg_get_serial_sequence('units', 'id')))
    returning ${columns}`;
  return only(rows);
}

export async function findAccount(tx: Tx, id: number): Promise<Account | undefined> {
  const [row] = await tx<Account>`select ${columns} from accounts where id = ${id}`;
  return row;
}

/** Among these, or of all (null). */
export function selectAccounts(
  tx: Tx,
  among: number[] | null,
  slice: Slice,
  by: 'id' | 'name' = 'id',
): Promise<Rows<Account>> {
  const from = among === null ? sql`accounts` : sql`accounts where id = any(${among}::bigint[])`;
  return listing(tx, { columns, from, orderBy: by === 'id' ? sql`id` : sql`lower(name), id` }, slice);
}

export async function updateAccount(tx: Tx, id: number, name: string | null, timeZone: string | null): Promise<void> {
  await tx`
    update accounts set name = coalesce(${name}, name), time_zone = coalesce(${timeZone}, time_zone) where id = ${id}`;
}

/** Takes no lock, so a command that only shows something is no change. A deleted account is not found. */
export async function findLiveAccount(tx: Tx, id: number): Promise<Account | undefined> {
  const [row] = await tx<Account>`select ${columns} from accounts where id = ${id} and deleted_at is null`;
  return row;
}

/** The account's row stays while this transaction lasts. A deleted account is not found. */
export async function holdAccount(tx: Tx, id: number): Promise<Account | undefined> {
  const [row] =
    await tx<Account>`select ${columns} from accounts where id = ${id} and deleted_at is null for key share`;
  return row;
}

/** In the account's own scope. Hides it from every other. Writes that are under way are not waited for, and succeed. */
export async function markDeleted(tx: Tx, id: number): Promise<boolean> {
  const { count } = await tx`update accounts set deleted_at = ${tx.now} where id = ${id} and deleted_at is null`;
  return count > 0;
}

export async function selectMarked(tx: Tx): Promise<number[]> {
  await tx`set local app.show_deleted = 'on'`;
  const rows = await tx<{ id: number }>`select id from accounts where deleted_at is not null order by id`;
  return rows.map((row) => row.id);
}

export async function isMarked(tx: Tx, id: number): Promise<boolean> {
  return (await tx`select from accounts where id = ${id} and deleted_at is not null`).length > 0;
}

/** Waits for the writes that had begun before the account was marked, and keeps new rows out. */
export async function lockMarked(tx: Tx, id: number): Promise<void> {
  await tx`select from accounts where id = ${id} and deleted_at is not null for update`;
}

/** Access of users goes with it. */
export async function deleteMarked(tx: Tx, id: number): Promise<void> {
  await tx`delete from accounts where id = ${id} and deleted_at is not null`;
}

export async function missingAccounts(tx: Tx, ids: number[]): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select id from unnest(${ids}::bigint[]) as wanted (id) where not exists (select from accounts where accounts.id = wanted.id)`;
  return rows.map((row) => row.id);
}

/** Whether there is nobody and nothing yet. If so, the caller has it alone until its transaction ends. */
export async function claimEmptyDirectory(tx: Tx): Promise<boolean> {
  const isEmpty = async () => {
    const [row] = await tx<{ empty: boolean }>`
      select not exists (select from accounts) and not exists (select from users) as empty`;
    return row?.empty === true;
  };
  if (!(await isEmpty())) return false;
  await tx`lock table accounts in share row exclusive mode`;
  return isEmpty();
}

/** The name as PostgreSQL itself spells it, if it knows the zone. */
export async function knownTimeZone(tx: Tx, name: string): Promise<string | undefined> {
  const [row] = await tx<{ name: string }>`select name from pg_timezone_names where lower(name) = lower(${name})`;
  return row?.name;
}

/** For whoever goes through all of them. */
export async function nextAccountIds(tx: Tx, after: number, limit: number): Promise<number[]> {
  const rows = await tx<{ id: number }>`select id from accounts where id > ${after} order by id limit ${limit}`;
  return rows.map((row) => row.id);
}
