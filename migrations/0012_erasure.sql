-- What is left of a guest who is erased, and of domains that nobody uses.

-- A client may make its Idempotency-Keys of a guest's e-mail, so a hash of each is kept. Row-level security is forced on
-- the owner too, and would hide every row from this statement.
alter table kept_answers no force row level security;
update kept_answers set key = encode(sha256(convert_to(key, 'UTF8')), 'hex');
alter table kept_answers force row level security;

-- Find the membership number or card of an erased guest on the purchases of others.
create index purchases_matched_membership on purchases (account_id, membership_number)
  where contact_id is not null and membership_number is not null;
create index purchases_matched_card on purchases (account_id, card_reference)
  where contact_id is not null and card_reference is not null;
create index purchases_matched_value on purchases (account_id, matched_value)
  where matched_by in ('membership_number', 'card_reference');

-- Domains that take no mail are remembered in memory only. Of those that were learnt, the 50,000 newest stay.
delete from email_domains where not vouched_for and not takes_mail;
delete from email_domains where not vouched_for and domain not in (
  select domain from email_domains where not vouched_for order by checked_at desc limit 50000);
