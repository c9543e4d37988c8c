import { type Run, raw } from '../../src/platform/db/sql.ts';

/** The days of every contact, counted from its activity without the code of the figures. */
const activity = raw(`
  counted as (
    select account_id, coalesce(merged_into, contact_id) as contact_id, day, unit_id, sum(purchases)::int as purchases, sum(pence)::bigint as pence,
      sum(bookings)::int as bookings, sum(enquiries)::int as enquiries, sum(cancelled)::int as cancelled_bookings,
      count(distinct stay_id)::int as stays, sum(wifi)::int as wifi, sum(vouchers)::int as vouchers_redeemed, bool_or(visited) as visited
    from (
      select account_id, contact_id, created_at::date as day, unit_id, 1 as purchases, total_pence as pence, 0 as bookings, 0 as enquiries,
        0 as cancelled, null::bigint as stay_id, 0 as wifi, 0 as vouchers, true as visited
      from purchases where contact_id is not null
      union all
      select account_id, contact_id, coalesce(party_datetime, enquired_at)::date, unit_id, 0, 0, (stage_value <> 550 and party_datetime is not null)::int,
        (stage_value <> 550 and party_datetime is null)::int, (stage_value = 550)::int, null, 0, 0, stage_value <> 550 and party_datetime is not null
      from bookings
      union all
      select s.account_id, l.contact_id, s.checkin_date::date, s.unit_id, 0, 0, 0, 0, 0, s.id, 0, 0, true
      from stays s join stay_contacts l on l.account_id = s.account_id and l.stay_id = s.id where s.booking_status_id not in (5, 6)
      union all
      select account_id, contact_id, created_at::date, unit_id, 0, 0, 0, 0, 0, null, 1, 0, true
      from wifi_interactions where interaction_type <> 'detected'
      union all
      select u.account_id, contact_id, (redeemed_at at time zone time_zone)::date, redeemed_unit_id, 0, 0, 0, 0, 0, null, 0, 1, true
      from unique_codes u join accounts a on a.id = u.account_id where contact_id is not null and redeemed_at is not null) as activity
    join (select account_id, id as contact_id, merged_into from contacts) as contact using (account_id, contact_id)
    group by 1, 2, 3, 4)`);

/** The activity of every unit by day, counted without the code of the kept counts. */
const unitActivity = raw(`
  units_counted as (
    select account_id, day, unit_id, sum(purchases)::int as purchases, sum(pence)::bigint as pence, sum(waiting)::int as waiting, sum(bookings)::int as bookings,
      sum(stays)::int as stays, sum(promoters)::int as promoters, sum(passives)::int as passives, sum(detractors)::int as detractors
    from (
      select account_id, created_at::date as day, unit_id, 1 as purchases, total_pence as pence, (contact_id is null)::int as waiting, 0 as bookings, 0 as stays,
        0 as promoters, 0 as passives, 0 as detractors
      from purchases
      union all
      select account_id, party_datetime::date, unit_id, 0, 0, 0, 1, 0, 0, 0, 0 from bookings where party_datetime is not null and stage_value <> 550
      union all
      select account_id, checkin_date::date, unit_id, 0, 0, 0, 0, 1, 0, 0, 0 from stays where booking_status_id in (3, 4, 7)
      union all
      select f.account_id, f.created_at::date, f.unit_id, 0, 0, 0, 0, 0, (r.rating_text::numeric >= 9)::int,
        (r.rating_text::numeric >= 7 and r.rating_text::numeric < 9)::int, (r.rating_text::numeric < 7)::int
      from feedback f join feedback_ratings r on r.account_id = f.account_id and r.feedback_id = f.id and r.category_id = 4) as activity
    group by 1, 2, 3)`);

