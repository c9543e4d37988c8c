#!/bin/sh
# Adds Citus to the database of Regulars, and lets the nodes of the cluster connect to each other with the password.
set -eu
psql --set ON_ERROR_STOP=1 --username postgres --dbname regulars --command 'create extension citus'
# Citus reads the password from the file of the user that runs the server.
umask 077
echo "*:*:*:*:$REGULARS_DB_PASSWORD" > "$HOME/.pgpass"
