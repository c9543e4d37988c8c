-- What the dashboard counts, each by an index that holds all of it: a count must not read what guests did row by row.

-- Kept beside the lines, so that adding up what was spent unpacks none of them.
create function lines_pence(lines jsonb) returns bigint
  language sql immutable strict parallel safe
  return (select coalesce(sum((line ->> 'value')::numeric) * 100, 0)::bigint from jsonb_array_elements(lines) as line);
alter table purchases add column total_pence bigint not null generated always as (lines_pence(lines)) stored;

create index purchases_unit on purchases (account_id, unit_id, created_at) include (total_pence);
create index stays_unit on stays (account_id, unit_id, checkin_date);
create index wifi_interactions_unit on wifi_interactions (account_id, unit_id);
drop index purchases_waiting;
create index purchases_waiting on purchases (account_id, id) include (unit_id) where contact_id is null;

-- Whoever is a guest of their own, with all that is counted of them.
create index contacts_guests on contacts (account_id, id) include (created_at, allow_email, allow_sms, allow_call, allow_snail_mail)
  where merged_into is null;
