import type { Tx } from '../../../platform/db/database.ts';
import { join, only, raw, type Sql, sql } from '../../../platform/db/sql.ts';
import { type TimelineKind, timelineKinds } from '../../../shared/codes.ts';
import { moneyFields, optionalFields } from '../../activity/stays/schema.ts';
import type { TimelineEntry } from './schema.ts';

/** The cursor: the position of the last entry. */
export interface Cursor {
  /** With microseconds, as redemptions have them. */
  at: string;
  kind: TimelineKind;
  id: number;
}

const wallClock = (time: Sql) => sql`to_char(${time}, 'YYYY-MM-DD HH24:MI:SS')`;

/**
 * The timeline of these contacts (one guest with its merged contacts) after the cursor, newest first. Each kind is read
 * only as far as the page needs, and details are loaded only for the entries of the page.
 */
export function selectTimeline(
  tx: Tx,
  accountId: number,
  contactIds: number[],
  wanted: TimelineKind | undefined,
  before: Cursor | undefined,
  limit: number,
): Promise<(TimelineEntry & { exactly_at: string })[]> {
  const { at, kind, id } = before ?? { at: 'infinity', kind: 'wifi', id: 0 };
  const page = (one: TimelineKind, time: Sql) => sql`${time} <= ${at}::timestamp
    and (${time}, ${one}::text, id) < (${at}::timestamp, ${kind}::text, ${id}::bigint) order by ${time} desc, id desc limit ${limit}`;
  /** Reads contact by contact, because the indexes are ordered within a contact. */
  const ofEach = (one: TimelineKind, table: string, time: Sql, unit: Sql, and: Sql = sql``) => sql`
    select ${one} as kind, entry.* from unnest(${contactIds}::bigint[]) as contact (id) cross join lateral (
      select id, ${time} as at, ${unit} as unit_id from ${raw(table)} activity
      where account_id = ${accountId} and contact_id = contact.id ${and} and ${page(one, time)}) as entry`;
  const unit = sql`unit_id`;
  const all: Record<TimelineKind, Sql> = {
    purchase: ofEach('purchase', 'purchases', sql`created_at`, unit),
    booking: sql`${ofEach('booking', 'bookings', sql`party_datetime`, unit)} union all
      ${ofEach('booking', 'bookings', sql`enquired_at`, unit, sql`and party_datetime is null`)}`,
    wifi: ofEach('wifi', 'wifi_interactions', sql`created_at`, unit),
    feedback: ofEach('feedback', 'feedback', sql`created_at`, unit),
    unique_code: ofEach(
      'unique_code',
      'unique_codes',
      sql`(redeemed_at at time zone (select time_zone from accounts where id = ${accountId}))`,
      sql`redeemed_unit_id`,
      sql`and redeemed_at is not null`,
    ),
    // The booker and the guest of a stay can be merged, so a stay can appear twice.
    stay: sql`
      select 'stay' as kind, entry.* from (
        select stay.* from (
          select distinct stay_id from stay_contacts where account_id = ${accountId} and contact_id = any(${contactIds})) as own
        cross join lateral (
          select id, checkin_date as at, unit_id from stays where account_id = ${accountId} and id = own.stay_id offset 0) as stay
        where ${page('stay', sql`at`)}) as entry`,
  };
  const selected = wanted === undefined ? Object.values(all) : [all[wanted]];
  const parts = timelineKinds.map(
    (one) => sql`case when kind = ${one} then (${detailsOf(accountId, contactIds)[one]}) end as ${raw(one)}`,
  );
  return tx<TimelineEntry & { exactly_at: string }>`
    with entry as materialized (
      select kind, id, at, unit_id from (${join(selected, ' union all ')}) as every
      order by at desc, kind desc, id desc limit ${limit})
    select kind, id, ${wallClock(sql`at`)} as at, to_char(at, 'YYYY-MM-DD HH24:MI:SS.US') as exactly_at, unit_id,
      (select name from units where account_id = ${accountId} and units.id = entry.unit_id) as unit_name, ${join(parts)}
    from entry order by entry.at desc, kind desc, id desc`;
}

