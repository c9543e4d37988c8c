-- The schema after all migrations. Made by `npm run generate`; do not edit.

CREATE OR REPLACE FUNCTION current_account_id()
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('app.account_id'::text, true), ''::text))::bigint;

CREATE OR REPLACE FUNCTION fold_daily_tallies()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with folded as (
    delete from daily_tallies where account_id = new.account_id and day = new.day and unit_id = new.unit_id and id = any(array(
      select id from daily_tallies where account_id = new.account_id and day = new.day and unit_id = new.unit_id for update skip locked))
    returning *)
  insert into daily_tallies (account_id, day, unit_id, purchases, pence, bookings, stays, wifi, promoters, passives, detractors)
  select new.account_id, new.day, new.unit_id, sum(purchases), sum(pence), sum(bookings), sum(stays), sum(wifi), sum(promoters), sum(passives),
    sum(detractors) from folded;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION fold_guest_tallies()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with folded as (
    delete from guest_tallies where account_id = new.account_id and id = any(array(
      select id from guest_tallies where account_id = new.account_id for update skip locked))
    returning *)
  insert into guest_tallies (account_id, guests, allow_email, allow_sms, allow_call, allow_snail_mail)
  select new.account_id, sum(guests), sum(allow_email), sum(allow_sms), sum(allow_call), sum(allow_snail_mail) from folded;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION raced()
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'it was taken meanwhile' using errcode = 'serialization_failure';
end $function$;

