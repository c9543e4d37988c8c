import type { Tx } from '../../platform/db/database.ts';
import { join, raw, type Sql, sql } from '../../platform/db/sql.ts';
import { cancelledStage, consentsInSql, npsCategory } from '../../shared/codes.ts';
import { type ActivityKind, activityKinds, dayCounts, noVisitStatuses } from './schema.ts';

/*
 * What counts as activity, once: the writers, the filling of old data and the check all use these statements.
 */

/** The time zone and the current day of the account. */
export const timeZoneOf = (accountId: number) => sql`(select time_zone from accounts where id = ${accountId})`;
export const todayOf = (tx: Tx, accountId: number) =>
  sql`(select (${tx.now} at time zone time_zone)::date from accounts where id = ${accountId})`;

interface Source {
  /** The columns of contact_days that this kind sets, as aggregates over the rows. */
  counts: Record<string, Sql>;
  /** The rows of one contact, with their unit and day. */
  rows(of: SourceOf): Sql;
}

interface SourceOf {
  accountId: number;
  contactId: Sql;
  timeZone: Sql;
  /** Only the rows of a day at a unit: an item of the FROM list with `day`, `unit_id`, and `timesOfDay`. */
  on: string | undefined;
}

/** The limit of a sum. Only made-up amounts reach it, and they must not make writes fail. */
const mostPence = raw('9000000000000000000');
export const sumOfPence = (pence: Sql) =>
  sql`least(greatest(coalesce(sum(${pence}), 0), -${mostPence}), ${mostPence})::bigint`;

/** The sum of two sums. Numbers without limits are slower, so they are used for made-up amounts only. */
export const addPence = (kept: Sql, added: Sql) =>
  sql`case when abs(${kept}) < 4000000000000000000 then ${kept} + ${added} else least(greatest(${kept}::numeric + ${added}, -${mostPence}), ${mostPence})::bigint end`;

/**
 * The first time of a day, and that of the next one, for a subquery that ends with `offset 0`. Under row-level security an
 * index on a time is used only if the bounds are columns: a conversion in the condition itself might leak a row.
 */
export const timesOfDay = (day: Sql) => sql`
  (${day})::timestamp as begins, (${day})::timestamp + interval '1 day' as ends`;

const onDay = (time: Sql, on: SourceOf['on']) =>
  on ? sql`and ${time} >= ${raw(on)}.begins and ${time} < ${raw(on)}.ends` : sql``;

export const sources: Record<ActivityKind, Source> = {
  purchases: {
    counts: { purchases: sql`count(*)::integer`, pence: sumOfPence(sql`total_pence`) },
    rows: ({ accountId, contactId, on }) => sql`
      select unit_id, created_at::date as day, total_pence from purchases
      where account_id = ${accountId} and contact_id = ${contactId} ${onDay(sql`created_at`, on)}`,
  },
  bookings: {
    counts: {
      bookings: sql`(count(*) filter (where not is_cancelled and has_date))::integer`,
      enquiries: sql`(count(*) filter (where not is_cancelled and not has_date))::integer`,
      cancelled_bookings: sql`(count(*) filter (where is_cancelled))::integer`,
    },
    rows: ({ accountId, contactId, on }) => {
      const rows = (time: Sql, has: Sql) => sql`
        select unit_id, ${time}::date as day, stage_value = ${cancelledStage} as is_cancelled, ${has} as has_date from bookings
        where account_id = ${accountId} and contact_id = ${contactId} and (party_datetime is not null) = ${has} ${onDay(time, on)}`;
      return sql`${rows(sql`party_datetime`, sql`true`)} union all ${rows(sql`enquired_at`, sql`false`)}`;
    },
  },
  stays: {
    // A stay of a booker and a guest that were merged is one stay.
    counts: { stays: sql`count(distinct stay_id)::integer` },
    rows: ({ accountId, contactId, on }) => {
      const counted = sql`account_id = ${accountId} and booking_status_id <> all(${noVisitStatuses}::int[])`;
      const columns = sql`unit_id, checkin_date::date as day, id as stay_id`;
      const link = sql`account_id = ${accountId} and contact_id = ${contactId}`;
      // A contact can have many stays, and a unit few on a day.
      return on
        ? sql`
          select stay.* from (
            select ${columns} from stays where ${counted} and unit_id = ${raw(on)}.unit_id ${onDay(sql`checkin_date`, on)} offset 0) as stay
          where exists (select from stay_contacts link where ${link} and link.stay_id = stay.stay_id)`
        : sql`
          select stay.* from stay_contacts link cross join lateral (
            select ${columns} from stays where ${counted} and id = link.stay_id offset 0) as stay
          where ${link}`;
    },
  },
  wifi: {
    counts: { wifi: sql`count(*)::integer` },
    rows: ({ accountId, contactId, on }) => sql`
      select unit_id, created_at::date as day from wifi_interactions
      where account_id = ${accountId} and contact_id = ${contactId} and interaction_type <> 'detected' ${onDay(sql`created_at`, on)}`,
  },
  vouchers: {
    counts: { vouchers_redeemed: sql`count(*)::integer` },
    rows: ({ accountId, contactId, timeZone, on }) => sql`
      select redeemed_unit_id as unit_id, (redeemed_at at time zone ${timeZone})::date as day from unique_codes
      where account_id = ${accountId} and contact_id = ${contactId} and redeemed_at is not null
        ${on ? sql`and (redeemed_at at time zone ${timeZone})::date = ${raw(on)}.day` : sql``}`,
  },
};

