-- The service releases the codes of an erased contact itself, since migration 15. A distributed server has no foreign key
-- with SET NULL, so both kinds of servers get the same one. It is not checked here, because requests would wait for that.
do $$
begin
  if exists (
    select from pg_constraint
    where conrelid = 'unique_codes'::regclass and conname = 'unique_codes_account_id_contact_id_fkey' and confdeltype = 'n') then
    alter table unique_codes drop constraint unique_codes_account_id_contact_id_fkey,
      add constraint unique_codes_account_id_contact_id_fkey
        foreign key (account_id, contact_id) references contacts (account_id, id) not valid;
  end if;
end $$;
