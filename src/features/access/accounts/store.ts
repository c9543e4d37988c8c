import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { only, sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import { present } from '../../../shared/present.ts';
import type { Account } from './schema.ts';

const columns = sql`id, name, time_zone, root_unit_id`;

/** Also allocates the root unit's id. The caller must insert the unit in this transaction. */
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

/** The account in whose scope the transaction runs, so it exists. */
export async function getAccount(tx: Tx, id: number): Promise<Account> {
  return present(await findAccount(tx, id), 'account');
}

/** Lists these accounts, or all (null). */
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
  // The days of redemptions depend on the time zone. They are counted at request time until a job has counted them again.
  await tx`
    update accounts set name = coalesce(${name}, name), time_zone = coalesce(${timeZone}, time_zone),
      unit_days_filled_at = case when time_zone = coalesce(${timeZone}, time_zone) then unit_days_filled_at end
    where id = ${id}`;
}

/** Members of segments depend on the account's days. They are stored anew. */
export async function forgetMembers(tx: Tx, id: number): Promise<void> {
  await tx.inOrder({
    segments: () => tx`update segments set evaluated_day = null where account_id = ${id}`,
    request: () => tx`insert into changes (account_id, contact_ids) values (${id}, '{}')`,
  });
}

/** Takes no lock, so that a read-only command does not write. A deleted account is not found. */
export async function findLiveAccount(tx: Tx, id: number): Promise<Account | undefined> {
  const [row] = await tx<Account>`select ${columns} from accounts where id = ${id} and deleted_at is null`;
  return row;
}

/**
 * Keeps the account from being deleted until the transaction ends, by a lock on its root unit. A distributed server would
 * lock the account itself on every node. A deleted account is not found.
 */
export async function holdAccount(tx: Tx, id: number): Promise<Account | undefined> {
  const [row] = await tx<Account>`
    select accounts.id, accounts.name, time_zone, root_unit_id from units join accounts on accounts.id = account_id
    where account_id = ${id} and is_root and accounts.deleted_at is null for key share of units`;
  return row;
}

/**
 * Runs in the account's scope and hides the account from all other scopes. Does not wait for running writes, which
 * succeed.
 */
export async function markDeleted(tx: Tx, id: number): Promise<boolean> {
  const { count } = await tx`update accounts set deleted_at = ${tx.now} where id = ${id} and deleted_at is null`;
  return count > 0;
}

export async function selectMarkedDeleted(tx: Tx): Promise<number[]> {
  await tx`set local app.show_deleted = 'on'`;
  const rows = await tx<{ id: number }>`select id from accounts where deleted_at is not null order by id`;
  return rows.map((row) => row.id);
}

export async function isMarkedDeleted(tx: Tx, id: number): Promise<boolean> {
  return (await tx`select from accounts where id = ${id} and deleted_at is not null`).length > 0;
}

/** Waits for writes that started before the account was marked, and blocks new rows. */
export async function lockMarkedDeleted(tx: Tx, id: number): Promise<void> {
  await tx`select from accounts where id = ${id} and deleted_at is not null for update`;
}

/** Also deletes the access of users, by cascade. */
export async function deleteMarkedAccount(tx: Tx, id: number): Promise<void> {
  await tx`delete from accounts where id = ${id} and deleted_at is not null`;
}

export async function missingAccounts(tx: Tx, ids: number[]): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select id from unnest(${ids}::bigint[]) as wanted (id) where not exists (select from accounts where accounts.id = wanted.id)`;
  return rows.map((row) => row.id);
}

/** Whether there are no accounts and no users. If so, both tables stay locked until the transaction ends. */
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

/** The time zone's name in PostgreSQL's spelling. Undefined: unknown. */
export async function knownTimeZone(tx: Tx, name: string): Promise<string | undefined> {
  const [row] = await tx<{ name: string }>`select name from pg_timezone_names where lower(name) = lower(${name})`;
  return row?.name;
}

/** The next account ids after this one, to loop over all accounts. */
export async function nextAccountIds(tx: Tx, after: number, limit: number): Promise<number[]> {
  const rows = await tx<{ id: number }>`select id from accounts where id > ${after} order by id limit ${limit}`;
  return rows.map((row) => row.id);
}

/** The time zones of accounts, and the day in each by the clock of the database. */
export function selectTimeZones(tx: Tx): Promise<{ time_zone: string; day: string }[]> {
  return tx<{ time_zone: string; day: string }>`
    select time_zone, (${tx.now} at time zone time_zone)::date as day from (select distinct time_zone from accounts) as used order by 1`;
}

/** The next ids of accounts with this time zone. */
export async function accountsInTimeZone(tx: Tx, timeZone: string, after: number, limit: number): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select id from accounts where id > ${after} and time_zone = ${timeZone} order by id limit ${limit}`;
  return rows.map((row) => row.id);
}

export interface AccountSize {
  contacts: number;
  purchases: number;
}

export async function countOfAccount(tx: Tx, id: number): Promise<AccountSize> {
  return only(
    await tx<AccountSize>`
      select (select count(*) from contacts where account_id = ${id}) as contacts,
        (select count(*) from purchases where account_id = ${id}) as purchases`,
  );
}
