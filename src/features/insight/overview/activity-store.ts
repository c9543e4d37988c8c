import type { Tx } from '../../../platform/db/database.ts';
import { raw, type Sql, sql } from '../../../platform/db/sql.ts';
import { type ActivityKind, cancelledStage, type NpsPart, npsCategory } from '../../../shared/codes.ts';
import { startedStatuses } from '../../figures/schema.ts';
import type { ActivityEntry } from './activity-schema.ts';
import type { CountScope } from './store.ts';

/** The position of the last entry. */
export interface Cursor {
  /** With microseconds. */
  at: string;
  id: number;
}

export interface ActivityRow extends Pick<ActivityEntry, 'id' | 'at' | 'unit' | 'contact'> {
  exactly_at: string;
  /** The fields that depend on the kind. */
  facts: NonNullable<ActivityEntry['purchase' | 'booking' | 'stay' | 'rating']>;
}

/** How a kind is read. */
interface Source {
  /** The rows that count, of the unit `unit.id`. */
  from: Sql;
  id: Sql;
  time: Sql;
  /** What the list and an index are both ordered by: the time, or its day. */
  order: Sql;
  /** A condition on the position that the index serves. */
  notAfter: (at: string) => Sql;
  /** The contact and the facts of `entry.id`. */
  details: Sql;
}

const wallClock = (time: Sql) => sql`to_char(${time}, 'YYYY-MM-DD HH24:MI:SS')`;

/** The same ratings as in the counts of the overview. The texts of other categories need not be numbers. */
function isPart(part: NpsPart): Sql {
  const rating = sql`case when answer.category_id = ${npsCategory} then answer.rating_text::numeric end`;
  if (part === 'promoters') return sql`${rating} >= 9`;
  if (part === 'detractors') return sql`${rating} < 7`;
  return sql`${rating} >= 7 and ${rating} < 9`;
}

function sourceOf(kind: ActivityKind, scope: CountScope, nps: NpsPart | undefined): Source {
  const { accountId, edges, now } = scope;
  const [from, until] = [edges[0], edges.at(-1)];
  const inRange = (time: Sql) => sql`${time} >= ${from}::timestamp and ${time} < ${until}::timestamp`;
  const timed = (table: string, time: Sql, details: Sql, counts = sql``): Source => ({
    from: sql`${raw(table)} activity
      where activity.account_id = ${accountId} and activity.unit_id = unit.id and ${inRange(time)} ${counts}`,
    id: sql`activity.id`,
    time,
    order: time,
    notAfter: (at) => sql`${time} <= ${at}::timestamp`,
    details,
  });
  switch (kind) {
    case 'purchases':
      return timed(
        'purchases',
        sql`activity.created_at`,
        sql`select contact_id, jsonb_build_object('transaction_reference', transaction_reference,
            'total', (total_pence / 100.0)::numeric(20, 2)::text, 'is_waiting', contact_id is null) as facts
          from purchases where account_id = ${accountId} and id = entry.id`,
      );
    case 'bookings':
      // The index has the day, so each unit's bookings are read day by day.
      return {
        from: sql`bookings activity
          where activity.account_id = ${accountId} and activity.unit_id = unit.id
            and activity.party_day >= ${from}::date and activity.party_day < ${until}::date
            and activity.party_datetime <= ${now}::timestamp and activity.stage_value <> ${cancelledStage}`,
        id: sql`activity.id`,
        time: sql`activity.party_datetime`,
        order: sql`activity.party_day`,
        notAfter: (at) => sql`activity.party_day <= ${at.slice(0, 10)}::date`,
        details: sql`select contact_id, jsonb_build_object('booking_reference', booking_reference,
            'stage_value', stage_value, 'party_size', party_size) as facts
          from bookings where account_id = ${accountId} and id = entry.id`,
      };
    case 'stays':
      return timed(
        'stays',
        sql`activity.checkin_date`,
        // A guest of the stay comes before its booker.
        sql`select (
            select contact_id from stay_contacts where account_id = ${accountId} and stay_id = entry.id
            order by guest desc, contact_id limit 1) as contact_id,
          jsonb_build_object('stay_reference', stay_reference, 'checkin_date', ${wallClock(sql`checkin_date`)},
            'checkout_date', ${wallClock(sql`checkout_date`)}, 'booking_status_id', booking_status_id,
            'total_guests', total_guests) as facts
          from stays where account_id = ${accountId} and id = entry.id`,
        sql`and activity.checkin_date <= ${now}::timestamp and activity.booking_status_id = any(${startedStatuses})`,
      );
    case 'ratings':
      return {
        // The ratings of each feedback are few. Without `offset 0`, a plan without statistics may read all of the category.
        from: sql`feedback activity cross join lateral (
            select id, category_id, rating_text from feedback_ratings
            where account_id = ${accountId} and feedback_id = activity.id offset 0) as answer
          where activity.account_id = ${accountId} and activity.unit_id = unit.id and ${inRange(sql`activity.created_at`)}
            and answer.category_id = ${npsCategory} ${nps === undefined ? sql`` : sql`and ${isPart(nps)}`}`,
        id: sql`answer.id`,
        time: sql`activity.created_at`,
        order: sql`activity.created_at`,
        notAfter: (at) => sql`activity.created_at <= ${at}::timestamp`,
        details: sql`select given.contact_id, jsonb_build_object('rating', rating_text::numeric, 'feedback_id', given.id) as facts
          from feedback_ratings answer join feedback given on given.account_id = ${accountId} and given.id = answer.feedback_id
          where answer.account_id = ${accountId} and answer.id = entry.id`,
      };
  }
}

