-- Checks the rows for the foreign key of migration 16. In a transaction of its own, this stops no writer.
do $$
begin
  if exists (
    select from pg_constraint
    where conrelid = 'unique_codes'::regclass and conname = 'unique_codes_account_id_contact_id_fkey' and not convalidated) then
    alter table unique_codes validate constraint unique_codes_account_id_contact_id_fkey;
  end if;
end $$;
