import { beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from '../../../src/app/http-app.ts';
import { nextAccountIds } from '../../../src/features/access/accounts/store.ts';
import { turnDays } from '../../../src/features/figures/check.ts';
import { EmailDomains } from '../../../src/features/guests/domains/check.ts';
import { readConfig } from '../../../src/platform/config.ts';
import { openPool } from '../../../src/platform/db/database.ts';
import type { Run } from '../../../src/platform/db/sql.ts';
import { createLog } from '../../../src/platform/log.ts';
import { dayNumber, dayOf } from '../../../src/shared/clock.ts';
import { matchKeys } from '../../../src/shared/codes.ts';
import { Random } from '../../../src/shared/random.ts';
import { Api } from '../../../tools/demo/api.ts';
import { Calendar } from '../../../tools/demo/calendar.ts';
import { Clock, loadDemo } from '../../../tools/demo/load.ts';
import { adminToken } from '../../support/app.ts';
import { createDatabase, superuser } from '../../support/database.ts';
import { violations } from '../../support/invariants.ts';

// Far ahead, as the request log forgets what is a week old; and always the same, as so few guests do not do everything on any day.
const today = '2099-03-01';
const ago = (days: number) => dayOf(dayNumber(today) - days);
const guests = 120;
/** Only to end what hangs: a schedule of eighteen months takes its time on a machine that is busy. */
const patienceMs = 600_000;

/** The time on the clock of the demo when it was loaded. */
let ended: Date | null = null;

async function load(): Promise<Run> {
  const database = await createDatabase();
  const clock = new Clock();
  const db = openPool({ url: database.url, connections: 5, now: clock.now });
  const config = readConfig({ ADMIN_TOKEN: adminToken, LOG_LEVEL: 'silent' });
  const domains = new EmailDomains(db, { mode: 'off' });
  const app = await buildApp({ config, db, domains, log: createLog('silent'), now: clock.now });
  await loadDemo(new Api(app, adminToken), clock, { today, guests });
  // The service does this at midnight, and when it starts.
  for (const id of await db.transaction((tx) => nextAccountIds(tx, 0, 10))) await turnDays(db, id);
  ended = clock.now();
  await app.close();
  await db.close();
  return superuser(database);
}

/** All visible data, with names instead of ids, and without random values (tokens, generated codes). */
async function digest(sql: Run): Promise<Record<string, string>> {
  const who = (id: string) =>
    `(select coalesce(email, mobile_number) from contacts c where c.account_id = t.account_id and c.id = t.${id})`;
  const rows: Record<string, [table: string, columns: string]> = {
    contacts: [
      'contacts',
      `coalesce(email, mobile_number), first_name, last_name, gender, dob, membership_number, membership_type, card_reference, created_at, updated_at, allow_sms, allow_email, allow_call, allow_snail_mail, ${who('merged_into')}`,
    ],
    identities: ['identities', `kind, value, ${who('contact_id')}`],
    ledger: ['consent_ledger', `${who('contact_id')}, channel, from_given, to_given, applied, rule, actor, reason, at`],
    merges: ['merges', `${who('contact_id')}, ${who('into_contact_id')}, reason, at, undoes is null`],
    bookings: [
      'bookings',
      `booking_reference, ${who('contact_id')}, stage_value, party_datetime, party_size, table_numbers, updated_at`,
    ],
    purchases: ['purchases', `transaction_reference, ${who('contact_id')}, created_at, lines, matched_by, matched_at`],
    stays: ['stays', 'stay_reference, checkin_date, booking_status_id, room_gross_value, extras, updated_at'],
    wifi: ['wifi_interactions', `${who('contact_id')}, mac_address, interaction_type, created_at`],
    feedback: ['feedback', `${who('contact_id')}, type_id, comments, created_at`],
    ratings: ['feedback_ratings', 'category_id, rating_text'],
    notes: ['notes', `${who('contact_id')}, text, author, created_at`],
    fields: ['contact_udfs', `${who('contact_id')}, udf_id, data`],
    units: ['contact_units', `${who('contact_id')}, unit_id`],
    codes: ['unique_codes', `group_id, ${who('contact_id')}, created_at, assigned_at, redeemed_at, redeemed_unit_id`],
    log: ['(select * from request_log where status >= 400)', 'route, status, error_fields'],
  };
  const sums: Record<string, string> = {};
  for (const [name, [table, columns]] of Object.entries(rows)) {
    const statement = `select md5(string_agg(line, e'\\n' order by line)) as sum from (select concat_ws('|', ${columns}) as line from ${table} t) as lines`;
    const [row] = await sql<{ sum: string }>([statement] as unknown as TemplateStringsArray);
    sums[name] = row?.sum ?? '';
  }
  return sums;
}

describe('the demo data', { timeout: patienceMs }, () => {
  let sql: Run;
  beforeAll(async () => {
    sql = await load();
  }, patienceMs);

  it('is the same each time for the same day', async () => {
    expect(await digest(await load())).toEqual(await digest(sql));
  });

  it('satisfies the invariants of an account', async () => {
    expect(await violations(sql, ended)).toEqual({});
  });

  it('has every kind of data in every state', async () => {
    const [counts] = await sql<Record<string, number>>`
      select (select count(*) from units where name <> (select name from accounts)) as venues,
        (select count(*) from folders) as folders, (select count(*) from groups) as groups,
        (select count(*) from contacts where merged_into is null) as guests,
        (select count(*) from contact_groups) as in_groups, (select count(*) from contact_udfs) as fields,
        (select count(*) from notes where author is null) as notes_of_partners, (select count(*) from notes where author is not null) as notes_of_staff,
        (select count(*) from bookings where stage_value = 1) as bookings_to_come, (select count(*) from bookings where stage_value = 100) as bookings_kept,
        (select count(*) from bookings where stage_value = 550) as bookings_cancelled,
        (select count(*) from stays where booking_status_id = 7) as stays, (select count(*) from wifi_interactions) as wifi,
        (select count(*) from feedback where comments <> '[]') as comments,
        (select count(*) from feedback_ratings where category_id = 4) as nps,
        (select count(*) from purchases where contact_id is not null and matched_by is null) as purchases_on_guests,
        (select count(*) from purchases where matched_at::date > created_at::date) as purchases_that_waited,
        (select count(*) from merges where reason = 'same_mobile' and undoes is null) as merges_by_phone,
        (select count(*) from merges where reason = 'staff' and undoes is null) as merges_by_hand, (select count(*) from merges where undoes is not null) as undone,
        (select count(*) from possible_duplicates where kept_apart_at is null) as duplicates, (select count(*) from possible_duplicates where kept_apart_at is not null) as kept_apart,
        (select count(*) from consent_ledger where applied and to_given) as given, (select count(*) from consent_ledger where applied and not to_given) as withdrawn,
        (select count(*) from consent_ledger where rule = 'preserve_consent') as preserved, (select count(*) from consent_ledger where rule = 'historic_data') as historic,
        (select count(*) from consent_ledger where reason is not null) as by_staff,
        (select count(*) from unique_codes where contact_id is null and redeemed_at is null) as codes_free, (select count(*) from unique_codes where contact_id is not null and redeemed_at is null) as codes_given,
        (select count(*) from unique_codes where contact_id is not null and redeemed_at is not null) as codes_redeemed,
        (select count(*) from unique_codes where contact_id is null and redeemed_at is not null) as codes_of_nobody_redeemed,
        (select count(*) from tokens where last_used_at is not null) as tokens_used, (select count(*) from tokens where last_used_at is null) as tokens_unused,
        (select count(*) from request_log where status = 422 and error_fields <> '{}') as refused, (select count(*) from request_log where status = 404) as not_found,
        (select count(*) from request_log where discarded_fields <> '{}') as discarded, (select count(*) from audit_trail where user_id is not null) as audited`;
    expect(Object.entries(counts ?? {}).filter(([, count]) => count === 0)).toEqual([]);
    expect(counts).toMatchObject({ venues: 12, tokens_used: 6 });
    expect(counts?.guests).toBeGreaterThanOrEqual(guests);
    const people = await sql<{ role: string }>`select role from users order by id`;
    expect(people.map(({ role }) => role)).toEqual(['owner', 'staff', 'viewer']);
    const sources = await sql`
      select s.name from consent_ledger l join sources s on s.account_id = l.account_id and s.id = l.source_id group by 1`;
    expect(sources.length).toBeGreaterThan(5);
  });

  it('has purchases matched by every key, and some waiting for each', async () => {
    const matched = await sql<{ matched_by: string }>`
      select matched_by from purchases where matched_by is not null group by 1 order by 1`;
    expect(matched.map(({ matched_by }) => matched_by)).toEqual([...matchKeys].sort());
    const [waiting] = await sql`
      select count(booking_reference) as booking_reference, count(unique_code) as unique_code, count(membership_number) as membership_number,
        count(card_reference) as card_reference, count(table_number) as table_number from purchases where contact_id is null`;
    expect(Object.entries(waiting ?? {}).filter(([, count]) => Number(count) < 3)).toEqual([]);
  });

  it('spans eighteen months until yesterday', async () => {
    const spans = await sql<{ what: string; first: string; last: string; months: number }>`
      select what, min(at)::text as first, max(at)::text as last, count(distinct date_trunc('month', at))::int as months from (
        select 'contacts' as what, created_at as at from contacts union all
        select 'consent', at from consent_ledger union all
        select 'codes assigned', assigned_at from unique_codes where assigned_at is not null union all
        select 'codes redeemed', redeemed_at from unique_codes where redeemed_at is not null union all
        select 'purchases', created_at at time zone 'Europe/London' from purchases union all
        select 'matches', matched_at from purchases where matched_at is not null union all
        select 'bookings made', enquired_at at time zone 'Europe/London' from bookings union all
        select 'feedback', created_at at time zone 'Europe/London' from feedback union all
        select 'stays', checkin_date at time zone 'Europe/London' from stays) as everything
      group by 1`;
    for (const { what, first, last, months } of spans) {
      // Of the rarer ones, few guests have none in the first weeks.
      expect(first > ago(549) && first < ago(410), `${what} begin on ${first}`).toBe(true);
      expect(last > ago(30) && last < today, `${what} end on ${last}`).toBe(true);
      expect(months, what).toBeGreaterThan(10);
    }
    expect(spans.find(({ what }) => what === 'contacts')?.months).toBeGreaterThan(17);
    const [late] = await sql`
      select (select count(*) from merges where at >= ${today}) as merges, (select count(*) from possible_duplicates where created_at >= ${today}) as pairs,
        (select count(*) from unique_codes where created_at >= ${today}) as codes, (select count(*) from audit_trail where at >= ${today}) as audited,
        (select count(*) from tokens where created_at >= ${today} or last_used_at >= ${today}) as tokens`;
    expect(late).toEqual({ merges: 0, pairs: 0, codes: 0, audited: 0, tokens: 0 });
  });

  it('is busy at weekends and in December, and quiet on Mondays and in January', () => {
    const calendar = new Calendar(today);
    const chance = new Random(1);
    const days = Array.from({ length: 20_000 }, () => calendar.pick(chance, 'pub'));
    const on = (weekday: number) => days.filter((day) => calendar.weekday(day) === weekday).length;
    const during = (month: string) => days.filter((day) => calendar.date(day).startsWith(month)).length;
    expect(on(6)).toBeGreaterThan(2.5 * on(1));
    expect(during('2098-12')).toBeGreaterThan(1.5 * during('2099-01'));
  });
});
