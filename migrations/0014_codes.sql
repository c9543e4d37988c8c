-- Codes in place of sentences, and the name of the idempotency records.

-- Actions of the audit trail. Texts that are not listed stay as they are. The command line stored its own words; those
-- commands now have the code of the same change through the admin API. Where a command is more specific than the code,
-- `field` names what it changed. The trail is append-only for the service. This translation is the only exception.
alter table audit_trail disable trigger append_only;
update audit_trail set action = code,
  fields = case when field is null or field = any (fields) then fields else array_append(fields, field) end
from (values
  ('Create an account', 'account.create', null::text),
  ('Change an account', 'account.update', null),
  ('Delete an account', 'account.delete', null),
  ('Create a user', 'user.create', null),
  ('Change a user', 'user.update', null),
  ('Delete a user', 'user.delete', null),
  ('Change one’s password', 'user.change_password', null),
  ('Wrong password', 'user.wrong_password', null),
  ('Sign in', 'session.create', null),
  ('Sign out', 'session.delete', null),
  ('Sign out everywhere', 'session.delete_all', null),
  ('Create a personal access token', 'token.create', null),
  ('Change a personal access token', 'token.update', null),
  ('Delete a personal access token', 'token.revoke', null),
  ('Revoke a personal access token', 'token.revoke', null),
  ('Create a unit', 'unit.create', null),
  ('Change a unit', 'unit.update', null),
  ('Delete a unit', 'unit.delete', null),
  ('Create a folder', 'folder.create', null),
  ('Change a folder', 'folder.update', null),
  ('Delete a folder', 'folder.delete', null),
  ('Create a group', 'group.create', null),
  ('Change a group', 'group.update', null),
  ('Delete a group', 'group.delete', null),
  ('Create a user-defined field', 'udf.create', null),
  ('Change a user-defined field', 'udf.update', null),
  ('Delete a user-defined field', 'udf.delete', null),
  ('Create a source', 'source.create', null),
  ('Change a source', 'source.update', null),
  ('Delete a source', 'source.delete', null),
  ('Create a provider', 'provider.create', null),
  ('Change a provider', 'provider.update', null),
  ('Delete a provider', 'provider.delete', null),
  ('Create a feedback category', 'feedback_category.create', null),
  ('Change a feedback category', 'feedback_category.update', null),
  ('Delete a feedback category', 'feedback_category.delete', null),
  ('Create a booking source', 'booking_source.create', null),
  ('Change a booking source', 'booking_source.update', null),
  ('Delete a booking source', 'booking_source.delete', null),
  ('Merge another contact into this one', 'contact.merge', null),
  ('Say that they are two people', 'contact.keep_apart', null),
  ('Erase a contact', 'contact.erase', null),
  ('Undo a merge', 'merge.undo', null),
  ('Add a note to a contact', 'note.create', null),
  ('Record what a guest asked for', 'consent.record', null),
  ('Create a unique code group', 'unique_code_group.create', null),
  ('Change a unique code group', 'unique_code_group.update', null),
  ('Delete a unique code group', 'unique_code_group.delete', null),
  ('Add voucher codes', 'unique_code.create', null),
  ('Generate or import voucher codes', 'unique_code.create', null),
  ('Assign a voucher code', 'unique_code.assign', null),
  ('Give contacts a voucher code each', 'unique_code.assign_many', null),
  ('Unassign a voucher code', 'unique_code.unassign', null),
  ('Vouch for an e-mail domain', 'email_domain.vouch', null),
  ('regulars backup', 'backup.create', null),
  ('regulars restore', 'backup.restore', null),
  ('regulars account create', 'account.create', null),
  ('regulars account rename', 'account.update', 'name'),
  ('regulars account time-zone', 'account.update', 'time_zone'),
  ('regulars account delete', 'account.delete', null),
  ('regulars user create', 'user.create', null),
  ('regulars user change', 'user.update', null),
  ('regulars user password', 'user.set_password', null),
  ('regulars user delete', 'user.delete', null),
  ('regulars token create', 'token.create', null),
  ('regulars token rename', 'token.update', 'name'),
  ('regulars token delete', 'token.revoke', null),
  ('regulars token revoke', 'token.revoke', null),
  ('regulars unit create', 'unit.create', null),
  ('regulars unit rename', 'unit.update', 'name'),
  ('regulars unit delete', 'unit.delete', null),
  ('regulars folder create', 'folder.create', null),
  ('regulars folder rename', 'folder.update', 'name'),
  ('regulars folder delete', 'folder.delete', null),
  ('regulars group create', 'group.create', null),
  ('regulars group rename', 'group.update', 'name'),
  ('regulars group delete', 'group.delete', null),
  ('regulars udf create', 'udf.create', null),
  ('regulars udf rename', 'udf.update', 'name'),
  ('regulars udf delete', 'udf.delete', null),
  ('regulars source create', 'source.create', null),
  ('regulars source rename', 'source.update', 'name'),
  ('regulars source delete', 'source.delete', null),
  ('regulars provider create', 'provider.create', null),
  ('regulars provider rename', 'provider.update', 'name'),
  ('regulars provider delete', 'provider.delete', null),
  ('regulars feedback-category create', 'feedback_category.create', null),
  ('regulars feedback-category rename', 'feedback_category.update', 'name'),
  ('regulars feedback-category delete', 'feedback_category.delete', null),
  ('regulars booking-source create', 'booking_source.create', null),
  ('regulars booking-source rename', 'booking_source.update', 'name'),
  ('regulars booking-source delete', 'booking_source.delete', null),
  ('regulars contact merge', 'contact.merge', null),
  ('regulars contact erase', 'contact.erase', null),
  ('regulars merge undo', 'merge.undo', null),
  ('regulars duplicate keep-apart', 'contact.keep_apart', null),
  ('regulars voucher-group create', 'unique_code_group.create', null),
  ('regulars voucher-group rename', 'unique_code_group.update', 'name'),
  ('regulars voucher-group delete', 'unique_code_group.delete', null),
  ('regulars voucher generate', 'unique_code.create', 'count'),
  ('regulars voucher import', 'unique_code.create', 'file'),
  ('regulars voucher assign', 'unique_code.assign', null),
  ('regulars voucher give', 'unique_code.assign_many', null),
  ('regulars voucher unassign', 'unique_code.unassign', null),
  ('regulars domain add', 'email_domain.vouch', null),
  ('regulars domain refuse', 'email_domain.refuse', null)) as translation (sentence, code, field)
where action = sentence;
alter table audit_trail enable trigger append_only;

-- Reasons of merges and of possible duplicates. Row-level security is forced on the owner too, and would hide every row
-- from these statements.
alter table merges no force row level security, disable trigger append_only;
update merges set reason = case reason when 'same mobile number' then 'same_mobile' else 'staff' end
where reason in ('same mobile number', 'by hand');
alter table merges force row level security, enable trigger append_only;
alter table possible_duplicates no force row level security;
update possible_duplicates set reason = case reason when 'same mobile number' then 'same_mobile' else 'staff' end
where reason in ('same mobile number', 'by hand');
alter table possible_duplicates force row level security;

-- An idempotency record is the stored response of a request with an Idempotency-Key.
alter table kept_answers rename to idempotency_records;
alter table idempotency_records rename constraint kept_answers_pkey to idempotency_records_pkey;
alter table idempotency_records rename constraint kept_answers_account_id_fkey to idempotency_records_account_id_fkey;
alter index kept_answers_age rename to idempotency_records_age;
alter index kept_answers_contact rename to idempotency_records_contact;
