-- Figures: sums of each guest's activity, which every writer keeps up to date in its own transaction.
--
-- Both tables belong to the survivor of merges. They have no foreign keys: every row follows from rows that have them, and
-- checking the contact again would cost every purchase time. `regulars figures verify` compares them with the activity.

-- The activity of a contact at a unit on one day, in the account's time zone.
create table contact_days (
  account_id bigint not null,
  contact_id bigint not null,
  day date not null,
  unit_id bigint not null,
  purchases integer not null default 0,
  pence bigint not null default 0,
  -- Not cancelled. Those without a date are enquiries: they count on the day of the enquiry, and are not visits.
  bookings integer not null default 0,
  enquiries integer not null default 0,
  cancelled_bookings integer not null default 0,
  -- By check-in, neither cancelled nor no-shows.
  stays integer not null default 0,
  -- Interactions other than `detected`.
  wifi integer not null default 0,
  vouchers_redeemed integer not null default 0,
  visited boolean generated always as (purchases > 0 or bookings > 0 or stays > 0 or wifi > 0 or vouchers_redeemed > 0) stored,
  primary key (account_id, contact_id, day, unit_id)
);
select add_tenant_table('contact_days');
-- For conditions on the last days, at all units or some. Few rows are cancelled bookings.
create index contact_days_day on contact_days (account_id, day, unit_id);
create index contact_days_cancelled on contact_days (account_id, day) where cancelled_bookings > 0;

-- The sums over all days and units. A contact without a row has had no activity.
create table contact_figures (
  account_id bigint not null,
  contact_id bigint not null,
  visits integer not null default 0,
  first_visit date,
  last_visit date,
  -- The latest visits, latest first, at most 50: "at least 3 visits in 60 days" looks at the third of them.
  recent_visits date[] not null default '{}',
  purchases integer not null default 0,
  -- Days with a purchase, for the average spend.
  purchase_days integer not null default 0,
  pence bigint not null default 0,
  bookings integer not null default 0,
  cancelled_bookings integer not null default 0,
  stays integer not null default 0,
  vouchers_redeemed integer not null default 0,
  -- The latest NPS rating, and its day.
  nps numeric,
  nps_day date,
  -- The next day with activity that is still in the future. When it comes, the visits are counted again.
  next_day date,
  primary key (account_id, contact_id)
) with (fillfactor = 80);
select add_tenant_table('contact_figures');
create index contact_figures_next_day on contact_figures (account_id, next_day) where next_day is not null;

-- When the figures of the account's earlier activity were filled. A job fills accounts without a time.
alter table accounts add column figures_filled_at timestamptz;
alter table accounts alter column figures_filled_at set default now();

-- The number of contacts that the service checked and repaired, of all accounts, for the metrics.
create table figure_checks (
  day date primary key,
  checked bigint not null,
  repaired bigint not null
);
