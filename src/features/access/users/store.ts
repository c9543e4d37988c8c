import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { User } from './schema.ts';

/** The accounts of a user, without those that are being deleted. */
const accountIds = sql`array(
  select account_id from user_accounts join accounts on accounts.id = account_id where user_id = users.id order by account_id)`;

const columns = sql`users.id, email, role, ${accountIds} as account_ids`;

/** Undefined: the email is taken. */
export async function insertUser(
  tx: Tx,
  email: string,
  passwordHash: string,
  role: User['role'],
): Promise<number | undefined> {
  const [row] = await tx<{ id: number }>`
    insert into users (email, password_hash, role) values (${email}, ${passwordHash}, ${role}) on conflict do nothing returning id`;
  return row?.id;
}

/** Replaces the user's accounts. */
export async function setAccess(tx: Tx, userId: number, accountIds: number[]): Promise<void> {
  await tx`delete from user_accounts where user_id = ${userId} and account_id <> all(${accountIds}::bigint[])`;
  await tx`
    insert into user_accounts (user_id, account_id) select ${userId}::bigint, unnest(${accountIds}::bigint[]) on conflict do nothing`;
}

export async function userMayAccess(tx: Tx, userId: number, accountId: number): Promise<boolean> {
  const rows = await tx`
    select from user_accounts join accounts on accounts.id = account_id where user_id = ${userId} and account_id = ${accountId}`;
  return rows.length > 0;
}

export function selectUsers(tx: Tx, slice: Slice): Promise<Rows<User>> {
  return listing(tx, { columns, from: sql`users`, orderBy: sql`id` }, slice);
}

export async function findUser(tx: Tx, id: number): Promise<User | undefined> {
  const [user] = await tx<User>`select ${columns} from users where id = ${id}`;
  return user;
}

export async function updateUser(
  tx: Tx,
  id: number,
  changes: { email: string | null; passwordHash: string | null; role: string | null },
): Promise<void> {
  await tx`
    update users set email = coalesce(${changes.email}, email), password_hash = coalesce(${changes.passwordHash}, password_hash),
      role = coalesce(${changes.role}, role)
    where id = ${id}`;
}

export async function deleteUser(tx: Tx, id: number): Promise<boolean> {
  const { count } = await tx`delete from users where id = ${id}`;
  return count > 0;
}

interface SecretUser extends User {
  password_hash: string;
  /** The addresses of the user's sessions, last used first. */
  addresses: string[];
}

export async function findPasswordHash(tx: Tx, email: string): Promise<SecretUser | undefined> {
  const [row] = await tx<SecretUser>`
    select ${columns}, password_hash,
      array(select address from sessions where user_id = users.id order by last_seen_at desc limit 100) as addresses
    from users where email = ${email}`;
  return row;
}

/** Whether the hash is still current. If so, the user's row stays locked until the transaction ends. */
export async function lockPassword(tx: Tx, id: number, passwordHash: string): Promise<boolean> {
  const rows = await tx`select from users where id = ${id} and password_hash = ${passwordHash} for update`;
  return rows.length > 0;
}

export async function isEmailTaken(tx: Tx, email: string): Promise<boolean> {
  return (await tx`select from users where email = ${email}`).length > 0;
}

export async function hasOwner(tx: Tx): Promise<boolean> {
  return (await tx`select from users where role = 'owner' limit 1`).length > 0;
}

/** Whether another user is an owner. Locks the owners, so that two concurrent changes cannot remove the last one. */
export async function hasOtherOwner(tx: Tx, id: number): Promise<boolean> {
  const rows = await tx<{ id: number }>`select id from users where role = 'owner' order by id for update`;
  return rows.some((row) => row.id !== id);
}