/** The contacts among these that are not merged into another, for `daysFromActivity` and `sumsFromDays`. */
export const survivorsAmong = (accountId: number, contactIds: number[]) => sql`
  select c.id, ${raw(consentsInSql)} as consents from contacts c
  where c.account_id = ${accountId} and c.id = any(${contactIds}::bigint[]) and c.merged_into is null`;

/** The contacts that were merged into this one, and itself. */
export const lineageOf = (accountId: number, contactId: Sql) => sql`
  select ${contactId} as id union all
  select id from contacts where account_id = ${accountId} and merged_into = ${contactId}`;

/** All days of these contacts (a SELECT), from their activity: contact_id, day, unit_id and the counts. */
export function daysFromActivity(accountId: number, contacts: Sql, timeZone: Sql): Sql {
  const of = (kind: ActivityKind) => {
    const { counts, rows } = sources[kind];
    const columns = dayCounts.map((name) => sql`${counts[name] ?? raw('0')} as ${raw(name)}`);
    return sql`
      select guest.id as contact_id, activity.day, activity.unit_id, ${join(columns)}
      from (${contacts}) as guest (id)
      cross join lateral (${lineageOf(accountId, sql`guest.id`)}) as member
      cross join lateral (${rows({ accountId, contactId: sql`member.id`, timeZone, on: undefined })}) as activity
      group by 1, 2, 3`;
  };
  const sums = dayCounts.map(
    (name) => sql`sum(${raw(name)})::${raw(name === 'pence' ? 'bigint' : 'integer')} as ${raw(name)}`,
  );
  return sql`
    select contact_id, day, unit_id, ${join(sums)} from (${join(activityKinds.map(of), ' union all ')}) as kind
    group by 1, 2, 3`;
}

/** The sums over the days of one contact, for contact_figures. */
const sumColumns = {
  visits: sql`(count(distinct day) filter (where visited and day <= today))::integer`,
  first_visit: sql`min(day) filter (where visited and day <= today)`,
  last_visit: sql`max(day) filter (where visited and day <= today)`,
  recent_visits: sql`coalesce((array_agg(distinct day order by day desc) filter (where visited and day <= today))[1:50], '{}')`,
  purchases: sql`coalesce(sum(purchases), 0)::integer`,
  purchase_days: sql`(count(distinct day) filter (where purchases > 0))::integer`,
  pence: sumOfPence(sql`pence`),
  bookings: sql`coalesce(sum(bookings + enquiries), 0)::integer`,
  cancelled_bookings: sql`coalesce(sum(cancelled_bookings), 0)::integer`,
  stays: sql`coalesce(sum(stays), 0)::integer`,
  vouchers_redeemed: sql`coalesce(sum(vouchers_redeemed), 0)::integer`,
  next_day: sql`min(day) filter (where visited and day > today)`,
} as const satisfies Record<string, Sql>;

/** The latest NPS rating of a contact and its day: one row, or none. */
const latestNps = (accountId: number, contactId: Sql) => sql`
  select rating_text::numeric as nps, created_at::date as nps_day
  from (${lineageOf(accountId, contactId)}) as member
  cross join lateral (
    select id, created_at from feedback where account_id = ${accountId} and contact_id = member.id offset 0) as given
  cross join lateral (
    select id as rating_id, rating_text from feedback_ratings
    where account_id = ${accountId} and feedback_id = given.id and category_id = ${npsCategory} offset 0) as rating
  order by created_at desc, given.id desc, rating_id desc limit 1`;

const npsNames = ['nps', 'nps_day'];

/** The columns that `sumsFromDays` returns, after the contact. */
export const figureNames = (withNps: boolean) => [...Object.keys(sumColumns), 'consents', ...(withNps ? npsNames : [])];

/** The sums of these contacts (a SELECT), from their days. `withNps` also finds the latest NPS rating. */
export function sumsFromDays(accountId: number, contacts: Sql, today: Sql, withNps: boolean): Sql {
  const sums = Object.entries(sumColumns).map(([name, sum]) => sql`${sum} as ${raw(name)}`);
  const nps = withNps ? sql`left join lateral (${latestNps(accountId, sql`guest.id`)}) as nps on true` : sql``;
  return sql`
    select guest.id as contact_id, summed.*, guest.consents ${withNps ? sql`, nps.nps, nps.nps_day` : sql``}
    from (${contacts}) as guest
    cross join lateral (
      select ${join(sums)} from contact_days cross join (select ${today} as today) as clock
      where account_id = ${accountId} and contact_id = guest.id) as summed ${nps}`;
}
