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
