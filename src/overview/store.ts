import { cancelledStage } from '../bookings/schema.ts';
import type { Tx } from '../db/database.ts';
import { only, raw, type Sql, sql } from '../db/sql.ts';
import { begunStatuses } from '../stays/schema.ts';

export interface KnownUnit {
  id: number;
  name: string;
  is_deleted: boolean;
}

/** Also those that were deleted: what happened there stays known. */
export function selectEveryUnit(tx: Tx, accountId: number): Promise<KnownUnit[]> {
  return tx<KnownUnit>`
    select id, name, deleted_at is not null as is_deleted from units where account_id = ${accountId} order by id`;
}

/** What is to be counted. */
export interface Wanted {
  accountId: number;
  /** All of the account's, or the one that is asked for. */
  unitIds: number[];
  /** Null: guests wherever they belong. */
  unitId: number | null;
  timeZone: string;
  /** On the account's clock. */
  now: string;
  /** Where the time before the range begins, where each of its buckets does, and the day after the last. */
  edges: string[];
}

/** Counts are given by place among the edges: 1 is the time before the range, 2 its first bucket. */
interface Placed {
  place: number;
}

const placeOf = (day: Sql, { edges }: Wanted) => sql`width_bucket(${day}, ${edges}::date[])`;

/** What is kept as an instant: edges are put on the account's clock once, and not every row. */
const instantPlace = (at: Sql, { edges, timeZone }: Wanted) =>
  sql`width_bucket(${at}, array(select day::timestamp at time zone ${timeZone} from unnest(${edges}::date[]) as day))`;
const inRange = (at: Sql, { edges, timeZone }: Wanted) =>
  sql`${at} >= ${edges[0]}::timestamp at time zone ${timeZone} and ${at} < ${edges.at(-1)}::timestamp at time zone ${timeZone}`;

export interface ConsentCount {
  guests: number;
  allow_email: number;
  allow_sms: number;
  allow_call: number;
  allow_snail_mail: number;
}

const guestsOf = (
  unitId: number,
) => sql`contact_units cu join contacts c on c.account_id = cu.account_id and c.id = cu.contact_id
  and cu.unit_id = ${unitId}`;

/** How many guests there are, and what they allow: in all by the tally, at a unit one by one. */
export async function countConsent(tx: Tx, { accountId, unitId }: Wanted): Promise<ConsentCount> {
  const channels = ['allow_email', 'allow_sms', 'allow_call', 'allow_snail_mail'];
  const rows =
    unitId === null
      ? await tx<ConsentCount>`
          select ${raw(['guests', ...channels].map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`).join(', '))}
          from guest_tallies where account_id = ${accountId}`
      : await tx<ConsentCount>`
          select count(*) as guests, ${raw(channels.map((name) => `count(*) filter (where ${name}) as ${name}`).join(', '))}
          from ${guestsOf(unitId)} where c.account_id = ${accountId} and c.merged_into is null`;
  return only(rows);
}

export function countNewGuests(tx: Tx, wanted: Wanted): Promise<(Placed & { count: number })[]> {
  const { accountId, unitId } = wanted;
  return tx<Placed & { count: number }>`
    select ${instantPlace(sql`c.created_at`, wanted)} as place, count(*) as count
    from ${unitId === null ? sql`contacts c` : guestsOf(unitId)}
    where c.account_id = ${accountId} and c.merged_into is null and ${inRange(sql`c.created_at`, wanted)}
    group by 1`;
}

const counts = ['purchases', 'pence', 'bookings', 'stays', 'promoters', 'passives', 'detractors'] as const;

export type DailyCount = Record<(typeof counts)[number], number> & {
  /** Null: of the whole range, at one unit. */
  place: number | null;
  /** Null: at all of the units. */
  unit_id: number | null;
};

/** What guests did, and how they rated it, by time and by unit: the tally is read once for both. */
export function countDays(tx: Tx, wanted: Wanted): Promise<DailyCount[]> {
  const { accountId, unitIds, now, edges } = wanted;
  const today = now.slice(0, 10);
  /** Of today, what has begun is not in the tally: only what is on that day. */
  const begunToday = (table: Sql, at: Sql, columns: Sql, condition: Sql) => sql`
    select ${placeOf(sql`${today}::date`, wanted)}, unit_id, ${columns} from ${table}
    where account_id = ${accountId} and unit_id = any(${unitIds}) and ${at} >= ${today}::timestamp and ${at} <= ${now}::timestamp
      and ${today}::date >= ${edges[0]}::date and ${today}::date < ${edges.at(-1)}::date and ${condition}
    group by unit_id`;
  const sums = raw(counts.map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`).join(', '));
  return tx<DailyCount>`
    with counted as materialized (
      select ${placeOf(sql`day`, wanted)} as place, unit_id, sum(purchases) as purchases, sum(pence) as pence,
        sum(bookings) filter (where day < ${today}::date) as bookings, sum(stays) filter (where day < ${today}::date) as stays,
        sum(promoters) as promoters, sum(passives) as passives, sum(detractors) as detractors
      from daily_tallies
      where account_id = ${accountId} and unit_id = any(${unitIds}) and day >= ${edges[0]}::date and day < ${edges.at(-1)}::date
      group by 1, 2
      union all
      ${begunToday(sql`bookings`, sql`party_datetime`, sql`0, 0, count(*), 0, 0, 0, 0`, sql`stage_value <> ${cancelledStage}`)}
      union all
      ${begunToday(sql`stays`, sql`checkin_date`, sql`0, 0, 0, count(*), 0, 0, 0`, sql`booking_status_id = any(${begunStatuses})`)})
    select place, null::bigint as unit_id, ${sums} from counted group by place
    union all
    select null, unit_id, ${sums} from counted where place > 1 group by unit_id`;
}

export function countRedeemed(tx: Tx, wanted: Wanted): Promise<(Placed & { count: number })[]> {
  const { accountId, unitIds } = wanted;
  return tx<Placed & { count: number }>`
    select ${instantPlace(sql`at`, wanted)} as place, count(*) as count from redemptions
    where account_id = ${accountId} and unit_id = any(${unitIds}) and ${inRange(sql`at`, wanted)}
    group by 1`;
}

export async function countWaiting(tx: Tx, { accountId, unitIds }: Wanted): Promise<number> {
  const rows = await tx<{ count: number }>`
    select count(*) as count from purchases
    where account_id = ${accountId} and contact_id is null and unit_id = any(${unitIds})`;
  return only(rows).count;
}
