#!/bin/bash
# Makes the service's database and the role that owns it, when the server is made. The role is no superuser: whoever finds
# the service's password gets its tables and not the server.
set -euo pipefail
psql --no-psqlrc -v ON_ERROR_STOP=1 -v password="$CRM_DATABASE_PASSWORD" --username postgres --dbname postgres <<'SQL'
CREATE ROLE crm LOGIN PASSWORD :'password';
CREATE DATABASE crm OWNER crm;
SQL