/** The number of entries of each kind, and the sum of the purchases. */
export async function countTimeline(
  tx: Tx,
  accountId: number,
  contactIds: number[],
): Promise<Record<TimelineKind, number> & { pence: number }> {
  const of = (table: string) =>
    sql`from ${raw(table)} where account_id = ${accountId} and contact_id = any(${contactIds})`;
  const rows = await tx<Record<TimelineKind, number> & { pence: number }>`
    select purchase, pence, (select count(*) ${of('bookings')}) as booking,
      (select count(distinct stay_id) ${of('stay_contacts')}) as stay, (select count(*) ${of('wifi_interactions')}) as wifi,
      (select count(*) ${of('feedback')}) as feedback,
      (select count(*) ${of('unique_codes')} and redeemed_at is not null) as unique_code
    from (select count(*) as purchase, coalesce(sum(total_pence), 0)::float8 as pence ${of('purchases')}) as bought`;
  return only(rows);
}

const stayFields = raw(
  [
    ...[
      'provider_id',
      'stay_reference',
      'room_type_id',
      'total_guests',
      'booking_enquiry_source_id',
      'booking_status_id',
    ],
    ...optionalFields.filter((field) => !moneyFields.some((name) => name === field)),
    ...moneyFields.map((field) => `${field}::float8`),
    'extras',
  ].join(', '),
);

/** The fields that depend on the kind of the entry. */
function detailsOf(accountId: number, contactIds: number[]): Record<TimelineKind, Sql> {
  const named = (table: string, id: Sql) =>
    sql`(select name from ${raw(table)} named where account_id = ${accountId} and named.id = ${id})`;
  const one = (table: string, fields: Sql) => sql`
    select to_jsonb(part) from (
      select ${fields} from ${raw(table)} activity where account_id = ${accountId} and activity.id = entry.id) as part`;
  const own = (flag: 'booker' | 'guest') => sql`(
    select bool_or(${raw(flag)}) from stay_contacts
    where account_id = ${accountId} and stay_id = activity.id and contact_id = any(${contactIds})) as ${raw(flag)}`;
  const clock = (name: string) => sql`${wallClock(raw(name))} as ${raw(name)}`;
  return {
    purchase: one(
      'purchases',
      sql`transaction_reference, provider_id, order_type_id, matched_by, lines, (
        select coalesce(sum((line ->> 'value')::numeric), 0)::numeric(20, 2)::text from jsonb_array_elements(lines) as line) as total`,
    ),
    booking: one(
      'bookings',
      sql`booking_reference, provider_id, stage_value, type_id, source_id, ${named('booking_sources', sql`activity.source_id`)} as source_name,
        ${wallClock(sql`enquired_at`)} as party_enquirytime, ${clock('party_datetime')}, party_size, deposit_paid::text, table_numbers`,
    ),
    stay: one(
      'stays',
      sql`${stayFields}, ${own('booker')}, ${own('guest')}, ${clock('enquiry_date')}, ${clock('checkin_date')}, ${clock('checkout_date')},
        ${named('providers', sql`activity.provider_id`)} as provider_name,
        ${named('booking_sources', sql`activity.booking_enquiry_source_id`)} as booking_enquiry_source_name`,
    ),
    wifi: one('wifi_interactions', sql`hotspot_name, mac_address, device_type, interaction_type`),
    feedback: one(
      'feedback',
      sql`type_id, source_id, comments, (
        select coalesce(jsonb_agg(jsonb_build_object('category_id', category_id,
          'category_name', ${named('feedback_categories', sql`rating.category_id`)}, 'rating_text', rating_text,
          'contact_note', contact_note) order by rating.id), '[]')
        from feedback_ratings rating where rating.account_id = ${accountId} and rating.feedback_id = activity.id) as ratings`,
    ),
    unique_code: one(
      'unique_codes',
      sql`unique_code, group_id as unique_code_group_id, ${named('unique_code_groups', sql`activity.group_id`)} as unique_code_group_name`,
    ),
  };
}
