import type { Tx } from '../../../platform/db/database.ts';
import { insertRows } from '../../../platform/db/insert-rows.ts';
import { listing } from '../../../platform/db/listing.ts';
import { lockKeys } from '../../../platform/db/locks.ts';
import { adHoc, join, only, raw, type Sql, sql } from '../../../platform/db/sql.ts';
import { consentsInSql } from '../../../shared/codes.ts';
import type { Rows, Slice } from '../../../shared/fields.ts';
import type { SegmentRow } from './store.ts';

/*
 * The stored members of segments.
 */

const consentsOf = raw(consentsInSql);
/**
 * One change of an account's definitions at a time. A transaction that changes definitions of stored members takes this
 * lock before the lock of the members.
 */
export const lockDefinitions = (tx: Tx, accountId: number) =>
  lockKeys(tx, accountId, ['segment definitions'], 'all segment definitions');

/** One change of the members of an account's segments at a time. Storing those of a large segment takes seconds. */
export const lockSegments = (tx: Tx, accountId: number) => lockKeys(tx, accountId, ['segments'], 'all segments');

/** The same, but fails after some seconds. The caller tries again later. */
export async function waitForSegments(tx: Tx, accountId: number, seconds = 5): Promise<void> {
  await tx.inOrder({
    limit: () => tx`set local lock_timeout = ${raw(`'${seconds}s'`)}`,
    lock: () => lockSegments(tx, accountId),
    noLimit: () => tx`set local lock_timeout to default`,
  });
}

