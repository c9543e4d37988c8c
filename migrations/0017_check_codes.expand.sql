-- Marks the foreign key of migration 16 as checked. The earlier key held for all rows. This transaction stops no writer.
do $$
begin
  if exists (
    select from pg_constraint
    where conrelid = 'unique_codes'::regclass and conname = 'unique_codes_account_id_contact_id_fkey' and not convalidated) then
    alter table unique_codes validate constraint unique_codes_account_id_contact_id_fkey;
  end if;
end $$;