CREATE OR REPLACE FUNCTION refuse_to_rewrite()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' and current_setting('app.erasing', true) = 'on' then
    return old;
  end if;
  raise exception '% is append-only: % is refused', tg_table_name, tg_op using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION tally_bookings_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, bookings) select account_id, day, unit_id, sum(n * bookings) from (select n, account_id, party_datetime::date as day, unit_id, 1 as bookings from (select -1 as n, * from removed) as changed where party_datetime is not null and stage_value <> 550 offset 0) as counted group by account_id, day, unit_id having sum(n * bookings) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_bookings_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, bookings) select account_id, day, unit_id, sum(n * bookings) from (select n, account_id, party_datetime::date as day, unit_id, 1 as bookings from (select 1 as n, * from added) as changed where party_datetime is not null and stage_value <> 550 offset 0) as counted group by account_id, day, unit_id having sum(n * bookings) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_bookings_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, bookings) select account_id, day, unit_id, sum(n * bookings) from (select n, account_id, party_datetime::date as day, unit_id, 1 as bookings from (select 1 as n, * from added union all select -1, * from removed) as changed where party_datetime is not null and stage_value <> 550 offset 0) as counted group by account_id, day, unit_id having sum(n * bookings) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_contacts_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into guest_tallies (account_id, allow_call, allow_email, allow_sms, allow_snail_mail, guests) select account_id, sum(n * allow_call), sum(n * allow_email), sum(n * allow_sms), sum(n * allow_snail_mail), sum(n * guests) from (select n, account_id, allow_call::int as allow_call, allow_email::int as allow_email, allow_sms::int as allow_sms, allow_snail_mail::int as allow_snail_mail, 1 as guests from (select -1 as n, * from removed) as changed where merged_into is null offset 0) as counted group by account_id having sum(n * allow_call) <> 0 or sum(n * allow_email) <> 0 or sum(n * allow_sms) <> 0 or sum(n * allow_snail_mail) <> 0 or sum(n * guests) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_contacts_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into guest_tallies (account_id, allow_call, allow_email, allow_sms, allow_snail_mail, guests) select account_id, sum(n * allow_call), sum(n * allow_email), sum(n * allow_sms), sum(n * allow_snail_mail), sum(n * guests) from (select n, account_id, allow_call::int as allow_call, allow_email::int as allow_email, allow_sms::int as allow_sms, allow_snail_mail::int as allow_snail_mail, 1 as guests from (select 1 as n, * from added) as changed where merged_into is null offset 0) as counted group by account_id having sum(n * allow_call) <> 0 or sum(n * allow_email) <> 0 or sum(n * allow_sms) <> 0 or sum(n * allow_snail_mail) <> 0 or sum(n * guests) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_contacts_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into guest_tallies (account_id, allow_call, allow_email, allow_sms, allow_snail_mail, guests) select account_id, sum(n * allow_call), sum(n * allow_email), sum(n * allow_sms), sum(n * allow_snail_mail), sum(n * guests) from (select n, account_id, allow_call::int as allow_call, allow_email::int as allow_email, allow_sms::int as allow_sms, allow_snail_mail::int as allow_snail_mail, 1 as guests from (select 1 as n, * from added union all select -1, * from removed) as changed where merged_into is null offset 0) as counted group by account_id having sum(n * allow_call) <> 0 or sum(n * allow_email) <> 0 or sum(n * allow_sms) <> 0 or sum(n * allow_snail_mail) <> 0 or sum(n * guests) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_feedback_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, detractors, passives, promoters) select account_id, day, unit_id, sum(n * detractors), sum(n * passives), sum(n * promoters) from (select n, account_id, created_at::date as day, unit_id, (nps < 7)::int as detractors, (nps >= 7 and nps < 9)::int as passives, (nps >= 9)::int as promoters from (select -1 as n, * from removed) as changed where nps is not null offset 0) as counted group by account_id, day, unit_id having sum(n * detractors) <> 0 or sum(n * passives) <> 0 or sum(n * promoters) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_feedback_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, detractors, passives, promoters) select account_id, day, unit_id, sum(n * detractors), sum(n * passives), sum(n * promoters) from (select n, account_id, created_at::date as day, unit_id, (nps < 7)::int as detractors, (nps >= 7 and nps < 9)::int as passives, (nps >= 9)::int as promoters from (select 1 as n, * from added) as changed where nps is not null offset 0) as counted group by account_id, day, unit_id having sum(n * detractors) <> 0 or sum(n * passives) <> 0 or sum(n * promoters) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_feedback_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, detractors, passives, promoters) select account_id, day, unit_id, sum(n * detractors), sum(n * passives), sum(n * promoters) from (select n, account_id, created_at::date as day, unit_id, (nps < 7)::int as detractors, (nps >= 7 and nps < 9)::int as passives, (nps >= 9)::int as promoters from (select 1 as n, * from added union all select -1, * from removed) as changed where nps is not null offset 0) as counted group by account_id, day, unit_id having sum(n * detractors) <> 0 or sum(n * passives) <> 0 or sum(n * promoters) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_purchases_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, pence, purchases) select account_id, day, unit_id, sum(n * pence), sum(n * purchases) from (select n, account_id, created_at::date as day, unit_id, (select coalesce(sum((line ->> 'value')::numeric) * 100, 0) from jsonb_array_elements(lines) as line) as pence, 1 as purchases from (select -1 as n, * from removed) as changed where true offset 0) as counted group by account_id, day, unit_id having sum(n * pence) <> 0 or sum(n * purchases) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_purchases_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, pence, purchases) select account_id, day, unit_id, sum(n * pence), sum(n * purchases) from (select n, account_id, created_at::date as day, unit_id, (select coalesce(sum((line ->> 'value')::numeric) * 100, 0) from jsonb_array_elements(lines) as line) as pence, 1 as purchases from (select 1 as n, * from added) as changed where true offset 0) as counted group by account_id, day, unit_id having sum(n * pence) <> 0 or sum(n * purchases) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_purchases_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, pence, purchases) select account_id, day, unit_id, sum(n * pence), sum(n * purchases) from (select n, account_id, created_at::date as day, unit_id, (select coalesce(sum((line ->> 'value')::numeric) * 100, 0) from jsonb_array_elements(lines) as line) as pence, 1 as purchases from (select 1 as n, * from added union all select -1, * from removed) as changed where true offset 0) as counted group by account_id, day, unit_id having sum(n * pence) <> 0 or sum(n * purchases) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_stays_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, stays) select account_id, day, unit_id, sum(n * stays) from (select n, account_id, checkin_date::date as day, unit_id, 1 as stays from (select -1 as n, * from removed) as changed where booking_status_id in (3, 4, 7) offset 0) as counted group by account_id, day, unit_id having sum(n * stays) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_stays_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, stays) select account_id, day, unit_id, sum(n * stays) from (select n, account_id, checkin_date::date as day, unit_id, 1 as stays from (select 1 as n, * from added) as changed where booking_status_id in (3, 4, 7) offset 0) as counted group by account_id, day, unit_id having sum(n * stays) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_stays_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, stays) select account_id, day, unit_id, sum(n * stays) from (select n, account_id, checkin_date::date as day, unit_id, 1 as stays from (select 1 as n, * from added union all select -1, * from removed) as changed where booking_status_id in (3, 4, 7) offset 0) as counted group by account_id, day, unit_id having sum(n * stays) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_wifi_interactions_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, wifi) select account_id, day, unit_id, sum(n * wifi) from (select n, account_id, created_at::date as day, unit_id, 1 as wifi from (select -1 as n, * from removed) as changed where true offset 0) as counted group by account_id, day, unit_id having sum(n * wifi) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_wifi_interactions_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, wifi) select account_id, day, unit_id, sum(n * wifi) from (select n, account_id, created_at::date as day, unit_id, 1 as wifi from (select 1 as n, * from added) as changed where true offset 0) as counted group by account_id, day, unit_id having sum(n * wifi) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION tally_wifi_interactions_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin insert into daily_tallies (account_id, day, unit_id, wifi) select account_id, day, unit_id, sum(n * wifi) from (select n, account_id, created_at::date as day, unit_id, 1 as wifi from (select 1 as n, * from added union all select -1, * from removed) as changed where true offset 0) as counted group by account_id, day, unit_id having sum(n * wifi) <> 0; return null; end$function$;