/** False: another transaction has the lock. */
export async function tryLockSegments(tx: Tx, accountId: number): Promise<boolean> {
  const rows = await tx<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('segments', ${accountId}::bigint)) as locked`;
  return only(rows).locked;
}

/** The account's current day, by the clock of the database. */
export async function selectToday(tx: Tx, accountId: number): Promise<{ day: string; timeZone: string } | undefined> {
  const [row] = await tx<{ day: string; time_zone: string }>`
    select time_zone, (${tx.now} at time zone time_zone)::date as day from accounts where id = ${accountId} and deleted_at is null`;
  return row && { day: row.day, timeZone: row.time_zone };
}

/** The next accounts with segments after an id. */
export async function accountsWithSegments(tx: Tx, after: number, limit: number): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select id from accounts where has_segments and deleted_at is null and id > ${after} order by id limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** Makes the background process look at the segments of the account. */
export async function requestKeeping(tx: Tx, accountId: number): Promise<void> {
  await tx`update accounts set has_segments = true where id = ${accountId} and not has_segments`;
  await tx`insert into changes (account_id, contact_ids) values (${accountId}, '{}')`;
}

export type KeptSegment = Pick<SegmentRow, 'id' | 'name' | 'definition'> & { evaluated_day: string | null };

/** All segments of an account, with the day for which their members are stored. */
export function selectKept(tx: Tx, accountId: number): Promise<KeptSegment[]> {
  return tx<KeptSegment>`select id, name, definition, evaluated_day from segments where account_id = ${accountId} order by id`;
}

/** The members among these contacts, of several segments: their consents, and the positions of their segments. */
export function selectInside(
  tx: Tx,
  accountId: number,
  joins: Sql,
  wheres: Sql[],
  contactIds: number[],
): Promise<{ id: number; consents: number; inside: number[] }[]> {
  const places = wheres.map((where, n) => sql`case when ${where} then ${raw(String(n))} end`);
  return tx<{ id: number; consents: number; inside: number[] }>`
    select * from (
      select c.id, ${consentsOf} as consents, array_remove(array[${join(places)}]::integer[], null) as inside
      from contacts c ${joins}
      where c.account_id = ${accountId} and c.merged_into is null and c.id = any(${contactIds}::bigint[]) offset 0) as member
    where inside <> '{}' ${adHoc}`;
}

export interface StoredMember {
  segment_id: number;
  contact_id: number;
  consents: number;
}

export function selectStored(
  tx: Tx,
  accountId: number,
  segmentIds: number[],
  contactIds: number[],
): Promise<StoredMember[]> {
  return tx<StoredMember>`
    select segment_id, contact_id, consents from segment_members
    where account_id = ${accountId} and contact_id = any(${contactIds}) and segment_id = any(${segmentIds})`;
}

/**
 * The contacts among these whose stored membership of a segment differs from the present one: their present consents, and
 * the stored ones. Null: not a member.
 */
export function selectDifferences(
  tx: Tx,
  accountId: number,
  segmentId: number,
  { from, where }: { from: Sql; where: Sql },
  contactIds: number[],
): Promise<{ contact_id: number; now: number | null; stored: number | null }[]> {
  return tx<{ contact_id: number; now: number | null; stored: number | null }>`
    select * from (
      select c.id as contact_id, case when c.merged_into is null and (${where}) then ${consentsOf} end as now, m.consents as stored
      from ${from}
      left join segment_members m on m.account_id = ${accountId} and m.segment_id = ${segmentId} and m.contact_id = c.id
      where c.account_id = ${accountId} and c.id = any(${contactIds}::bigint[]) offset 0) as membership
    where now is distinct from stored ${adHoc}`;
}

/** The day on which a stored membership began. */
export async function selectSince(
  tx: Tx,
  accountId: number,
  segmentId: number,
  contactId: number,
): Promise<string | undefined> {
  const [row] = await tx<{ since: string }>`
    select since from segment_members where account_id = ${accountId} and segment_id = ${segmentId} and contact_id = ${contactId}`;
  return row?.since;
}

interface MembershipRow {
  id: number;
  name: string;
  definition: SegmentRow['definition'];
  evaluated_day: string | null;
  /** The day of the definition, if the members are not stored. */
  defined_day: string | null;
  /** Null: no membership is stored. */
  since: string | null;
}

/** All segments, with the stored memberships of one contact. */
export function selectMemberships(
  tx: Tx,
  accountId: number,
  contactId: number,
  timeZone: string,
): Promise<MembershipRow[]> {
  return tx<MembershipRow>`
    select s.id, s.name, s.definition, s.evaluated_day, m.since,
      case when s.evaluated_day is null then (s.defined_at at time zone ${timeZone})::date end as defined_day
    from segments s
    left join segment_members m on m.account_id = ${accountId} and m.segment_id = s.id and m.contact_id = ${contactId}
    where s.account_id = ${accountId} order by s.id`;
}

/** The day on which the definition was made, if the members are not stored yet. */
export async function selectDefinedDay(
  tx: Tx,
  accountId: number,
  segmentId: number,
  timeZone: string,
): Promise<string | undefined> {
  const [row] = await tx<{ day: string }>`
    select (defined_at at time zone ${timeZone})::date as day from segments
    where account_id = ${accountId} and id = ${segmentId} and evaluated_day is null`;
  return row?.day;
}

const pairs = (members: StoredMember[]) =>
  sql`${members.map((one) => one.segment_id)}::bigint[], ${members.map((one) => one.contact_id)}::bigint[]`;

export async function deleteMembers(tx: Tx, accountId: number, members: StoredMember[]): Promise<void> {
  await tx`
    delete from segment_members using unnest(${pairs(members)}) as gone (segment_id, contact_id)
    where segment_members.account_id = ${accountId} and segment_members.segment_id = gone.segment_id
      and segment_members.contact_id = gone.contact_id`;
}

export async function putMembers(tx: Tx, accountId: number, day: string, members: StoredMember[]): Promise<void> {
  await insertRows(tx, accountId, {
    table: 'segment_members',
    columns: { segment_id: 'bigint', contact_id: 'bigint', consents: 'integer', since: 'date' },
    rows: members.map((one) => ({ ...one, since: day })),
    clauses: sql`on conflict (account_id, segment_id, contact_id) do update set consents = excluded.consents`,
  });
}

/** Records who became a member, or ceased to be. */
export async function appendSegmentChanges(
  tx: Tx,
  accountId: number,
  entered: boolean,
  members: StoredMember[],
): Promise<void> {
  await insertRows(tx, accountId, {
    table: 'segment_changes',
    columns: { segment_id: 'bigint', contact_id: 'bigint', entered: 'boolean' },
    rows: members.map(({ segment_id, contact_id }) => ({ segment_id, contact_id, entered })),
  });
}

/** The ids that are no contacts, because they were erased. */
export async function selectErased(tx: Tx, accountId: number, contactIds: number[]): Promise<number[]> {
  const rows = await tx<{ id: number }>`
    select id from unnest(${contactIds}::bigint[]) as sent (id)
    where not exists (select from contacts c where c.account_id = ${accountId} and c.id = sent.id)`;
  return rows.map(({ id }) => id);
}

/** Deletes all that is stored about erased contacts. */
export async function eraseMembers(tx: Tx, accountId: number, contactIds: number[]): Promise<void> {
  const own = sql`account_id = ${accountId} and contact_id = any(${contactIds})`;
  await tx.inOrder({
    members: () => tx`delete from segment_members where ${own}`,
    changes: () => tx`delete from segment_changes where ${own}`,
  });
}

const membersOf = (accountId: number, { from, where }: { from: Sql; where: Sql }) =>
  sql`${from} where c.account_id = ${accountId} and c.merged_into is null and (${where})`;

/**
 * Stores the members of one segment from an evaluation of all contacts. Contacts that change meanwhile are among the
 * changes that wait, and are evaluated again.
 */
export async function fillMembers(
  tx: Tx,
  accountId: number,
  segmentId: number,
  day: string,
  compiled: { from: Sql; where: Sql },
): Promise<void> {
  const members = membersOf(accountId, compiled);
  const own = sql`account_id = ${accountId} and segment_id = ${segmentId}`;
  const [before] = await tx`select from segment_members where ${own} limit 1`;
  await tx`
    insert into segment_members (account_id, segment_id, contact_id, consents, since)
    select c.account_id, ${segmentId}::bigint, c.id, ${consentsOf}, ${day}::date from ${members}
    on conflict (account_id, segment_id, contact_id) do update set consents = excluded.consents
      where segment_members.consents <> excluded.consents ${adHoc}`;
  // Evaluated once and hashed. For a definition with sums over days, PostgreSQL would otherwise sum up for each member.
  if (before)
    await tx`
      with member as materialized (select c.id from ${members})
      delete from segment_members m where m.account_id = ${accountId} and m.segment_id = ${segmentId}
        and not exists (select from member where member.id = m.contact_id) ${adHoc}`;
}

/** Marks the members of segments as right for a day. Null: they must be stored anew. */
export async function setEvaluated(tx: Tx, accountId: number, segmentIds: number[], day: string | null): Promise<void> {
  await tx`
    update segments set evaluated_day = ${day}::date where account_id = ${accountId} and id = any(${segmentIds})`;
}

/** Deletes what is stored about the members of a segment. */
export async function deleteMembersOf(tx: Tx, accountId: number, segmentId: number): Promise<void> {
  const own = sql`account_id = ${accountId} and segment_id = ${segmentId}`;
  await tx.inOrder({
    members: () => tx`delete from segment_members where ${own}`,
    days: () => tx`delete from segment_days where ${own}`,
    changes: () => tx`delete from segment_changes where ${own}`,
  });
}

/** The ids of stored members without some contacts, together with other members. In one order, from a place on. */
export async function selectKeptIds(
  tx: Tx,
  accountId: number,
  segmentId: number,
  { without, others }: { without: number[]; others: number[] },
  place: { limit: number; offset: number } | { limit: number; after: number },
): Promise<number[]> {
  const isDown = 'offset' in place;
  const order = raw(isDown ? 'desc' : 'asc');
  const offset = isDown ? place.offset : 0;
  const from = (id: Sql) => (isDown ? sql`` : sql`and ${id} > ${place.after}`);
  // The inner limit makes PostgreSQL read the index in its order, and stop.
  const rows = await tx<{ id: number }>`
    select id from (
      (select contact_id as id from segment_members
      where account_id = ${accountId} and segment_id = ${segmentId} and contact_id <> all(${without}::bigint[]) ${from(sql`contact_id`)}
      order by contact_id ${order} limit ${place.limit + offset})
      union all
      select id from unnest(${others}::bigint[]) as other (id) where true ${from(sql`id`)}) as member
    order by id ${order} limit ${place.limit} offset ${offset}`;
  return rows.map(({ id }) => id);
}

/** Who became a member and who ceased to be, latest first. */
export function selectSegmentChanges(
  tx: Tx,
  accountId: number,
  segmentId: number,
  slice: Slice,
): Promise<Rows<{ contact_id: number; entered: boolean; at: string }>> {
  const from = sql`segment_changes where account_id = ${accountId} and segment_id = ${segmentId}`;
  return listing(tx, { columns: sql`contact_id, entered, at`, from, orderBy: sql`id desc` }, slice);
}

/** Deletes records of who entered and left that have expired. */
export async function deleteOldSegmentChanges(tx: Tx, accountId: number, limit: number): Promise<number> {
  const { count } = await tx`
    delete from segment_changes where account_id = ${accountId} and id = any(array(
      select id from (
        select id, at from segment_changes where account_id = ${accountId} order by id limit ${limit}) as oldest
      where at < now() - make_interval(days => ${keptDays})))`;
  return count;
}

export const keptDays = 90;
