-- The answers to requests that came with an Idempotency-Key, for whoever asks again.

create table kept_answers (
  account_id bigint not null references accounts on delete cascade,
  key text not null,
  -- SHA-256 of the route and what was sent: the same key with something else is a mistake.
  fingerprint bytea not null,
  -- Null: it told of a guest who was erased since.
  body text,
  discarded_fields jsonb not null,
  -- Whom the answer tells of, and who may ask to be forgotten.
  contact_id bigint,
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);
create index kept_answers_age on kept_answers (account_id, created_at);
create index kept_answers_contact on kept_answers (account_id, contact_id) where contact_id is not null;

alter table kept_answers enable row level security;
alter table kept_answers force row level security;
create policy own_account on kept_answers using (account_id = current_account_id());
