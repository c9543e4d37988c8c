-- What staff look for guests by, and who of them said or did what.

-- A name as it is looked for: however it is written, with or without its accents, spaces, hyphens and apostrophes.
create function name_key(name text) returns text
  language sql immutable strict parallel safe
  -- Most names are plain ASCII, and the long way takes ten times as long.
  return case when octet_length(name) = length(name) then translate(lower(name), ' ''`-.,', '')
    else translate(
      replace(replace(replace(replace(lower(
        -- A letter and its accents apart, and these left out.
        regexp_replace(normalize(name, NFD), U&'[\0300-\036F]', '', 'g')), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
      'đðǝħıłŀŋøŧ' || U&' ''`-.,\00A0\00B4\02BC\2018\2019\2010\2011\2013', 'ddehillnot') end;

-- Columns, as an index on the function would be of no use under row-level security; and in the order of their bytes,
-- whatever the database's own is, as only so all names that start alike stand together.
alter table contacts
  add column first_name_key text collate "C" generated always as (name_key(first_name)) stored,
  add column last_name_key text collate "C" generated always as (name_key(last_name)) stored;
create index contacts_last_name on contacts (account_id, last_name_key, first_name_key, id)
  where merged_into is null and last_name_key is not null;
create index contacts_first_name on contacts (account_id, first_name_key, last_name_key, id)
  where merged_into is null and first_name_key is not null;
-- A consent that few gave is not looked for among all guests.
create index contacts_allow_email on contacts (account_id, id) where merged_into is null and allow_email;
create index contacts_allow_sms on contacts (account_id, id) where merged_into is null and allow_sms;
create index contacts_allow_call on contacts (account_id, id) where merged_into is null and allow_call;
create index contacts_allow_snail_mail on contacts (account_id, id) where merged_into is null and allow_snail_mail;

-- So that its primary key finds e-mails and numbers by how they start.
alter table identities alter column value type text collate "C";

-- Who wrote it; null: a partner sent it.
alter table notes add column author text;

-- Who of the staff recorded it, and why.
alter table consent_ledger add column actor text, add column reason text;
