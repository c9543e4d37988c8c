-- The service counts waiting purchases account by account, in transactions of its own.
drop function waiting_purchases;