CREATE OR REPLACE FUNCTION waiting_purchases()
 RETURNS TABLE(key text, waiting bigint)
 LANGUAGE plpgsql
AS $function$
declare
  counts bigint[] := array[0, 0, 0, 0, 0];
  account bigint;
begin
  for account in select a.id from accounts a order by a.id loop
    execute format('set local app.account_id = %s', account);
    counts[1] := counts[1] + (select count(*) from purchases where account_id = account and contact_id is null and booking_reference is not null);
    counts[2] := counts[2] + (select count(*) from purchases where account_id = account and contact_id is null and unique_code is not null);
    counts[3] := counts[3] + (select count(*) from purchases where account_id = account and contact_id is null and membership_number is not null);
    counts[4] := counts[4] + (select count(*) from purchases where account_id = account and contact_id is null and card_reference is not null);
    counts[5] := counts[5] + (select count(*) from purchases where account_id = account and contact_id is null and table_number is not null);
  end loop;
  return query select unnest(array['booking_reference', 'unique_code', 'membership_number', 'card_reference', 'table_number']), unnest(counts);
end $function$;

create table accounts (
  id bigint not null generated by default as identity,
  name text not null,
  time_zone text not null default 'UTC'::text,
  root_unit_id bigint not null,
  created_at timestamp with time zone not null default now(),
  constraint accounts_pkey PRIMARY KEY (id)
);

