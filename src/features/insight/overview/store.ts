import type { Tx } from '../../../platform/db/database.ts';
import { join, only, type Sql, sql } from '../../../platform/db/sql.ts';
import { cancelledStage, npsCategory } from '../../../shared/codes.ts';
import { type GuestCounts, startedStatuses } from '../../figures/schema.ts';

export interface KnownUnit {
  id: number;
  name: string;
  is_deleted: boolean;
}

/** Includes deleted units, because their history stays. */
export function selectAllUnits(tx: Tx, accountId: number): Promise<KnownUnit[]> {
  return tx<KnownUnit>`
    select id, name, deleted_at is not null as is_deleted from units where account_id = ${accountId} order by id`;
}

/** The scope of the counts. */
export interface CountScope {
  accountId: number;
  /** All units of the account, or the requested one. */
  unitIds: number[];
  /** The unit of the contacts. Null: all units. */
  unitId: number | null;
  timeZone: string;
  /** The current time in the account's time zone. */
  now: string;
  /** The start of the earlier range, the start of each bucket, and the day after the last. */
  edges: string[];
}

/**
 * `place` is the position between the edges: 1 is the range before, 2 the first bucket. Edges are days in the account's
 * time zone. For columns with instants, the edges are converted once.
 */
interface BucketCount {
  place: number;
}

const clockEdges = ({ edges }: CountScope) => sql`${edges}::timestamp[]`;
const instantEdges = ({ edges, timeZone }: CountScope) =>
  sql`array(select day at time zone ${timeZone} from unnest(${edges}::timestamp[]) as day)`;

const clockRange = (at: Sql, { edges }: CountScope) =>
  sql`${at} >= ${edges[0]}::timestamp and ${at} < ${edges.at(-1)}::timestamp`;
const instantRange = (at: Sql, { edges, timeZone }: CountScope) =>
  sql`${at} >= ${edges[0]}::timestamp at time zone ${timeZone} and ${at} < ${edges.at(-1)}::timestamp at time zone ${timeZone}`;

export type GuestCount = BucketCount & GuestCounts;

/** Counts each contact once, by its creation time, including contacts before and after all edges. */
export function countGuests(tx: Tx, scope: CountScope): Promise<GuestCount[]> {
  const { accountId, unitId } = scope;
  const there = sql`join contact_units cu on cu.account_id = c.account_id and cu.contact_id = c.id and cu.unit_id = ${unitId}`;
  return tx<GuestCount>`
    select width_bucket(c.created_at, ${instantEdges(scope)}) as place, count(*) as guests,
      count(*) filter (where allow_email) as allow_email, count(*) filter (where allow_sms) as allow_sms,
      count(*) filter (where allow_call) as allow_call, count(*) filter (where allow_snail_mail) as allow_snail_mail
    from contacts c ${unitId === null ? sql`` : there}
    where c.account_id = ${accountId} and c.merged_into is null
    group by 1`;
}

export interface VisitCount {
  /** Null: the whole range at one unit. */
  place: number | null;
  /** Null: all units. */
  unit_id: number | null;
  purchases: number;
  bookings: number;
  stays: number;
  pence: number;
}

/** The activity by time and by unit. The rows are read once for both. */
export function countVisits(tx: Tx, scope: CountScope): Promise<VisitCount[]> {
  const { accountId, unitIds, now } = scope;
  const countRows = (table: Sql, at: Sql, columns: Sql, condition = sql``) => sql`
    select width_bucket(${at}, ${clockEdges(scope)}) as place, unit_id, ${columns} from ${table}
    where account_id = ${accountId} and unit_id = any(${unitIds}) and ${clockRange(at, scope)} ${condition}
    group by 1, 2`;
  const parts = [
    countRows(
      sql`purchases`,
      sql`created_at`,
      sql`count(*) as purchases, 0 as bookings, 0 as stays, sum(total_pence) as pence`,
    ),
    countRows(
      sql`bookings`,
      sql`party_datetime`,
      sql`0, count(*), 0, 0`,
      sql`and party_datetime <= ${now}::timestamp and stage_value <> ${cancelledStage}`,
    ),
    countRows(
      sql`stays`,
      sql`checkin_date`,
      sql`0, 0, count(*), 0`,
      sql`and checkin_date <= ${now}::timestamp and booking_status_id = any(${startedStatuses})`,
    ),
  ];
  const sums = sql`sum(purchases)::bigint as purchases, sum(bookings)::bigint as bookings, sum(stays)::bigint as stays,
    sum(pence)::float8 as pence`;
  return tx<VisitCount>`
    with visits as materialized (${join(parts, ' union all ')})
    select place, null::bigint as unit_id, ${sums} from visits group by place
    union all
    select null, unit_id, ${sums} from visits where place > 1 group by unit_id`;
}

export interface NpsCount extends BucketCount {
  promoters: number;
  passives: number;
  detractors: number;
}

export function countNps(tx: Tx, scope: CountScope): Promise<NpsCount[]> {
  const { accountId, unitIds } = scope;
  return tx<NpsCount>`
    select place, count(*) filter (where rating >= 9) as promoters, count(*) filter (where rating >= 7 and rating < 9) as passives,
      count(*) filter (where rating < 7) as detractors
    from (
      select width_bucket(f.created_at, ${clockEdges(scope)}) as place, r.rating_text::numeric as rating
      from feedback f join feedback_ratings r on r.account_id = f.account_id and r.feedback_id = f.id and r.category_id = ${npsCategory}
      where f.account_id = ${accountId} and f.unit_id = any(${unitIds}) and ${clockRange(sql`f.created_at`, scope)}) as answers
    group by 1`;
}

export function countRedeemed(tx: Tx, scope: CountScope): Promise<(BucketCount & { count: number })[]> {
  const { accountId, unitIds } = scope;
  return tx<BucketCount & { count: number }>`
    select width_bucket(redeemed_at, ${instantEdges(scope)}) as place, count(*) as count from unique_codes
    where account_id = ${accountId} and redeemed_unit_id = any(${unitIds}) and ${instantRange(sql`redeemed_at`, scope)}
    group by 1`;
}

/** Redemptions that wait to be added to the kept counts (a SELECT). Those that were taken back count as -1. */
export const waitingRedemptions = ({ accountId, timeZone }: CountScope) => sql`
  select waiting.account_id, waiting.group_id, (entry.at at time zone ${timeZone})::date as day, entry.unit_id, entry.redeemed
  from changed_unique_codes waiting
  cross join lateral jsonb_to_recordset(waiting.entries) as entry (unit_id bigint, at timestamptz, redeemed integer)
  where waiting.account_id = ${accountId} and entry.redeemed <> 0`;

export async function countWaiting(tx: Tx, { accountId, unitIds }: CountScope): Promise<number> {
  const rows = await tx<{ count: number }>`
    select count(*) as count from purchases
    where account_id = ${accountId} and contact_id is null and unit_id = any(${unitIds})`;
  return only(rows).count;
}
