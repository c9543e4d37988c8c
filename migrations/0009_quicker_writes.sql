-- What every write pays for, and need not.

-- As it was, but for `strict`: a name that is null is null either way, and PostgreSQL puts such a function's expression
-- in the place of its calls, of which every guest that is written has two.
create or replace function name_key(name text) returns text
  language sql immutable parallel safe
  -- Most names are plain ASCII, and the long way takes ten times as long.
  return case when octet_length(name) = length(name) then translate(lower(name), ' ''`-.,', '')
    else translate(
      replace(replace(replace(replace(lower(
        -- A letter and its accents apart, and these left out.
        regexp_replace(normalize(name, NFD), U&'[\0300-\036F]', '', 'g')), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
      'đðǝħıłŀŋøŧ' || U&' ''`-.,\00A0\00B4\02BC\2018\2019\2010\2011\2013', 'ddehillnot') end;

-- The oldest requests have the lowest ids: the primary key finds them as well.
drop index request_log_age;

-- What a purchase waits for is looked for by a column: row-level security keeps upper() out of an index's condition, so
-- that everything in the account that waits for a code was read, for each code that somebody redeemed.
alter table purchases
  add column unique_code_key text collate "C" generated always as (upper(unique_code collate "C")) stored;
drop index purchases_waiting_code;
create index purchases_waiting_code on purchases (account_id, unique_code_key)
  where contact_id is null and unique_code_key is not null;

-- Who sat at a table is told by the index alone: of the bookings of a day at the unit, only those at this table are
-- read, and those at several ('': which ones, table_numbers says).
alter table bookings
  add column party_day date generated always as (party_datetime::date) stored,
  add column table_key text collate "C" generated always as (
    case cardinality(table_numbers) when 0 then null when 1 then lower(table_numbers[1]) else '' end) stored;
drop index bookings_start;
create index bookings_table on bookings (account_id, unit_id, party_day, table_key);
