#!/bin/sh
# Creates the ordinary role and the database of Regulars. The images of PostgreSQL and Citus run it at the first start.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$REGULARS_DB_PASSWORD" --username postgres --dbname postgres <<'SQL'
create role regulars login password :'password';
create database regulars owner regulars;
SQL