/** The codes of every group by day and unit, and the changes that wait to be added to the kept counts. */
const codeActivity = raw(`
  codes_counted as (
    select account_id, group_id, (time at time zone time_zone)::date as day, unit_id, sum(made)::int as made, sum(assigned)::int as assigned, sum(redeemed)::int as redeemed
    from (
      select account_id, group_id, created_at as time, 0 as unit_id, 1 as made, 0 as assigned, 0 as redeemed from unique_codes
      union all select account_id, group_id, assigned_at, 0, 0, 1, 0 from unique_codes where contact_id is not null
      union all select account_id, group_id, redeemed_at, redeemed_unit_id, 0, 0, 1 from unique_codes where redeemed_at is not null) as code
    join (select id as account_id, time_zone from accounts where unit_days_filled_at is not null) as account using (account_id)
    group by 1, 2, 3, 4),
  codes_waiting as (
    select account_id, group_id, (time at time zone time_zone)::date as day, unit_id, sum(made)::int as made, sum(assigned)::int as assigned, sum(redeemed)::int as redeemed
    from (
      select account_id, group_id, (entry ->> 'at')::timestamptz as time, coalesce((entry ->> 'unit_id')::bigint, 0) as unit_id,
        coalesce((entry ->> 'made')::int, 0) as made, coalesce((entry ->> 'assigned')::int, 0) as assigned, coalesce((entry ->> 'redeemed')::int, 0) as redeemed
      from (select account_id, group_id, jsonb_array_elements(entries) as entry from changed_unique_codes) as waiting) as code
    join (select id as account_id, time_zone from accounts where unit_days_filled_at is not null) as account using (account_id)
    group by 1, 2, 3, 4)`);

/**
 * Checks the invariants of every account. Returns the violating rows by invariant, or an empty object. `now` is the clock
 * of the service, if it is not that of the database.
 */
