-- The client's address of each logged request and each audited change. Null: unknown, or older than this column.

alter table request_log add column address text;
alter table audit_trail add column address text;
