import type { Tx } from '../../../platform/db/database.ts';
import { listing } from '../../../platform/db/listing.ts';
import { only, sql } from '../../../platform/db/sql.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { Role } from '../../../shared/roles.ts';
import { idleDays, longestDays, type OpenSession } from './schema.ts';

const untilIdle = sql`now() + make_interval(days => ${idleDays})`;
const latestEnd = sql`created_at + make_interval(days => ${longestDays})`;
/** Sessions of an earlier version have no absolute limit in expires_at, so created_at is checked too. */
const isOpen = sql`sessions.expires_at > now() and sessions.created_at > now() - make_interval(days => ${longestDays})`;

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

export interface SessionUser {
  session_id: number;
  id: number;
  email: string;
  role: Role;
  account_ids: number[];
  is_stale: boolean;
}

/** The user of a valid session. */
export async function findSession(tx: Tx, hash: Buffer): Promise<SessionUser | undefined> {
  const [row] = await tx<SessionUser>`
    select sessions.id as session_id, users.id, users.email, users.role,
      array(
        select account_id from user_accounts join accounts on accounts.id = account_id
        where user_id = users.id order by account_id) as account_ids,
      sessions.last_seen_at < now() - interval '5 minutes' as is_stale
    from sessions join users on users.id = sessions.user_id
    where sessions.hash = ${hash} and ${isOpen}`;
  return row;
}

export async function touchSessions(tx: Tx, ids: number[]): Promise<void> {
  const locked = await tx<{ id: number; end: Date }>`
    select id, least(${untilIdle}, ${latestEnd}) as end from sessions where id = any(${ids}::bigint[]) order by id for no key update`;
  // A distributed server does not compute with the columns of the row when it changes a time.
  await tx`
    update sessions set last_seen_at = now(), expires_at = touched.end
    from unnest(${locked.map(({ id }) => id)}::bigint[], ${locked.map(({ end }) => end)}::timestamptz[]) as touched (id, "end")
    where sessions.id = touched.id`;
}

export async function sessionEnds(tx: Tx, id: number | null): Promise<string | null> {
  const [row] = await tx<{ expires_at: string }>`
    select least(expires_at, ${latestEnd}) as expires_at from sessions where id = ${id}`;
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
      from: sql`sessions where user_id = ${userId} and ${isOpen}`,
      orderBy: sql`id desc`,
    },
    slice,
  );
}

/** Ends the user's sessions, except the given one. */
export async function deleteSessions(tx: Tx, userId: number, but: number | null = null): Promise<void> {
  await tx`delete from sessions where user_id = ${userId} and id is distinct from ${but}::bigint`;
}

export async function deleteSessionOf(tx: Tx, hash: Buffer): Promise<void> {
  await tx`delete from sessions where hash = ${hash}`;
}

export async function deleteSession(tx: Tx, id: number | null): Promise<void> {
  await tx`delete from sessions where id = ${id}`;
}

/** Deletes up to `limit` sessions that have ended. */
export async function deleteEndedSessions(tx: Tx, limit: number): Promise<number> {
  const { count } = await tx`
    delete from sessions where id = any(array(select id from sessions where not (${isOpen}) limit ${limit}))`;
  return count;
}
