#!/bin/bash
# Runs when the server is created: creates the database and the role that owns it. The role is not a superuser, so its
# password gives access to the tables of the service, but not to the server.
set -euo pipefail
psql --no-psqlrc -v ON_ERROR_STOP=1 -v password="$CRM_DATABASE_PASSWORD" --username postgres --dbname postgres <<'SQL'
CREATE ROLE crm LOGIN PASSWORD :'password';
CREATE DATABASE crm OWNER crm;
SQL
