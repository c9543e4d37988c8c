import { type Run, raw } from '../../src/platform/db/sql.ts';
import { consentsInSql } from '../../src/shared/codes.ts';

/** The activity of a contact at a unit on one day. */
export interface Day {
  contact_id: number;
  day: string;
  unit_id: number;
  purchases?: number;
  pence?: number;
  bookings?: number;
  enquiries?: number;
  cancelled_bookings?: number;
  stays?: number;
  wifi?: number;
  vouchers_redeemed?: number;
}

const consents = raw(consentsInSql);

/** Puts activity into the figures of an account, without the activity itself. Call it once per contact. */
export async function putFigures(sql: Run, accountId: number, days: Day[], today: string): Promise<void> {
  await sql`
    insert into contact_days (account_id, contact_id, day, unit_id, purchases, pence, bookings, enquiries, cancelled_bookings, stays, wifi, vouchers_redeemed)
    select ${accountId}::bigint, contact_id, day, unit_id, coalesce(purchases, 0), coalesce(pence, 0), coalesce(bookings, 0), coalesce(enquiries, 0),
      coalesce(cancelled_bookings, 0), coalesce(stays, 0), coalesce(wifi, 0), coalesce(vouchers_redeemed, 0)
    from jsonb_to_recordset(${JSON.stringify(days)}::jsonb) as sent (contact_id bigint, day date, unit_id bigint, purchases integer, pence bigint,
      bookings integer, enquiries integer, cancelled_bookings integer, stays integer, wifi integer, vouchers_redeemed integer)
    on conflict do nothing`;
  const contacts = [...new Set(days.map(({ contact_id }) => contact_id))];
  await sql`
    insert into contact_figures (account_id, contact_id, visits, first_visit, last_visit, recent_visits, purchases, purchase_days, pence, bookings,
      cancelled_bookings, stays, vouchers_redeemed, next_day, consents)
    select ${accountId}::bigint, contact_id, count(distinct day) filter (where visited and day <= ${today}::date),
      min(day) filter (where visited and day <= ${today}::date), max(day) filter (where visited and day <= ${today}::date),
      coalesce((array_agg(distinct day order by day desc) filter (where visited and day <= ${today}::date))[1:50], '{}'),
      sum(purchases), count(distinct day) filter (where purchases > 0), sum(pence), sum(bookings + enquiries), sum(cancelled_bookings),
      sum(stays), sum(vouchers_redeemed), min(day) filter (where visited and day > ${today}::date),
      (select ${consents} from contacts c where c.account_id = ${accountId} and c.id = contact_id)
    from contact_days where account_id = ${accountId} and contact_id = any(${contacts}) group by contact_id
    on conflict (account_id, contact_id) do update set visits = excluded.visits, first_visit = excluded.first_visit,
      last_visit = excluded.last_visit, recent_visits = excluded.recent_visits, purchases = excluded.purchases,
      purchase_days = excluded.purchase_days, pence = excluded.pence, bookings = excluded.bookings,
      cancelled_bookings = excluded.cancelled_bookings, stays = excluded.stays, vouchers_redeemed = excluded.vouchers_redeemed,
      next_day = excluded.next_day`;
}

/** Sets the latest rating in the figures. */
export async function putNps(
  sql: Run,
  accountId: number,
  ratings: { contact_id: number; nps: number; day: string }[],
): Promise<void> {
  await sql`
    insert into contact_figures (account_id, contact_id, nps, nps_day, consents)
    select ${accountId}::bigint, contact_id, nps, day, (select ${consents} from contacts c where c.account_id = ${accountId} and c.id = contact_id)
    from jsonb_to_recordset(${JSON.stringify(ratings)}::jsonb) as sent (contact_id bigint, nps numeric, day date)
    on conflict (account_id, contact_id) do update set nps = excluded.nps, nps_day = excluded.nps_day`;
}
