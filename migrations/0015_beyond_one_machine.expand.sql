-- Prepares the schema for a distributed PostgreSQL (`regulars db distribute`). Nothing changes on a single server.

-- On a distributed server the trigger runs on the shards, whose names have a number at the end: consent_ledger_102008.
create or replace function refuse_to_rewrite() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_name ~ '^(consent_ledger|merges)(_[0-9]+)?$' and current_setting('app.erasing', true) = 'on' then
    return old;
  end if;
  raise exception '% is append-only: % is refused', tg_table_name, tg_op using errcode = 'restrict_violation';
end $$;

-- A distributed server has no policies with subqueries. The statements join accounts, which hides deleted accounts.
drop policy not_deleted on user_accounts;
alter table user_accounts no force row level security, disable row level security;

-- A distributed server refuses volatile functions in DO UPDATE SET. PostgreSQL would run an immutable function without
-- arguments already when it plans the statement, so this one has an argument from the row.
create function raced(taken bigint) returns bigint language plpgsql immutable as $$
begin
  raise exception 'it was taken meanwhile' using errcode = 'serialization_failure';
end $$;

-- A distributed server takes only immutable functions where rows are changed or returned. These depend on nothing but
-- their arguments and the names of time zones.
create function to_instant(at text, time_zone text) returns timestamptz language plpgsql immutable parallel safe strict as $$
begin
  if at like '%Z' then
    return at::timestamptz;
  end if;
  return at::timestamp at time zone time_zone;
end $$;

create function to_utc_text(instant timestamptz) returns text language plpgsql immutable parallel safe strict as $$
begin
  return to_char(instant at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
end $$;

-- Later migrations call this for each new tenant table, directly after CREATE TABLE, and add its foreign keys after it.
create function add_tenant_table(added regclass) returns void language plpgsql as $$
declare
  distributed boolean := false;
begin
  execute format('create policy own_account on %s using (account_id = current_account_id())', added);
  execute format('alter table %s enable row level security, force row level security', added);
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute $q$ select exists (select from pg_dist_partition where logicalrelid = 'contacts'::regclass) $q$ into distributed;
  end if;
  if distributed then
    execute format($q$ select create_distributed_table(%L, 'account_id', colocate_with := 'contacts') $q$, added);
  end if;
end $$;
