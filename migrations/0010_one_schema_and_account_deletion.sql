-- One schema for every database, and accounts that are deleted in the background.

-- Migrations 2, 3, 4, 6 and 9 were edited after some databases had run them. Each statement below brings one earlier
-- text up to the present one. A database that ran the present texts is left as it is.

-- 0002: names folded into a column.
do $$
declare named record;
begin
  for named in select * from (values ('folders', 'account_id, unit_id'), ('groups', 'account_id, unit_id, folder_id'), ('udfs', 'account_id'),
      ('sources', 'account_id'), ('providers', 'account_id'), ('feedback_categories', 'account_id'), ('booking_sources', 'account_id'))
      as named (name, within) loop
    continue when exists (
      select from pg_attribute where attrelid = named.name::regclass and attname = 'name_key' and not attisdropped);
    execute format('alter table %I add column name_key text generated always as (lower(name)) stored', named.name);
    execute format('drop index %I', named.name || '_name');
    execute format('create unique index %I on %I (%s, name_key)', named.name || '_name', named.name, named.within);
  end loop;
end $$;
create index if not exists possible_duplicates_open on possible_duplicates (account_id, id) where kept_apart_at is null;
alter table consent_ledger alter column at set default clock_timestamp();
create or replace function raced() returns bigint
  language plpgsql
as $$
begin
  raise exception 'it was taken meanwhile' using errcode = 'serialization_failure';
end $$;

-- 0003: the value that a purchase was matched by.
alter table purchases add column if not exists matched_value text;

-- 0004: the request log has no foreign key.
alter table request_log drop constraint if exists request_log_account_id_fkey;

-- 0006: names were folded in other ways. Migration 9 replaced the function. The stored keys are computed again here.
do $$
declare account bigint;
begin
  for account in select id from accounts loop
    -- Row-level security shows one account at a time.
    execute format('set local app.account_id = %s', account);
    update contacts set first_name = first_name, last_name = last_name
    where account_id = account
      and (first_name_key is distinct from name_key(first_name) or last_name_key is distinct from name_key(last_name));
  end loop;
end $$;

-- 0009: columns that purchases and bookings are found by.
do $$
begin
  if not exists (
      select from pg_attribute where attrelid = 'purchases'::regclass and attname = 'unique_code_key' and not attisdropped) then
    alter table purchases
      add column unique_code_key text collate "C" generated always as (upper(unique_code collate "C")) stored;
    drop index purchases_waiting_code;
    create index purchases_waiting_code on purchases (account_id, unique_code_key)
      where contact_id is null and unique_code_key is not null;
  end if;
  if not exists (select from pg_attribute where attrelid = 'bookings'::regclass and attname = 'party_day' and not attisdropped) then
    alter table bookings
      add column party_day date generated always as (party_datetime::date) stored,
      add column table_key text collate "C" generated always as (
        case cardinality(table_numbers) when 0 then null when 1 then lower(table_numbers[1]) else '' end) stored;
    drop index bookings_start;
    create index bookings_table on bookings (account_id, unit_id, party_day, table_key);
  end if;
end $$;

-- The audit trail is append-only without exception. The consent ledger and the merges can be deleted, but not changed,
-- by a transaction that erases a guest or an account (set local app.erasing = 'on').
create or replace function refuse_to_rewrite() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'DELETE' and tg_table_name in ('consent_ledger', 'merges') and current_setting('app.erasing', true) = 'on' then
    return old;
  end if;
  raise exception '% is append-only: % is refused', tg_table_name, tg_op using errcode = 'restrict_violation';
end $$;

-- A deleted account is hidden at once. A job then deletes its rows in small batches, and the account's own row last.
-- Row-level security hides it, so that no statement has to remember to. Within its own scope it stays visible: for the
-- transactions that had begun before it was deleted, and for the job. Backups see it too (app.show_deleted).
alter table accounts add column deleted_at timestamptz;
alter table accounts enable row level security;
alter table accounts force row level security;
create policy not_deleted on accounts
  using (deleted_at is null or id = current_account_id() or current_setting('app.show_deleted', true) = 'on') with check (true);
alter table user_accounts enable row level security;
alter table user_accounts force row level security;
create policy not_deleted on user_accounts using (exists (select from accounts where id = account_id)) with check (true);