export async function violations(sql: Run, now: Date | null = null): Promise<Record<string, unknown[]>> {
  const findings = {
    'flags that the ledger does not explain': await sql`
      select c.id, channel, given, coalesce(ledger.to_given, false) as ledger from contacts c
      cross join lateral (values ('sms', allow_sms), ('email', allow_email), ('call', allow_call), ('snail_mail', allow_snail_mail)) as flag (channel, given)
      left join lateral (
        select to_given from consent_ledger l where l.account_id = c.account_id and l.contact_id = c.id and l.channel = flag.channel and l.applied
        order by id desc limit 1) as ledger on true
      where given <> coalesce(ledger.to_given, false)`,
    'ledger entries that don’t follow from the one before': await sql`
      select contact_id, channel, id from (
        select *, lag(to_given, 1, false) over (partition by account_id, contact_id, channel order by id) as before
        from consent_ledger where applied) as entry
      where from_given <> before or from_given = to_given`,
    'consents that a merge gave over a withdrawal': await sql`
      select contact_id, channel, id from (
        select *, lag(to_given, 1, true) over (partition by account_id, contact_id, channel order by id) as before
        from consent_ledger where applied and rule is distinct from 'undo') as entry
      where rule = 'merge' and to_given and not before`,
    'contacts that own nothing': await sql`
      select id from contacts c where merged_into is null and not exists (
        select from identities i join contacts m on m.account_id = i.account_id and m.id = i.contact_id
        where i.account_id = c.account_id and i.kind in ('email', 'mobile') and coalesce(m.merged_into, m.id) = c.id)`,
    'e-mails that identify another contact': await sql`
      select c.id, c.email from contacts c where merged_into is null and email is not null and not exists (
        select from identities i join contacts m on m.account_id = i.account_id and m.id = i.contact_id
        where i.account_id = c.account_id and i.kind = 'email' and i.value = c.email and coalesce(m.merged_into, m.id) = c.id)`,
    'merges into a contact that is merged itself': await sql`
      select c.id from contacts c join contacts m on m.account_id = c.account_id and m.id = c.merged_into where m.merged_into is not null`,
    'purchases that wait though what they wait for is there': await sql`
      select p.id from purchases p join accounts a on a.id = p.account_id where p.contact_id is null and (
        exists (select from bookings b where b.account_id = p.account_id and b.booking_reference = p.booking_reference)
        or exists (select from identities i where i.account_id = p.account_id
          and (i.kind, i.value) in (('membership', p.membership_number), ('card', p.card_reference)))
        or exists (select from unique_codes c where c.account_id = p.account_id and c.unique_code = p.unique_code and c.contact_id is not null
          and (c.group_id = p.unique_code_group_id or p.unique_code_group_id is null))
        or exists (select from bookings b where b.account_id = p.account_id and b.unit_id = p.unit_id and b.stage_value <> 550
          and b.party_datetime::date = p.created_at::date and p.table_number = any(b.table_numbers)
          and (b.party_datetime at time zone a.time_zone) - (p.created_at at time zone a.time_zone) between interval '-3 hours' and interval '3 hours'))`,
    'days of contacts that differ from their activity': await sql`
      with ${activity} select coalesce(kept.contact_id, counted.contact_id) as contact_id, coalesce(kept.day, counted.day)::text as day, kept, counted
      from (
        select account_id, contact_id, day, unit_id, purchases, pence, bookings, enquiries, cancelled_bookings, stays, wifi, vouchers_redeemed, visited
        from contact_days where purchases + bookings + enquiries + cancelled_bookings + stays + wifi + vouchers_redeemed > 0) as kept
      full join counted on counted.account_id = kept.account_id and counted.contact_id = kept.contact_id and counted.day = kept.day and counted.unit_id = kept.unit_id
      where kept is distinct from counted`,
    'figures of contacts that differ from their activity': await sql`
      with ${activity}, summed as (
        select account_id, contact_id, (count(distinct day) filter (where visited and day <= today))::int as visits,
          min(day) filter (where visited and day <= today) as first_visit, max(day) filter (where visited and day <= today) as last_visit,
          coalesce((array_agg(distinct day order by day desc) filter (where visited and day <= today))[1:50], '{}') as recent_visits,
          sum(purchases)::int as purchases, (count(distinct day) filter (where purchases > 0))::int as purchase_days, sum(pence)::bigint as pence,
          sum(bookings + enquiries)::int as bookings, sum(cancelled_bookings)::int as cancelled_bookings, sum(stays)::int as stays,
          sum(vouchers_redeemed)::int as vouchers_redeemed, min(day) filter (where visited and day > today) as next_day
        from counted join (select id as account_id, (coalesce(${now}::timestamptz, now()) at time zone time_zone)::date as today from accounts) as clock using (account_id)
        group by account_id, contact_id)
      select coalesce(kept.contact_id, summed.contact_id) as contact_id, kept, summed
      from (
        select account_id, contact_id, visits, first_visit, last_visit, recent_visits, purchases, purchase_days, pence, bookings, cancelled_bookings,
          stays, vouchers_redeemed, next_day
        from contact_figures where visits + purchases + bookings + cancelled_bookings + stays + vouchers_redeemed > 0 or next_day is not null) as kept
      full join summed on summed.account_id = kept.account_id and summed.contact_id = kept.contact_id
      where kept is distinct from summed`,
    'figures that belong to no contact': await sql`
      select contact_id from (select account_id, contact_id from contact_days union select account_id, contact_id from contact_figures) as kept
      where not exists (select from contacts c where c.account_id = kept.account_id and c.id = kept.contact_id)`,
    'figures with other consents than the contact': await sql`
      select contact_id, consents from contact_figures f join contacts c on c.account_id = f.account_id and c.id = f.contact_id
      where consents <> allow_email::integer + 2 * allow_sms::integer + 4 * allow_call::integer + 8 * allow_snail_mail::integer`,
    'NPS ratings that are not the latest': await sql`
      select contact_id, kept.nps as kept, latest.nps as latest
      from (
        select distinct on (account_id, contact_id) c.account_id, coalesce(c.merged_into, c.id) as contact_id, rating_text::numeric as nps, f.created_at::date as nps_day
        from contacts c join feedback f on f.account_id = c.account_id and f.contact_id = c.id
        join feedback_ratings r on r.account_id = f.account_id and r.feedback_id = f.id and r.category_id = 4
        order by 1, 2, f.created_at desc, f.id desc, r.id desc) as latest
      full join (select account_id, contact_id, nps, nps_day from contact_figures where nps is not null) as kept using (account_id, contact_id)
      where kept.nps is distinct from latest.nps or kept.nps_day is distinct from latest.nps_day`,
    'days of units that differ from their activity and do not wait to be counted': await sql`
      with ${unitActivity} select day::text, unit_id, kept, counted
      from (
        select account_id, day, unit_id, purchases, pence, waiting, bookings, stays, promoters, passives, detractors from unit_days
        where purchases + bookings + stays + promoters + passives + detractors > 0) as kept
      full join (select * from units_counted) as counted using (account_id, day, unit_id)
      -- NOT IN would compare every day with every other one.
      left join (
        select distinct account_id, unnest(days) as day, unnest(unit_ids) as unit_id, true as waits from changed_unit_days) as changed
        using (account_id, day, unit_id)
      where kept is distinct from counted and waits is null
        and account_id in (select id from accounts where unit_days_filled_at is not null)`,
    'days of voucher groups that differ from their codes': await sql`
      with ${codeActivity} select group_id, day::text, unit_id, kept, counted
      from (
        select account_id, group_id, day, unit_id, sum(made)::int as made, sum(assigned)::int as assigned, sum(redeemed)::int as redeemed
        from (
          select * from unique_code_days where account_id in (select id from accounts where unit_days_filled_at is not null)
          union all select * from codes_waiting) as summed
        group by 1, 2, 3, 4 having sum(made) <> 0 or sum(assigned) <> 0 or sum(redeemed) <> 0) as kept
      full join codes_counted as counted using (account_id, group_id, day, unit_id)
      where kept is distinct from counted`,
    'sums of voucher groups that differ from their days': await sql`
      select group_id, unit_id, kept, counted
      from (select account_id, group_id, unit_id, made, assigned, redeemed from unique_code_sums where made <> 0 or assigned <> 0 or redeemed <> 0) as kept
      full join (
        select account_id, group_id, unit_id, sum(made)::int as made, sum(assigned)::int as assigned, sum(redeemed)::int as redeemed from unique_code_days
        group by 1, 2, 3 having sum(made) <> 0 or sum(assigned) <> 0 or sum(redeemed) <> 0) as counted using (account_id, group_id, unit_id)
      where kept is distinct from counted`,
    'redeemed codes of units that differ from those of groups': await sql`
      select day::text, unit_id, kept, counted
      from (select account_id, day, unit_id, redeemed from unit_days where redeemed <> 0) as kept
      full join (
        select account_id, day, unit_id, sum(redeemed)::int as redeemed from unique_code_days group by 1, 2, 3 having sum(redeemed) <> 0) as counted
        using (account_id, day, unit_id)
      where kept is distinct from counted`,
    'contacts that are not counted as they are and do not wait for it': await sql`
      select contact_id, kept, guest
      from (select account_id, contact_id, day, consents, unit_ids, group_ids from counted_contacts) as kept
      full join (
        select account_id, contact_id, (created_at at time zone time_zone)::date as day,
          (allow_email::int + 2 * allow_sms::int + 4 * allow_call::int + 8 * allow_snail_mail::int)::smallint as consents,
          coalesce(unit_ids, '{}') as unit_ids, coalesce(group_ids, '{}') as group_ids
        from (
          select account_id, id as contact_id, created_at, allow_email, allow_sms, allow_call, allow_snail_mail
          from contacts where merged_into is null) as contact
        join (select id as account_id, time_zone from accounts) as account using (account_id)
        left join (
          select account_id, contact_id, array_agg(unit_id order by unit_id) as unit_ids from contact_units group by 1, 2) as unit using (account_id, contact_id)
        left join (
          select account_id, contact_id, array_agg(group_id order by group_id) as group_ids from contact_groups group by 1, 2) as link using (account_id, contact_id)) as guest using (account_id, contact_id)
      left join (select distinct account_id, unnest(contact_ids) as contact_id, true as waits from changes) as changed using (account_id, contact_id)
      where kept is distinct from guest and waits is null
        and account_id in (select id from accounts where unit_days_filled_at is not null)`,
    'counts of guests that differ from the counted contacts': await sql`
      select unit_id, day::text, kept, summed
      from (
        select account_id, unit_id, day, guests, allow_email, allow_sms, allow_call, allow_snail_mail from guest_days
        where guests <> 0 or allow_email <> 0 or allow_sms <> 0 or allow_call <> 0 or allow_snail_mail <> 0) as kept
      full join (
        select account_id, unit_id, day, count(*)::int as guests, sum(consents & 1)::int as allow_email, sum(consents / 2 & 1)::int as allow_sms,
          sum(consents / 4 & 1)::int as allow_call, sum(consents / 8 & 1)::int as allow_snail_mail
        from counted_contacts cross join lateral unnest(0 || unit_ids) as unit (unit_id) group by 1, 2, 3) as summed using (account_id, unit_id, day)
      where kept is distinct from summed`,
    'counts of groups that differ from the counted contacts': await sql`
      select group_id, kept, summed
      from (select account_id, group_id, guests from group_guests where guests <> 0) as kept
      full join (
        select account_id, group_id, count(*)::int as guests
        from counted_contacts cross join lateral unnest(group_ids) as link (group_id) group by 1, 2) as summed using (account_id, group_id)
      where kept is distinct from summed`,
    'contacts without a unit': await sql`
      select id from contacts c where not exists (select from contact_units u where u.account_id = c.account_id and u.contact_id = c.id)`,
  };
  return Object.fromEntries(Object.entries(findings).filter(([, rows]) => rows.length > 0));
}