/**
 * The activity after the cursor, newest first. Each unit is read only as far as the page needs: the index has the order
 * of the inner list, so that no plan sorts all rows of the unit. The ties at its end are ordered by the outer list.
 * Names and facts are loaded only for the entries of the page.
 */
export function selectActivity(
  tx: Tx,
  scope: CountScope,
  { kind, nps }: { kind: ActivityKind; nps: NpsPart | undefined },
  cursor: Cursor | undefined,
  limit: number,
): Promise<ActivityRow[]> {
  const { accountId, unitIds } = scope;
  const { from, id, time, order, notAfter, details } = sourceOf(kind, scope, nps);
  const after =
    cursor === undefined
      ? sql``
      : sql`and ${notAfter(cursor.at)} and (${time}, ${id}) < (${cursor.at}::timestamp, ${cursor.id}::bigint)`;
  return tx<ActivityRow>`
    with entry as materialized (
      select found.* from unnest(${unitIds}::bigint[]) as unit (id) cross join lateral (
        select ${id} as id, ${time} as at, activity.unit_id from ${from} ${after}
        order by ${order} desc fetch first (${limit}::bigint) rows with ties) as found
      order by found.at desc, found.id desc limit ${limit})
    select entry.id, ${wallClock(sql`entry.at`)} as at, to_char(entry.at, 'YYYY-MM-DD HH24:MI:SS.US') as exactly_at,
      (select jsonb_build_object('id', id, 'name', name) from units where account_id = ${accountId} and id = entry.unit_id) as unit,
      person.contact, detail.facts
    from entry
    cross join lateral (${details} offset 0) as detail
    left join lateral (
      select jsonb_build_object('id', survivor.id,
        'name', nullif(concat_ws(' ', nullif(survivor.first_name, ''), nullif(survivor.last_name, '')), '')) as contact
      from contacts own cross join lateral (
        select id, first_name, last_name from contacts
        where account_id = ${accountId} and id = coalesce(own.merged_into, own.id) offset 0) as survivor
      where own.account_id = ${accountId} and own.id = detail.contact_id) as person on true
    order by entry.at desc, entry.id desc`;
}
