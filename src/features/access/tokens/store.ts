import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { only, sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { Role } from '../../../shared/roles.ts';
import type { Token } from './schema.ts';

const columns = sql`id, name, user_id, created_by, created_at, expires_at, last_used_at, revoked_at`;

export interface TokenInsert {
  account_id: number;
  user_id: number | null;
  name: string;
  hash: Buffer;
  created_by: string;
}

/** `expiresAt` is a wall-clock time in the account's time zone, or an instant that ends in `Z`. */
export async function insertToken(
  tx: Tx,
  token: TokenInsert,
  expiresAt: string | null,
): Promise<{ id: number; expired: boolean }> {
  const rows = await tx<{ id: number; expired: boolean }>`
    insert into tokens (account_id, user_id, name, hash, created_by, created_at, expires_at)
    select id, ${token.user_id}::bigint, ${token.name}, ${token.hash}::bytea, ${token.created_by}, ${tx.now},
      case when ${expiresAt}::text like '%Z' then ${expiresAt}::timestamptz else ${expiresAt}::timestamp at time zone time_zone end
    from accounts where id = ${token.account_id}
    on conflict do nothing
    returning id, coalesce(expires_at <= now(), false) as expired`;
  return only(rows);
}

export function selectTokens(tx: Tx, accountId: number, slice: Slice): Promise<Rows<Token>> {
  return listing(tx, { columns, from: sql`tokens where account_id = ${accountId}`, orderBy: sql`id` }, slice);
}

export async function findToken(tx: Tx, accountId: number, id: number): Promise<Token | undefined> {
  const [token] = await tx<Token>`select ${columns} from tokens where account_id = ${accountId} and id = ${id}`;
  return token;
}

export async function renameToken(tx: Tx, accountId: number, id: number, name: string): Promise<Token | undefined> {
  const [token] = await tx<Token>`
    update tokens set name = ${name} where account_id = ${accountId} and id = ${id} returning ${columns}`;
  return token;
}

/** A second revocation does not change the time of the first. */
export async function revoke(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const { known } = await tx.inOrder({
    known: () => tx`select from tokens where account_id = ${accountId} and id = ${id}`,
    revoked: () => tx`
      update tokens set revoked_at = ${tx.now} where account_id = ${accountId} and id = ${id} and revoked_at is null`,
  });
  return known.length > 0;
}

interface ValidTokenRow {
  id: number;
  user_id: number | null;
  role: Role | null;
}

/** The token with that hash, if it is valid now and its account is not deleted. */
export async function findValidToken(tx: Tx, accountId: number, hash: Buffer): Promise<ValidTokenRow | undefined> {
  const [token] = await tx<ValidTokenRow>`
    select tokens.id, user_id, users.role from tokens left join users on users.id = user_id
    where account_id = ${accountId} and hash = ${hash} and revoked_at is null and (expires_at is null or expires_at > now())
      and exists (select from accounts where id = ${accountId} and deleted_at is null)`;
  return token;
}

/** Updates the last use of many tokens. A later time from another process stays. */
export async function touchTokens(tx: Tx, accountId: number, ids: number[], times: Date[]): Promise<void> {
  await tx`
    update tokens set last_used_at = greatest(last_used_at, used.at)
    from unnest(${ids}::bigint[], ${times}::timestamptz[]) as used (id, at)
    where tokens.account_id = ${accountId} and tokens.id = used.id`;
}
