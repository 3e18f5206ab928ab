#!/bin/bash
# Runs when a server of Citus is created: creates the roles of the gateways and the database with the extension. Citus logs
# in to the other servers as the role of the session, with the passwords in PGPASSFILE.
set -euo pipefail
(
  umask 077
  printf '*:*:*:postgres:%s\n' "$POSTGRES_PASSWORD" >"$PGPASSFILE"
  printf "*:*:*:%s:$CRM_DATABASE_PASSWORD\n" crm_read crm_inbound crm_webhooks >>"$PGPASSFILE"
)
psql --no-psqlrc -v ON_ERROR_STOP=1 -v password="$CRM_DATABASE_PASSWORD" --username postgres --dbname postgres <<'SQL'
CREATE ROLE crm_read LOGIN PASSWORD :'password';
CREATE ROLE crm_inbound LOGIN PASSWORD :'password';
CREATE ROLE crm_webhooks LOGIN PASSWORD :'password';
CREATE DATABASE crm;
\connect crm
CREATE EXTENSION citus;
SQL
