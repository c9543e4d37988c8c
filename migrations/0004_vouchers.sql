-- A code is known by its letters, whatever their case: read off a phone it is typed either way. Only A to Z, so that
-- every server agrees, whatever its locale.
do $$
declare account bigint;
begin
  -- Row-level security shows one account at a time.
  for account in select id from accounts loop
    execute format('set local app.account_id = %s', account);
    -- Until now, codes of one group could differ by case alone. One of them stays: who has been given it would miss it.
    delete from unique_codes other using unique_codes kept
    where other.account_id = account and kept.account_id = account and kept.group_id = other.group_id
      and upper(kept.unique_code collate "C") = upper(other.unique_code collate "C")
      and (kept.contact_id is null, kept.id) < (other.contact_id is null, other.id);
  end loop;
end $$;

alter table unique_codes
  add column code_key text collate "C" generated always as (upper(unique_code collate "C")) stored,
  add column assigned_at timestamptz,
  add column redeemed_at timestamptz,
  add column redeemed_unit_id bigint,
  add foreign key (account_id, redeemed_unit_id) references units,
  add check ((redeemed_at is null) = (redeemed_unit_id is null));
-- Redeeming a code changes no index; with room on its page, it changes nothing but the page.
alter table unique_codes set (fillfactor = 85);
drop index unique_codes_code;
create unique index unique_codes_code on unique_codes (account_id, code_key, group_id);
-- The next that can be given to somebody.
create index unique_codes_free on unique_codes (account_id, group_id, id) where contact_id is null;

drop index purchases_waiting_code;
create index purchases_waiting_code on purchases (account_id, upper(unique_code collate "C"))
  where contact_id is null and unique_code is not null;

do $$
declare account bigint;
begin
  for account in select id from accounts loop
    execute format('set local app.account_id = %s', account);
    update unique_codes set assigned_at = created_at where account_id = account and contact_id is not null;
  end loop;
end $$;

-- The request log is written for every request: whether the account is there is looked at once for all of a write,
-- rather than for each row. Whoever deletes an account deletes its entries.
alter table request_log drop constraint request_log_account_id_fkey;
