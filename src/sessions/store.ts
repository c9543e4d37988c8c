import type { Tx } from '../db/database.ts';
import { listing } from '../db/listing.ts';
import { only, sql } from '../db/sql.ts';
import type { Rows, Slice } from '../shared/fields.ts';
import type { Role } from '../shared/roles.ts';
import { idleDays, type OpenSession } from './schema.ts';

const untilIdle = sql`now() + make_interval(days => ${idleDays})`;

export async function insertSession(
  tx: Tx,
  session: { userId: number; hash: Buffer; address: string; userAgent: string },
): Promise<number> {
  const rows = await tx<{ id: number }>`
    insert into sessions (user_id, hash, address, user_agent, expires_at)
    values (${session.userId}, ${session.hash}, ${session.address}, ${session.userAgent}, ${untilIdle})
    returning id`;
  return only(rows).id;
}

export interface SignedIn {
  session_id: number;
  id: number;
  email: string;
  role: Role;
  account_ids: number[];
  is_stale: boolean;
}

/** Who it is, if the session is good. */
export async function findSession(tx: Tx, hash: Buffer): Promise<SignedIn | undefined> {
  const [row] = await tx<SignedIn>`
    select sessions.id as session_id, users.id, users.email, users.role,
      array(select account_id from user_accounts where user_id = users.id order by account_id) as account_ids,
      sessions.last_seen_at < now() - interval '5 minutes' as is_stale
    from sessions join users on users.id = sessions.user_id
    where sessions.hash = ${hash} and sessions.expires_at > now()`;
  return row;
}

export async function touchSession(tx: Tx, id: number): Promise<void> {
  await tx`update sessions set last_seen_at = now(), expires_at = ${untilIdle} where id = ${id}`;
}

export async function sessionEnds(tx: Tx, id: number | null): Promise<string | null> {
  const [row] = await tx<{ expires_at: string }>`select expires_at from sessions where id = ${id}`;
  return row?.expires_at ?? null;
}

export function selectSessions(
  tx: Tx,
  { userId, sessionId }: { userId: number; sessionId: number | null },
  slice: Slice,
): Promise<Rows<OpenSession>> {
  return listing(
    tx,
    {
      columns: sql`id, created_at, last_seen_at, address, user_agent, id is not distinct from ${sessionId}::bigint as is_current`,
      from: sql`sessions where user_id = ${userId} and expires_at > now()`,
      orderBy: sql`id desc`,
    },
    slice,
  );
}

/** Ends the user's sessions: all but one, where one is named. */
export async function deleteSessions(tx: Tx, userId: number, but: number | null = null): Promise<void> {
  await tx`delete from sessions where user_id = ${userId} and id is distinct from ${but}::bigint`;
}

export async function deleteSessionOf(tx: Tx, hash: Buffer): Promise<void> {
  await tx`delete from sessions where hash = ${hash}`;
}

export async function deleteSession(tx: Tx, id: number | null): Promise<void> {
  await tx`delete from sessions where id = ${id}`;
}

export async function deleteExpiredSessions(tx: Tx): Promise<void> {
  await tx`delete from sessions where expires_at < now()`;
}