create table booking_sources (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  name text not null,
  created_at timestamp with time zone not null default now(),
  name_key text default lower(name),
  constraint booking_sources_pkey PRIMARY KEY (account_id, id),
  constraint booking_sources_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX booking_sources_name ON booking_sources USING btree (account_id, name_key);
alter table booking_sources enable row level security, force row level security;
create policy own_account on booking_sources using (account_id = current_account_id());

create table bookings (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  contact_id bigint not null,
  unit_id bigint not null,
  provider_id bigint,
  booking_reference text not null,
  stage_value bigint not null,
  type_id bigint,
  source_id bigint,
  enquired_at timestamp without time zone not null,
  party_datetime timestamp without time zone,
  party_size bigint,
  deposit_paid numeric(14,2) not null,
  hpbr_food numeric(14,2) not null,
  hpbr_drink numeric(14,2) not null,
  hpbr_entertainment numeric(14,2) not null,
  table_numbers text[] not null,
  updated_at timestamp with time zone not null default now(),
  constraint bookings_pkey PRIMARY KEY (account_id, id),
  constraint bookings_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  constraint bookings_account_id_unit_id_fkey FOREIGN KEY (account_id, unit_id) REFERENCES units(account_id, id) ON DELETE CASCADE
);
CREATE INDEX bookings_contact ON bookings USING btree (account_id, contact_id, party_datetime);
CREATE INDEX bookings_start ON bookings USING btree (account_id, unit_id, party_datetime);
CREATE UNIQUE INDEX bookings_reference ON bookings USING btree (account_id, booking_reference, provider_id) NULLS NOT DISTINCT;
alter table bookings enable row level security, force row level security;
create policy own_account on bookings using (account_id = current_account_id());
CREATE TRIGGER tally_delete AFTER DELETE ON bookings REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tally_bookings_delete();
CREATE TRIGGER tally_insert AFTER INSERT ON bookings REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_bookings_insert();
CREATE TRIGGER tally_update AFTER UPDATE ON bookings REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_bookings_update();

create table consent_ledger (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  contact_id bigint not null,
  channel text not null,
  from_given boolean not null,
  to_given boolean not null,
  applied boolean not null,
  rule text,
  source_id bigint,
  token_id bigint,
  at timestamp with time zone not null default clock_timestamp(),
  constraint consent_ledger_pkey PRIMARY KEY (account_id, id),
  constraint consent_ledger_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  constraint consent_ledger_channel_check CHECK ((channel = ANY (ARRAY['sms'::text, 'email'::text, 'call'::text, 'snail_mail'::text])))
);
CREATE INDEX consent_ledger_contact ON consent_ledger USING btree (account_id, contact_id, id);
alter table consent_ledger enable row level security, force row level security;
create policy own_account on consent_ledger using (account_id = current_account_id());
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON consent_ledger FOR EACH ROW EXECUTE FUNCTION refuse_to_rewrite();
CREATE TRIGGER append_only_too BEFORE TRUNCATE ON consent_ledger FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite();

create table contact_groups (
  account_id bigint not null,
  contact_id bigint not null,
  group_id bigint not null,
  constraint contact_groups_pkey PRIMARY KEY (account_id, contact_id, group_id),
  constraint contact_groups_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  constraint contact_groups_account_id_group_id_fkey FOREIGN KEY (account_id, group_id) REFERENCES groups(account_id, id) ON DELETE CASCADE
);
CREATE INDEX contact_groups_group ON contact_groups USING btree (account_id, group_id, contact_id);
alter table contact_groups enable row level security, force row level security;
create policy own_account on contact_groups using (account_id = current_account_id());

create table contact_udfs (
  account_id bigint not null,
  contact_id bigint not null,
  udf_id bigint not null,
  data text not null,
  constraint contact_udfs_pkey PRIMARY KEY (account_id, contact_id, udf_id),
  constraint contact_udfs_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  constraint contact_udfs_udf FOREIGN KEY (account_id, udf_id) REFERENCES udfs(account_id, id)
);
CREATE INDEX contact_udfs_udf ON contact_udfs USING btree (account_id, udf_id);
alter table contact_udfs enable row level security, force row level security;
create policy own_account on contact_udfs using (account_id = current_account_id());

create table contact_units (
  account_id bigint not null,
  contact_id bigint not null,
  unit_id bigint not null,
  constraint contact_units_pkey PRIMARY KEY (account_id, contact_id, unit_id),
  constraint contact_units_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  constraint contact_units_account_id_unit_id_fkey FOREIGN KEY (account_id, unit_id) REFERENCES units(account_id, id) ON DELETE CASCADE
);
CREATE INDEX contact_units_unit ON contact_units USING btree (account_id, unit_id, contact_id);
alter table contact_units enable row level security, force row level security;
create policy own_account on contact_units using (account_id = current_account_id());

create table contacts (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  merged_into bigint,
  title text,
  first_name text,
  last_name text,
  gender text,
  dob date,
  email text,
  email_status text,
  mobile_number text,
  home_number text,
  work_number text,
  building_name text,
  building_num_street text,
  locality text,
  postcode text,
  city text,
  county text,
  country text,
  preferred_method_id text,
  membership_number text,
  membership_type text,
  card_reference text,
  source_id bigint,
  allow_sms boolean not null default false,
  allow_email boolean not null default false,
  allow_call boolean not null default false,
  allow_snail_mail boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint contacts_pkey PRIMARY KEY (account_id, id),
  constraint contacts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint contacts_account_id_merged_into_fkey FOREIGN KEY (account_id, merged_into) REFERENCES contacts(account_id, id),
  constraint contacts_source FOREIGN KEY (account_id, source_id) REFERENCES sources(account_id, id),
  constraint contacts_email_status_check CHECK ((email_status = ANY (ARRAY['unchecked'::text, 'invalid'::text]))),
  constraint contacts_gender_check CHECK ((gender = ANY (ARRAY['M'::text, 'F'::text, ''::text])))
);
CREATE INDEX contacts_created ON contacts USING btree (account_id, created_at) WHERE (merged_into IS NULL);
CREATE INDEX contacts_email_status ON contacts USING btree (account_id, email_status, id) WHERE (email_status IS NOT NULL);
CREATE INDEX contacts_merged ON contacts USING btree (account_id, merged_into) WHERE (merged_into IS NOT NULL);
CREATE INDEX contacts_source ON contacts USING btree (account_id, source_id) WHERE (source_id IS NOT NULL);
alter table contacts enable row level security, force row level security;
create policy own_account on contacts using (account_id = current_account_id());
CREATE TRIGGER tally_delete AFTER DELETE ON contacts REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tally_contacts_delete();
CREATE TRIGGER tally_insert AFTER INSERT ON contacts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_contacts_insert();
CREATE TRIGGER tally_update AFTER UPDATE ON contacts REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_contacts_update();

create table daily_tallies (
  account_id bigint not null,
  day date not null,
  unit_id bigint not null,
  id bigint not null generated by default as identity,
  purchases bigint not null default 0,
  pence bigint not null default 0,
  bookings bigint not null default 0,
  stays bigint not null default 0,
  wifi bigint not null default 0,
  promoters bigint not null default 0,
  passives bigint not null default 0,
  detractors bigint not null default 0,
  constraint daily_tallies_pkey PRIMARY KEY (account_id, day, unit_id, id),
  constraint daily_tallies_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
alter table daily_tallies enable row level security, force row level security;
create policy own_account on daily_tallies using (account_id = current_account_id());
CREATE TRIGGER fold AFTER INSERT ON daily_tallies FOR EACH ROW WHEN (((new.id % (8)::bigint) = 0)) EXECUTE FUNCTION fold_daily_tallies();

create table email_domains (
  domain text not null,
  takes_mail boolean not null,
  vouched_for boolean not null default false,
  checked_at timestamp with time zone not null default now(),
  constraint email_domains_pkey PRIMARY KEY (domain)
);

create table feedback (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  contact_id bigint not null,
  type_id integer not null,
  source_id integer,
  unit_id bigint not null,
  comments jsonb not null default '[]'::jsonb,
  created_at timestamp without time zone not null,
  nps numeric,
  constraint feedback_pkey PRIMARY KEY (account_id, id),
  constraint feedback_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  constraint feedback_account_id_unit_id_fkey FOREIGN KEY (account_id, unit_id) REFERENCES units(account_id, id) ON DELETE CASCADE
);
CREATE INDEX feedback_contact ON feedback USING btree (account_id, contact_id, id DESC);
CREATE INDEX feedback_unit ON feedback USING btree (account_id, unit_id, created_at);
alter table feedback enable row level security, force row level security;
create policy own_account on feedback using (account_id = current_account_id());
CREATE TRIGGER tally_delete AFTER DELETE ON feedback REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tally_feedback_delete();
CREATE TRIGGER tally_insert AFTER INSERT ON feedback REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_feedback_insert();
CREATE TRIGGER tally_update AFTER UPDATE ON feedback REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_feedback_update();

create table feedback_categories (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  name text not null,
  created_at timestamp with time zone not null default now(),
  name_key text default lower(name),
  constraint feedback_categories_pkey PRIMARY KEY (account_id, id),
  constraint feedback_categories_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX feedback_categories_name ON feedback_categories USING btree (account_id, name_key);
alter table feedback_categories enable row level security, force row level security;
create policy own_account on feedback_categories using (account_id = current_account_id());

create table feedback_ratings (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  feedback_id bigint not null,
  category_id bigint not null,
  rating_text text not null,
  contact_note text,
  constraint feedback_ratings_pkey PRIMARY KEY (account_id, id),
  constraint feedback_ratings_account_id_feedback_id_fkey FOREIGN KEY (account_id, feedback_id) REFERENCES feedback(account_id, id) ON DELETE CASCADE,
  constraint feedback_ratings_category FOREIGN KEY (account_id, category_id) REFERENCES feedback_categories(account_id, id)
);
CREATE INDEX feedback_ratings_category ON feedback_ratings USING btree (account_id, category_id);
CREATE INDEX feedback_ratings_feedback ON feedback_ratings USING btree (account_id, feedback_id);
alter table feedback_ratings enable row level security, force row level security;
create policy own_account on feedback_ratings using (account_id = current_account_id());

create table folders (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  unit_id bigint not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  name_key text default lower(name),
  constraint folders_on_unit UNIQUE (account_id, unit_id, id),
  constraint folders_pkey PRIMARY KEY (account_id, id),
  constraint folders_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint folders_account_id_unit_id_fkey FOREIGN KEY (account_id, unit_id) REFERENCES units(account_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX folders_name ON folders USING btree (account_id, unit_id, name_key);
alter table folders enable row level security, force row level security;
create policy own_account on folders using (account_id = current_account_id());

create table groups (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  unit_id bigint not null,
  folder_id bigint not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  name_key text default lower(name),
  constraint groups_pkey PRIMARY KEY (account_id, id),
  constraint groups_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint groups_account_id_unit_id_fkey FOREIGN KEY (account_id, unit_id) REFERENCES units(account_id, id) ON DELETE CASCADE,
  constraint groups_in_folder FOREIGN KEY (account_id, unit_id, folder_id) REFERENCES folders(account_id, unit_id, id)
);
CREATE UNIQUE INDEX groups_name ON groups USING btree (account_id, unit_id, folder_id, name_key);
alter table groups enable row level security, force row level security;
create policy own_account on groups using (account_id = current_account_id());

create table guest_tallies (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  guests bigint not null default 0,
  allow_email bigint not null default 0,
  allow_sms bigint not null default 0,
  allow_call bigint not null default 0,
  allow_snail_mail bigint not null default 0,
  constraint guest_tallies_pkey PRIMARY KEY (account_id, id),
  constraint guest_tallies_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
alter table guest_tallies enable row level security, force row level security;
create policy own_account on guest_tallies using (account_id = current_account_id());
CREATE TRIGGER fold AFTER INSERT ON guest_tallies FOR EACH ROW WHEN (((new.id % (64)::bigint) = 0)) EXECUTE FUNCTION fold_guest_tallies();

create table identities (
  account_id bigint not null,
  kind text not null,
  value text not null,
  contact_id bigint not null,
  constraint identities_pkey PRIMARY KEY (account_id, kind, value),
  constraint identities_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  constraint identities_kind_check CHECK ((kind = ANY (ARRAY['email'::text, 'mobile'::text, 'membership'::text, 'card'::text])))
);
CREATE INDEX identities_contact ON identities USING btree (account_id, contact_id);
alter table identities enable row level security, force row level security;
create policy own_account on identities using (account_id = current_account_id());

create table merges (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  undoes bigint,
  contact_id bigint not null,
  into_contact_id bigint not null,
  reason text not null,
  actor text not null,
  taken jsonb not null default '{}'::jsonb,
  at timestamp with time zone not null default now(),
  constraint merges_pkey PRIMARY KEY (account_id, id),
  constraint merges_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  constraint merges_account_id_into_contact_id_fkey FOREIGN KEY (account_id, into_contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  constraint merges_account_id_undoes_fkey FOREIGN KEY (account_id, undoes) REFERENCES merges(account_id, id) ON DELETE CASCADE
);
CREATE INDEX merges_contact ON merges USING btree (account_id, contact_id);
CREATE INDEX merges_into ON merges USING btree (account_id, into_contact_id);
CREATE UNIQUE INDEX merges_undone_once ON merges USING btree (account_id, undoes) WHERE (undoes IS NOT NULL);
alter table merges enable row level security, force row level security;
create policy own_account on merges using (account_id = current_account_id());
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON merges FOR EACH ROW EXECUTE FUNCTION refuse_to_rewrite();
CREATE TRIGGER append_only_too BEFORE TRUNCATE ON merges FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite();

create table notes (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  contact_id bigint not null,
  text text not null,
  created_at timestamp without time zone not null,
  constraint notes_pkey PRIMARY KEY (account_id, id),
  constraint notes_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE
);
CREATE INDEX notes_contact ON notes USING btree (account_id, contact_id, id DESC);
alter table notes enable row level security, force row level security;
create policy own_account on notes using (account_id = current_account_id());

create table possible_duplicates (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  contact_id bigint not null,
  other_contact_id bigint not null,
  reason text not null,
  kept_apart_at timestamp with time zone,
  kept_apart_by text,
  created_at timestamp with time zone not null default now(),
  constraint possible_duplicates_pkey PRIMARY KEY (account_id, id),
  constraint possible_duplicates_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  constraint possible_duplicates_account_id_other_contact_id_fkey FOREIGN KEY (account_id, other_contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  constraint possible_duplicates_check CHECK ((contact_id < other_contact_id))
);
CREATE INDEX possible_duplicates_open ON possible_duplicates USING btree (account_id, id) WHERE (kept_apart_at IS NULL);
CREATE INDEX possible_duplicates_other ON possible_duplicates USING btree (account_id, other_contact_id);
CREATE UNIQUE INDEX possible_duplicates_pair ON possible_duplicates USING btree (account_id, contact_id, other_contact_id);
alter table possible_duplicates enable row level security, force row level security;
create policy own_account on possible_duplicates using (account_id = current_account_id());

create table providers (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  name text not null,
  created_at timestamp with time zone not null default now(),
  name_key text default lower(name),
  constraint providers_pkey PRIMARY KEY (account_id, id),
  constraint providers_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX providers_name ON providers USING btree (account_id, name_key);
alter table providers enable row level security, force row level security;
create policy own_account on providers using (account_id = current_account_id());

create table purchases (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  contact_id bigint,
  unit_id bigint not null,
  provider_id bigint,
  transaction_reference text not null,
  order_type_id integer not null,
  created_at timestamp without time zone not null,
  lines jsonb not null,
  booking_reference text,
  unique_code text,
  unique_code_group_id bigint,
  membership_number text,
  card_reference text,
  table_number text,
  matched_by text,
  matched_value text,
  matched_booking_id bigint,
  matched_at timestamp with time zone,
  constraint purchases_pkey PRIMARY KEY (account_id, id),
  constraint purchases_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  constraint purchases_account_id_unit_id_fkey FOREIGN KEY (account_id, unit_id) REFERENCES units(account_id, id) ON DELETE CASCADE,
  constraint purchases_check CHECK (((matched_by IS NULL) OR (contact_id IS NOT NULL))),
  constraint purchases_matched_by_check CHECK ((matched_by = ANY (ARRAY['booking_reference'::text, 'unique_code'::text, 'membership_number'::text, 'card_reference'::text, 'table_number'::text])))
);
CREATE INDEX purchases_contact ON purchases USING btree (account_id, contact_id, created_at) WHERE (contact_id IS NOT NULL);
CREATE INDEX purchases_waiting ON purchases USING btree (account_id, id) INCLUDE (unit_id) WHERE (contact_id IS NULL);
CREATE INDEX purchases_waiting_booking ON purchases USING btree (account_id, booking_reference) WHERE ((contact_id IS NULL) AND (booking_reference IS NOT NULL));
CREATE INDEX purchases_waiting_card ON purchases USING btree (account_id, card_reference) WHERE ((contact_id IS NULL) AND (card_reference IS NOT NULL));
CREATE INDEX purchases_waiting_code ON purchases USING btree (account_id, upper((unique_code COLLATE "C"))) WHERE ((contact_id IS NULL) AND (unique_code IS NOT NULL));
CREATE INDEX purchases_waiting_membership ON purchases USING btree (account_id, membership_number) WHERE ((contact_id IS NULL) AND (membership_number IS NOT NULL));
CREATE INDEX purchases_waiting_table ON purchases USING btree (account_id, unit_id, created_at) WHERE ((contact_id IS NULL) AND (table_number IS NOT NULL));
CREATE UNIQUE INDEX purchases_reference ON purchases USING btree (account_id, transaction_reference, unit_id, provider_id) NULLS NOT DISTINCT;
alter table purchases enable row level security, force row level security;
create policy own_account on purchases using (account_id = current_account_id());
CREATE TRIGGER tally_delete AFTER DELETE ON purchases REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tally_purchases_delete();
CREATE TRIGGER tally_insert AFTER INSERT ON purchases REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_purchases_insert();
CREATE TRIGGER tally_update AFTER UPDATE ON purchases REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_purchases_update();

create table redemptions (
  account_id bigint not null,
  id bigint not null,
  unit_id bigint not null,
  at timestamp with time zone not null,
  constraint redemptions_pkey PRIMARY KEY (account_id, id)
);
CREATE INDEX redemptions_unit ON redemptions USING btree (account_id, unit_id, at);
alter table redemptions enable row level security, force row level security;
create policy own_account on redemptions using (account_id = current_account_id());

create table request_log (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  token_id bigint not null,
  at timestamp with time zone not null,
  request_id text not null,
  method text not null,
  route text not null,
  status integer not null,
  duration_ms real not null,
  error_fields text[] not null default '{}'::text[],
  discarded_fields text[] not null default '{}'::text[],
  constraint request_log_pkey PRIMARY KEY (account_id, id)
);
CREATE INDEX request_log_age ON request_log USING btree (account_id, at);
CREATE INDEX request_log_token ON request_log USING btree (account_id, token_id, id DESC);
alter table request_log enable row level security, force row level security;
create policy own_account on request_log using (account_id = current_account_id());

create table schema_migrations (
  version integer not null,
  name text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table sources (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  name text not null,
  created_at timestamp with time zone not null default now(),
  name_key text default lower(name),
  constraint sources_pkey PRIMARY KEY (account_id, id),
  constraint sources_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX sources_name ON sources USING btree (account_id, name_key);
alter table sources enable row level security, force row level security;
create policy own_account on sources using (account_id = current_account_id());

create table stay_contacts (
  account_id bigint not null,
  stay_id bigint not null,
  contact_id bigint not null,
  booker boolean not null,
  guest boolean not null,
  constraint stay_contacts_pkey PRIMARY KEY (account_id, stay_id, contact_id),
  constraint stay_contacts_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  constraint stay_contacts_account_id_stay_id_fkey FOREIGN KEY (account_id, stay_id) REFERENCES stays(account_id, id) ON DELETE CASCADE
);
CREATE INDEX stay_contacts_contact ON stay_contacts USING btree (account_id, contact_id, stay_id);
alter table stay_contacts enable row level security, force row level security;
create policy own_account on stay_contacts using (account_id = current_account_id());

create table stays (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  unit_id bigint not null,
  provider_id bigint not null,
  stay_reference text not null,
  enquiry_date timestamp without time zone not null,
  checkin_date timestamp without time zone not null,
  checkout_date timestamp without time zone not null,
  room_type_id integer not null,
  total_guests bigint not null,
  total_children bigint,
  booking_enquiry_source_id bigint not null,
  booking_status_id integer not null,
  deposit_amount numeric(14,2),
  room_gross_value numeric(14,2),
  room_net_value numeric(14,2),
  extras_gross_value numeric(14,2),
  extras_net_value numeric(14,2),
  room_rate_code text,
  room_package_code text,
  used_voucher boolean,
  booking_has_pets boolean,
  stay_travel_agent text,
  extras jsonb not null,
  updated_at timestamp with time zone not null default now(),
  constraint stays_pkey PRIMARY KEY (account_id, id),
  constraint stays_account_id_unit_id_fkey FOREIGN KEY (account_id, unit_id) REFERENCES units(account_id, id) ON DELETE CASCADE,
  constraint stays_source FOREIGN KEY (account_id, booking_enquiry_source_id) REFERENCES booking_sources(account_id, id),
  constraint stays_check CHECK ((checkout_date >= checkin_date))
);
CREATE INDEX stays_source ON stays USING btree (account_id, booking_enquiry_source_id);
CREATE INDEX stays_unit ON stays USING btree (account_id, unit_id, checkin_date);
CREATE UNIQUE INDEX stays_reference ON stays USING btree (account_id, provider_id, stay_reference);
alter table stays enable row level security, force row level security;
create policy own_account on stays using (account_id = current_account_id());
CREATE TRIGGER tally_delete AFTER DELETE ON stays REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tally_stays_delete();
CREATE TRIGGER tally_insert AFTER INSERT ON stays REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_stays_insert();
CREATE TRIGGER tally_update AFTER UPDATE ON stays REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_stays_update();

create table tokens (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  user_id bigint,
  name text not null,
  hash bytea not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint tokens_pkey PRIMARY KEY (account_id, id),
  constraint tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX tokens_user ON tokens USING btree (user_id);
CREATE UNIQUE INDEX tokens_hash ON tokens USING btree (account_id, hash);
alter table tokens enable row level security, force row level security;
create policy own_account on tokens using (account_id = current_account_id());

create table udfs (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  name text not null,
  type text not null,
  created_at timestamp with time zone not null default now(),
  name_key text default lower(name),
  constraint udfs_pkey PRIMARY KEY (account_id, id),
  constraint udfs_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint udfs_type_check CHECK ((type = ANY (ARRAY['text'::text, 'date'::text])))
);
CREATE UNIQUE INDEX udfs_name ON udfs USING btree (account_id, name_key);
alter table udfs enable row level security, force row level security;
create policy own_account on udfs using (account_id = current_account_id());

create table unique_code_groups (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  unit_id bigint not null,
  name text not null,
  name_key text default lower(name),
  created_at timestamp with time zone not null default now(),
  constraint unique_code_groups_pkey PRIMARY KEY (account_id, id),
  constraint unique_code_groups_account_id_unit_id_fkey FOREIGN KEY (account_id, unit_id) REFERENCES units(account_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX unique_code_groups_name ON unique_code_groups USING btree (account_id, unit_id, name_key);
alter table unique_code_groups enable row level security, force row level security;
create policy own_account on unique_code_groups using (account_id = current_account_id());

create table unique_codes (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  group_id bigint not null,
  unique_code text not null,
  contact_id bigint,
  created_at timestamp with time zone not null default now(),
  code_key text default upper((unique_code COLLATE "C")),
  assigned_at timestamp with time zone,
  redeemed_at timestamp with time zone,
  redeemed_unit_id bigint,
  constraint unique_codes_pkey PRIMARY KEY (account_id, id),
  constraint unique_codes_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE SET NULL (contact_id),
  constraint unique_codes_account_id_group_id_fkey FOREIGN KEY (account_id, group_id) REFERENCES unique_code_groups(account_id, id) ON DELETE CASCADE,
  constraint unique_codes_account_id_redeemed_unit_id_fkey FOREIGN KEY (account_id, redeemed_unit_id) REFERENCES units(account_id, id),
  constraint unique_codes_check CHECK (((redeemed_at IS NULL) = (redeemed_unit_id IS NULL)))
);
CREATE INDEX unique_codes_contact ON unique_codes USING btree (account_id, contact_id, id) WHERE (contact_id IS NOT NULL);
CREATE INDEX unique_codes_free ON unique_codes USING btree (account_id, group_id, id) WHERE (contact_id IS NULL);
CREATE INDEX unique_codes_group ON unique_codes USING btree (account_id, group_id, id);
CREATE UNIQUE INDEX unique_codes_code ON unique_codes USING btree (account_id, code_key, group_id);
alter table unique_codes enable row level security, force row level security;
create policy own_account on unique_codes using (account_id = current_account_id());

create table units (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  name text not null,
  is_root boolean not null default false,
  created_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  constraint units_pkey PRIMARY KEY (account_id, id),
  constraint units_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint units_root_stays CHECK ((NOT (is_root AND (deleted_at IS NOT NULL))))
);
CREATE INDEX units_listing ON units USING btree (account_id, is_root DESC, id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX units_one_root ON units USING btree (account_id) WHERE is_root;
alter table units enable row level security, force row level security;
create policy own_account on units using (account_id = current_account_id());

create table user_accounts (
  user_id bigint not null,
  account_id bigint not null,
  constraint user_accounts_pkey PRIMARY KEY (user_id, account_id),
  constraint user_accounts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint user_accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX user_accounts_account ON user_accounts USING btree (account_id);

create table users (
  id bigint not null generated by default as identity,
  email text not null,
  password_hash text not null,
  role text not null,
  created_at timestamp with time zone not null default now(),
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_check CHECK ((email = lower(email))),
  constraint users_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'staff'::text, 'viewer'::text])))
);
CREATE UNIQUE INDEX users_email ON users USING btree (email);

create table wifi_interactions (
  account_id bigint not null,
  id bigint not null generated by default as identity,
  contact_id bigint not null,
  unit_id bigint not null,
  hotspot_name text not null,
  mac_address text not null,
  device_type text not null,
  interaction_type text not null,
  created_at timestamp without time zone not null,
  constraint wifi_interactions_pkey PRIMARY KEY (account_id, id),
  constraint wifi_interactions_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contacts(account_id, id) ON DELETE CASCADE,
  constraint wifi_interactions_account_id_unit_id_fkey FOREIGN KEY (account_id, unit_id) REFERENCES units(account_id, id) ON DELETE CASCADE,
  constraint wifi_interactions_interaction_type_check CHECK ((interaction_type = ANY (ARRAY['detected'::text, 'connected'::text, 'authenticated'::text])))
);
CREATE INDEX wifi_interactions_contact ON wifi_interactions USING btree (account_id, contact_id, created_at);
alter table wifi_interactions enable row level security, force row level security;
create policy own_account on wifi_interactions using (account_id = current_account_id());
CREATE TRIGGER tally_delete AFTER DELETE ON wifi_interactions REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tally_wifi_interactions_delete();
CREATE TRIGGER tally_insert AFTER INSERT ON wifi_interactions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_wifi_interactions_insert();
CREATE TRIGGER tally_update AFTER UPDATE ON wifi_interactions REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_wifi_interactions_update();
