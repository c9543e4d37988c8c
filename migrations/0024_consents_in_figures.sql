-- The consents of the contact beside its figures (1 e-mail, 2 text, 4 call, 8 post), so that a segment of figures is
-- counted without reading all contacts. Every writer of a consent keeps them.
alter table contact_figures add column consents smallint not null default 0;

-- The figures of all accounts are filled again.
alter table accounts drop column figures_filled_at;
alter table accounts add column figures_filled_at timestamptz;
alter table accounts alter column figures_filled_at set default now();

-- Whether nothing but activity changed. The counts of guests do not depend on activity, so they skip such a change.
alter table changes add column only_activity boolean not null default false;

-- A purchase is matched by a number that it has, unless it was sent again with another one. Only these others are indexed
-- by the number that matched. The indexes of the numbers find the rest.
drop index purchases_matched_value;
create index purchases_matched_value on purchases (account_id, matched_value)
  where matched_by in ('membership_number', 'card_reference')
    and matched_value is distinct from case when matched_by = 'card_reference' then card_reference else membership_number end;
